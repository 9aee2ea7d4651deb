"""Which failure came first, what it is called, and which lines of the project led to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.verify.result.failures import first_failure, place_in
from gpu2ascend.verify.result.model import Failure, Place
from gpu2ascend.verify.running.supervise import Ending
from tests.server.verify.running_records import record, run_of


def failure(kind: str = "ValueError", text: str = "no", *frames: tuple[str, int, str]) -> dict[str, Any]:
    names = ("path", "line", "function")
    return {"type": kind, "text": text, "frames": [dict(zip(names, frame, strict=True)) for frame in frames]}


def first(project: Path, *failures: dict[str, Any], ended: tuple[float | None, ...] = (), **run: Any) -> Any:
    ends = ended or tuple(float(number) for number in range(len(failures)))
    records = [
        record(pid=rank, rank=rank, failure=item, ended=end)
        for rank, (item, end) in enumerate(zip(failures, ends, strict=True))
    ]
    found = first_failure(run_of(*records, **{"ending": Ending.EXITED, "codes": (), **run}), project)
    return found


CLOSED = failure("RuntimeError", "Connection closed by peer [127.0.0.1]")


@pytest.mark.parametrize(
    ("failures", "ended", "rank"),
    [
        pytest.param([failure(), failure()], (2.0, 1.0), 1, id="the one that ended first"),
        pytest.param([failure(), failure()], (None, 1.0), 1, id="one that has ended before one that has not"),
        pytest.param([CLOSED, failure()], (1.0, 2.0), 1, id="not one that lost its peer"),
        pytest.param([failure("ChildFailedError"), failure()], (1.0, 2.0), 1, id="not a launcher's"),
        pytest.param([failure("ProcessExitedException"), failure()], (1.0, 2.0), 1, id="not spawn's"),
        pytest.param([CLOSED], (1.0,), 0, id="a consequence if there is nothing else"),
    ],
)
def test_the_first_failure_counts(
    tmp_path: Path, failures: list[dict[str, Any]], ended: tuple[float | None, ...], rank: int
) -> None:
    assert first(tmp_path, *failures, ended=ended).rank == rank


LEFT = failure("SystemExit", "exit code 2")


@pytest.mark.parametrize(("codes", "kind"), [((2,), "SystemExit"), ((None,), "SystemExit"), ((0,), None)])
def test_an_exit_with_an_error_counts_unless_the_program_went_on(
    tmp_path: Path, codes: tuple[int | None, ...], kind: str | None
) -> None:
    found = first(tmp_path, LEFT, codes=codes)
    assert (found and found.type) == kind


@pytest.mark.parametrize(
    ("failures", "kind"),
    [([LEFT, failure()], "ValueError"), ([failure("CalledProcessError"), LEFT], "SystemExit")],
)
def test_an_exit_is_no_reason_beside_an_exception_but_for_that_of_a_launcher(
    tmp_path: Path, failures: list[dict[str, Any]], kind: str
) -> None:
    assert first(tmp_path, *failures, codes=(1,)).type == kind


@pytest.mark.parametrize(("item", "is_reason"), [(CLOSED, False), (failure(), True)])
def test_when_time_was_up_a_lost_peer_is_no_reason(
    tmp_path: Path, item: dict[str, Any], is_reason: bool
) -> None:
    assert (first(tmp_path, item, ending=Ending.TIMEOUT) is not None) == is_reason


def test_only_lines_of_the_project_are_shown(tmp_path: Path) -> None:
    frames = (
        (str(tmp_path / "train.py"), 3, "main"),
        ("/usr/lib/python3/json.py", 5, "load"),
        ("<string>", 1, "f"),
        (str(tmp_path / "venv" / "site-packages" / "x.py"), 7, "g"),
        (str(tmp_path / "lib" / "net.py"), 9, "forward"),
    )
    found: Failure = first(tmp_path, failure("ValueError", " no \n", *frames))
    assert found.traceback == (Place("train.py", 3, "main"), Place("lib/net.py", 9, "forward"))
    assert (found.type, found.text) == ("ValueError", "no")


def test_an_error_that_another_process_passed_on_is_the_one_that_it_quotes(tmp_path: Path) -> None:
    quoted = (
        f"Caught KeyError in a worker.\n  File \"{tmp_path}/data.py\", line 4, in load\nKeyError: 'label'"
    )
    found = first(tmp_path, failure("RuntimeError", quoted, (str(tmp_path / "train.py"), 8, "main")))
    assert (found.type, found.text) == ("KeyError", "'label'")
    assert found.traceback == (Place("train.py", 8, "main"), Place("data.py", 4, "load"))


def printed(project: Path, *names: str) -> tuple[str, ...]:
    """What Python prints of errors, one after the other."""
    lines = []
    for line, name in enumerate(names, 1):
        lines += ["Traceback (most recent call last):", f'  File "{project}/train.py", line {line}, in main']
        lines += ["    go()", f"{name}: of line {line}"]
    return tuple(lines)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(("said", "no more", " "), ("exit code 3", "no more", ()), id="no traceback"),
        pytest.param((), ("exit code 3", "", ()), id="nothing"),
        pytest.param(("ValueError",), ("exit code 3", "ValueError", ()), id="no error"),
    ],
)
def test_without_a_traceback_the_code_and_the_last_line_are_all(
    tmp_path: Path, lines: tuple[str, ...], expected: tuple[str, str, tuple[Place, ...]]
) -> None:
    found = first(tmp_path, codes=(3,), errors=(lines,))
    assert (found.type, found.text, found.traceback) == expected


def test_of_several_tracebacks_the_last_counts(tmp_path: Path) -> None:
    lines = printed(tmp_path, "KeyError", "[rank1]: package.errors.MyError")
    found = first(tmp_path, codes=(1,), errors=(("before", *lines),))
    assert (found.type, found.text) == ("MyError", "of line 2")
    assert [place.line for place in found.traceback] == [2]


@pytest.mark.parametrize(("codes", "rank"), [((0, 5), 1), ((4, 5), 0), ((None, 5), 1), ((0, 0), None)])
def test_the_first_process_with_an_error_as_its_code(
    tmp_path: Path, codes: tuple[int | None, ...], rank: int | None
) -> None:
    found = first(tmp_path, codes=codes, errors=(("a",), ("b",)))
    assert (None if found is None else found.rank) == rank


def test_a_place_is_in_the_project_also_through_a_link(tmp_path: Path) -> None:
    project, beside = tmp_path / "project", tmp_path / "project2"
    project.mkdir()
    (tmp_path / "link").symlink_to(project)
    assert place_in(project, str(tmp_path / "link" / "a.py"), 3) == Place("a.py", 3, "")
    assert place_in(tmp_path / "link", str(project / "a.py"), 3, "f") == Place("a.py", 3, "f")
    assert place_in(project, str(beside / "a.py"), 3) is None


SIGNAL = """Fatal Python error: Segmentation fault

Thread 0x00007f0000000001 (most recent call first):
  File "{project}/loader.py", line 9 in wait

Current thread 0x00007f0000000002 (most recent call first):
  File "/lib/torch/nn/functional.py", line 30 in linear
  File "{project}/net.py", line 4 in forward
  File "{project}/train.py", line 7 in <module>
"""


def test_a_signal_has_the_lines_of_its_thread(tmp_path: Path) -> None:
    killed = record(signal=SIGNAL.format(project=tmp_path))
    found = first_failure(run_of(killed, ending=Ending.EXITED, codes=(-11,)), tmp_path)
    assert found is not None and (found.type, found.text) == ("signal", "Segmentation fault")
    assert found.traceback == (Place("train.py", 7, "<module>"), Place("net.py", 4, "forward"))


def test_a_signal_comes_before_what_the_others_say_of_it(tmp_path: Path) -> None:
    killed = record(pid=1, rank=1, signal=SIGNAL.format(project=tmp_path))
    lost = record(pid=0, rank=0, failure=CLOSED, ended=1.0)
    found = first_failure(run_of(lost, killed, ending=Ending.EXITED, codes=()), tmp_path)
    assert found is not None and found.rank == 1
