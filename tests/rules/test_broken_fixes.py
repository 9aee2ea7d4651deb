"""A fix that fails or breaks the text is not made and says so; all others of the file are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.refusals import Refusals
from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.fixing import apply_fixes, proposals
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.model.finding import Applicability, Edit, Message, Severity
from gpu2ascend_rules.model.outcome import Done, FileChange, FixOutcome
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.broken_rules import breaks_texts, fails_in_rewrites

OPTIONS = options_from({"version": "2.8.0"})
TEXT = "import torch\nx = torch.ones(1).cuda()\ntorch.cuda.empty_cache()\ny = x.cuda()\n"
OTHERS_MADE = (
    "import torch\nimport torch_npu\nx = torch.ones(1).cuda()\ntorch_npu.npu.empty_cache()\ny = x.cuda()\n"
)


def parses(text: TextFile, passes: Sequence[Iterable[Edit]]) -> bool:
    return isinstance(text, SourceFile) and not text.has_syntax_error


def refused(done: FixOutcome) -> list[tuple[str, int]]:
    return [(item.finding.code, item.start_line) for item in done.remaining if is_defect(item.finding)]


@pytest.mark.parametrize("breaking", [breaks_texts, fails_in_rewrites])
def test_the_other_fixes_are_made(
    monkeypatch: pytest.MonkeyPatch, breaking: Callable[[pytest.MonkeyPatch, str], None]
) -> None:
    breaking(monkeypatch, "NPU110")
    done = apply_fixes(SourceFile(TEXT), OPTIONS, is_sound=parses)
    assert done.text == OTHERS_MADE
    assert refused(done) == [("NPU110", 2), ("NPU110", 4)]


def test_what_fails_is_left_out_even_where_nothing_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    fails_in_rewrites(monkeypatch, "NPU110")
    done = apply_fixes(SourceFile(TEXT), OPTIONS)
    assert (done.text, refused(done)) == (OTHERS_MADE, [("NPU110", 2), ("NPU110", 4)])


@pytest.mark.parametrize(("language", "text"), [("en", "This fix was not made"), ("zh", "未进行此修改")])
def test_what_is_not_made_says_so_in_both_languages(
    monkeypatch: pytest.MonkeyPatch, language: str, text: str
) -> None:
    breaks_texts(monkeypatch, "NPU110")
    done = apply_fixes(SourceFile(TEXT), OPTIONS, is_sound=parses)
    (first, _) = (item.finding for item in done.remaining if is_defect(item.finding))
    assert text in render(first.message, language) and first.severity is Severity.ERROR
    assert first.fix is None


def test_without_a_fix_that_breaks_the_text_a_judge_changes_nothing() -> None:
    assert apply_fixes(SourceFile(TEXT), OPTIONS, is_sound=parses) == apply_fixes(SourceFile(TEXT), OPTIONS)


def test_a_codemod_that_breaks_the_text_is_not_made_and_the_rules_are() -> None:
    broken = FileChange(
        "import torch (\n",
        (Edit(12, len(TEXT), " (\n"),),
        (Done("", Message.of("fix.remove"), 13, 14, "MODIFY"),),
        (),
    )
    done = apply_fixes(SourceFile(TEXT), OPTIONS, codemods=[broken], is_sound=parses)
    assert done.text == apply_fixes(SourceFile(TEXT), OPTIONS).text
    assert refused(done) == [("", 1)]


def test_an_unsafe_fix_that_breaks_the_text_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SourceFile("import torch\nif device.type in ('cuda', 'xpu'):\n    start(0, 'nccl')\n")
    assert {item.finding.code for item in proposals(source, check(source, OPTIONS), (), parses)} == {
        "NPU203",
        "NPU401",
    }
    breaks_texts(monkeypatch, "NPU401")
    found = check(source, OPTIONS)
    assert {item.finding.code for item in proposals(source, found, (), parses)} == {"NPU203"}


def test_a_single_fix_that_breaks_the_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    breaks_texts(monkeypatch, "NPU110")
    source = SourceFile(TEXT)
    findings = [item for item in check(source, OPTIONS) if item.applicability is Applicability.SAFE]
    refusals = Refusals(parses)
    assert closure_edits(source, findings[:1], findings[:1], OPTIONS, refusals=refusals) == ()
    assert [is_defect(item) for item in refusals.findings] == [True]
