"""Which scope a name is of, asked of Python itself (``symtable``), for programs that nobody has written."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from gpu2ascend_rules.text.source_file import SourceFile

LETTERS = "abcd"
NAMES = st.sampled_from(LETTERS)
Place = tuple[int, int]
"""Line and column, both from 0, as tree-sitter counts."""
MODULE: Place = (-1, -1)

SIMPLE = st.one_of(
    st.builds("{} = {}".format, NAMES, NAMES),
    st.builds("{} += {}".format, NAMES, NAMES),
    st.builds("{}: {} = {}".format, NAMES, NAMES, NAMES),
    st.builds("{}, [{}, *{}] = {}".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("print({}, {}={})".format, NAMES, NAMES, NAMES),
    st.builds("{}.{} = {}[{}]".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("import {}".format, NAMES),
    st.builds("import {}.{}".format, NAMES, NAMES),
    st.builds("from {} import {} as {}".format, NAMES, NAMES, NAMES),
    st.builds("print(({} := {}))".format, NAMES, NAMES),
    st.builds("lambda {}={}, *{}: {}".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("[{} for {} in {} if {}]".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("{{{}: {} for {} in {} for {} in {}}}".format, NAMES, NAMES, NAMES, NAMES, NAMES, NAMES),
    st.builds("[({} := {}) for {} in {}]".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("print(f'{{{}}}')".format, NAMES),
)
HEADS = st.one_of(
    st.builds("for {} in {}:".format, NAMES, NAMES),
    st.builds("with {} as {}:".format, NAMES, NAMES),
    st.builds("if {}:".format, NAMES),
    st.builds("class {}({}):".format, NAMES, NAMES),
    st.builds("def {}({}, {}: {} = {}):".format, NAMES, NAMES, NAMES, NAMES, NAMES),
    st.builds("def {}(*, {}, **{}) -> {}:".format, NAMES, NAMES, NAMES, NAMES),
    st.builds("@{}\ndef {}():".format, NAMES, NAMES),
)
CLOSURE = """\
def {}():
    c = {}
    def {}(d):
        nonlocal c
        {} = {}
        print({}, {})
    print({})"""
CLOSURES = st.builds(CLOSURE.format, NAMES, NAMES, NAMES, st.sampled_from("bc"), NAMES, NAMES, NAMES, NAMES)
REDIRECTS = st.sampled_from(["", "", "", "global a", "global b, c", "nonlocal a"])


@st.composite
def blocks(draw: st.DrawFn, depth: int = 3) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        if depth and draw(st.booleans()):
            head = draw(HEADS).split("\n")
            redirect = draw(REDIRECTS) if "def" in head[-1] else ""
            body = [redirect] * bool(redirect) + draw(blocks(depth=depth - 1))
            lines += [*head, *indented(body)]
        else:
            closes = depth == 3 and draw(st.integers(0, 3)) == 0
            lines += draw(CLOSURES if closes else SIMPLE).split("\n")
    return lines


NONLOCAL = ["    def d():", "        nonlocal c", "        c = 3", "        print(c)"]


def indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


class Oracle:
    """The scope of each name that a program reads, by the tables of the compiler."""

    def __init__(self, text: str) -> None:
        self.found: dict[Place, Place | None] = {}
        """For each name that is read the place of its scope; none where nothing binds it."""
        self._module = symtable.symtable(text, "<text>", "exec")
        self._body(ast.parse(text).body, [(self._module, MODULE)])

    def _body(self, nodes: list[ast.stmt], stack: list[tuple[symtable.SymbolTable, Place]]) -> None:
        for node in nodes:
            self._visit(node, stack)

    def _visit(self, node: ast.AST, stack: list[tuple[symtable.SymbolTable, Place]]) -> None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in LETTERS:
            self.found[node.lineno - 1, node.col_offset] = self._scope(node.id, stack)
        outside, inside = list(_outside(node)), list(_inside(node))
        for child in outside:
            self._visit(child, stack)
        if inside:
            assert isinstance(node, ast.stmt | ast.expr)
            stack = [*stack, (self._table(node, stack[-1][0]), (node.lineno - 1, node.col_offset))]
        for child in inside:
            self._visit(child, stack)

    @staticmethod
    def _table(node: ast.stmt | ast.expr, outer: symtable.SymbolTable) -> symtable.SymbolTable:
        (table,) = (child for child in outer.get_children() if child.get_lineno() == node.lineno)
        return table

    def _scope(self, name: str, stack: list[tuple[symtable.SymbolTable, Place]]) -> Place | None:
        symbol = stack[-1][0].lookup(name)
        if symbol.is_free():
            return next(
                place
                for table, place in reversed(stack[:-1])
                if table.get_type() != "class" and name in table.get_identifiers()
                and table.lookup(name).is_local()
            )  # fmt: skip
        if symbol.is_local() and not symbol.is_global():
            return stack[-1][1]
        is_bound = name in self._module.get_identifiers() and self._module.lookup(name).is_local()
        return MODULE if is_bound or self._is_global_elsewhere(name, self._module) else None

    def _is_global_elsewhere(self, name: str, table: symtable.SymbolTable) -> bool:
        """Whether a function binds a name that it says is the module's."""
        for child in table.get_children():
            if name in child.get_identifiers():
                symbol = child.lookup(name)
                if symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported()):
                    return True
            if self._is_global_elsewhere(name, child):
                return True
        return False


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node lies in its own scope."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield from node.body
    elif isinstance(node, ast.Lambda):
        yield node.body
    elif isinstance(node, ast.ListComp | ast.DictComp):
        first, *others = node.generators
        yield from (first.target, *first.ifs, *others)
        yield from [node.elt] if isinstance(node, ast.ListComp) else [node.key, node.value]


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node lies in the scope around it."""
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        yield from node.args.defaults
        yield from (default for default in node.args.kw_defaults if default is not None)
        if isinstance(node, ast.FunctionDef):
            every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            yield from (item.annotation for item in every if item.annotation is not None)
            yield from [node.returns] if node.returns is not None else []
            yield from node.decorator_list
    elif isinstance(node, ast.ClassDef):
        yield from (*node.decorator_list, *node.bases)
    elif isinstance(node, ast.ListComp | ast.DictComp):
        yield node.generators[0].iter
    else:
        yield from ast.iter_child_nodes(node)


def scopes_of(source: SourceFile) -> dict[Place, Place | None]:
    """The scope of each name that is read, as the product says."""
    found: dict[Place, Place | None] = {}
    for name in LETTERS:
        for node in source.names.references(name):
            bindings = source.names.bindings_in_scope(name, node)
            scope = bindings[0].scope if bindings else None
            is_module = scope is not None and scope == source.root
            place = (scope.start_point[0], scope.start_point[1]) if scope is not None else None
            found[node.start_point[0], node.start_point[1]] = MODULE if is_module else place
    return found


@pytest.mark.slow
@settings(max_examples=150)
@given(blocks())
@example(CLOSURE.format("a", "b", "a", "c", "c", "c", "b", "b").split("\n"))
@example(["def a():", "    c = 1", "    class b:", "        c = 2", *indented(NONLOCAL)])
@example(["def a(b):", "    [(c := d) for d in b]", "    print(c, d)"])
def test_a_name_is_of_the_scope_that_python_says(lines: list[str]) -> None:
    text = "\n".join(lines) + "\n"
    try:
        compile(text, "<text>", "exec")
    except SyntaxError:
        assume(False)
    assert scopes_of(SourceFile(text)) == Oracle(text).found


@pytest.mark.parametrize(
    ("text", "place", "scope"),
    [
        ("a = 1\ndef f():\n    print(a)\n", (2, 10), MODULE),
        ("def f(a):\n    print(a)\n", (1, 10), (0, 0)),
        ("class A:\n    a = 1\n    def f(self):\n        print(a)\n", (3, 14), None),
        ("def f():\n    a = 1\n    def g():\n        print(a)\n", (3, 14), (0, 0)),
    ],
)
def test_the_oracle_knows_the_language(text: str, place: Place, scope: Place | None) -> None:
    assert Oracle(text).found[place] == scope
