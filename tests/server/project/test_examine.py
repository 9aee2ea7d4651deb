"""The one way for a file: what goes in, and what comes out in trouble."""

from __future__ import annotations

import attrs
import pytest

from gpu2ascend.project import examine as examining
from gpu2ascend.project.examine import Listener, Request, examine, recheck
from gpu2ascend.project.fixing import Transform
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.checking import CheckCancelledError
from gpu2ascend_rules.edits.refusals import Judge
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions, OptionError
from gpu2ascend_rules.text.source_file import SourceFile
from tests.server.project.samples import CUDA, MIGRATED, OPTIONS, PLAIN, STUCK

FIX = Request(options=OPTIONS, fix=True)
HALF_TYPED = CUDA + "x = (\n"


def breaking(
    source: SourceFile, options: MigrationOptions, project: ProjectView, *, is_sound: Judge | None = None
) -> FixOutcome:
    """Fixes that end in something that is not Python."""
    return FixOutcome("def broken(:\n", (), (), 1)


@pytest.mark.parametrize(
    "content", [CUDA, CUDA.encode(), SourceFile(CUDA, "a.py")], ids=["text", "bytes", "source"]
)
def test_the_same_comes_of_a_file_however_it_is_given(content: str | bytes | SourceFile) -> None:
    done = examine("a.py", content, FIX)
    assert (done.status, done.before, done.text) == (FileStatus.CHANGED, CUDA, MIGRATED)
    assert done.data == (MIGRATED.encode() if isinstance(content, bytes) else None)


def test_a_new_text_is_written_in_the_encoding_of_the_file() -> None:
    text = "# coding: latin-1\n# \u00e9\n" + CUDA
    done = examine("a.py", text.encode("latin-1"), FIX)
    assert done.data is not None and done.data.decode("latin-1") == done.text
    assert done.text is not None and "\u00e9" in done.text


def test_what_nothing_can_be_found_in_is_left_out_early() -> None:
    done = examine("a.py", PLAIN, FIX)
    assert (done.status, done.is_relevant, done.findings) == (FileStatus.UNCHANGED, False, ())


USES_TORCH = "import torch\nlayer = torch.nn.Linear(2, 2)\n"


def test_what_the_tree_takes_and_python_does_not_is_checked_and_never_changed() -> None:
    """A check of half-typed text goes on; a migration leaves what it could not run."""
    text = CUDA + "f(a=1, 2)\n"
    checked = examine("a.py", text, Request(options=OPTIONS))
    assert checked.problem is None
    assert checked.findings
    fixed = examine("a.py", text, FIX)
    assert fixed.status is FileStatus.UNPARSABLE
    assert fixed.text == text


def test_such_a_module_that_is_not_python_is_reported_all_the_same() -> None:
    done = examine("a.py", USES_TORCH + "x = (\n", Request(options=OPTIONS))
    assert done.status is FileStatus.UNPARSABLE and done.problem is not None


def test_statements_of_python_2_that_the_tree_takes_are_a_problem() -> None:
    done = examine("a.py", "import torch\nprint 'x', torch.cuda.device_count()\n", Request(options=OPTIONS))
    assert done.status is FileStatus.UNPARSABLE and done.problem is not None


def test_bytes_that_are_not_text_are_a_problem() -> None:
    done = examine("a.py", b"\xff\xfe", FIX)
    assert (done.status, done.text) == (FileStatus.UNDECODABLE, None)
    assert done.problem is not None and done.problem.id == "project.encoding-bytes"


def test_what_is_not_python_is_not_fixed_and_its_other_parts_are_checked() -> None:
    done = examine("a.py", HALF_TYPED, FIX)
    assert (done.status, done.text, done.passes) == (FileStatus.UNPARSABLE, HALF_TYPED, ())
    assert [item.code for item in recheck(done, FIX).findings] == ["NPU101"]


def test_the_parts_of_a_half_typed_text_are_fixed_for_an_editor() -> None:
    done = examine("a.py", HALF_TYPED, Request(options=OPTIONS, fix=True, is_lenient=True))
    assert done.text == MIGRATED + "x = (\n"


@pytest.mark.parametrize("is_lenient", [False, True])
def test_fixes_never_break_what_was_python(is_lenient: bool) -> None:
    request = Request(options=OPTIONS, fix=True, is_lenient=is_lenient, transform=breaking)
    done = examine("a.py", CUDA, request)
    assert (done.status, done.text, done.passes) == (FileStatus.FAILED, CUDA, ())
    assert done.problem is not None and done.problem.id == "project.broken-edit"


def ending_in(text: str, *edits: Edit) -> Transform:
    """Fixes of a file beside Python that end in a text by these edits."""

    def transform(
        file: KindFile, options: MigrationOptions, project: ProjectView, *, is_sound: Judge | None = None
    ) -> FixOutcome:
        return FixOutcome(text, (), (), 1, (edits,))

    return transform


SETTING = "device: cuda\n"


@pytest.mark.parametrize(
    ("before", "after", "edits", "is_kept"),
    [
        pytest.param(SETTING, "device: npu\n", [Edit(8, 12, "npu")], True, id="a word for a word"),
        pytest.param(SETTING, "device: [npu]\n", [Edit(8, 12, "[npu]")], True, id="more, and it parses"),
        pytest.param(SETTING, "device: [npu\n", [Edit(8, 12, "[npu")], False, id="no word"),
        pytest.param(SETTING, "devicecuda\n", [Edit(6, 8, "")], True, id="a text without any value parses"),
        pytest.param(SETTING, 'device: "cuda\n', [Edit(8, 8, '"')], False, id="an open quote"),
        pytest.param('{"a": "cuda"}', '{"a": npu}', [Edit(6, 12, "npu")], False, id="the quotes of a text"),
        pytest.param('{"a": "cuda"}', '{"a": "npu"}', [Edit(7, 11, "npu")], True, id="a text in its quotes"),
    ],
)
def test_fixes_never_break_a_file_beside_python(
    before: str, after: str, edits: list[Edit], is_kept: bool
) -> None:
    path = "a.json" if before.startswith("{") else "a.yaml"
    done = examine(path, before, Request(options=OPTIONS, fix=True, transform=ending_in(after, *edits)))
    expected = (FileStatus.CHANGED, after) if is_kept else (FileStatus.FAILED, before)
    assert (done.status, done.text) == expected
    assert is_kept or (done.problem is not None and done.problem.id == "project.broken-edit")


def test_a_file_beside_python_that_was_broken_in_part_may_stay_so() -> None:
    before, after = "nvidia-smi\nfoo ) (\n", "npu-smi info\nfoo ) (\n"
    transform = ending_in(after, Edit(0, 10, "npu-smi info"))
    done = examine("a.sh", before, Request(options=OPTIONS, fix=True, transform=transform))
    assert (done.status, done.text) == (FileStatus.CHANGED, after)


def test_after_fixes_the_findings_are_those_that_are_left() -> None:
    done = examine("a.py", STUCK, FIX)
    assert done.findings != ()
    assert done.findings == tuple(item.finding for item in done.remaining)


def test_a_cancelled_examination_has_no_result() -> None:
    with pytest.raises(CheckCancelledError):
        examine("a.py", CUDA, Request(options=OPTIONS), listener=Listener(is_cancelled=lambda: True))


def test_options_without_a_version_are_a_mistake_of_the_caller() -> None:
    with pytest.raises(OptionError):
        examine("a.py", CUDA, Request(options=MigrationOptions()))


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        (attrs.evolve(FIX, verifies_all=True), 1),
        (FIX, 1),
        (Request(options=OPTIONS, verifies_all=True), 1),
        (Request(options=OPTIONS, is_lenient=True), 0),
    ],
    ids=["migrate", "fix", "check of all", "editor"],
)
def test_python_is_asked_once_whether_a_text_is_its_own(
    request_: Request, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    monkeypatch.setattr(examining, "syntax_problem", lambda source: texts.append(source.text))
    examine("a.py", PLAIN + "import torch\n", request_)
    assert len(texts) == asked
