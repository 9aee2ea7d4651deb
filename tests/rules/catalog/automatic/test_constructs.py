"""Each construct whose fate under transfer_to_npu is known has its finding, or none where it is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = (
    "import torch\nimport torch.distributed as dist\nimport torch_npu\n"
    "from torch_npu.contrib import transfer_to_npu\n"
)
ROOT = Path(__file__).parents[4]

UNREACHED = {
    "if x.device.type == 'cuda': pass": "AUTO104",
    "if 'cuda' in str(device): pass": "AUTO104",
    "if x.device == torch.device('cuda', 0): pass": "AUTO104",
    "if x.untyped_storage().is_cuda: pass": "AUTO108",
    "torch.load('/data/cuda_runs/m.pt')": "AUTO105",
    "torch.load(f=p, map_location={'cuda:0': 'cuda:1'})": "AUTO106",
    "model.cuda('cuda:1')": "AUTO106",
    "model.cuda(torch.device('cuda:1'))": "AUTO106",
    "torch.asarray([1], device='cuda')": "AUTO107",
    "torch.set_default_tensor_type('torch.cuda.FloatTensor')": "AUTO107",
    "x.type('torch.cuda.FloatTensor')": "AUTO106",
    "ok = x.type() == 'torch.cuda.FloatTensor'": "AUTO106",
    "torch.cuda.DoubleTensor(2)": "AUTO107",
    "torch.cuda.nvtx.mark('x')": "AUTO107",
    "torch.cuda.nccl.version()": "AUTO107",
    "torch.cuda.comm.broadcast(x, [0])": "AUTO107",
    "torch.cuda.get_arch_list()": "AUTO107",
    "torch.cuda.get_device_capability()": "AUTO107",
    "torch.version.cuda": "AUTO107",
    "torch.backends.cudnn.is_available()": "AUTO107",
    "torch.jit.script(f)": "AUTO107",
    "ok = dist.get_backend() == 'nccl'": "AUTO106",
    "assert backend in ['gloo', 'nccl']": "AUTO106",
    "dist.init_process_group('gloo', 'file:///x/nccl_init')": "AUTO105",
    "dist.init_device_mesh('cuda', (2,))": "AUTO107",
    "torch.amp.GradScaler('cuda')": "AUTO107",
    "x.to(memory_format=torch.channels_last)": "AUTO108",
    "torch_npu.npu.synchronize()": "AUTO103",
    "torch.compile(model)": "AUTO107",
    "torch.cuda.cudart().cudaProfilerStart()": "AUTO107",
    "torch.cuda.tunable.enable()": "AUTO107",
    "from torch.cuda import get_gencode_flags as flags\nflags()": "AUTO107",
    "torch._C._cuda_clearCublasWorkspaces()": "AUTO107",
    "d = torch.device('cuda')\ntorch.asarray([1], device=d)": "AUTO107",
    "isinstance(x, (torch.cuda.FloatTensor, torch.FloatTensor))": "AUTO107",
    "from torch.utils._triton import has_triton\nhas_triton()": "AUTO107",
    "x.npu()": "AUTO103",
    "from accelerate import Accelerator": "AUTO109",
}
BY_RELEASE = {
    "torch.cuda.default_generators[0]": "AUTO107",
    "torch.amp.custom_fwd(f, device_type='cuda')": "AUTO107",
    "torch.is_autocast_enabled('cuda')": "AUTO107",
    "dist.new_group(backend='nccl')": "AUTO107",
    "torch.amp.autocast('cuda')": "AUTO107",
    "dist.init_process_group(backend='cpu:gloo,cuda:nccl')": "AUTO106",
    "torch.cuda.OutOfMemoryError": "AUTO107",
    "torch.utils.data.DataLoader(d, pin_memory=True)": "AUTO108",
    "isinstance(g, torch.Generator)": "AUTO107",
    "torch.cuda.ExternalStream(handle)": "AUTO107",
}
"""Reached from some release on: not in 2.4.0, but in 2.13.0."""
REACHED = (
    "if x.is_cuda: pass",
    "torch.set_default_device('cuda')",
    "torch.nn.Linear(2, 2, device='cuda')",
    "torch.Generator(device='cuda')",
    "torch.accelerator.current_accelerator()",
    "x.to('cuda:1')",
    "torch.load(f='/data/cuda_runs/m.pt')",
    "dist.init_process_group('nccl')",
    "torch.cuda.synchronize()",
    "d = torch.device('cpu')\ntorch.asarray([1], device=d)",
    "from torch.distributed.device_mesh import init_device_mesh\ninit_device_mesh('cuda', (2,))",
    "torch.cuda.FloatTensor(2)",
    "torch.cuda.CUDAGraph()",
    "torch.cuda.amp.autocast_mode.autocast()",
    "torch.cuda.Stream().wait_stream(s)",
    "torch.cuda.memory.empty_cache()",
    "if hasattr(torch.cuda, 'ExternalStream'):\n    torch.cuda.ExternalStream(h)",
    "torch.cuda.is_hijacked = True",
)
OUT_OF_REACH = {
    "p = torch.cuda.get_device_properties(0)\np.major": "NPU105",
    "torch.cuda.get_device_properties(0).warp_size": "NPU105",
    "torch.cuda.current_stream().cuda_stream": "NPU522",
    "torch.sparse.mm(torch.sparse_coo_tensor(i, v).cuda(), x)": "NPU122",
    "z = torch.view_as_complex(x)": "NPU124",
    "torch.nn.DataParallel(model)": "NPU409",
    "dist.all_reduce_multigpu(x)": "NPU410",
    "torch.multiprocessing.set_start_method('fork')": "NPU411",
    "with torch.autograd.profiler.emit_nvtx(): pass": "NPU512",
    "torch.compile(model, backend='cudagraphs')": "NPU507",
    "import apex": "NPU311",
    "from torch.utils.cpp_extension import load\nload('m', ['m.cu'])": "NPU621",
    "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('m', ['m.cu'])": "NPU621",
    "t = torch.zeros(2, dtype=torch.float64, device='cuda')\ndist.all_reduce(t)": "NPU407",
}
"""What no name decides: the ordinary way says the same."""


def codes(construct: str, version: str) -> set[str]:
    return {code for code in all_codes(construct, version) if code.startswith("AUTO")}


def all_codes(construct: str, version: str) -> set[str]:
    options = options_from({"auto": True, "version": version})
    found = check(SourceFile(f"{HEAD}{construct}\n", "module.py"), options)
    return {item.code for item in found}


@pytest.mark.parametrize("construct", UNREACHED)
def test_what_is_not_reached_is_reported(construct: str) -> None:
    assert UNREACHED[construct] in codes(construct, "2.13.0")


@pytest.mark.parametrize("construct", BY_RELEASE)
def test_what_a_release_does_not_reach_is_reported_for_it_alone(construct: str) -> None:
    assert BY_RELEASE[construct] in codes(construct, "2.4.0")
    assert codes(construct, "2.13.0") == set()


@pytest.mark.parametrize("construct", REACHED)
def test_what_is_reached_is_left_alone(construct: str) -> None:
    assert codes(construct, "2.13.0") == set()


@pytest.mark.parametrize("construct", OUT_OF_REACH)
def test_what_no_replacement_of_names_reaches_is_reported_without_a_fix(construct: str) -> None:
    assert OUT_OF_REACH[construct] in all_codes(construct, "2.8.0")


def test_an_extension_without_cuda_sources_is_left_alone() -> None:
    assert all_codes("from torch.utils.cpp_extension import load\nload('m', ['m.cpp'])", "2.8.0") == set()


class Project(Standalone):
    """A project of files by their paths."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def has_module(self, importer_path: str, module: str) -> bool:
        return self.find_module(importer_path, module) is not None

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        path = f"{module.lstrip('.')}.py"
        return (path, self.files[path]) if path in self.files else None


def early(script: str) -> list[str]:
    """What AUTO102 says of a script of a project whose module ``layers`` binds a name of torch."""
    files = {
        "layers.py": "from torch.cuda import is_available\n",
        "model.py": "from .layers import is_available\nimport model\n",
        "plain.py": "import torch\nfrom torch import nn\n",
        "train.py": script,
    }
    options = options_from({"auto": True, "version": "2.8.0"})
    found = check(SourceFile(script, "train.py"), options, Project(files))
    return [item.message.id for item in found if item.code == "AUTO102"]


PAIR = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"


@pytest.mark.parametrize("module", ["layers", "model"])
def test_a_module_that_binds_names_before_is_reported(module: str) -> None:
    assert early(f"import {module}\n{PAIR}") == ["AUTO102.module"]
    assert early(f"{PAIR}import {module}\n") == []


def test_a_module_that_binds_nothing_that_is_replaced_may_stand_before() -> None:
    assert early(f"import plain\n{PAIR}") == []


def test_an_import_that_spawned_processes_do_not_run_is_reported() -> None:
    inner = "".join(f"    {line}\n" for line in PAIR.splitlines())
    assert early(f"def main():\n{inner}") == ["AUTO102.once"]
    assert early(f"try:\n{inner}except ImportError:\n    pass\n") == []


def test_the_rules_know_what_the_simulated_one_replaces() -> None:
    table = ROOT / "server/gpu2ascend_simulator/transfer/patched.tsv"
    rows = [line.split("\t") for line in table.read_text("utf-8").splitlines()[1:]]
    assert rows == [list(row.values()) for row in load_tsv("transfer_patched")]
