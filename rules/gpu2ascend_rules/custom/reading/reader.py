"""From the text of a rule file to its rules, or to everything that is wrong with it."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ...model.custom_rule import (
    ArgsModifyRule,
    CustomRule,
    FuncNameModifyRule,
    ModuleNameModifyRule,
    PatternRule,
    RulePosition,
    UnsupportedApiRule,
)
from ...model.finding import Message
from ...patterns.expressions import is_expression
from ...patterns.pattern import PatternError, parse_pattern, parse_replacement
from ...text.plain.json_text import (
    Array,
    CharacterPlaces,
    Fault,
    JsonError,
    Member,
    Object,
    String,
    Value,
    parse_json,
)
from .regex_work import RegexError, is_too_slow
from .schema import KINDS, TOP, Key

MAX_RULE_FILE_BYTES = 10 * 1024 * 1024
"""The largest rule file that is read."""

MAX_DEPTH = 50
"""Levels of nesting; a rule file has five."""

_TYPE_NAMES = {str: "text", int: "number", bool: "flag", list: "list", dict: "object"}


class Mistake(NamedTuple):
    """Something wrong in a rule file, and what to do."""

    place: RulePosition
    message: Message


class RuleFileError(ValueError):
    """A rule file cannot be used."""

    def __init__(self, mistakes: tuple[Mistake, ...]) -> None:
        self.mistakes = mistakes
        super().__init__(mistakes)


class _WrongHere(Exception):
    """A value that cannot be used; the mistake is noted already."""


def read_rules(text: str) -> tuple[CustomRule, ...]:
    """The rules of a rule file's text, in its order. Raises RuleFileError: with every mistake in it."""
    places = CharacterPlaces(text)
    try:
        document = parse_json(text, max_depth=MAX_DEPTH)
    except JsonError as error:
        raise RuleFileError((Mistake(RulePosition(*places.of(error.at)), _reason(error)),)) from error
    reader = _Reader(places)
    rules = tuple(reader.rules(document))
    if reader.mistakes:
        raise RuleFileError(tuple(sorted(reader.mistakes, key=lambda mistake: mistake.place)))
    return rules


def _reason(error: JsonError) -> Message:
    """Why a text is no JSON, for the user."""
    about: dict[Fault, dict[str, object]] = {
        Fault.DEEP: {"limit": MAX_DEPTH},
        Fault.TWICE: {"key": error.about},
        Fault.COMMA: {"closing": error.about},
    }
    return Message.of(f"custom.json.{error.fault.value}", **about.get(error.fault, {}))


def _plain(json: Value) -> Any:
    """A value as Python has it; of an array or object the values with their places."""
    if isinstance(json, Object):
        return json.members
    return json.items if isinstance(json, Array) else json.value


class _Reader:
    def __init__(self, places: CharacterPlaces) -> None:
        self._places = places
        self.mistakes: list[Mistake] = []

    def rules(self, document: Value) -> Iterator[CustomRule]:
        """Every rule that has no mistake."""
        top = self._object(document, "")
        if not isinstance(document, Object):
            return
        for key, member in top.items():
            if key not in (TOP, "$schema"):
                self._note(member.key.start, "custom.unknown-key", key=key, known=TOP)
        if TOP not in top:
            self._note(document.start, "custom.no-rules")
            return
        for kind, member in self._object(top[TOP].value, TOP).items():
            if kind not in KINDS:
                self._note(member.key.start, "custom.unknown-type", key=kind, known=", ".join(KINDS))
                continue
            for item in self._list(member.value, kind):
                rule = self._rule(kind, item)
                if rule is not None:
                    yield rule

    def _rule(self, kind: str, item: Value) -> CustomRule | None:
        count = len(self.mistakes)
        members = self._object(item, kind)
        values = self._values(kind, members)
        for key, info in KINDS[kind].items():
            if info.is_required and key not in members:
                self._note(item.start, "custom.missing-key", type=kind, key=key)
        if len(self.mistakes) > count:
            return None
        try:
            rule = _MAKERS[kind](self, item, members, values)
        except _WrongHere:
            return None
        return rule if len(self.mistakes) == count else None

    def _values(self, kind: str, members: dict[str, Member]) -> dict[str, Any]:
        """The values of a rule that are of the right type."""
        values: dict[str, Any] = {}
        for key, member in members.items():
            info = KINDS[kind].get(key)
            if info is None:
                self._note(member.key.start, "custom.unknown-key", key=key, known=", ".join(KINDS[kind]))
            elif self._is_of(member.value, key, info):
                values[key] = _plain(member.value)
        return values

    def _is_of(self, json: Value, key: str, info: Key) -> bool:
        value = _plain(json)
        kind: type = value.__class__
        if kind is not info.kind:
            self._note(json.start, f"custom.type-{_TYPE_NAMES[info.kind]}", key=key)
        elif info.kind is str and not value.strip() and not info.may_be_empty:
            self._note(json.start, "custom.empty", key=key)
        elif info.kind is int and value < 0:
            self._note(json.start, "custom.negative", key=key)
        else:
            return True
        return False

    def arguments_rule(
        self, item: Value, members: dict[str, Member], values: dict[str, Any]
    ) -> ArgsModifyRule:
        """An ArgsModifyRule of values of the right types."""
        if ("arg_idx" in values) == ("arg_keyword" in values):
            self._note(item.start, "custom.one-of", one="arg_idx", other="arg_keyword")
            raise _WrongHere
        new = values["arg_new"].strip()
        if new and not is_expression(new):
            self._note(members["arg_new"].value.start, "custom.not-expression", key="arg_new", value=new)
        if "arg_keyword" in values:
            self._name(members["arg_keyword"].value, "arg_keyword", dotted=False)
        return ArgsModifyRule(
            self._place(item.start),
            self._name(members["func_name"].value, "func_name"),
            new,
            values.get("arg_idx"),
            values.get("arg_keyword"),
            self._regexes(members["white_list"].value) if "white_list" in members else (),
        )

    def function_rule(
        self, item: Value, members: dict[str, Member], values: dict[str, Any]
    ) -> FuncNameModifyRule:
        """A FuncNameModifyRule of values of the right types."""
        return FuncNameModifyRule(self._place(item.start), *self._names(members))

    def module_rule(
        self, item: Value, members: dict[str, Member], values: dict[str, Any]
    ) -> ModuleNameModifyRule:
        """A ModuleNameModifyRule of values of the right types."""
        parent = ""
        if values.get("parent_module"):
            parent = self._name(members["parent_module"].value, "parent_module")
        return ModuleNameModifyRule(self._place(item.start), *self._names(members), parent)

    def pattern_rule(self, item: Value, members: dict[str, Member], values: dict[str, Any]) -> PatternRule:
        """A PatternRule of values of the right types."""
        if "replace" not in values and not values.get("message", "").strip():
            self._note(item.start, "custom.one-or-both", one="replace", other="message")
        key = "pattern"
        try:
            pattern = parse_pattern(values[key])
            key = "replace"
            if key in values:
                parse_replacement(values[key], pattern)
        except PatternError as error:
            self._note_message(members[key].value.start, error.reason)
            raise _WrongHere from error
        return PatternRule(
            self._place(item.start),
            values["pattern"],
            values.get("replace"),
            values.get("message", "").strip(),
            values.get("safe", True),
            pattern.word,
        )

    def unsupported_rule(
        self, item: Value, members: dict[str, Member], values: dict[str, Any]
    ) -> UnsupportedApiRule:
        """An UnsupportedApiRule of values of the right types."""
        name = self._name(members["name"].value, "name")
        return UnsupportedApiRule(self._place(item.start), name, values.get("message", "").strip())

    def _names(self, members: dict[str, Member]) -> tuple[str, str]:
        """The old name and the new one, which must differ."""
        old, new = (self._name(members[key].value, key) for key in ("old_name", "new_name"))
        if old == new:
            self._note(members["new_name"].value.start, "custom.no-change", name=new)
        return old, new

    def _name(self, json: Value, key: str, *, dotted: bool = True) -> str:
        text = str(_plain(json)).strip()
        parts = text.split(".")
        is_name = all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)
        if not is_name or (len(parts) > 1 and not dotted):
            self._note(json.start, "custom.not-name", key=key, value=text)
        return text

    def _regexes(self, array: Value) -> tuple[str, ...]:
        found: list[str] = []
        for item in _plain(array):
            if not isinstance(item, String):
                self._note(item.start, "custom.type-text", key="white_list")
                continue
            try:
                if is_too_slow(item.value):
                    self._note(item.start, "custom.slow-regex", value=item.value)
            except RegexError as error:
                self._note(item.start, "custom.bad-regex", value=item.value, reason=str(error))
            found.append(item.value)
        return tuple(found)

    def _object(self, json: Value, key: str) -> dict[str, Member]:
        if isinstance(json, Object):
            return json.members
        self._note(json.start, "custom.type-object" if key else "custom.no-rules", key=key)
        return {}

    def _list(self, json: Value, key: str) -> list[Value]:
        if isinstance(json, Array):
            return json.items
        self._note(json.start, "custom.type-list", key=key)
        return []

    def _note(self, at: int, message_id: str, /, **arguments: object) -> None:
        self._note_message(at, Message.of(message_id, **arguments))

    def _place(self, at: int) -> RulePosition:
        return RulePosition(*self._places.of(at))

    def _note_message(self, at: int, message: Message) -> None:
        self.mistakes.append(Mistake(self._place(at), message))


_Maker = Callable[[_Reader, Value, "dict[str, Member]", "dict[str, Any]"], CustomRule]

_MAKERS: dict[str, _Maker] = {
    "ArgsModifyRule": _Reader.arguments_rule,
    "FuncNameModifyRule": _Reader.function_rule,
    "ModuleNameModifyRule": _Reader.module_rule,
    "PatternRule": _Reader.pattern_rule,
    "UnsupportedApiRule": _Reader.unsupported_rule,
}
