"""`verify` runs torch_npu itself on the emulated CANN, and says what fails and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.verify.environment.emulation import Choice
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.model import VerifyResult
from gpu2ascend.verify.verify import Listener, verify
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions
from tests.sampling import BEYOND_SAMPLE
from tests.simulator.cann.wheels import interpreter

pytestmark = [pytest.mark.slow, pytest.mark.network, pytest.mark.execution]

TRAINING = """
import torch
import torch.nn.functional as F
torch.manual_seed(0)
layer = torch.nn.Linear(4, 3).{device}()
optimizer = torch.optim.AdamW(layer.parameters(), 0.01)
for step in range(3):
    scores = layer(torch.randn(8, 4, device="{device}"))
    loss = F.cross_entropy(scores, torch.randint(0, 3, (8,), device="{device}"))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
SECONDS = 45.0
"""Until ranks that wait are ended: they start in less."""
NPU = "import torch_npu\n" + TRAINING.format(device="npu")
"""Here torch_npu is imported before torch."""


def run(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch, **given: object) -> VerifyResult:
    """A script on the emulated CANN."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text(text, encoding="utf-8")
    request = VerifyRequest(
        project=project.resolve(),
        command=("train.py",),
        version=Version(2, 13, 0),
        python=interpreter(),
        device=Choice.EMULATED,
        **given,  # type: ignore[arg-type]
    )
    heard: list[str] = []
    result = verify(request, MigrationOptions(), Listener(lambda _: None, lambda _, line: heard.append(line)))
    print("\n".join(heard))
    return result


def test_a_training_takes_its_steps_and_the_losses_are_those_of_the_original(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = tmp_path / "original"
    original.mkdir()
    (original / "train.py").write_text(TRAINING.format(device="cuda"), encoding="utf-8")
    result = run(tmp_path, NPU, monkeypatch, source=original)
    assert (result.device, result.steps, result.failure) == ("emulated", 3, None)
    assert result.comparison is not None and result.comparison.is_same


PROFILED = """
import torch, torch_npu
from pathlib import Path
profiler = torch_npu.profiler
torch.npu.memory._record_memory_history()
ready = profiler.tensorboard_trace_handler("traces")
with profiler.profile(profile_memory=True, on_trace_ready=ready) as seen:
    torch.ones(3, device="npu").sum()
    seen.step()
torch.npu.memory._dump_snapshot("memory.pickle")
assert Path("memory.pickle").stat().st_size, next(Path("traces").rglob("*.json"))
"""


@BEYOND_SAMPLE
def test_what_the_profiler_and_snapshots_of_memory_need_no_device_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(tmp_path, PROFILED, monkeypatch)
    assert result.failure is None, result.failure


RANKS = """
import os, torch, torch_npu, torch.distributed as dist
rank = int(os.environ["LOCAL_RANK"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1).npu(), device_ids=[rank])
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for step in range(3):
    optimizer.zero_grad()
    model(torch.randn(8, 4, device="npu")).square().mean().backward()
    optimizer.step()
"""


def test_two_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(tmp_path, RANKS, monkeypatch, ranks=2)
    assert [rank.steps for rank in result.ranks] == [3, 3]


MEETING = """
import os, time, torch, torch_npu, torch.distributed as dist
rank = int(os.environ["LOCAL_RANK"])
torch.npu.set_device(rank)
dist.init_process_group("hccl")
value = torch.ones(2, device="npu")
"""


@BEYOND_SAMPLE
def test_ranks_that_call_other_collectives_are_named_with_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = MEETING + "dist.broadcast(value, 0) if rank else dist.all_reduce(value)\nprint(value.tolist())\n"
    result = run(tmp_path, text, monkeypatch, ranks=2)
    assert result.failure is not None and "(EI0005)" in result.failure.text
    assert result.failure.cause is not None and result.failure.cause.id == "verify.cause.ranks-differ.cause"
    assert result.failure.place is not None and result.failure.place.line in (7, 8)


@BEYOND_SAMPLE
def test_a_rank_that_stays_away_ends_with_the_stacks_of_every_rank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = MEETING + "time.sleep(600) if rank else dist.all_reduce(value)\nprint(value.tolist())\n"
    result = run(tmp_path, text, monkeypatch, ranks=2, seconds=SECONDS)
    assert result.failure is not None and result.failure.type == "TimeoutError"
    assert [rank.rank for rank in result.ranks] == [0, 1]
    waiting, away = (rank.stacks for rank in result.ranks)
    assert " in all_reduce" in waiting and 'train.py", line 7' in waiting, waiting
    assert " in all_reduce" not in away and 'train.py", line 7' in away, away


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'torch.empty(3 << 30, dtype=torch.uint8, device="npu")',
            "NPU out of memory. Tried to allocate 3.00 GiB",
        ),
        ("torch.ones(2).npu() + torch.ones(2)", "found at least two devices"),
        (
            'torch.mm(*[torch.ones(2, 2, dtype=torch.float64, device="npu")] * 2)',
            "aten::mm does not support DT_DOUBLE",
        ),
        ('torch_npu.npu_iou(*[torch.ones(2, 4, device="npu")] * 2)', "does not compute the operator"),
        ("torch.randn(2, 3, 4, 4).npu().to(memory_format=torch.channels_last)", "Only contiguous_format"),
        ("import os; os.kill(os.getpid(), 11)", "Segmentation fault"),
    ],
)
def test_what_fails_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    monkeypatch.setenv("GPU2ASCEND_NPU_MEMORY", str(2 << 30))  # by default it depends on the host
    result = run(tmp_path, f"import torch, torch_npu\n\n{line}\n", monkeypatch)
    assert result.failure is not None and said in result.failure.text
    assert result.failure.place is not None and result.failure.place.line == 3
