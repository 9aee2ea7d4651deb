"""The entries of the table, and what they make of a use."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Protocol

from tree_sitter import Node

from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.similar.assemble import part_with
from gpu2ascend_rules.text.syntax import field, is_field, passed_to, same, text_of
from gpu2ascend_rules.text.uses import uses_of_variable

from ..correspondences.binding import Bound, Unbound, bind
from ..correspondences.call_edits import edits_of
from ..correspondences.entry import ALWAYS, Entry, value_function
from ..correspondences.rendering import Piece, render
from ..correspondences.values import Refused
from ..helpers import MINDSPORE
from .evidence import Evidence
from .use import Reason, Use, changed, refused
from .values.flags import asks_for_gradients


class HandedOn(Protocol):
    """What a file may give to the functions and classes that it hands on."""

    @property
    def words(self) -> bytes:
        """The keywords of those calls, and all that the file writes as text: keys of dictionaries."""

    def positions(self, api: str) -> int:
        """How many arguments an API is given by position, at most, where it has another name."""

    def is_called_without_positions(self, node: Node) -> bool:
        """Whether what stands at a place is called, if at all, without arguments by position."""


IMPORTED: Mapping[str, str] = {
    "ms": "import mindspore as ms",
    "nn": "from mindspore import nn",
    "ops": "from mindspore import ops",
    "Tensor": "from mindspore import Tensor",
    "ParameterTuple": "from mindspore import ParameterTuple",
    "optim": "from mindspore.experimental import optim",
    "Normal": "from mindspore.common.initializer import Normal",
    "initializer": "from mindspore.common.initializer import initializer",
    "Constant": "from mindspore.common.initializer import Constant",
    "HeNormal": "from mindspore.common.initializer import HeNormal",
    "HeUniform": "from mindspore.common.initializer import HeUniform",
    "Orthogonal": "from mindspore.common.initializer import Orthogonal",
    "TruncatedNormal": "from mindspore.common.initializer import TruncatedNormal",
    "Uniform": "from mindspore.common.initializer import Uniform",
    "XavierNormal": "from mindspore.common.initializer import XavierNormal",
    "XavierUniform": "from mindspore.common.initializer import XavierUniform",
    "partial": "from functools import partial",
    "np": "import numpy as np",
    "mint": "from mindspore import mint",
    "communication": "from mindspore import communication",
    "ds": "import mindspore.dataset as ds",
    "os": "import os",
    MINDSPORE.module: f"from {MINDSPORE.package} import {MINDSPORE.module}",
}
"""What new text may begin with, and the import that brings it."""
_FLAG = "requires_grad"
_LAYOUT = frozenset({"order", "comment"})


def use_of(
    evidence: Evidence,
    api: str,
    node: Node,
    call: Node | None,
    receiver: Node | None,
    handing: HandedOn | None = None,
) -> Use:
    """What becomes of a use of an API: ``node`` is its name, or the attribute of ``receiver``.

    ``handing`` knows what the file may give to a name that it hands on; without it, none is handed on.
    """
    place = call if call is not None else node
    known, later = _of_release(evidence, evidence.entries.get(api, ()))
    if later and not known:
        return refused(api, place, Reason.RELEASE, later)
    helper = next((one for one in known if one.is_of_helper), None)
    is_unbound = False
    for entry in known:
        # What computes everywhere may have an argument that others lack, and a helper has every one.
        may_fail = (entry.is_of_mint and len(known) > 1) or (helper is not None and entry is not helper)
        found = _by_entry(evidence, entry, api, node, call, receiver, may_fail=may_fail)
        if isinstance(found, Use):
            return found
        is_unbound = is_unbound or found is not None
    if is_unbound:
        return refused(api, place, Reason.ARGUMENTS)
    if call is None and receiver is None:
        return _named(evidence, known, helper, api, node, handing)
    return refused(api, place, Reason.NO_TARGET)


def _named(
    evidence: Evidence,
    known: Sequence[Entry],
    helper: Entry | None,
    api: str,
    node: Node,
    handing: HandedOn | None,
) -> Use:
    """What becomes of a class or function that is named and not called."""
    if helper is not None and not _is_type(evidence, node):
        return _helped(evidence, api, None, node, helper) or refused(api, node, _of_class(node))
    if handing is not None and api in evidence.entries:
        return _handed_on(evidence, known, api, node, handing)
    return refused(api, node, Reason.NO_TARGET)


def _of_release(evidence: Evidence, known: Sequence[Entry]) -> tuple[Sequence[Entry], str]:
    """The entries that the chosen release has the names for, and the first release with those of another."""
    release = evidence.context.options.mindspore_version
    later = [one.since for one in known if one.since and _numbers(one.since) > tuple(release)]
    return [one for one in known if one.since not in later], later[0] if later else ""


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def _by_entry(
    evidence: Evidence,
    entry: Entry,
    api: str,
    node: Node,
    call: Node | None,
    receiver: Node | None,
    *,
    may_fail: bool,
) -> Use | Unbound | None:
    """What an entry makes of a use; None where it is not for it, or may fail and does."""
    if entry.is_of_helper and receiver is None:
        return _helped(evidence, api, call, node, entry) if call is not None else None
    if not entry.is_for(called=call is not None):
        return None
    if entry.signature is None:
        return _renamed(api, node, receiver, entry)
    bound = bind(entry.signature, call, receiver, evidence.is_of_kind)
    if isinstance(bound, Unbound):
        return bound
    place = call if call is not None else node
    try:
        edits = edits_of(place, _within(place, entry, _rendered(evidence, entry, bound)))
    except Refused as error:
        return None if may_fail else _refused(api, place, error)
    used = changed(api, place, edits, needs_of(entry))
    return used._replace(is_verified=entry.verified, parts=_parts(entry))


def _rendered(evidence: Evidence, entry: Entry, bound: Bound) -> list[Piece]:
    """The text of a call; a flag for gradients that nobody asks for is left out where nothing stands for it.
    Raises Refused: it cannot be written."""
    try:
        return render(entry, bound)
    except Refused as error:
        if error.args[1:] != (_FLAG,) or asks_for_gradients(evidence.source):
            raise
        return render(entry, Bound({name: given for name, given in bound.given.items() if name != _FLAG}))


def _helped(evidence: Evidence, api: str, call: Node | None, node: Node, entry: Entry) -> Use | None:
    """A function of the helper file, called or handed on: it takes all that makes a difference.

    None where an argument shows that it is for other calls.
    """
    assert isinstance(entry.target, ast.Call) and entry.signature is not None
    place = call if call is not None else node
    bound = bind(entry.signature, call, None, evidence.is_of_kind) if call is not None else Unbound.UNPACKED
    if bound is Unbound.KIND:
        return None
    edited: Node = node
    pieces: Sequence[Piece] = [ast.unparse(entry.target.func)]
    try:
        if isinstance(bound, Bound):
            rendered = render(entry, bound)
            if not entry.names >= bound.given.keys():
                edited, pieces = place, rendered
        edits = edits_of(edited, pieces)
    except Refused as error:
        return _refused(api, place, error)
    return changed(api, place, edits, needs_of(entry))._replace(
        is_verified=entry.verified, parts=_parts(entry)
    )


def _parts(entry: Entry) -> frozenset[str]:
    """The part of the helper file that an entry's text calls."""
    called = [
        node.attr
        for node in ast.walk(entry.target)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == MINDSPORE.module
    ]
    return frozenset(part_with(MINDSPORE, name) for name in called)


def _within(place: Node, entry: Entry, pieces: list[Piece]) -> list[Piece]:
    """The pieces of an expression, in parentheses where what is around it would bind its parts first."""
    parent = parent_of(place)
    if isinstance(entry.target, _COMPOUND) and parent is not None and parent.type in _BINDING:
        return ["(", *pieces, ")"]
    return pieces


_COMPOUND = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp)
_BINDING = frozenset({"binary_operator", "comparison_operator", "unary_operator", "attribute", "subscript"})


def needs_of(entry: Entry) -> frozenset[str]:
    """The names that the text of an entry begins with."""
    return frozenset(
        node.id for node in ast.walk(entry.target) if isinstance(node, ast.Name) and node.id in IMPORTED
    )


def _refused(api: str, place: Node, error: Refused) -> Use:
    reason = str(error.args[0])
    if reason in _LAYOUT:
        return refused(api, place, Reason.LAYOUT)
    return refused(api, place, Reason.ARGUMENT, str(error.args[1]) if len(error.args) > 1 else "")


def _renamed(api: str, node: Node, receiver: Node | None, entry: Entry) -> Use:
    name = field(node, "attribute") if receiver is not None else node
    assert name is not None
    old, new = (name.text or b"").decode(), entry.target_text
    edits = edits_of(name, [new]) if old != new else ()
    return changed(api, node, edits, needs_of(entry) if receiver is None else ())


def _handed_on(evidence: Evidence, known: Sequence[Entry], api: str, node: Node, handing: HandedOn) -> Use:
    """A class or function that is not called here: it may be handed on where every call means the same."""
    known = [one for one in known if one.is_of_mint] or known
    is_type = _is_type(evidence, node)
    entry = _of_type(known) if is_type else _handed(known, handing.words)
    if entry is None:
        return _partly(evidence, known, api, node, handing)
    call = entry.target
    assert isinstance(call, ast.Call)
    if not call.args and not is_type and handing.positions(api):
        # The table gives every argument by its name: which one comes first there is not known.
        return refused(api, node, _of_class(node))
    return changed(api, node, edits_of(node, [ast.unparse(call.func)]), needs_of(entry))


def _partly(evidence: Evidence, known: Sequence[Entry], api: str, node: Node, handing: HandedOn) -> Use:
    """A class that is called without arguments, if at all: with those that differ, by ``partial``."""
    forms = [entry for entry in known if entry.called and entry.signature is not None]
    call = forms[0].target if len(forms) == 1 else None
    if (
        _is_type(evidence, node)
        or not isinstance(call, ast.Call)
        or call.args
        or not _may_be_without(forms[0], handing.words)
        or not handing.is_called_without_positions(node)
    ):
        return refused(api, node, _of_class(node))
    text = "".join(one for one in render(forms[0], Bound({})) if isinstance(one, str))
    name = ast.unparse(call.func)
    given = text.removeprefix(f"{name}(").removesuffix(")")
    if not given:
        return changed(api, node, edits_of(node, [name]), needs_of(forms[0]))
    edits = edits_of(node, [f"partial({name}, {given})"])
    return changed(api, node, edits, needs_of(forms[0]) | {"partial"})


def _of_class(node: Node) -> Reason:
    """Why a class that is named and not called is refused."""
    holder = parent_of(node)
    return Reason.DERIVED if holder is not None and is_field(holder, "superclasses") else Reason.CLASS


def _may_be_without(entry: Entry, words: bytes) -> bool:
    """Whether a call may leave all arguments out, and none is named in the file."""
    parameters = entry.signature.parameters if entry.signature is not None else ()
    named = any(one.name.encode() in words for one in parameters if one.name not in _NEVER_GIVEN)
    return not named and all(one.default is not None for one in parameters)


def _of_type(known: Sequence[Entry]) -> Entry | None:
    """The entry that says which class stands for one of torch, whatever it is called with."""
    every = [entry for entry in known if entry.called and isinstance(entry.target, ast.Call)]
    forms = [
        entry for entry in every if not entry.is_of_helper
    ] or every  # the helper's class derives from it
    classes = {ast.unparse(one.target.func) for one in forms if isinstance(one.target, ast.Call)}
    return forms[0] if len(classes) == 1 and classes.pop().startswith(("nn.", "mint.nn.")) else None


def is_annotation(node: Node) -> bool:
    """Whether a class stands in an annotation."""
    place = parent_of(node)
    while place is not None and place.type in _IN_TYPES:
        place = parent_of(place)
    return place is not None and place.type == "type"


def _is_type(evidence: Evidence, node: Node) -> bool:
    """Whether a class stands where only its instances are asked for: ``isinstance``, an annotation."""
    place: Node | None = node
    while place is not None and (parent := parent_of(place)) is not None:
        if parent.type == "type":
            return True
        if parent.type == "argument_list":
            function = field(parent_of(parent), "function")
            is_second = len(parent.named_children) == 2 and same(parent.named_children[1], place)
            return is_second and text_of(function) in ("isinstance", "issubclass")
        if parent.type == "assignment" and place.type == "tuple":
            return _is_asked_for(evidence, field(parent, "left"))
        if parent.type not in _IN_TYPES:
            return False
        place = parent
    return False


def _is_asked_for(evidence: Evidence, name: Node | None) -> bool:
    """Whether a variable is used as the second argument of ``isinstance`` and nowhere else."""
    if name is None or name.type != "identifier":
        return False
    uses = [one for one in uses_of_variable(name, evidence.source) if not same(one, name)]
    return bool(uses) and all(
        (passed := passed_to(use)) is not None
        and passed.argument.position == 1
        and text_of(field(passed.call, "function") or use) in ("isinstance", "issubclass")
        for use in uses
    )


_IN_TYPES = frozenset(
    {"tuple", "subscript", "generic_type", "type_parameter", "binary_operator", "union_type"}
)


def use_of_alias(evidence: Evidence, api: str, node: Node, call: Node | None, words: bytes) -> Use | None:
    """What becomes of a use under a name that the file assigned: the name stays, and must mean the same."""
    known = evidence.entries[api]
    if call is None or _handed(known, words) is not None or any(one.is_of_helper for one in known):
        return None
    return refused(api, call, Reason.CLASS)


def _handed(known: Sequence[Entry], words: bytes) -> Entry | None:
    """The entry of what a file of these words may call under another name, with the same arguments."""
    forms = [entry for entry in known if entry.called and entry.signature is not None]
    return forms[0] if len(forms) == 1 and _means_the_same(forms[0], words) else None


def _means_the_same(entry: Entry, words: bytes) -> bool:
    """Whether the arguments that a file may give to an entry's API mean the same to what the entry calls."""
    call = entry.target
    if not isinstance(call, ast.Call) or entry.dropped - _NEVER_GIVEN or not _is_of_library(call, entry):
        return False
    for keyword in call.keywords:
        value = keyword.value
        if isinstance(value, ast.Name) and value.id == keyword.arg:
            continue
        function = value_function(value)
        if function == ALWAYS or not isinstance(value, ast.Call) or f"{keyword.arg}".encode() in words:
            return False
    return _takes_the_same_positions(call, entry)


def _is_of_library(call: ast.Call, entry: Entry) -> bool:
    """Whether what an entry calls is a function by its name, and no method of an argument or a result."""
    function: ast.expr = call.func
    while isinstance(function, ast.Attribute):
        function = function.value
    name = function.id if isinstance(function, ast.Name) else ""
    is_parameter = entry.signature is not None and entry.signature.named(name) is not None
    return name in IMPORTED and not is_parameter


def _takes_the_same_positions(call: ast.Call, entry: Entry) -> bool:
    """Whether positions belong to the same parameters there: all that a call must give are positions."""
    parameters = entry.signature.parameters if entry.signature is not None else ()
    names = [one.name for one in parameters if one.by_position]
    needed = [one.name for one in parameters if one.by_position and one.default is None]
    given = [value.id if isinstance(value, ast.Name) else "" for value in call.args]
    return given == names[: len(given)] and len(given) >= len(needed)


_NEVER_GIVEN = frozenset({"device", "inplace"})
"""Parameters without counterpart that who calls a class under another name seldom gives: an error there."""
