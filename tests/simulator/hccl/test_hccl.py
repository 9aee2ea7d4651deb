"""Ranks of one host talk by torch_npu's own ProcessGroupHCCL, on HCCL's functions of the emulated CANN."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.simulator.hccl.ranks import run_ranks

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.execution]
HERE = Path(__file__).parent


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [2, 4])
def test_every_collective(tmp_path: Path, count: int) -> None:
    ranks = run_ranks(tmp_path, HERE / "collectives.py", count)
    assert [rank.code for rank in ranks] == [0] * count, ranks[0].said
    assert list(tmp_path.glob("gpu2ascend-hccl-*")) == [], "messages are left"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [2, 4])
def test_every_way_to_train_in_several_processes(tmp_path: Path, count: int) -> None:
    ranks = run_ranks(tmp_path, HERE / "parallel.py", count, str(tmp_path))
    assert [rank.code for rank in ranks] == [0] * count, "\n".join(rank.said for rank in ranks)


def test_a_rank_that_stays_away_ends_the_others_with_their_stack(tmp_path: Path) -> None:
    waiting, _ = run_ranks(tmp_path, HERE / "mistakes.py", 2, "away")
    assert waiting.code != 0
    assert "Watchdog caught collective operation timeout" in waiting.said
    assert 'mistakes.py", line ' in waiting.said and " in stays_away" in waiting.said


@pytest.mark.parametrize(
    ("mistake", "said"),
    [
        ("sizes", "parameters of operator HcclAllReduce are inconsistent between ranks, parameter count"),
        ("device", "HCCL: ranks 0 and 1 use the same device, NPU 0 of the host."),
    ],
)
def test_mistakes_are_errors_with_a_reason(tmp_path: Path, mistake: str, said: str) -> None:
    ranks = run_ranks(tmp_path, HERE / "mistakes.py", 2, mistake)
    assert all(rank.code != 0 and said in rank.said for rank in ranks), ranks[0].said
