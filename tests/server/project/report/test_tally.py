"""What may be said of a project, by what is left on the way of its training and beside it."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report.reports import count_outcome
from gpu2ascend.project.report.result import FileOutcome, FileStatus, Summary
from gpu2ascend.project.report.tally import Tally
from gpu2ascend.project.report.verdict.verdict import State, Verdict
from gpu2ascend.project.report.verdict.way import ON_THE_WAY, Standing, Way
from gpu2ascend_rules.model.finding import UNDECIDED, Severity
from gpu2ascend_rules.model.outcome import RemainingFinding
from tests.server.project.report.html.pages import left

BESIDE = Way(Standing.BESIDE, ("serve.py",), "runtime/")
OF_TRAINING = Way(Standing.ON_THE_WAY, ("train.py",))


def outcome(*remaining: RemainingFinding, way: Way = ON_THE_WAY, **more: object) -> FileOutcome:
    return FileOutcome("a.py", FileStatus.CHANGED, remaining=remaining, way=way)._replace(**more)


def verdict(*outcomes: FileOutcome, entries: tuple[str, ...] = ("train.py", "tune.py")) -> Verdict:
    tally, summary = Tally(entries), Summary()
    for item in outcomes:
        count_outcome(summary, item)
        tally.add(item)
    tally.settle(summary)
    return tally.verdict(summary)


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        ((), State.MIGRATED),
        ((outcome(left(Severity.HINT)),), State.MIGRATED),
        ((outcome(left(Severity.ERROR), way=BESIDE),), State.MIGRATED),
        ((outcome(left(Severity.WARNING)),), State.OPEN),
        ((outcome(left(Severity.INFORMATION)),), State.OPEN),
        ((outcome(left(Severity.WARNING, kind=UNDECIDED)),), State.UNDECIDED),
        ((outcome(left(Severity.INFORMATION, kind=UNDECIDED), way=BESIDE),), State.MIGRATED),
        ((outcome(kernels=("k",)),), State.UNDECIDED),
        ((outcome(kernels=("k",), way=BESIDE),), State.MIGRATED),
        ((outcome(left(Severity.HINT, code="NPU1401"), kernels=("k",)),), State.MIGRATED),
        ((outcome(left(Severity.ERROR)),), State.BLOCKED),
        ((outcome(status=FileStatus.UNPARSABLE, way=BESIDE),), State.MIGRATED),
        ((outcome(status=FileStatus.UNPARSABLE),), State.BLOCKED),
    ],
)
def test_how_far_a_project_is(outcomes: tuple[FileOutcome, ...], state: State) -> None:
    assert verdict(*outcomes).state is state


def test_the_words_of_one_unit_are_undecided_together() -> None:
    tally, summary = Tally(open_units={("a.py", 1): 0, ("a.py", 2): 0}), Summary()
    words = [left(Severity.INFORMATION, kind=UNDECIDED, line=line) for line in (1, 2, 3)]
    tally.add(outcome(*words))
    tally.settle(summary)
    assert summary.undecided == 2


def test_a_source_that_the_user_leaves_out_on_the_way_is_undecided() -> None:
    tally, summary = Tally(), Summary()
    tally.leave_out("a.py", BESIDE)
    tally.leave_out("b.py", OF_TRAINING)
    tally.settle(summary)
    assert (summary.left_out_on_way, summary.state) == (1, State.UNDECIDED)


def test_each_entry_has_what_is_left_on_its_way() -> None:
    found = verdict(
        outcome(left(Severity.ERROR), left(Severity.WARNING), way=OF_TRAINING),
        outcome(left(Severity.ERROR), left(Severity.HINT)),
        outcome(left(Severity.ERROR), way=BESIDE),
    )
    assert found.entries == (("train.py", 2, 1, 0), ("tune.py", 1, 0, 0))
    assert (found.errors, found.errors_beside, found.folders) == (2, 1, (("runtime/", 1),))


def test_a_project_without_an_entry_that_trains_is_told_so() -> None:
    assert [message.id for message in verdict(entries=()).details()] == ["report.no-entry"]


def test_a_few_entries_and_folders_are_named() -> None:
    ways = [Way(Standing.BESIDE, (), f"{name}/") for name in "abcd"]
    found = verdict(*(outcome(left(), way=way) for way in ways), entries=tuple("abcde"))
    details = list(found.details())
    ids = [*["report.entry"] * 3, "report.more-entries", "report.beside-way"]
    assert [message.id for message in details] == ids
    assert dict(details[-1].arguments) == {"count": "4", "folders": "a/: 1, b/: 1, c/: 1, …"}


def test_a_file_that_could_not_be_examined_is_said_of_its_entries() -> None:
    found = verdict(outcome(status=FileStatus.UNPARSABLE, way=OF_TRAINING))
    assert [(item.entry, item.unread) for item in found.entries] == [("train.py", 1), ("tune.py", 0)]
