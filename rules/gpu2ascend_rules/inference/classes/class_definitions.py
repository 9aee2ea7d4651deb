"""The classes and functions that a file defines, as far as instances are recognised by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tree_sitter import Node

from ...limits.parents import parent_of, parent_type
from ...limits.walks import WALK_LIMITS
from ...text.scopes import BindingKind
from ...text.syntax import arguments_of, call_of, enclosing, field, is_field, text_of
from .torch_classes import is_class, is_module

if TYPE_CHECKING:
    from ...text.source_file import SourceFile

_ByClass = dict[int, list[Node]]
"""Nodes by the id of the class that they are about."""


class ClassDefinitions:
    """Answers about the definitions of one file."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self._bases: dict[int, str | None] = {}
        self._assigned: dict[str, _ByClass] = {}
        self._annotated: dict[str, _ByClass] = {}
        self._methods: dict[str, dict[int, Node]] = {}
        self._buffers: frozenset[tuple[int, str]] | None = None
        self._elsewhere: Callable[[str], str | None] = lambda name: None

    def look_elsewhere(self, base_of: Callable[[str], str | None]) -> None:
        """Ask ``base_of`` for the class of PyTorch that a class of another file derives from, by its name."""
        self._elsewhere = base_of
        self._bases.clear()

    def definition_of(self, function: Node) -> Node | None:
        """The one class or function of the file that a name means."""
        return self.definition_named(text_of(function), function)

    def definition_named(self, name: str, node: Node) -> Node | None:
        """The one class or function of the file that a name means at a node."""
        bindings = self._source.names.bindings_in_scope(name, node)
        if len(bindings) == 1 and bindings[0].kind is BindingKind.DEFINITION:
            statement = bindings[0].statement
            is_decorated = parent_type(statement) == "decorated_definition"
            return None if is_decorated else statement
        return None

    def torch_base(self, owner: Node, depth: int = 0) -> str | None:
        """The class of PyTorch that a class definition derives from, directly or by the file's own classes.

        None for several of them, and for a class with a base that the file does not know: that one may
        define any method.
        """
        if depth > WALK_LIMITS.bases:
            return None
        if owner.id not in self._bases:
            self._bases[owner.id] = self._torch_base(owner, depth)
        return self._bases[owner.id]

    def _torch_base(self, owner: Node, depth: int) -> str | None:
        holder = field(owner, "superclasses")
        found: set[str] = set()
        for base in holder.named_children if holder is not None else ():
            if base.type in ("keyword_argument", "comment"):
                continue
            name = self._base(base, depth)
            if name is None:
                return None
            if name:
                found.add(name)
        return found.pop() if len(found) == 1 else None

    def _base(self, base: Node, depth: int) -> str | None:
        """What a base class is of PyTorch; empty for a base that is nothing of it, None when unknown."""
        resolution = self._source.names.qualified_name(base)
        name = resolution.qualified_name if resolution is not None else ""
        if name.startswith("torch."):
            return name if is_class(name) else None
        if text_of(base) in ("object", "ABC", "abc.ABC"):
            return ""
        definition = self.definition_of(base) if base.type == "identifier" else None
        if definition is None or definition.type != "class_definition":
            is_imported = resolution is not None and resolution.binding is not None
            return self._elsewhere(name) if is_imported else None
        has_bases = field(definition, "superclasses") is not None
        return self.torch_base(definition, depth + 1) if has_bases else ""

    def method(self, owner: Node, name: str) -> Node | None:
        """The method of that name which a class, or one that it derives from in the file, defines."""
        for _ in range(WALK_LIMITS.bases):
            function = self._methods_named(name).get(owner.id)
            if function is not None:
                return function
            own = self.own_bases(owner)
            if not own:
                return None
            owner = own[0]
        return None

    def derives(self, owner: Node, base: Node) -> bool:
        """Whether a class is another one, or derives from it by the file's own classes."""
        return any(one.id == base.id for one in self.family(owner))

    def family(self, owner: Node) -> list[Node]:
        """A class, and the classes of the file that it derives from, directly or by others, each once."""
        found = {owner.id: owner}
        open_classes = [owner]
        while open_classes:
            bases = {one.id: one for one in self.own_bases(open_classes.pop()) if one.id not in found}
            found |= bases
            open_classes += bases.values()
        return [*found.values()]

    def own_bases(self, owner: Node | None) -> list[Node]:
        """The classes of the file that a class names as its bases."""
        holder = field(owner, "superclasses")
        bases = [self.definition_of(base) for base in (holder.named_children if holder is not None else ())]
        return [base for base in bases if base is not None and base.type == "class_definition"]

    def is_forward(self, function: Node) -> bool:
        """Whether a function is the ``forward`` of a module class."""
        name, owner = field(function, "name"), _owner(function)
        if text_of(name) != "forward" or owner is None:
            return False
        base = self.torch_base(owner)
        return base is not None and is_module(base)

    def _methods_named(self, name: str) -> dict[int, Node]:
        """The first method of a name in each class, by the class."""
        if name not in self._methods:
            found: dict[int, Node] = {}
            for identifier in self._source.identifiers(name):
                function = parent_of(identifier)
                owner = _owner(function) if function is not None and is_field(identifier, "name") else None
                if function is not None and owner is not None:
                    found.setdefault(owner.id, function)
            self._methods[name] = found
        return self._methods[name]

    def assigned_to_self(self, node: Node, name: str) -> Sequence[Node]:
        """What the methods of the class around a node assign to ``self.<name>``."""
        owner = enclosing(node, "class_definition")
        return self.assigned_in(owner, name) if owner is not None else ()

    def assigned_in(self, owner: Node, name: str) -> Sequence[Node]:
        """What the methods of a class assign to ``self.<name>``."""
        if name not in self._assigned:
            self._assigned[name] = _by_class(self._assignments_to_self(name))
        return self._assigned[name].get(owner.id, ())

    def _assignments_to_self(self, name: str) -> Iterator[tuple[Node | None, Node]]:
        """Each value that is assigned to ``self.<name>``, after the class in which it is."""
        for identifier in self._source.identifiers(name):
            target = parent_of(identifier)
            if target is None or target.type != "attribute" or text_of(target) != f"self.{name}":
                continue
            value = _assigned_to(target)
            if value is not None:
                yield enclosing(target, "class_definition"), value

    def annotated_on_self(self, node: Node, name: str) -> Node | None:
        """The one annotation that the class around a node gives ``self.<name>``, in its body or a method."""
        owner = enclosing(node, "class_definition")
        if name not in self._annotated:
            self._annotated[name] = _by_class(self._annotations_on_self(name))
        found = self._annotated[name].get(_id(owner), ())
        return found[0] if len(found) == 1 else None

    def _annotations_on_self(self, name: str) -> Iterator[tuple[Node | None, Node]]:
        for identifier in self._source.identifiers(name):
            parent = parent_of(identifier)
            is_own = parent is not None and parent.type == "attribute" and text_of(parent) == f"self.{name}"
            target = parent if is_own and parent is not None else identifier
            statement = parent_of(target)
            annotation = field(statement, "type")
            if annotation is None or not is_field(target, "left"):
                continue
            around = ("class_definition",) if is_own else ("class_definition", "function_definition")
            yield enclosing(target, *around), annotation

    def is_buffer(self, node: Node, name: str) -> bool:
        """Whether the class around a node registers a buffer of that name."""
        if self._buffers is None:
            self._buffers = frozenset(self._registered_buffers())
        return (_id(enclosing(node, "class_definition")), name) in self._buffers

    def _registered_buffers(self) -> Iterator[tuple[int, str]]:
        for identifier in self._source.identifiers("register_buffer"):
            call = call_of(parent_of(identifier))
            given = arguments_of(call).get("name", 0) if call is not None else None
            if call is not None and given is not None:
                yield _id(enclosing(call, "class_definition")), text_of(given.value).strip("'\"")

    def returned_by(self, function: Node) -> list[Node]:
        """What a function's ``return`` statements give; nothing if one of them gives nothing."""
        values: list[Node] = []
        for offset in self._source.occurrences_in_parts("return"):
            if not function.start_byte <= offset < function.end_byte:
                continue
            word = self._source.node_at(offset, offset + 6)
            statement = parent_of(word)
            if statement is None or statement.type != "return_statement":
                continue
            if enclosing(statement, "function_definition", "lambda") != function:
                continue
            if not statement.named_children:
                return []
            values.append(statement.named_children[0])
        return values


def _assigned_to(target: Node) -> Node | None:
    """What is assigned to a target; of ``a, b = f()`` the whole, of ``a, b = c, d`` its own part."""
    holder = parent_of(target)
    if holder is None:
        return None
    if holder.type == "assignment":
        assigned = field(holder, "right") if is_field(target, "left") else None
        while assigned is not None and assigned.type == "assignment":  # self.a = self.b = value
            assigned = field(assigned, "right")
        return assigned
    statement = parent_of(holder)
    if holder.type not in ("pattern_list", "tuple_pattern") or statement is None:
        return None
    value = field(statement, "right") if statement.type == "assignment" else None
    if value is None or value.type not in ("expression_list", "tuple"):
        return value
    targets, parts = holder.named_children, value.named_children
    return parts[targets.index(target)] if len(targets) == len(parts) else value


def _owner(function: Node) -> Node | None:
    """The class whose body holds a function definition directly, decorated or not."""
    parent = parent_of(function)
    if parent is not None and parent.type == "decorated_definition":
        parent = parent_of(parent)
    block = parent
    owner = parent_of(block) if block is not None and block.type == "block" else None
    return owner if owner is not None and owner.type == "class_definition" else None


def _id(owner: Node | None) -> int:
    """A class by its id; what is in none is together, too."""
    return owner.id if owner is not None else 0


def _by_class(found: Iterable[tuple[Node | None, Node]]) -> _ByClass:
    by_class: _ByClass = {}
    for owner, node in found:
        by_class.setdefault(_id(owner), []).append(node)
    return by_class
