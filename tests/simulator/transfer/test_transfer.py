"""transfer_to_npu reaches what that of the release reaches, and leaves alone what it leaves alone."""

from __future__ import annotations

import importlib.util
import json
from functools import cache
from pathlib import Path

import pytest

from gpu2ascend_simulator.transfer.table import patched_by
from tests.execution.harness import environment, run_script

SCRIPT = Path(__file__).parent / "constructs.py"

OUTCOMES = {
    "is_available": True,
    "imported before": False,
    "device by keyword": "npu:1",
    "Tensor.cuda()": "npu:0",
    "Tensor.cuda('cuda:1')": "RuntimeError: Invalid device, must be npu device",
    "Tensor.is_cuda": True,
    "Tensor.to(1)": "npu:1",
    "device.type == 'cuda'": False,
    "device == torch.device('cuda', 0)": False,
    "Tensor.type()": "torch.npu.FloatTensor",
    "Module.cuda()": "npu:0",
    "Module.cuda('cuda:1')": "TypeError: device(): argument 'index' (position 2) must be int, not str",
    "Module.to('cuda:1')": "npu:1",
    "nn.Linear(device='cuda')": "npu:0",
    "asarray(device='cuda')": "RuntimeError: PyTorch is not linked with support for cuda devices",
    "load by keyword": "npu:1",
    "map_location of cards": "npu:1",
    "torch.cuda.DoubleTensor": True,
    "get_arch_list": [],
    "nvtx": "RuntimeError: NVTX functions not installed. Are you sure you have a CUDA build?",
    "set_device": 1,
    "set_device(0)": 0,
    "jit.script": True,
    "GradScaler('cuda')": "cuda",
    "torch.cuda.amp.autocast": "torch.float16",
    "torch.autocast('cuda')": "torch.bfloat16",
    "Generator('cuda')": "npu:0",
    "isinstance of Generator": True,
    "default_generators": True,
    "init_process_group('nccl')": "hccl",
    "init_process_group of two": "cpu:gloo,npu:hccl",
}


@cache
def outcomes(version: str) -> dict[str, object]:
    """What the constructs yield with a release, each run once."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")
    done = run_script(SCRIPT, env=environment(version)).check()
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.execution
@pytest.mark.parametrize("construct", OUTCOMES)
def test_a_construct_yields_what_it_does_on_the_device(construct: str) -> None:
    assert outcomes("2.13.0")[construct] == OUTCOMES[construct]


@pytest.mark.slow
@pytest.mark.execution
def test_a_positional_path_loses_its_cuda() -> None:
    found = str(outcomes("2.13.0")["load by position"])
    assert found.startswith("FileNotFoundError: ") and "npu_runs" in found


@pytest.mark.slow
@pytest.mark.execution
def test_a_function_that_is_not_simulated_says_so() -> None:
    assert "the simulated torch_npu does not have torch_npu.npu.caching_allocator_alloc" in str(
        outcomes("2.13.0")["not simulated"]
    )


@pytest.mark.parametrize(
    ("name", "reached", "not_reached"),
    [
        ("torch.amp.autocast_mode.autocast.__init__", (2, 6, 0), (2, 5, 1)),
        ("torch.cuda.default_generators", (2, 7, 1), (2, 8, 0)),
        ("torch.distributed.distributed_c10d._new_group_with_tag", (2, 1, 0), (2, 4, 0)),
        ("torch.distributed.device_mesh.init_device_mesh", (2, 13, 0), (2, 3, 1)),
        ("torch.cuda.set_rng_state", (2, 13, 0), (2, 12, 0)),
    ],
)
def test_releases_reach_differently_far(
    name: str, reached: tuple[int, ...], not_reached: tuple[int, ...]
) -> None:
    assert name in {patched.name for patched in patched_by(reached)}
    assert name not in {patched.name for patched in patched_by(not_reached)}


def test_a_release_before_the_table_has_what_its_oldest_has() -> None:
    assert patched_by((1, 11, 0)) == patched_by((2, 1, 0)) != ()
