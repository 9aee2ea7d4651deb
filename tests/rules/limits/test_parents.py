"""A node's parent is looked for once while a file is examined, and nothing of the file is kept after it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tree_sitter import Node

import gpu2ascend_rules
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.limits import parents
from gpu2ascend_rules.limits.parents import begin_examination, end_examination, parent_of, parent_type
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
DEPTH = 100
DEEP = {
    "lists": "y = " + "[x.cuda(), " * DEPTH + "]" * DEPTH,
    "choices": "y = " + "x.cuda() if a else " * DEPTH + "x",
    "calls": "y = x" + ".cuda()" * DEPTH,
    "tests": "y = a" + " or x.device.type == 'cuda'" * DEPTH,
    "assignments": "x = " * DEPTH + "x.cuda()",
}
MOST_LOOK_UPS = 1.3
"""Of tree-sitter, for each node; what is looked for before the examination is not remembered."""
ROOT = Path(gpu2ascend_rules.__file__).parent
OTHER_PARENTS = {
    "limits/parents.py": "the one that asks tree-sitter",
    "edits/dominance.py": "a step of the way out has a field of that name",
    "model/project/other_files.py": "of a path",
}
"""Modules that read something called ``parent``, each with the reason."""


@contextmanager
def examined() -> Iterator[None]:
    begin_examination()
    try:
        yield
    finally:
        end_examination()


@contextmanager
def look_ups() -> Iterator[Counter[Node]]:
    """The nodes of which tree-sitter is asked for the parent, as often as it is."""
    counted: Counter[Node] = Counter()
    read = Node.__dict__["parent"].__get__

    def counting(node: Node) -> Node | None:
        counted[node] += 1
        found: Node | None = read(node)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Node, "parent", property(counting))
        yield counted


def identifier(source: SourceFile, word: str) -> Node:
    return source.identifiers(word)[0]


def test_a_parent_is_that_of_the_tree() -> None:
    source = SourceFile("a = f(b.c)\n")
    with examined():
        for _ in range(2):
            node = identifier(source, "c")
            parent = parent_of(node)
            assert parent is not None
            assert parent == node.parent
            assert parent.type == "attribute"
            assert parent_of(source.root) is None


def test_the_root_and_what_is_no_node_have_no_parent() -> None:
    root = SourceFile("a = b\n").root
    assert parent_of(root) is None
    assert parent_of(None) is None
    assert parent_type(root) == ""
    assert parent_type(root.named_children[0]) == "module"


def test_nodes_of_two_trees_are_not_taken_for_each_other() -> None:
    before = SourceFile("a = b\n")
    tree = before.tree
    with examined():
        old = parent_of(identifier(before, "b"))
        tree.edit(0, 0, 2, (0, 0), (0, 0), (1, 0))
        new = parent_of(identifier(SourceFile("c\na = b\n", "", tree), "b"))
    assert old is not None
    assert new is not None
    assert (new.start_byte, new.end_byte) == (2, 7)


@pytest.mark.parametrize("name", DEEP)
def test_each_node_is_asked_for_its_parent_about_once(name: str) -> None:
    source = SourceFile(f"import torch\nx = torch.ones(2)\n{DEEP[name]}\n")
    with look_ups() as counted:
        findings = check(source, OPTIONS)
    assert len(findings) >= DEPTH // 2 or name in ("tests", "assignments")
    assert counted
    assert counted.total() <= MOST_LOOK_UPS * len(counted)


def test_without_memory_they_are_asked_many_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control: what the count would be if each climb asked tree-sitter."""
    monkeypatch.setattr(parents, "_MOST", -1)
    monkeypatch.setattr("gpu2ascend_rules.engine.context.begin_examination", lambda: None)
    monkeypatch.setattr("gpu2ascend_rules.engine.context.end_examination", lambda: None)
    source = SourceFile(f"import torch\nx = torch.ones(2)\n{DEEP['lists']}\n")
    with look_ups() as counted:
        check(source, OPTIONS)
    assert counted.total() > 2 * len(counted)


def test_nothing_is_kept_after_the_last_file() -> None:
    source = SourceFile("import torch\nx = torch.ones(2).cuda()\n")
    with examined():
        check(source, OPTIONS)
        assert parents._known
    assert not parents._known


def test_outside_an_examination_nothing_is_kept() -> None:
    assert parent_of(identifier(SourceFile("a = b\n"), "b")) is not None
    assert not parents._known


def reads_of_parents(module: ast.Module) -> list[str]:
    """What is called ``parent`` of anything but a path, and is no method."""
    methods = {id(node.func) for node in ast.walk(module) if isinstance(node, ast.Call)}
    reads = [
        ast.unparse(node)
        for node in ast.walk(module)
        if isinstance(node, ast.Attribute) and node.attr == "parent" and id(node) not in methods
    ]
    return [text for text in reads if not text.startswith("Path(")]


def test_no_other_module_asks_tree_sitter_for_a_parent() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in ROOT.rglob("*.py")}
    found = {name for name, text in texts.items() if ".parent" in text and reads_of_parents(ast.parse(text))}
    assert found == set(OTHER_PARENTS)


def test_one_that_asked_would_be_seen() -> None:
    assert reads_of_parents(ast.parse("node.parent")) == ["node.parent"]
