"""Identifiers by their words: all of them in code, none in what nests too deeply to be looked at."""

from __future__ import annotations

from functools import partial

import pytest
from tree_sitter import Node, Tree

from gpu2ascend_rules.edits.offsets import edited
from gpu2ascend_rules.limits.checkpoints import MAX_NESTING
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text import parsed_text
from gpu2ascend_rules.text.source_file import SourceFile


def lines_of(source: SourceFile, word: str) -> list[int]:
    """The lines, from 1, of the identifiers of a word."""
    return [node.start_point[0] + 1 for node in source.identifiers(word)]


def nested(depth: int) -> str:
    """Code that names ``x`` before, in and behind brackets of a depth."""
    return f"x = 1\ny = {'(' * depth}x{')' * depth}\nz = x\n"


def test_identifiers_are_found_in_code_and_not_in_texts() -> None:
    source = SourceFile("x = 1  # x\ny = 'x'\nz.x = xx\nf(x=x)\n")
    assert lines_of(source, "x") == [1, 3, 4, 4]


@pytest.mark.parametrize("depth", [1, 20])
def test_what_nests_is_found(depth: int) -> None:
    assert lines_of(SourceFile(nested(depth)), "x") == [1, 2, 3]


def test_what_nests_too_deeply_is_left_out_and_the_rest_is_not() -> None:
    source = SourceFile(nested(MAX_NESTING * 2))
    assert source.deep_parts
    assert lines_of(source, "x") == [1, 3]
    assert lines_of(source, "z") == [3]


def test_of_several_deep_parts_each_is_left_out() -> None:
    source = SourceFile(nested(MAX_NESTING * 2) + nested(3) + nested(MAX_NESTING * 3))
    assert source.deep_parts
    assert lines_of(source, "x") == [1, 3, 4, 5, 6, 7, 9]


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("x = 1  # why\n", "# why"),
        ("# why\nx = 1\n", "# why"),
        ("x = '# why'\n", None),
        ("x = f'# why'\n", None),
    ],
)
def test_a_comment_is_found_at_a_place_in_it(text: str, comment: str | None) -> None:
    start = text.index("why")
    assert SourceFile(text).comment_at(start, start + 3) == comment


def shape(tree: Tree) -> list[tuple[str, int, int, tuple[int, int], tuple[int, int]]]:
    """Every node of a tree with its place."""
    found: list[Node] = [tree.root_node]
    for node in found:
        found += node.children
    return [(node.type, node.start_byte, node.end_byte, node.start_point, node.end_point) for node in found]


BEFORE = "import torch\n\ndef f(x):\n    é = x.cuda()\n    return [x.cuda(1),\n            x]\n"


def edit(old: str, new: str, nth: int = 0) -> Edit:
    """Puts a text in the place of the part of BEFORE that reads so."""
    start = len(old.join(BEFORE.split(old)[: nth + 1]).encode())
    return Edit(start, start + len(old.encode()), new)


EDITS = {
    "a name": [edit("cuda", "npu")],
    "names in two lines": [edit("cuda", "npu", 1), edit("cuda", "npu")],
    "an import, and a name behind it": [Edit(13, 13, "import torch_npu\n"), edit("cuda", "npu", 1)],
    "two insertions in one place": [Edit(13, 13, "import a\n"), Edit(13, 13, "import b\n")],
    "a line that goes": [edit("    é = x.cuda()\n", "")],
    "lines for a part of one": [edit("x.cuda(1)", "(x\n        .to('é')\n    )")],
}


@pytest.mark.parametrize("name", EDITS)
def test_the_text_after_edits_has_the_tree_of_that_text(name: str) -> None:
    source = SourceFile(BEFORE)
    before = shape(source.tree)
    after = edited(source, EDITS[name])
    assert isinstance(after, SourceFile)
    assert shape(after.tree) == shape(SourceFile(after.text).tree)
    assert shape(source.tree) == before


@pytest.mark.parametrize(
    ("text", "is_parsed", "is_kept"),
    [
        (BEFORE, True, True),
        (BEFORE, False, False),
        (BEFORE.replace("\n", "\r\n"), True, False),
        (BEFORE + "f(\n", True, False),
    ],
    ids=["whole", "not parsed yet", "lines end otherwise", "broken"],
)
def test_what_lies_beside_edits_is_not_parsed_again(
    monkeypatch: pytest.MonkeyPatch, text: str, is_parsed: bool, is_kept: bool
) -> None:
    source = SourceFile(text)
    if is_parsed:
        assert source.tree
    given: list[Tree | None] = []
    parse = parsed_text.parse

    def noted(data: bytes, old_tree: Tree | None = None, *rest: object, **more: object) -> Tree:
        given.append(old_tree)
        return partial(parse, data, old_tree)(*rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(parsed_text, "parse", noted)
    after = edited(source, [Edit(0, 0, "import os\n")])
    assert isinstance(after, SourceFile) and after.tree
    assert [tree is not None for tree in given[:1]] == [is_kept]
