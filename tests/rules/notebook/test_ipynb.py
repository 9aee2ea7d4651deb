"""The file's text: only the literals of changed lines change."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.notebook.ipynb import Notebook, NotebookError


def cell(source: Any, kind: str = "code", **metadata: Any) -> dict[str, Any]:
    return {
        "cell_type": kind,
        "metadata": metadata,
        "source": source,
        "outputs": [{"text": ["torch.cuda\n"]}],
    }


def document(*cells: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def changed(text: str, new: str, index: int = 0) -> str:
    return Notebook(text).with_sources({index: new})


class TestReading:
    def test_code_cells_count_among_all_cells(self) -> None:
        text = json.dumps(document(cell("# a", "markdown"), cell(["a = 1\n", "b"]), cell("c")))
        assert [(item.number, item.text) for item in Notebook(text).cells] == [(2, "a = 1\nb"), (3, "c")]

    @pytest.mark.parametrize(
        "metadata", [{"language_info": {"name": "R"}}, {"kernelspec": {"language": "julia", "name": "j"}}]
    )
    def test_a_notebook_in_another_language_has_no_python(self, metadata: dict[str, Any]) -> None:
        assert Notebook(json.dumps(document(cell("x"), **metadata))).sources() == [None]

    def test_a_cell_in_another_language_is_not_python(self) -> None:
        text = json.dumps(document(cell("x", vscode={"languageId": "sql"}), cell("y")))
        assert Notebook(text).sources() == [None, "y"]

    def test_version_3_keeps_cells_in_work_sheets(self) -> None:
        sheet = {"cells": [{"cell_type": "code", "language": "python", "input": ["x\n", "y"]}]}
        assert Notebook(json.dumps({"nbformat": 3, "worksheets": [sheet]})).sources() == ["x\ny"]

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": []}', '{"nbformat": 4,}', "[" * 100_000])
    def test_what_is_no_notebook_is_refused(self, text: str) -> None:
        with pytest.raises(NotebookError):
            Notebook(text)

    def test_a_line_of_a_cell_is_a_line_of_the_file(self) -> None:
        text = json.dumps(document(cell(["é\n", "b\n", "c"])), indent=1)
        first = text[: text.index('"\\u00e9')].count("\n") + 1
        assert [Notebook(text).line_of(0, offset) for offset in (0, 2, 3, 4, 5)] == [
            *(first, first, first + 1, first + 1, first + 2)
        ]


class TestWriting:
    @pytest.mark.parametrize("layout", [{"indent": 1}, {"indent": "\t"}, {}, {"separators": (",", ":")}])
    @pytest.mark.parametrize("ascii_only", [True, False])
    @pytest.mark.parametrize("as_list", [True, False])
    def test_the_file_is_as_its_writer_would_have_written_it(
        self, layout: dict[str, Any], ascii_only: bool, as_list: bool
    ) -> None:
        old, new = "x = 'é'\ny = 2\nz", "x = 'é'\nimport a\ny = '文'\nz"
        if not as_list:
            written = [
                json.dumps(document(cell(text)), ensure_ascii=ascii_only, **layout) for text in (old, new)
            ]
        else:
            sources = [text.splitlines(keepends=True) for text in (old, new)]
            written = [
                json.dumps(document(cell(text)), ensure_ascii=ascii_only, **layout) for text in sources
            ]
        assert changed(written[0], new) == written[1]

    def test_odd_formatting_stays_around_changed_lines(self) -> None:
        source = '[ "a\\u0020\\/\\n"  ,\r\n"b\\n", "c" ]'
        text = f'\n{{"nbformat":4 , "cells" : [{{"source":{source} ,"cell_type":"code"}}\n]}}'
        assert changed(text, "a /\nB\nc") == text.replace('"b\\n"', '"B\\n"')

    def test_a_line_with_escapes_stays_beside_a_changed_one(self) -> None:
        text = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a\\u003c\\/\\nb\\u000ac"}]}'
        assert changed(text, "a</\nB\nc") == text.replace("b\\u000a", "B\\n")

    def test_lines_that_the_list_splits_elsewhere_are_kept(self) -> None:
        text = json.dumps(document(cell(["a = '", "'\nb", " = 1\n", "c\n", "d"])))
        new = changed(text, "a = ''\nb = 1\nC\nd")
        assert new == text.replace('"c\\n"', '"C\\n"')

    def test_form_feeds_split_no_line_and_lose_nothing(self) -> None:
        text = json.dumps(document(cell("a\x0cb\nc\u2028d\ne".splitlines(keepends=True))))
        assert changed(text, "a\x0cb\nc\u2028d\nE") == text.replace('"e"', '"E"')

    def test_a_cell_can_become_empty(self) -> None:
        before = json.dumps(document(cell(["a"])), indent=1)
        after = json.loads(before)
        after["cells"][0]["source"] = []
        assert json.loads(changed(before, "")) == after

    @given(
        st.lists(st.text(alphabet='ab\n\r\t"\\é😀\u2028\x0c\ud800', max_size=5), max_size=6),
        st.text(alphabet='ab\n\r\t"\\é😀\u2028\x0c\ud800', max_size=20),
        st.booleans(),
    )
    def test_the_new_code_is_what_the_file_then_says(self, old: list[str], new: str, as_list: bool) -> None:
        text = json.dumps(document(cell(old if as_list else "".join(old))))
        written = changed(text, new)
        assert Notebook(written).sources() == [new]
        assert Notebook(text).with_sources({0: "".join(old)}) == text
