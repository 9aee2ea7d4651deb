"""Forty-three migrated scripts with one mistake that people make: each is found in its line, and explained.

A mistake takes the place of a line of a script that runs. Where it shows in another line, that line is
named.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.sampling import BEYOND_SAMPLE
from tests.server.verify.conftest import Verified
from tests.server.verify.scripts import CHECKPOINT, DISTRIBUTED, METRICS, SINGLE

pytestmark = pytest.mark.execution


class Mistake(NamedTuple):
    """One line that is wrong."""

    name: str
    script: str
    right: str
    """The line of the script, without its indentation."""
    wrong: str
    """What stands there instead; several lines have the indentation of the first."""
    error: str
    """Begins the error."""
    cause: str
    """The entry of the table that explains it."""
    shows_in: str = ""
    """The line where it shows, if that is another one."""
    rule: str = ""
    """The rule that finds something in that line."""
    ranks: int | None = None


MIXED = "RuntimeError: Expected all tensors to be on the same device"
NO_CUDA = "AssertionError: Torch not compiled with CUDA enabled"
TRAP = "CudaUsedError: "
LOSS = "loss = criterion(logits, y)"

MISTAKES = (
    Mistake("inputs-not-moved", SINGLE, "x = x.to(device)", "x = x.float()", MIXED, "mixed-devices",
            "hidden = self.first(x)"),
    Mistake("labels-not-moved", SINGLE, "y = y.to(device)", "y = y.long()", MIXED, "mixed-devices", LOSS),
    Mistake("model-not-moved", SINGLE, "model = Net().to(device)", "model = Net()", MIXED, "mixed-devices",
            "hidden = self.first(x)"),
    Mistake("mask-made-on-the-cpu", SINGLE, "hidden = hidden * 1.0", "hidden = hidden * torch.ones(8, 16)",
            MIXED, "mixed-devices"),
    Mistake("attribute-is-no-buffer", SINGLE, 'self.register_buffer("scale", torch.ones(16))',
            "self.scale = torch.ones(16)", MIXED, "mixed-devices", "hidden = hidden * self.scale"),
    Mistake("numpy-not-moved", SINGLE, "weights = torch.ones(2, device=device)",
            "weights = torch.from_numpy(np.ones(2, np.float32))", MIXED, "mixed-devices", LOSS),
    Mistake("wrong-ordinal", SINGLE, 'device = torch.device("npu:0")', 'device = torch.device("npu:7")',
            "RuntimeError", "no-such-device", "model = Net().to(device)"),
    Mistake("set-device-of-another-host", SINGLE, "torch_npu.npu.set_device(0)",
            "torch_npu.npu.set_device(9)", "RuntimeError", "no-such-device"),
    Mistake("visible-devices-hide-it", SINGLE, "torch_npu.npu.set_device(0)",
            'os.environ["ASCEND_RT_VISIBLE_DEVICES"] = "0"\ntorch_npu.npu.set_device(1)',
            "RuntimeError", "no-such-device", "torch_npu.npu.set_device(1)"),
    Mistake("cuda-of-a-tensor", SINGLE, "x = x.to(device)", "x = x.cuda()", TRAP, "cuda-left", rule="NPU"),
    Mistake("cuda-of-a-module", SINGLE, "model = Net().to(device)", "model = Net().cuda()", NO_CUDA,
            "cuda-left", rule="NPU"),
    Mistake("set-device-of-cuda", SINGLE, "torch_npu.npu.set_device(0)", "torch.cuda.set_device(0)",
            TRAP, "cuda-left", rule="NPU101"),
    Mistake("device-of-cuda", SINGLE, 'device = torch.device("npu:0")', 'device = torch.device("cuda:0")',
            NO_CUDA, "cuda-left", "model = Net().to(device)"),
    Mistake("tensor-on-cuda", SINGLE, "weights = torch.ones(2, device=device)",
            'weights = torch.ones(2, device="cuda")', NO_CUDA, "cuda-left", rule="NPU"),
    Mistake("synchronize-of-cuda", SINGLE, "torch_npu.npu.synchronize()", "torch.cuda.synchronize()", TRAP,
            "cuda-left", rule="NPU101"),
    Mistake("stream-of-cuda", SINGLE, "torch_npu.npu.synchronize()", "torch.cuda.Stream().synchronize()",
            TRAP, "cuda-left", rule="NPU"),
    Mistake("type-of-cuda", SINGLE, "x = x.to(device)", "x = x.type(torch.cuda.FloatTensor)",
            TRAP, "cuda-left", rule="NPU"),
    Mistake("cpu-without-a-word", SINGLE, 'device = torch.device("npu:0")',
            'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")', TRAP,
            "cuda-left", rule="NPU"),
    Mistake("autocast-of-cuda", SINGLE, "logits = model(x)", 'with torch.autocast("cuda"): logits = model(x)',
            TRAP, "cuda-left", rule="NPU"),
    Mistake("scaler-of-cuda", SINGLE, "torch_npu.npu.synchronize()", "torch.amp.GradScaler().scale(loss)",
            TRAP, "cuda-left", rule="NPU304"),
    Mistake("is-cuda-asserted", SINGLE, "logits = model(x)", "assert x.is_cuda; logits = model(x)",
            "AssertionError", "cuda-left", rule="NPU111"),
    Mistake("images-not-moved", SINGLE, "logits = model(x)",
            "logits = model(x) + nn.Conv2d(3, 2, 3).to(device)(torch.ones(8, 3, 64, 64)).sum()",
            "RuntimeError: Input type", "mixed-devices"),
    Mistake("rank-that-is-not-given", SINGLE, "torch_npu.npu.set_device(0)",
            'torch_npu.npu.set_device(int(os.environ["LOCAL_RANK"]))', "KeyError", "needs-ranks"),
    Mistake("data-that-is-downloaded", SINGLE, "torch_npu.npu.set_device(0)",
            'import urllib.request; urllib.request.urlopen("http://host.invalid/data")',
            "URLError", "download"),
    Mistake("float64-product", METRICS, "logits = model(x + noise)",
            "grid = torch.eye(2, dtype=torch.float64, device=device); logits = grid @ grid",
            "RuntimeError", "dtype"),
    Mistake("default-device-of-cuda", SINGLE, "torch_npu.npu.set_device(0)",
            'torch.set_default_device("cuda")', NO_CUDA, "cuda-left", "self.first = nn.Linear(4, 16)"),
    Mistake("numpy-on-the-device", METRICS, "shown = loss.detach().cpu().numpy()",
            "shown = loss.detach().numpy()", "TypeError", "numpy-on-device"),
    Mistake("asarray-on-the-device", METRICS, "shown = loss.detach().cpu().numpy()",
            "shown = np.asarray(loss.detach())", "TypeError", "numpy-on-device"),
    Mistake("average-on-the-cpu", METRICS, "average = average.lerp(logits.detach().mean(0), 0.1)",
            "average = average.cpu().lerp(logits.detach().mean(0), 0.1)", MIXED, "mixed-devices"),
    Mistake("concatenated-with-the-cpu", METRICS, "history = torch.cat([history, loss.detach().view(1)])",
            "history = torch.cat([history.cpu(), loss.detach().view(1)])", MIXED, "mixed-devices"),
    Mistake("generator-of-the-cpu", METRICS, "noise = torch.randn(8, 4, device=device)",
            "noise = torch.randn(8, 4, device=device, generator=torch.Generator())",
            "RuntimeError: Expected a 'npu' device type for generator", "generator"),
    Mistake("generator-of-the-device", METRICS, "order = torch.randperm(8)",
            'order = torch.randperm(8, generator=torch.Generator(device="npu"))',
            "RuntimeError: Expected a 'cpu' device type for generator", "generator"),
    Mistake("name-that-is-missing", METRICS, "torch_npu.npu.empty_cache()", "torch_npu.npu.cudart()",
            "AttributeError", "missing-name"),
    Mistake("package-for-cuda", METRICS, "import math", "import flash_attn", "ModuleNotFoundError",
            "module-missing", rule="NPU"),
    Mistake("load-without-map-location", CHECKPOINT, 'state = torch.load("of_cuda.pt", map_location="cpu")',
            'state = torch.load("of_cuda.pt")', "RuntimeError: Attempting to deserialize", "load-of-cuda",
            rule="NPU"),
    Mistake("nccl", DISTRIBUTED, 'dist.init_process_group("hccl")', 'dist.init_process_group("nccl")',
            "", "wrong-backend", ranks=2),
    Mistake("gloo", DISTRIBUTED, 'dist.init_process_group("hccl")', 'dist.init_process_group("gloo")',
            "RuntimeError", "wrong-backend", "model = DistributedDataParallel(net, device_ids=[rank])",
            ranks=2),
    Mistake("float64-reduction", DISTRIBUTED, "total = torch.ones(1, device=device)",
            "total = torch.ones(1, device=device, dtype=torch.float64)", "", "hccl-dtype",
            "dist.all_reduce(total)", ranks=2),
    Mistake("reduction-on-the-cpu", DISTRIBUTED, "total = torch.ones(1, device=device)",
            "total = torch.ones(1)", "", "hccl-cpu", "dist.all_reduce(total)", ranks=2),
    Mistake("one-device-for-all-ranks", DISTRIBUTED, 'rank = int(os.environ["LOCAL_RANK"])', "rank = 0",
            "RuntimeError: HCCL: ranks 0 and 1 use the same device", "shared-device",
            "model = DistributedDataParallel(net, device_ids=[rank])", ranks=2),
    Mistake("back-end-that-is-not-built", DISTRIBUTED, 'dist.init_process_group("hccl")',
            'dist.init_process_group("mpi")', "RuntimeError: Distributed package", "wrong-backend", ranks=2),
    Mistake("devices-in-descending-order", SINGLE, "torch_npu.npu.set_device(0)",
            'os.environ["ASCEND_RT_VISIBLE_DEVICES"] = "1,0"\ntorch_npu.npu.set_device(1)',
            "RuntimeError", "descending-devices", "torch_npu.npu.set_device(1)"),
    Mistake("rank-of-all-hosts", DISTRIBUTED, 'rank = int(os.environ["LOCAL_RANK"])',
            'rank = int(os.environ["RANK"]) + 8', "RuntimeError", "no-such-device",
            "torch_npu.npu.set_device(rank)", ranks=2),
)  # fmt: skip


def seeded(mistake: Mistake) -> tuple[str, int]:
    """The script with the mistake, and the line in which it shows."""
    before, found, after = mistake.script.partition(mistake.right)
    assert found, mistake.name
    margin = before.rpartition("\n")[2]
    text = before + mistake.wrong.replace("\n", f"\n{margin}") + after
    sought = mistake.shows_in or mistake.wrong
    line = next(number for number, line in enumerate(text.splitlines(), 1) if line.strip() == sought)
    return text, line


@pytest.mark.one_in(5)
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_found_in_its_line_and_explained(verified: Verified, mistake: Mistake) -> None:
    text, line = seeded(mistake)
    result = verified({"train.py": text}, ranks=mistake.ranks, steps=2)
    failure = result.failure
    assert failure is not None and failure.place is not None
    assert (failure.place.path, failure.place.line) == ("train.py", line), failure
    assert f"{failure.type}: {failure.text}".startswith(mistake.error)
    assert failure.cause is not None and failure.cause.id == f"verify.cause.{mistake.cause}.cause"
    assert any(rule.code.startswith(mistake.rule) for rule in failure.rules) or not mistake.rule
    assert result.exit_code == 1


@BEYOND_SAMPLE
def test_a_rank_that_waits_for_others_in_vain_shows_the_stacks_of_all(verified: Verified) -> None:
    waits = DISTRIBUTED.replace(
        "        optimizer.step()", "        rank or dist.barrier()\n        optimizer.step()"
    )
    line = waits.splitlines().index("        rank or dist.barrier()") + 1
    result = verified({"train.py": waits}, ranks=2, steps=9, seconds=25)
    assert (result.ending.value, result.exit_code) == ("timeout", 1)
    assert [(rank.rank, bool(rank.stacks)) for rank in result.ranks] == [(0, True), (1, True)]
    failure = result.failure
    assert failure is not None and failure.place is not None and failure.cause is not None
    assert (failure.type, failure.rank, failure.place.line) == ("TimeoutError", 0, line)
    assert failure.cause.id == "verify.cause.hang.cause"


@pytest.mark.parametrize(
    ("script", "ranks"), [(SINGLE, None), (METRICS, None), (CHECKPOINT, None), (DISTRIBUTED, 2)]
)
def test_without_the_mistake_it_trains(verified: Verified, script: str, ranks: int | None) -> None:
    result = verified({"train.py": script}, ranks=ranks, steps=2)
    assert (result.exit_code, result.steps, result.failure) == (0, 2, None)
