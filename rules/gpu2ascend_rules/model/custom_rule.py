"""The rules of a rule file as plain data, which goes to worker processes as it is."""

from __future__ import annotations

from typing import NamedTuple

PREFIX = "CUS"
"""What the codes of the user's rules begin with. They are before those of all other rules."""


class RulePosition(NamedTuple):
    """A place in the rule file; line and column count from 1, columns in characters."""

    line: int
    column: int


class ArgsModifyRule(NamedTuple):
    """Replace or delete one argument of the calls of a function."""

    place: RulePosition
    func_name: str
    arg_new: str
    """An expression; empty deletes the argument."""
    arg_idx: int | None = None
    arg_keyword: str | None = None
    white_list: tuple[str, ...] = ()
    """Regular expressions: an argument in whose text one of them is found stays as it is."""

    @property
    def word(self) -> str:
        """The word without which a file has nothing for the rule."""
        return last_part(self.func_name)


class FuncNameModifyRule(NamedTuple):
    """Use one function instead of another."""

    place: RulePosition
    old_name: str
    new_name: str

    @property
    def word(self) -> str:
        """The word without which a file has nothing for the rule."""
        return last_part(self.old_name)


class ModuleNameModifyRule(NamedTuple):
    """Use one module instead of another."""

    place: RulePosition
    old_name: str
    new_name: str
    parent_module: str = ""

    @property
    def full_name(self) -> str:
        """The module with its parents, as far as the rule gives them."""
        return f"{self.parent_module}.{self.old_name}" if self.parent_module else self.old_name

    @property
    def word(self) -> str:
        """The word without which a file has nothing for the rule."""
        return last_part(self.old_name)


class PatternRule(NamedTuple):
    """Report, and replace, every expression of a form."""

    place: RulePosition
    pattern: str
    replace: str | None = None
    message: str = ""
    safe: bool = True
    word: str = ""
    """The word without which a file has nothing for the rule."""


class UnsupportedApiRule(NamedTuple):
    """Report every use of an API that does not work on the NPU."""

    place: RulePosition
    name: str
    message: str = ""

    @property
    def word(self) -> str:
        """The word without which a file has nothing for the rule."""
        return last_part(self.name)


CustomRule = ArgsModifyRule | FuncNameModifyRule | ModuleNameModifyRule | PatternRule | UnsupportedApiRule


def last_part(name: str) -> str:
    """What comes after the last dot."""
    return name.rpartition(".")[2]


def may_concern_custom(data: bytes, rules: tuple[CustomRule, ...]) -> bool:
    """Whether some rule may find something in a file of these bytes."""
    return any(rule.word.encode() in data for rule in rules)
