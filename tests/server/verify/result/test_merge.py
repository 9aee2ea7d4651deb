"""From what the processes wrote to a result: which are ranks, how long a step took, what to expect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.verify.environment.emulation import Device
from gpu2ascend.verify.environment.interpreter import Interpreter
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.merge import merged
from gpu2ascend.verify.result.model import VerifyResult
from gpu2ascend.verify.running.records import Record
from gpu2ascend.verify.running.supervise import Ending
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions
from tests.server.verify.running_records import record, run_of


def of(
    project: Path,
    *records: Record,
    torch: str = "2.10.0+cpu",
    ranks: int | None = None,
    device: Device = Device(),  # noqa: B008 - a constant
    older: tuple[str, ...] = (),
    **run: Any,
) -> VerifyResult:
    """The result of a run with these processes."""
    version = Version(2, 10, 0)
    request = VerifyRequest(
        project=project, command=("train.py",), version=version, ranks=ranks, seconds=60.0, older=older
    )
    interpreter = Interpreter(Path("/python"), "3.11.4", torch)
    options = MigrationOptions(version=version)
    return merged(request, run_of(*records, **run), interpreter, device, options)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        pytest.param([(6.0, 3)], 3.0, id="between three steps lie two pauses"),
        pytest.param([(6.0, 3), (10.0, 3)], 5.0, id="of the slowest rank"),
        pytest.param([(9.0, 10), (6.0, 3)], 3.0, id="which need not be the one that took longest"),
        pytest.param([(6.0, 1), (8.0, 2)], 8.0, id="of one step nothing is known"),
        pytest.param([(6.0, 1)], None, id="of one step alone nothing at all"),
        pytest.param([(6.0, 0)], None, id="without a step"),
    ],
)
def test_the_time_of_a_step(tmp_path: Path, times: list[tuple[float, int]], expected: float | None) -> None:
    records = [
        record(pid=rank, rank=rank, steps=steps, seconds=time) for rank, (time, steps) in enumerate(times)
    ]
    assert of(tmp_path, *records).seconds_per_step == expected


def ranks_of(result: VerifyResult) -> list[tuple[int, int]]:
    return [(rank.rank, rank.steps) for rank in result.ranks]


def test_ranks_are_the_processes_that_made_steps_in_their_order(tmp_path: Path) -> None:
    launcher = record(pid=1, steps=0, world=1)
    others = (record(pid=3, parent=1, rank=1, world=2, steps=4), record(pid=2, parent=1, rank=0, world=2))
    assert ranks_of(of(tmp_path, launcher, *others)) == [(0, 3), (1, 4)]


def test_a_rank_that_came_to_no_step_is_one_too(tmp_path: Path) -> None:
    records = (record(pid=1, rank=0, world=2), record(pid=2, rank=1, world=2, steps=0))
    assert ranks_of(of(tmp_path, *records)) == [(0, 3), (1, 0)]


def test_what_a_rank_started_is_none(tmp_path: Path) -> None:
    records = (
        record(pid=1, rank=0, world=2, steps=0),
        record(pid=2, rank=1, world=2),
        record(pid=3, parent=1, rank=0, world=2, steps=0),
    )
    assert ranks_of(of(tmp_path, *records)) == [(0, 0), (1, 3)]


def test_where_none_made_a_step_it_is_those_that_none_of_them_started(tmp_path: Path) -> None:
    records = (record(pid=1, steps=0), record(pid=2, parent=1, steps=0))
    assert ranks_of(of(tmp_path, *records)) == [(0, 0)]


@pytest.mark.parametrize(("asked", "world", "expected"), [(None, 1, 1), (4, 2, 4), (2, 8, 8)])
def test_as_many_ranks_are_expected_as_were_asked_for_or_as_the_program_is_made_for(
    tmp_path: Path, asked: int | None, world: int, expected: int
) -> None:
    assert of(tmp_path, record(world=world), ranks=asked).asked_ranks == expected


def expected_of(result: VerifyResult) -> set[str]:
    return {message.id.removeprefix("verify.expect.") for message in result.differences}


ALWAYS = {"precision", "speed", "memory", "kernels"}


@pytest.mark.parametrize(
    ("torch", "world", "more"),
    [
        pytest.param("2.10.0+cpu", 1, set(), id="the torch of the release"),
        pytest.param("2.11.0+cpu", 1, {"torch"}, id="another torch"),
        pytest.param("2.10.0+cpu", 2, {"hccl"}, id="several ranks"),
    ],
)
def test_what_to_expect_on_the_device(tmp_path: Path, torch: str, world: int, more: set[str]) -> None:
    records = [record(pid=rank, rank=rank, world=world, torch=torch) for rank in range(world)]
    result = of(tmp_path, *records, torch=torch)
    assert expected_of(result) == ALWAYS | more


def test_older_packages_that_a_run_needed_are_told(tmp_path: Path) -> None:
    result = of(tmp_path, record(), older=("pandas<3.0",))
    (told,) = (message for message in result.differences if message.id == "verify.expect.older")
    assert dict(told.arguments) == {"packages": "pandas<3.0"}


def test_the_torch_is_that_of_a_process_and_else_that_of_the_interpreter(tmp_path: Path) -> None:
    found = (record(pid=1, torch=None), record(pid=2, torch="2.10.1"))
    assert of(tmp_path, *found).torch == "2.10.1"
    assert of(tmp_path, record(torch=None)).torch == "2.10.0+cpu"


@pytest.mark.parametrize(
    ("ending", "code", "expected"),
    [
        (Ending.DONE, 1, None),
        (Ending.EXITED, 0, None),
        (Ending.EXITED, 2, ("exit code 2", "no more")),
        (Ending.TIMEOUT, None, ("TimeoutError", "no end after 60 s")),
    ],
)
def test_a_run_that_is_not_done_has_its_first_failure(
    tmp_path: Path, ending: Ending, code: int | None, expected: tuple[str, str] | None
) -> None:
    result = of(tmp_path, record(steps=1), ending=ending, codes=(code,), errors=(("x", "no more"),))
    assert (result.failure and (result.failure.type, result.failure.text)) == expected


def test_torch_npu_itself_is_named_and_what_it_does_not_show(tmp_path: Path) -> None:
    result = of(tmp_path, record(), device=Device(torch_npu="2.10.0.post1"))
    assert (result.device, result.torch_npu) == ("emulated", "2.10.0.post1")
    assert "emulated" in expected_of(result) and "release" not in expected_of(result)


def test_a_torch_that_was_built_for_cuda_is_said(tmp_path: Path) -> None:
    for has_cuda in (False, True):
        device = Device(torch_npu="2.10.0", has_cuda=has_cuda)
        assert ("without-cuda" in expected_of(of(tmp_path, record(), device=device))) is has_cuda


def test_a_torch_npu_of_another_release_is_said(tmp_path: Path) -> None:
    assert "release" in expected_of(of(tmp_path, record(), device=Device(torch_npu="2.8.0")))
