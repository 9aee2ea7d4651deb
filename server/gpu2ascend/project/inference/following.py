"""Whether jedi can follow a value all the way back.

jedi infers what a value *may* be, and forgets what it cannot follow: of ``a() if c else b()`` it answers what
``a`` gives when it has no idea of ``b``. For a proof every way by which the value can come must be known.
This walks back over them: names to all their definitions, calls to all their ``return`` statements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jedi.inference.helpers import infer_call_of_leaf
from jedi.inference.names import TreeNameDefinition

from gpu2ascend_rules.limits.walks import PROGRAM_WALK_LIMITS

_DEPTH = PROGRAM_WALK_LIMITS.depth
_OPERATIONS = frozenset({"or_test", "and_test", "arith_expr", "term", "factor"})
_IMPORTS = frozenset({"import_name", "import_from"})
_DEFINED_OUTRIGHT = frozenset({"funcdef", "classdef"})


def follows(context: Any, node: Any, depth: int = _DEPTH) -> bool:
    """Whether jedi knows every way by which an expression gets its value."""
    if depth == 0 or not context.infer_node(node):
        return False
    if node.type == "name":
        return _follows_name(context, node, depth)
    if node.type == "atom_expr":
        return _follows_chain(context, node.children, depth)
    if node.type == "atom" and node.children[0] == "(":
        return follows(context, node.children[1], depth)
    if node.type == "test":  # a if c else b
        return follows(context, node.children[0], depth) and follows(context, node.children[-1], depth)
    if node.type in _OPERATIONS:
        parts = (part for part in node.children if part.type not in ("keyword", "operator"))
        return all(follows(context, part, depth) for part in parts)
    return node.type in ("number", "string", "atom")


def follows_chain(context: Any, parts: list[Any]) -> bool:
    """Whether jedi knows every way by which the beginning of a chain of trailers gets its value."""
    return _follows_chain(context, parts, _DEPTH)


def follows_definition(context: Any, name: Any) -> bool:
    """Whether jedi knows every way by which a name is given its value at one definition."""
    definition = name.get_definition(import_name_always=True)
    if definition is not None and definition.type in _IMPORTS:
        return _follows_name(context, name, _DEPTH)
    return _follows_definition(context, definition, _DEPTH)


def _follows_chain(context: Any, parts: list[Any], depth: int) -> bool:
    if not follows(context, parts[0], depth):
        return False
    for trailer in parts[1:]:
        if trailer.type != "trailer":
            return False
        if trailer.children[0] == "." and not _follows_name(context, trailer.children[1], depth):
            return False
        if trailer.children[0] == "(" and not _follows_call(context, trailer.children[0], depth):
            return False
    return True


def _follows_name(context: Any, name: Any, depth: int) -> bool:
    definitions = TreeNameDefinition(context, name).goto()
    return bool(definitions) and all(_follows_target(item, depth - 1) for item in definitions)


def _follows_target(target: Any, depth: int) -> bool:
    """A definition, or an import that leads to one."""
    if depth == 0:
        return False
    root = target.get_root_context()
    if target.tree_name is None or root.is_stub():
        return True
    definition = target.tree_name.get_definition(import_name_always=True)
    if definition is not None and definition.type in _IMPORTS:
        found = list(target.goto())
        return bool(found) and all(item is target or _follows_target(item, depth - 1) for item in found)
    return _follows_definition(root.create_context(target.tree_name), definition, depth)


def _follows_definition(context: Any, definition: Any, depth: int) -> bool:
    if definition is None:
        return False
    if definition.type in _DEFINED_OUTRIGHT:
        return True
    if definition.type == "param":
        return _is_self(definition) or _follows_annotation(context, definition.annotation)
    if definition.type == "expr_stmt":
        if definition.children[1].type == "annassign":
            return _follows_annotation(context, definition.children[1].children[1])
        return follows(context, definition.get_rhs(), depth)
    if definition.type == "for_stmt":
        return follows(context, definition.children[3], depth)
    return False


def _is_self(parameter: Any) -> bool:
    """Whether a parameter is the instance that a method is called on."""
    function = parameter.get_parent_function()
    if parameter.name.value != "self" or function.type != "funcdef":
        return False
    around = function.search_ancestor("classdef", "funcdef")
    return function.get_params()[0] is parameter and around is not None and around.type == "classdef"


def _follows_annotation(context: Any, annotation: Any) -> bool:
    """Whether jedi knows every class that an annotation names: of ``A | B`` it forgets what it does not."""
    return annotation is not None and all(_is_known(context, part) for part in _named_in(annotation))


def _named_in(annotation: Any) -> Iterator[Any]:
    """The classes in an annotation; of ``Optional[A]`` that is A."""
    is_chain = annotation.type == "atom_expr"
    if is_chain and annotation.children[-1].children[0] == "[":
        yield from _named_in(annotation.children[-1].children[1])
    elif is_chain or annotation.type in ("name", "string"):
        yield annotation
    else:
        for part in getattr(annotation, "children", ()):
            yield from _named_in(part)


def _is_known(context: Any, named: Any) -> bool:
    if named.type == "string":
        is_one = str(named.value).strip("'\"").replace(".", "").isidentifier()
        return is_one  # known or not, it is no choice between two
    return bool(context.infer_node(named))


def _follows_call(context: Any, bracket: Any, depth: int) -> bool:
    """Every ``return`` of every function that may be called; a class gives its instance."""
    callees = infer_call_of_leaf(context, bracket, cut_own_trailer=True)
    return bool(callees) and all(_follows_callee(callee, depth - 1) for callee in callees)


def _follows_callee(callee: Any, depth: int) -> bool:
    if callee.is_stub() or callee.is_class():
        return True
    if callee.is_instance():
        return bool(callee.py__class__().is_stub())
    function = callee.tree_node
    if depth == 0 or function is None or function.type != "funcdef":
        return False
    context = callee.as_context()
    if function.annotation is not None:
        return _follows_annotation(context, function.annotation)
    returns = [item for item in function.iter_return_stmts() if item.type == "return_stmt"]
    return all(follows(context, item.children[1], depth) for item in returns)
