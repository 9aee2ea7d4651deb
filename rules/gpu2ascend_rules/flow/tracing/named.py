"""The evidence that an expression is of a subject: its name, its kind, its uses, and where it comes from.

A name that is compared with a rival of the subject, too, is evidence: ``'cuda' in name or 'xpu' in name``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...inference.walk.reading import Answer, MayBe, Walk, Way
from ...inference.walk.walker import Walker
from ...limits.parents import parent_of, parent_type
from ...text.scopes import BindingKind
from ...text.syntax import arguments_of, field, is_field, text_of
from ...text.uses import compared_texts, function_start
from ..libraries import Origin, has_own_devices, is_of_other_devices, source_of_value
from ..names.files import ProgramFile
from ..subject import Subject
from ..templates import literal_texts, plain_text
from ..verdicts import Role

if TYPE_CHECKING:
    from ...engine.context import Context

_OF_RECEIVER = frozenset(
    {
        "lower", "strip", "lstrip", "rstrip", "split", "rsplit", "partition", "replace", "removeprefix",
        "casefold",
    }
)  # fmt: skip
_GETTERS = frozenset({"get", "pop", "setdefault", "getattr", "getenv", "get_attr"})
_TEXT_BUILTINS = frozenset({"str", "repr", "format"})
Uses = Callable[[Node], Role]
"""What the variable or attribute that an expression reads is used as."""


class Named(MayBe):
    """Whether the values of one file may be of a subject: what is defined by itself is no evidence."""

    ways = frozenset({Way.BARE_ANNOTATIONS, Way.CALLEES, Way.OPERANDS})

    def __init__(self, subject: Subject, file: ProgramFile, uses: Uses | None = None) -> None:
        """Take what tells the uses of a name; without it they are no evidence."""
        self._subject = subject
        self._file = file
        self._ctx = file.ctx
        self._uses = uses
        self._walker = Walker(file.source, self)
        self._judged: dict[object, bool | None] = {}
        imports = file.source.names.imports
        self._knows_foreign = subject.of_torch and any(has_own_devices(item.target) for item in imports)
        self._judges: dict[str, Callable[[Node], bool | None]] = {
            "identifier": self._is_named_variable,
            "attribute": self._is_named_attribute,
            "call": self._is_named_call,
            "subscript": self._is_named_item,
            "binary_operator": self._is_named_sum,
        }

    def __call__(self, expression: Node) -> bool:
        """Whether an expression is of the subject: a device, or the name or a part of the name of one."""
        return self._walker.of(expression) is Answer.YES

    def forget(self) -> None:
        """Let go of the tree."""
        vars(self).clear()

    # -- the reading -----------------------------------------------------------------------------------

    def settled(self, node: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        judge = self._judges.get(node.type)
        if judge is None:
            return None
        if node.type in ("attribute", "call", "subscript", "binary_operator"):
            found = self._of_parts(node, walk, depth)
            if found is not None:
                return found
        key = self._key(node)
        if key not in self._judged:
            self._judged[key] = judge(node)
        found_by_look = self._judged[key]
        return None if found_by_look is None else (Answer.YES if found_by_look else Answer.NO)

    def annotated(self, annotation: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        return Answer.YES if is_literal_type(annotation, self._file, self._subject) else None

    def _of_parts(self, node: Node, walk: Walk[Answer], depth: int) -> Answer | None:
        """An expression is of the subject where the part is that gives it its text; None without one."""
        part, is_all = self._part(node)
        if part is None:
            return None
        found = walk.of(part, depth)
        return found if is_all or found is Answer.YES else None

    def _part(self, node: Node) -> tuple[Node | None, bool]:
        """The part of an expression that gives it its text, and whether nothing else shows what it is."""
        if node.type == "binary_operator":
            return field(node, "left"), True
        if node.type == "subscript":
            value = field(node, "value")
            keys = node.children_by_field_name("subscript")
            if any(self._subject.names(plain_text(key) or "") for key in keys):
                return None, False
            return value, True
        if node.type == "attribute":
            name = field(node, "attribute")
            is_part = name is not None and text_of(name) in self._subject.parts
            return (field(node, "object") if is_part else None), False
        return self._part_of_call(node)

    def _part_of_call(self, call: Node) -> tuple[Node | None, bool]:
        function, arguments = field(call, "function"), arguments_of(call).positional
        name = text_of(function).rpartition(".")[2] if function is not None else ""
        receiver = field(function, "object")
        if receiver is not None and (name in _OF_RECEIVER or name in self._subject.keeps):
            return receiver, True
        return (arguments[0].value, True) if name in _TEXT_BUILTINS and arguments else (None, False)

    def _key(self, node: Node) -> object:
        """One answer serves all uses of a variable."""
        if node.type == "attribute":
            return self._key_of_attribute(node)
        if node.type != "identifier":
            return node.id
        bindings = self._file.source.names.bindings_in_scope(text_of(node), node)
        return (text_of(node), bindings[0].scope.id) if bindings else text_of(node)

    def _key_of_attribute(self, node: Node) -> object:
        name, receiver = field(node, "attribute"), field(node, "object")
        if name is None or receiver is None or text_of(name) in self._subject.parts:
            return node.id
        shown = text_of(receiver)
        owner = self._file.source.enclosing(node, "class_definition") if shown in ("self", "cls") else None
        return shown, text_of(name), owner.id if owner is not None else 0

    # -- by the look of an expression ------------------------------------------------------------------

    def _is_named_variable(self, node: Node) -> bool | None:
        name, names = text_of(node), self._file.source.names
        if self._subject.handled(node, self._ctx):
            return False
        bindings = names.bindings_in_scope(name, node)
        if bindings and all(self._comes_from_apart(item.value) for item in bindings):
            return False
        is_named = self._subject.names(name)
        if is_named and not self._knows_foreign:
            return True
        if bindings and bindings[0].kind is not BindingKind.IMPORT and self._uses is not None:
            used = self._uses(node)
            if used in (Role.CONSUMED, Role.FOREIGN):
                return used is Role.CONSUMED
        return True if is_named or self._is_of_kind(node) else None

    def _comes_from_apart(self, value: Node | None) -> bool:
        """Whether an expression calls what gives texts of the same form that mean something else."""
        function = field(value, "function") if value is not None and value.type == "call" else None
        if function is None or not self._subject.callees_apart:
            return False
        name = self._file.source.names.name_of(function)
        return name != "" and self._subject.apart_of(name) is not None

    def _is_of_kind(self, node: Node) -> bool:
        kind = self._subject.kind
        return kind is not None and self._ctx.kind(node) is kind

    def _is_named_sum(self, node: Node) -> bool | None:
        return False

    def _is_named_attribute(self, node: Node) -> bool | None:
        identifier, receiver = field(node, "attribute"), field(node, "object")
        if identifier is None or receiver is None:
            return False
        name = text_of(identifier)
        if name in self._subject.parts:
            return self._has_part(receiver)
        is_named = self._subject.names(name)
        if is_named and not self._knows_foreign:
            return not self._is_foreign(receiver)
        if self._uses is not None:
            used = self._uses(node)
            if used in (Role.CONSUMED, Role.FOREIGN):
                return used is Role.CONSUMED
        if is_named:
            return not self._is_foreign(receiver)
        return None if text_of(receiver) == "self" else False

    def _is_foreign(self, expression: Node) -> bool:
        return self._subject.of_torch and is_of_other_devices(expression, self._ctx)

    def _has_part(self, receiver: Node) -> bool:
        """Whether ``receiver.type`` is a device's: only devices have a type that is called ``cuda``."""
        if receiver.type == "identifier" and self._subject.handled(receiver, self._ctx):
            return False
        return self._ctx.works_with_torch and not self._is_foreign(receiver)

    def _is_named_call(self, node: Node) -> bool:
        function = field(node, "function")
        if function is None:
            return False
        name = text_of(function).rpartition(".")[2]
        if name in _GETTERS:
            given = arguments_of(node).positional
            return any(self._subject.names(plain_text(item.value) or "") for item in given)
        if name in self._subject.makers and self._is_of_kind(node):
            return True
        if self._comes_from_apart(node):
            return False
        return self._subject.names(name) and not name.startswith("is_")

    def _is_named_item(self, node: Node) -> bool:
        value = field(node, "value")
        return value is None or not self._is_foreign(value)


def is_literal_type(annotation: Node, file: ProgramFile, subject: Subject) -> bool:
    """Whether a type admits texts of a subject alone, other types aside: ``Literal['cpu', 'cuda']``."""
    texts = literal_texts(_alias_behind(annotation, file))
    return bool(texts) and subject.role_of_keys(texts) is Role.KEY


def _alias_behind(annotation: Node, file: ProgramFile) -> Node:
    """What a name for a type means."""
    name = annotation.named_children[0] if annotation.type == "type" else annotation
    if name.type != "identifier":
        return annotation
    bindings = file.source.names.bindings_in_scope(text_of(name), name)
    values = [item.value for item in bindings]
    return values[0] or annotation if len(values) == 1 else annotation


def is_filled_elsewhere(expression: Node, ctx: Context, subject: Subject) -> bool:
    """Whether it is an attribute that only its uses show to be of a subject and no code here sets.

    The file that sets it, as that of a base class, has no such uses and keeps its texts: a test that
    changed alone would fail.
    """
    identifier = field(expression, "attribute") if expression.type == "attribute" else None
    receiver = field(expression, "object")
    if identifier is None or receiver is None:
        return False
    if text_of(receiver) in ("self", "cls") and not _has_foreign_base(expression, ctx):
        return False
    name = text_of(identifier)
    if name in subject.parts or subject.names(name):
        return False
    option = "--" + name.replace("_", "-")
    if any(ctx.source.has(text.encode()) for text in (f'"{name}"', f"'{name}'", f"--{name}", option)):
        return False
    return all(_is_read_attribute(item) for item in ctx.source.identifiers(name))


def _has_foreign_base(expression: Node, ctx: Context) -> bool:
    """Whether the class around an expression has a base class of another file of the project."""
    owner = ctx.source.enclosing(expression, "class_definition")
    return owner is not None and ctx.once(
        ("foreign base", owner.id), lambda: _derives_from_another_file(owner, ctx)
    )


def _derives_from_another_file(owner: Node, ctx: Context) -> bool:
    bases = field(owner, "superclasses")
    for base in bases.named_children if bases is not None else ():
        origin = source_of_value(base, ctx).origin if base.type in ("identifier", "attribute") else None
        if origin in (Origin.PROJECT, Origin.LIBRARY):
            return True
    return False


def _is_read_attribute(identifier: Node) -> bool:
    """Whether it is the ``name`` of an ``<anything>.name`` that nothing is assigned to."""
    attribute = parent_of(identifier)
    if attribute is None or attribute.type != "attribute" or not is_field(identifier, "attribute"):
        return False
    return (
        not is_field(attribute, "left")
        or parent_of(attribute) is None
        or (parent_type(attribute) not in ("assignment", "augmented_assignment"))
    )


def is_compared_with_rival(tested: Node, file: ProgramFile, subject: Subject) -> bool:
    """Whether the same expression is compared with a rival elsewhere in its function."""
    if not subject.rivals:
        return False
    known = file.ctx.once(("rivals", subject.name), lambda: _compared(file, subject))
    return bool(known) and (function_start(tested, file.source), text_of(tested)) in known


def _compared(file: ProgramFile, subject: Subject) -> frozenset[tuple[int, str]]:
    """What is compared with a rival, with the function that does so."""
    return frozenset(
        (function_start(string, file.source), text_of(other))
        for string, other in compared_texts(file.source, subject.rivals)
        if subject.rival(plain_text(string) or "")
    )
