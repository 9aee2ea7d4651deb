"""What a client is sent of a finding."""

from __future__ import annotations

import json
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.features.action_edits import What
from gpu2ascend.lsp.features.code_actions import _action
from gpu2ascend.lsp.features.diagnostics.from_findings import diagnostics_of, encoded_diagnostics, result_id
from gpu2ascend.lsp.session.analysis import Analysis
from gpu2ascend.lsp.session.documents import Document
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
PLACES = (
    ("x = '模型'; torch.cuda.synchronize()\n", {"utf-8": 14, "utf-16": 10, "utf-32": 10}),
    ("x = '😀'; torch.cuda.synchronize()\n", {"utf-8": 12, "utf-16": 10, "utf-32": 9}),
    ("if 1:\n\ttorch.cuda.synchronize()\n", {"utf-8": 1, "utf-16": 1, "utf-32": 1}),
    ("# \f\u2028\x85 é\n\ntorch.cuda.synchronize()\n", {"utf-8": 0, "utf-16": 0, "utf-32": 0}),
)


def analysis(text: str) -> Analysis:
    source = SourceFile(text, "/p/a.py")
    return Analysis(Document("file:///p/a.py", 3, "python", source), OPTIONS, tuple(check(source, OPTIONS)))


def diagnostics(
    text: str, unit: ColumnUnit = ColumnUnit.UTF16, language: str = "en"
) -> list[types.Diagnostic]:
    return diagnostics_of(analysis(text), unit, language)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("unit", list(ColumnUnit))
@pytest.mark.parametrize(("body", "columns"), PLACES)
def test_a_place_is_in_the_columns_of_the_client(
    body: str, columns: dict[str, int], unit: ColumnUnit, newline: str
) -> None:
    (found,) = diagnostics(f"import torch\n{body}".replace("\n", newline), unit)
    start, end = found.range.start, found.range.end
    assert (start.line, start.character) == (body.count("\n"), columns[unit.value])
    assert end.character - start.character == len("torch.cuda.synchronize")


def test_a_diagnostic_has_its_rule_a_link_and_what_finds_its_fix_again() -> None:
    (found,) = diagnostics("import torch\ntorch.cuda.synchronize()\n")
    assert (found.code, found.source) == ("NPU101", "gpu2ascend")
    assert found.severity == types.DiagnosticSeverity.Warning
    assert found.code_description is not None and found.code_description.href.startswith("file:")
    assert found.data == {
        "finding": 0,
        "applicability": "safe",
        "kind": "",
        "fix": "Replace `torch.cuda.synchronize` with `torch_npu.npu.synchronize`",
    }


def test_a_diagnostic_without_a_fix_says_so() -> None:
    (found,) = diagnostics("import torch\ntorch.backends.cudnn.benchmark = True\n")
    assert found.data == {"finding": 0, "applicability": "manual", "kind": ""}


def test_the_place_where_an_alias_was_bound_is_reported() -> None:
    (found,) = diagnostics("import torch as th\n\nth.cuda.synchronize()\n")
    (related,) = found.related_information or ()
    assert related.location.range.start == types.Position(0, 7)
    assert diagnostics("import torch\ntorch.cuda.synchronize()\n")[0].related_information is None


def test_what_pytorch_calls_deprecated_is_tagged() -> None:
    (found,) = diagnostics("import torch\ntorch.cuda.memory_cached()\n")
    assert types.DiagnosticTag.Deprecated in (found.tags or ())


@pytest.mark.parametrize(
    ("code", "struck"),
    [
        ("from torch.cuda.amp import GradScaler\ns = GradScaler()\n", []),
        ("from torch.cuda.amp import (\n    GradScaler as GS,\n)\ns = GS()\n", []),
        ("import torch\ns = torch.cuda.amp.GradScaler()\n", [(1, 4, 1, 29)]),
    ],
)
def test_no_more_than_the_name_is_struck_through(code: str, struck: list[tuple[int, ...]]) -> None:
    places = [item.range for item in diagnostics(code) if types.DiagnosticTag.Deprecated in (item.tags or ())]
    assert [(it.start.line, it.start.character, it.end.line, it.end.character) for it in places] == struck


def test_what_is_not_deprecated_keeps_its_whole_place() -> None:
    (found,) = diagnostics("from torch.cuda import synchronize\n")
    assert (found.range.start.character, found.range.end.character) == (0, 34)
    assert not found.tags


def test_what_does_nothing_on_the_npu_is_tagged() -> None:
    found = diagnostics("import torch\ntorch.backends.cudnn.benchmark = True\n")
    assert [item.tags for item in found] == [[types.DiagnosticTag.Unnecessary]]


def test_messages_are_in_the_language_asked_for() -> None:
    (found,) = diagnostics("import torch\ntorch.cuda.synchronize()\n", language="zh")
    assert "对应" in found.message


def test_code_around_a_syntax_error_keeps_its_findings() -> None:
    found = diagnostics("import torch\ndef f(:\n    x = (\n\ntorch.cuda.synchronize()\n")
    assert [item.code for item in found] == ["NPU101"]


def test_what_is_sent_is_of_the_version_that_was_looked_at() -> None:
    (sent,) = encoded_diagnostics(
        analysis("import torch\ntorch.cuda.synchronize()\n"), ColumnUnit.UTF16, "en"
    )
    params = json.loads(sent.text)
    assert (params["uri"], params["version"], len(params["diagnostics"])) == ("file:///p/a.py", 3, 1)


def test_a_result_id_is_of_the_text_the_options_the_language_and_the_state_of_the_project() -> None:
    other = options_from({"version": "2.7.1"})
    ids = {
        result_id(text, options, language, state)
        for text in (b"a", b"b")
        for options in (OPTIONS, other)
        for language in ("en", "zh")
        for state in (1, 2)
    }
    assert len(ids) == 16 and result_id(b"a", OPTIONS, "en", 1) in ids


def test_an_unsafe_fix_is_labelled_and_not_preferred() -> None:
    looked_at = analysis("import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n")
    ((number, finding),) = enumerate(looked_at.findings)
    server: Any = None  # only the actions that carry an edit from the start ask it anything
    action = _action(server, looked_at, "en", What.FIX, finding, number, None)
    assert "unsafe" in action.title and not action.is_preferred
