"""Notebooks are merged by cell: whatever the sides changed, the result is a notebook."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpu2ascend.project.update.notebooks import merge_notebooks
from gpu2ascend.project.update.texts import Merged
from tests.server.project.conftest import Migrate
from tests.server.project.samples import make_tree

from .test_update import FILES, Make, Project, refused

SOURCES = ["import torch\n", "x = 1\ny = 2\nz = 3\n", "print(x)\n"]


def cell(source: str, **more: Any) -> dict[str, Any]:
    """A cell of code."""
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": lines, **more}


def book(*cells: dict[str, Any], **metadata: Any) -> bytes:
    """A notebook as Jupyter writes it."""
    content = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()


def cells(*sources: str) -> bytes:
    """A notebook with these sources."""
    return book(*map(cell, sources))


BASE = cells(*SOURCES)


def merge(base: bytes, ours: bytes, theirs: bytes) -> Merged:
    """What becomes of three notebooks."""
    done = merge_notebooks(base, ours, theirs)
    assert done is not None
    return done


def sources(done: Merged) -> list[str]:
    """The sources of a merged notebook."""
    return ["".join(item["source"]) for item in json.loads(done.data)["cells"]]


@pytest.mark.parametrize("with_ids", [False, True])
def test_changes_of_different_cells_are_all_in_the_result(with_ids: bool) -> None:
    def made(*texts: str) -> bytes:
        return book(*(cell(text, **({"id": f"c{at}"} if with_ids else {})) for at, text in enumerate(texts)))

    ours = made(SOURCES[0], SOURCES[1].replace("x = 1", "x = 10"), SOURCES[2])
    theirs = made("import torch\nimport torch_npu\n", *SOURCES[1:])
    done = merge(made(*SOURCES), ours, theirs)
    assert sources(done) == ["import torch\nimport torch_npu\n", "x = 10\ny = 2\nz = 3\n", "print(x)\n"]
    assert done.conflicts == ()


def test_changes_of_different_lines_of_a_cell_are_all_in_the_result() -> None:
    ours = cells(SOURCES[0], SOURCES[1].replace("x = 1", "x = 10"), SOURCES[2])
    theirs = cells(SOURCES[0], SOURCES[1].replace("z = 3", "z = 30"), SOURCES[2])
    assert sources(merge(BASE, ours, theirs))[1] == "x = 10\ny = 2\nz = 30\n"


def test_a_conflict_is_marked_in_its_cell() -> None:
    ours, theirs = (cells(SOURCES[0], SOURCES[1].replace("2", new), SOURCES[2]) for new in ("20", "200"))
    done = merge(BASE, ours, theirs)
    marked = "x = 1\n<<<<<<< yours\ny = 20\n=======\ny = 200\n>>>>>>> gpu2ascend\nz = 3\n"
    assert sources(done) == [SOURCES[0], marked, SOURCES[2]]
    assert [(span.cell, span.start, span.end) for span in done.conflicts] == [(2, 2, 6)]


def test_cells_that_either_side_added_are_in_the_result() -> None:
    ours, theirs = cells("mine\n", *SOURCES), cells(*SOURCES, "new\n")
    assert sources(merge(BASE, ours, theirs)) == ["mine\n", *SOURCES, "new\n"]
    both = merge(BASE, cells(*SOURCES, "mine\n"), cells(*SOURCES, "new\n"))
    assert sources(both) == [*SOURCES, "mine\n", "new\n"]


def test_a_cell_that_both_added_alike_is_there_once() -> None:
    assert sources(merge(BASE, cells(*SOURCES, "same\n"), cells("first\n", *SOURCES, "same\n"))) == [
        "first\n",
        *SOURCES,
        "same\n",
    ]


def test_a_changed_cell_that_the_new_version_has_no_more_stays_and_is_a_conflict() -> None:
    ours = cells(SOURCES[0], SOURCES[1].replace("x = 1", "x = 10"), SOURCES[2])
    done = merge(BASE, ours, cells(SOURCES[0], SOURCES[2]))
    assert sources(done) == [SOURCES[0], "x = 10\ny = 2\nz = 3\n", SOURCES[2]]
    assert [span.cell for span in done.conflicts] == [2]


def test_a_cell_that_nobody_changed_goes_with_the_new_version() -> None:
    assert sources(merge(BASE, cells("mine\n", *SOURCES), cells(*SOURCES[::2]))) == ["mine\n", *SOURCES[::2]]


def test_outputs_of_a_run_stay_and_the_form_of_the_file_too() -> None:
    ran = book(cell(SOURCES[0], outputs=[{"output_type": "stream", "text": "中\n"}]), *map(cell, SOURCES[1:]))
    done = merge(BASE, ran, cells(*SOURCES, "new\n"))
    assert json.loads(done.data)["cells"][0]["outputs"][0]["text"] == "中\n"
    assert done.data.startswith(b'{\n "cells": [\n') and done.data.endswith(b"}\n")
    assert "中".encode() in done.data


def test_metadata_of_both_sides_are_in_the_result() -> None:
    old = book(cell("a\n"), one={"x": 1}, two=2)
    done = merge(old, book(cell("a\n"), one={"x": 9}, two=2), book(cell("a\n"), one={"x": 1, "y": 2}))
    assert json.loads(done.data)["metadata"] == {"one": {"x": 9, "y": 2}}


@pytest.mark.parametrize(
    "text", [b"{}", b"[]", b"not json", b'{"cells": [1]}', b'{"cells": [{"source": 3}]}']
)
def test_what_is_no_notebook_is_left_to_the_lines(text: bytes) -> None:
    assert merge_notebooks(BASE, text, BASE) is None
    assert merge_notebooks(BASE, BASE, BASE) == Merged(BASE)


def test_marks_of_an_earlier_conflict_in_a_notebook_are_found(run: Migrate, make: Make) -> None:
    project = Project(run, make, {**FILES, "n.ipynb": cells("x = 1\n", "y = 1\n")})
    make_tree(project.output, {"n.ipynb": cells("x = 2\n", "y = 1\n")})
    make_tree(project.root, {"n.ipynb": cells("x = 3\n", "y = 1\n")})
    assert [item.path for item in project.update().conflicts] == ["n.ipynb"]
    make_tree(project.root, {"n.ipynb": cells("x = 3\n", "y = 2\n")})
    refused(project, "update.unresolved")
    make_tree(project.output, {"n.ipynb": cells("x = 2\n", "y = 1\n")})
    assert project.update().merged == ("n.ipynb",)
