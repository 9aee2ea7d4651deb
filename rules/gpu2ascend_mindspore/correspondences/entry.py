"""One entry of a table of correspondences: an API, and the expression that takes its place."""

from __future__ import annotations

import ast
from typing import NamedTuple

from .signature import Signature, read_signature
from .values import VALUES

RENAMED = "-"
"""Written in the place of parameters: the API is only renamed, called or not."""
NAMED = "name"
"""Written in the place of parameters: the API is renamed where it is not called, as in an annotation."""
READ = "property"
"""Written in the place of parameters: an attribute that is read."""
PACKED = "packed"
"""Makes a tuple of all positions that a parameter collects; a single one stays what it is."""
TUPLED = "tupled"
"""Makes a tuple of all positions that a parameter collects, also of a single number."""
COPIED = "copied"
"""Writes the text of an argument once more, beside its own place."""
ALWAYS = "always"
"""Writes an argument also where the call leaves its default, which is another one there."""
_FUNCTIONS = frozenset({PACKED, TUPLED, COPIED, ALWAYS, *VALUES})


class Entry(NamedTuple):
    """What takes the place of a call of an API, where its arguments are what the signature says."""

    api: str
    signature: Signature | None
    """None for a name that stands for another."""
    called: bool | None
    """Whether it is for calls; None where that makes no difference."""
    target: ast.expr
    """An expression over the parameters: a keyword argument that is a bare parameter is left out where the
    call does not give it, and everything else is written."""
    dropped: frozenset[str]
    """Parameters without a counterpart whose value makes no difference there."""
    since: str
    """The first version of the library that has the target; empty for all versions that are known."""
    verified: bool
    """Whether both sides were run, and gave equal results."""
    note: str = ""
    """What the reader must know: a message id."""

    @property
    def is_name(self) -> bool:
        """Whether the API is only renamed."""
        return self.signature is None

    def is_for(self, *, called: bool) -> bool:
        """Whether it is for uses that are called, or for such as are not."""
        return self.called in (None, called)

    @property
    def is_of_mint(self) -> bool:
        """Whether it is written for ``mindspore.mint``, of which most computes on Ascend only."""
        return self.target_text.startswith("mint.")

    @property
    def names(self) -> frozenset[str]:
        """The names in the target, and so the parameters that it reads."""
        return frozenset(node.id for node in ast.walk(self.target) if isinstance(node, ast.Name))

    @property
    def is_of_helper(self) -> bool:
        """Whether it is a function of the helper file, with the name and the parameters of the API's own."""
        return self.target_text.startswith("like_torch.")

    @property
    def target_text(self) -> str:
        """The expression as written in the table."""
        return ast.unparse(self.target)


def read_entry(row: dict[str, str]) -> Entry:
    """An entry from a row of a table. Raises ValueError: the parameters or the expression cannot be read."""
    try:
        target = ast.parse(row["target"], mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"not an expression: {row['target']}") from error
    parameters = row["parameters"]
    called = None if parameters == RENAMED else parameters not in (NAMED, READ)
    signature = (
        None
        if parameters in (NAMED, RENAMED)
        else read_signature("self" if parameters == READ else parameters)
    )
    dropped = frozenset(row["dropped"].split())
    entry = Entry(
        row["api"],
        signature,
        called,
        target,
        dropped,
        row["since"],
        row["verified"] == "yes",
        row.get("note", ""),
    )
    _check(entry)
    return entry


def parameters_in(expression: ast.expr, signature: Signature) -> list[str]:
    """The parameters that an expression names, in its order."""
    names = [node.id for node in ast.walk(expression) if isinstance(node, ast.Name)]
    return [name for name in names if signature.named(name) is not None]


def value_function(expression: ast.expr) -> str | None:
    """The function of a table's expressions that an expression calls; None if it calls none."""
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name):
        name = expression.func.id
        return name if name in _FUNCTIONS else None
    return None


def _check(entry: Entry) -> None:
    if entry.signature is None:
        return
    unknown = entry.dropped - {one.name for one in entry.signature.parameters}
    if unknown:
        raise ValueError(f"{entry.api}: dropped, and no parameter: {', '.join(sorted(unknown))}")
    both = entry.dropped & set(parameters_in(entry.target, entry.signature))
    if both:
        raise ValueError(f"{entry.api}: dropped, and used: {', '.join(sorted(both))}")
