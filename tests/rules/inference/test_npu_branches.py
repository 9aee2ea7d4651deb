"""The CUDA branch of code that has an NPU branch beside it is left alone."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before, found_beside_control

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU101"]})


CONTROL = "torch.cuda.reset_peak_memory_stats()\n"
"""Beside the branches, and without a twin."""


def codes(text: str) -> list[str]:
    return [item.code for item in check(SourceFile(f"import torch\nimport torch_npu\n{text}"), OPTIONS)]


def found(text: str) -> int:
    return len(codes(text))


@pytest.mark.parametrize(
    "text",
    [
        "if torch.cuda.is_available():\n    torch.cuda.init()\n"
        "elif torch.npu.is_available():\n    torch.npu.init()\n",
        "if is_torch_npu_available():\n    torch.npu.init()\nelse:\n    torch.cuda.init()\n",
        "if device.type == 'npu':\n    pass\nelif device.type == 'cuda':\n    torch.cuda.init()\n",
        "x = torch.npu.current_device() if is_npu else torch.cuda.current_device()\n",
        "def f():\n    if is_npu():\n        return 1\n    return torch.cuda.current_device()\n",
        "sync = {'cuda': torch.cuda.synchronize, 'npu': torch.npu.synchronize}\n",
        "if a:\n    pass\nelif b:\n    torch.cuda.init()\nelif use_npu:\n    pass\n",
        "x = 1 if torch_npu is not None else torch.cuda.init()\n",
        "x = 1 if not (not is_npu) else torch.cuda.init()\n",
        "sync = torch.cuda.synchronize\nif 'npu' in device and found:\n    sync = torch.npu.synchronize\n",
        "try:\n    import torch_npu\nexcept ImportError:\n    torch.cuda.init()\n",
    ],
)
def test_a_choice_that_knows_the_npu_is_left(text: str) -> None:
    assert found_before(CONTROL, text, codes) == []


@pytest.mark.parametrize(
    "text",
    [
        "torch.cuda.init()\n",
        "if torch.cuda.is_available():\n    torch.cuda.init()\n",
        "if inputs:\n    torch.cuda.init()\n",
        "if is_npu():\n    x = 1\ntorch.cuda.init()\n",
        "def f():\n    if is_npu():\n        return 1\ntorch.cuda.init()\n",
        "torch.npu.init()\ntorch.cuda.init()\n",
        "sync = torch.cuda.synchronize\nif 'npu' in device:\n    other = torch.npu.synchronize\n",
        "try:\n    import torch_npu\n    torch.cuda.init()\nexcept ImportError:\n    pass\n",
        "def f():\n    if not torch.npu.is_available():\n        return 1\n    torch.cuda.init()\n",
        "def f():\n    if x.device.type != 'npu' or not a:\n        return 1\n    torch.cuda.init()\n",
        "if not is_npu():\n    pass\nelse:\n    torch.cuda.init()\n",
        "def f():\n    if is_npu() and a:\n        return 1\n    torch.cuda.init()\n",
        "x = 1 if torch_npu is None else torch.cuda.init()\n",
        "y = not x.is_npu or torch.cuda.init()\n",
        "y = 1 if not x.is_npu else torch.cuda.init()\n",
    ],
)
def test_an_import_or_a_mention_elsewhere_is_not_support(text: str) -> None:
    assert found(text) > 0


TWINS = [
    "class A:\n    def cuda(self):\n        torch.cuda.init()\n    def npu(self):\n"
    "        torch.npu.init()\n",
    "class A:\n    def npu(self):\n        torch.npu.init()\n    def cuda(self, *a):\n"
    "        torch.cuda.init()\n",
    "def is_cuda_available():\n    return torch.cuda.is_available()\n"
    "def is_npu_available():\n    return hasattr(torch, 'npu')\n",
    "@cache\ndef has_cuda():\n    return torch.cuda.is_available()\n@cache\ndef has_npu():\n"
    "    return True\n",
    "class CudaDevice:\n    n = torch.cuda.device_count()\nclass NpuDevice:\n"
    "    n = torch.npu.device_count()\n",
    "use_cuda = torch.cuda.is_available()\nuse_npu = torch.npu.is_available()\n",
    "if use_npu:\n    torch.npu.init()\nif use_cuda:\n    torch.cuda.init()\n",
    "if is_cuda_available():\n    torch.cuda.init()\nif is_npu_available():\n    torch.npu.init()\n",
    "if self.cuda:\n    torch.cuda.init()\nif self.npu:\n    torch.npu.init()\n",
    "if is_hccl_backend:\n    d = torch.npu.current_device()\nelif is_nccl_backend:\n"
    "    d = torch.cuda.current_device()\n",
    "if backend == 'hccl':\n    d = torch.npu.current_device()\nelif backend == 'nccl':\n"
    "    d = torch.cuda.current_device()\n",
    "class CudaTimer:\n    n = torch.cuda.device_count()\nclass NPUTimer:\n    n = 1\n",
    "def empty_gpu_cache():\n    torch.cuda.empty_cache()\ndef empty_npu_cache():\n    pass\n",
    "def cuda_sync():\n    torch.cuda.synchronize()\ndef sync_npu():\n    pass\n",
    "def cudamemory():\n    torch.cuda.memory_allocated()\ndef npumemory():\n    pass\n",
    "use_gpu = torch.cuda.is_available()\nUSE_NPU = torch.npu.is_available()\n",
    "SYNC = {'npu': torch.npu.synchronize, 'cuda': torch.cuda.synchronize}\n",
    "types = [torch.cuda.FloatTensor, torch.npu.FloatTensor]\n",
    "ok = isinstance(x, (torch.npu.FloatTensor, torch.cuda.FloatTensor))\n",
    "count = {torch.device('cuda'): 1, torch.device('npu'): 2}\n",
    "names = ['CUDA', 'NPU']\nok = torch.device('cpu').type.upper() in names\n",
]


@pytest.mark.parametrize("text", TWINS)
def test_the_twin_of_code_for_the_npu_stays(text: str) -> None:
    assert found_before(CONTROL, text, codes) == []


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def cuda(self):\n        torch.cuda.init()\nclass B:\n    def npu(self): ...\n",
        "types = [torch.cuda.FloatTensor, torch.npu.HalfTensor]\n",
        "def use_cuda():\n    torch.cuda.init()\ndef npu(): ...\n",
        "def cuda_sync():\n    torch.cuda.synchronize()\ndef npu_memory(): ...\n",
        "if use_cuda:\n    torch.cuda.init()\nif npu_ready:\n    pass\n",
        "if torch.cuda.is_available():\n    torch.cuda.init()\nif torch.npu.is_available():\n    pass\n",
    ],
)
def test_what_has_no_twin_beside_it_is_found(text: str) -> None:
    assert found(text) > 0


def test_back_ends_that_are_compared_side_by_side_stay() -> None:
    text = (
        "import torch.distributed as dist\nis_nccl = group == dist.Backend.NCCL\nis_hccl = group == 'hccl'\n"
        "nccl_backend = group == 'nccl'\nhccl_backend = group == 'hccl'\n"
    )
    assert found_beside_control(f"import torch\n{text}") == []
