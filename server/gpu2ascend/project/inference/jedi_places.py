"""From a place in our tree to what jedi knows there, and from jedi's definitions back to places in our trees.

jedi has a tree of its own. Both trees are of one text, so that a place is found again by line and column.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jedi.inference.helpers import infer_call_of_leaf
from jedi.inference.names import TreeNameDefinition
from tree_sitter import Node

from gpu2ascend_rules.hosting import Location
from gpu2ascend_rules.limits.walks import PROGRAM_WALK_LIMITS
from gpu2ascend_rules.text.lines import Position
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import enclosing, field

_IMPORTS = frozenset({"import_name", "import_from"})
_DEFINITIONS = frozenset({"funcdef", "classdef"})


class JediPlaces:
    """One look by jedi at a file of the project, and at the others that it comes to from there."""

    def __init__(self, script: Any) -> None:
        self._state = script._inference_state
        self._contexts: dict[int, Any] = {}
        self._callees: dict[tuple[str, int], list[Any]] = {}
        self._files: dict[str, SourceFile] = {}
        self.entry = self._file(script._get_module_context())

    def _file(self, root: Any) -> SourceFile:
        """The file of a module of jedi's."""
        path = str(root.py__file__())
        if path not in self._files:
            file = self._files[path] = SourceFile(root.tree_node.get_code(), path)
            self._contexts[id(file)] = root
        return self._files[path]

    def receiver(self, line: int, column: int) -> Node | None:
        """The receiver of the member whose name is at a place of the entry, the line from 1."""
        name = self._name_in(self.entry, line, column)
        holder = name.parent if name is not None else None
        return field(holder, "object") if holder is not None and holder.type == "attribute" else None

    # -- what jedi knows -----------------------------------------------------------------------------

    def knows(self, source: SourceFile, node: Node) -> bool:
        """Whether jedi has any idea of what a name, an attribute or a call gives."""
        leaf, context = self._leaf(source, field(node, "arguments") or field(node, "attribute") or node)
        return leaf is not None and bool(infer_call_of_leaf(context, leaf))

    def is_called_known(self, source: SourceFile, call: Node) -> bool:
        """Whether jedi knows what a call calls: stubs, classes, and functions whose text it has."""
        callees = self._called(source, call)
        return bool(callees) and all(_is_outright(item) or _is_function(item) for item in callees)

    def called_functions(self, source: SourceFile, call: Node) -> Iterator[Location]:
        """The functions of the project that a call may call."""
        for callee in self._called(source, call):
            if not _is_outright(callee) and _is_function(callee):
                place = self._definition(callee.as_context().get_root_context(), callee.tree_node.name)
                if place is not None:
                    yield place

    def _called(self, source: SourceFile, call: Node) -> list[Any]:
        key = (source.path, call.id)
        if key not in self._callees:
            self._callees[key] = self._look_up_callees(source, call)
        return self._callees[key]

    def _look_up_callees(self, source: SourceFile, call: Node) -> list[Any]:
        arguments = field(call, "arguments")
        leaf, context = self._leaf(source, arguments) if arguments is not None else (None, None)
        is_call = leaf is not None and leaf.parent.type == "trailer"
        return list(infer_call_of_leaf(context, leaf, cut_own_trailer=True)) if is_call else []

    def definitions(self, source: SourceFile, name: Node) -> list[Location | None] | None:
        """What gives a name its value, in whatever file: None for each that the stubs or a module give.

        None in place of the list where jedi finds nothing, or something that it cannot be followed to.
        """
        leaf, context = self._leaf(source, name)
        if leaf is None or leaf.type != "name":
            return None
        found: list[Location | None] = []
        for target in TreeNameDefinition(context, leaf).goto():
            for end in self._ends(target, PROGRAM_WALK_LIMITS.depth):
                place = self._given_at(end) if end is not None else None
                if end is not None and place is None:
                    return None
                found.append(place)
        return found or None

    def _ends(self, target: Any, depth: int) -> Iterator[Any]:
        """A definition, or what the import that it is leads to; None for what the stubs or a module give."""
        if target.tree_name is None or target.get_root_context().is_stub():
            yield None
            return
        definition = target.tree_name.get_definition(import_name_always=True)
        if definition is None or definition.type not in _IMPORTS:
            yield target
            return
        for item in target.goto() if depth > 0 else ():
            if item is target:
                yield target
            else:
                yield from self._ends(item, depth - 1)

    # -- from jedi's tree to ours, and back ------------------------------------------------------------

    def _given_at(self, target: Any) -> Location | None:
        """What a definition gives: a function or class, an annotation, an assigned value, an iterable."""
        root = target.get_root_context()
        definition = target.tree_name.get_definition(import_name_always=True)
        if definition is None:
            return None
        if definition.type in _DEFINITIONS:
            return self._definition(root, target.tree_name)
        file = self._file(root)
        name = self._name_in(file, *target.tree_name.start_pos)
        statement = enclosing(name, "assignment", "for_statement") if name is not None else None
        if statement is None or definition.type not in ("expr_stmt", "for_stmt"):
            return None
        given = field(statement, "type") or field(statement, "right")
        return Location(file, given) if given is not None else None

    def _definition(self, root: Any, tree_name: Any) -> Location | None:
        file = self._file(root)
        name = self._name_in(file, *tree_name.start_pos)
        return Location(file, name.parent) if name is not None and name.parent is not None else None

    def _name_in(self, file: SourceFile, line: int, column: int) -> Node | None:
        start = file.lines.offset(Position(line - 1, column))
        node = file.node_at(start, start + 1)
        return node if node is not None and node.type == "identifier" else None

    def _leaf(self, source: SourceFile, node: Node) -> tuple[Any, Any]:
        """The token of jedi's at which a node begins, with the context that it is read in."""
        self._state.reset_recursion_limitations()  # what jedi counts, so as to come to an end
        root = self._contexts[id(source)]
        position = source.lines.position(node.start_byte)
        place = (position.line + 1, position.column)
        leaf = root.tree_node.get_leaf_for_position(place)
        if leaf is not None and leaf.start_pos != place:  # between two tokens it is the one before
            leaf = leaf.get_next_leaf()
        is_it = leaf is not None and leaf.start_pos == place
        return (leaf, root.create_context(leaf)) if is_it else (None, None)


def _is_outright(callee: Any) -> bool:
    """Whether what is called shows what it gives: a class its instance, and stubs whatever they say."""
    if callee.is_stub() or callee.is_class():
        return True
    return bool(callee.is_instance() and callee.py__class__().is_stub())


def _is_function(callee: Any) -> bool:
    return not callee.is_instance() and callee.tree_node is not None and callee.tree_node.type == "funcdef"
