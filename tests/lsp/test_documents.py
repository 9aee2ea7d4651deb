"""Documents follow a client's changes exactly, and an incremental analysis is that of the whole text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from gpu2ascend.lsp.conversion.uris import document_key, path_of, uri_of
from gpu2ascend.lsp.session.documents import DocumentStore
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile

URI = "file:///p/a.py"
OPTIONS = options_from({"version": "2.8.0"})
START = """\
import torch as th
from torch import nn
class Net(nn.Module):
    def forward(self, x):
        return x.cuda() if th.cuda.is_available() else x  # 😀 模型
model = Net().to("cuda:0")
\tth.device(f"cuda:{i}")\f
dist.init_process_group(backend='nccl')\u2028
"""
FRAGMENTS = st.sampled_from(
    ["", "x", "\n", "\r\n", "\r", "(", ")", '"', "'''", "#", "\\", "    ", "\t", "\f", "\u2028", "é", "😀",
     "import torch\n", ".cuda()", "th.", "cuda", "npu", "f'{", "}'", ":", "def f():\n", "lambda: ", ",", "=",
     "# gpu2ascend: ignore\n", "torch.cuda.amp.autocast()", "with ", "if x:\n    "]
)  # fmt: skip
PLACES = st.floats(0, 1)


def position_at(text: str, index: int) -> types.Position:
    """The LSP position, in UTF-16, of a character."""
    before = text[:index].replace("\r\n", "\n").replace("\r", "\n")
    line = before.count("\n")
    column = before[before.rfind("\n") + 1 :]
    return types.Position(line, len(column.encode("utf-16-le")) // 2)


def splits_a_newline(text: str, index: int) -> bool:
    return text[index - 1 : index + 1] == "\r\n"


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(st.tuples(PLACES, PLACES, FRAGMENTS), min_size=7, max_size=12))
def test_random_edits_leave_what_a_fresh_analysis_finds(edits: list[tuple[float, float, str]]) -> None:
    store = DocumentStore()
    store.open(types.TextDocumentItem(URI, "python", 0, START))
    text = START
    for version, (first, second, new) in enumerate(edits, 1):
        start, end = sorted((round(first * len(text)), round(second * len(text))))
        end = min(end, start + 40)
        if splits_a_newline(text, start) or splits_a_newline(text, end):
            continue
        change = types.TextDocumentContentChangePartial(
            types.Range(position_at(text, start), position_at(text, end)), new
        )
        document = store.change(URI, version, [change], ColumnUnit.UTF16)
        text = text[:start] + new + text[end:]
        assert document is not None and document.source.text == text
        if version % 3:  # sometimes several edits pass between two looks
            assert check(document.source, OPTIONS) == check(SourceFile(text, document.source.path), OPTIONS)
    document = store.get(URI)
    assert document is not None
    assert check(document.source, OPTIONS) == check(SourceFile(text, document.source.path), OPTIONS)


def test_a_document_is_one_however_its_uri_is_spelt() -> None:
    keys = {
        document_key(uri)
        for uri in ("file:///c%3A/a%20b/%E6%A8%A1.py", "file:///C:/a b/模.py", "FILE:///c:/a%20b/模.py")
    }
    assert len(keys) == 1
    assert document_key("untitled:Untitled-1") != document_key("file:///Untitled-1")


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "vscode-vfs://github/a/b.py", "file://%00", "http://[", ""]
)
def test_what_is_in_no_file_has_no_path(uri: str) -> None:
    assert path_of(uri) is None


def test_a_path_comes_back_from_its_uri() -> None:
    for name in ("/a b/模型.py", "/a#b?c.py", "/100%.py", "/[x].py"):
        found = path_of(uri_of(__import__("pathlib").Path(name)))
        assert str(found) == name


def test_changes_of_a_document_that_is_not_open_are_distinguished() -> None:
    assert DocumentStore().change(URI, 1, [], ColumnUnit.UTF16) is None


def test_positions_beyond_the_text_are_its_end() -> None:
    store = DocumentStore()
    store.open(types.TextDocumentItem(URI, "python", 0, "a\n"))
    place = types.Range(types.Position(90, 90), types.Position(91, 0))
    document = store.change(URI, 1, [types.TextDocumentContentChangePartial(place, "b")], ColumnUnit.UTF16)
    assert document is not None and document.source.text == "a\nb"
