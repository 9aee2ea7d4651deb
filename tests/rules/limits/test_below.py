"""There is one way down a tree: in the order of the text, not deeper than the limit, and it can be ended."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tree_sitter import Node

import gpu2ascend
import gpu2ascend_mindspore
import gpu2ascend_rules
from gpu2ascend_rules.limits.below import nodes_below, nodes_in, nodes_of, nodes_through, with_parents
from gpu2ascend_rules.limits.checkpoints import MAX_NESTING, asking
from gpu2ascend_rules.text.source_file import SourceFile

CODE = """\
import torch  # a comment

@decorated
class Net(torch.nn.Module):
    def forward(self, x):
        return lambda y: [f"{x}" for x in (y, 1)]

print(Net()(torch.ones(2)))
"""
HOUSES = tuple(Path(item.__file__).parent for item in (gpu2ascend_rules, gpu2ascend_mindspore, gpu2ascend))
OTHER_WALKS = {
    "limits/below.py": "the one way down",
    "limits/nesting.py": "looks for what lies deeper than the limit, and enters nothing else",
    "conversion/models/handing.py": "enters only what may be the value of an expression",
    "project/inspect/library/units.py": "what is entered depends on what was found",
    "project/inspect/packages.py": "goes on at what names were given, elsewhere in the tree",
}
"""Modules that go down by themselves, each with the reason."""


def all_nodes(root: Node) -> Iterator[Node]:
    """The oracle: every node that the grammar names, by the cursor of tree-sitter."""
    cursor = root.walk()
    while True:
        assert cursor.node is not None
        if cursor.node.is_named:
            yield cursor.node
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def types(nodes: Iterator[Node]) -> list[str]:
    return [node.type for node in nodes]


def first(source: SourceFile, kind: str) -> Node:
    return next(node for node in all_nodes(source.root) if node.type == kind)


def test_all_nodes_come_in_the_order_of_the_text() -> None:
    source = SourceFile(CODE)
    expected = list(all_nodes(source.root))
    assert list(nodes_in(source.root)) == expected
    assert list(nodes_below(source.root)) == expected[1:]


@pytest.mark.parametrize("kinds", [("identifier",), ("call", "lambda", "class_definition"), ("yield",)])
def test_the_nodes_of_some_types_are_those_of_a_walk(kinds: tuple[str, ...]) -> None:
    root = SourceFile(CODE).root
    found = list(nodes_of(root, *kinds))
    expected = [node for node in all_nodes(root) if node.type in kinds]
    assert sorted(found, key=lambda node: (node.start_byte, -node.end_byte)) == expected
    assert bool(found) is (kinds != ("yield",))


def test_each_node_comes_with_its_parent() -> None:
    pairs = list(with_parents(SourceFile(CODE).root, lambda node: True))
    assert pairs
    assert all(parent == node.parent for node, parent in pairs)


def test_of_a_closed_node_the_parts_are_left_out() -> None:
    code = SourceFile("f(a)\nlambda: b\n")
    assert "identifier" in types(nodes_in(first(code, "lambda")))
    closed = types(nodes_in(code.root, "lambda"))
    assert "lambda" in closed
    assert closed.count("identifier") == 2


def test_the_parts_of_the_root_come_whatever_it_is() -> None:
    outer = first(SourceFile("lambda a: lambda b: c\n"), "lambda")
    assert [node.text for node in nodes_in(outer, "lambda") if node.type == "identifier"] == [b"a"]


def test_what_is_not_entered_comes_itself() -> None:
    code = SourceFile("[a, (b, [c])]\n")
    found = nodes_through(first(code, "list"), lambda node: node.type == "tuple")
    assert types(found) == ["identifier", "tuple", "identifier", "list"]


@pytest.mark.parametrize(("levels", "is_come_to"), [(MAX_NESTING - 1, True), (MAX_NESTING, False)])
def test_what_nests_deeper_than_the_limit_is_left_out(levels: int, is_come_to: bool) -> None:
    code = SourceFile("[" * (levels + 1) + "a" + "]" * (levels + 1))
    assert ("identifier" in types(nodes_below(first(code, "list")))) is is_come_to


def test_each_node_is_a_step_that_may_be_the_last() -> None:
    steps = 0

    def ask() -> None:
        nonlocal steps
        steps += 1

    with asking(ask):
        come_to = len(list(nodes_below(SourceFile(CODE).root)))
    assert steps == come_to > 0


def walks_of_its_own(module: ast.Module) -> list[str]:
    """Loops that put children aside, and functions that call themselves for the children of any node."""
    loops = [node for node in ast.walk(module) if isinstance(node, ast.While) and _puts_aside(node)]
    functions = [node for node in ast.walk(module) if isinstance(node, ast.FunctionDef) and _goes_on(node)]
    return [ast.unparse(node) for node in (*loops, *functions)]


def _puts_aside(loop: ast.While) -> bool:
    read = {node.attr for node in ast.walk(loop) if isinstance(node, ast.Attribute)}
    return bool(read & {"pop", "popleft"}) and bool(read & {"named_children", "children"})


def _goes_on(function: ast.FunctionDef) -> bool:
    """Whether a function calls itself for each child, whatever it is, as readers of a grammar do not."""
    loops = [item for item in function.body if isinstance(item, ast.For) and _is_over_children(item.iter)]
    called = [node.func for loop in loops for node in ast.walk(loop) if isinstance(node, ast.Call)]
    return any(isinstance(name, ast.Name) and name.id == function.name for name in called)


def _is_over_children(iterable: ast.expr) -> bool:
    return isinstance(iterable, ast.Attribute) and iterable.attr in ("children", "named_children")


def modules() -> list[tuple[Path, str]]:
    return [(path, str(path.relative_to(house))) for house in HOUSES for path in sorted(house.rglob("*.py"))]


def test_no_other_module_goes_down_by_itself() -> None:
    texts = ((path.read_text(encoding="utf-8"), name) for path, name in modules())
    found = {name for text, name in texts if "children" in text and walks_of_its_own(ast.parse(text))}
    assert found == set(OTHER_WALKS)


@pytest.mark.parametrize(
    "code",
    [
        "while stack:\n    node = stack.pop()\n    stack += node.named_children",
        "while queue:\n    queue.extend(queue.popleft().children)",
        "def below(node):\n    for child in node.named_children:\n        yield from below(child)",
    ],
)
def test_a_way_down_beside_it_would_be_seen(code: str) -> None:
    assert len(walks_of_its_own(ast.parse(code))) == 1
