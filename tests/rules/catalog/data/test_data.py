"""Data loading, checkpoints and precision: versions, what is left alone, and rules working together."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from tests.rules.control import found_beside_control
from tests.rules.fixing import migrated


@pytest.mark.parametrize("version", SUPPORTED_VERSIONS, ids=str)
def test_pinning_names_its_device_from_2_0_to_2_6(version: Version) -> None:
    text = "import torch\nl = torch.utils.data.DataLoader(d, pin_memory=True)\n"
    named = "pin_memory_device='npu'" in migrated(text, str(version))
    assert named is (Version(2, 0) <= version < Version(2, 7))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "import torch\nlabels = labels.to(torch.int64)\nindex = index.long()\n", id="integers-of-64-bits"
        ),
        pytest.param(
            "from transformers import AutoModel\nm = AutoModel.from_pretrained(p, device_map='auto')\n",
            id="device-map-auto",
        ),
        pytest.param("import torch\nx = x.pin_memory()\n", id="pinning-without-a-device"),
        pytest.param(
            "import torch\n# runs on cuda with nccl\nprint('CUDA memory', 'nccl')\ncuda_count = 3\n"
            '"""Uses pin_memory on cuda."""\n',
            id="comments-and-messages",
        ),
        pytest.param(
            "from safetensors.torch import load_file\nw = load_file(p)\nv = load_file(p, device='cpu')\n",
            id="safetensors-on-the-cpu",
        ),
        pytest.param(
            "import torch\nx = x.double()\ny = torch.zeros(2, dtype=torch.float64)\n", id="cpu-doubles"
        ),
    ],
)
def test_left_alone(text: str) -> None:
    assert found_beside_control(text) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = x.pin_memory('cuda')", "x = x.pin_memory('npu')"),
        ("x = x.pin_memory(device='cuda')", "x = x.pin_memory(device='npu')"),
        ("ok = x.is_pinned(device='cuda')", "ok = x.is_pinned(device='npu')"),
        ("w = load_file(p, device='cuda:0')", "w = load_file(p, device='npu:0')"),
        ("f = safe_open(p, framework='pt', device='cuda')", "f = safe_open(p, framework='pt', device='npu')"),
        (
            "m = torch.hub.load_state_dict_from_url(u, map_location='cuda:0')",
            "m = torch.hub.load_state_dict_from_url(u, map_location='npu:0')",
        ),
    ],
)
def test_devices_given_as_text_are_renamed(before: str, after: str) -> None:
    head = "import torch\nimport torch_npu\nfrom safetensors import safe_open\n"
    head += "from safetensors.torch import load_file\n"
    assert migrated(f"{head}{before}\n") == f"{head}{after}\n"


def test_a_prefetcher_moves_as_a_whole() -> None:
    text = (
        "import torch\nclass DataPrefetcher:\n    def __init__(self, loader):\n"
        "        self.stream = torch.cuda.Stream()\n    def preload(self):\n"
        "        with torch.cuda.stream(self.stream):\n"
        "            self.next = self.next.cuda(non_blocking=True)\n"
        "        torch.cuda.current_stream().wait_stream(self.stream)\n"
    )
    assert migrated(text) == text.replace("import torch\n", "import torch\nimport torch_npu\n").replace(
        "torch.cuda", "torch_npu.npu"
    ).replace(".cuda(", ".npu(")


def test_a_checkpoint_without_map_location_goes_to_the_cpu_on_request() -> None:
    text = "import torch\nstate = torch.load(path)\n"
    assert migrated(text) == text
    assert migrated(text, unsafe=True) == "import torch\nstate = torch.load(path, map_location='cpu')\n"


def test_double_precision_moves_with_its_device() -> None:
    text = "import torch\nx = x.double().cuda()\nf = torch.arange(8, dtype=torch.float64, device='cuda')\n"
    assert migrated(text, unsafe=True) == (
        "import torch\nimport torch_npu\nx = x.float().npu()\n"
        "f = torch.arange(8, dtype=torch.float32, device='npu')\n"
    )


def test_a_cuda_type_of_double_precision_becomes_one_of_single_precision_in_the_end() -> None:
    text = "import torch\nx = torch.cuda.DoubleTensor(2)\n"
    assert "DoubleTensor" in migrated(text)
    assert "FloatTensor" in migrated(text, unsafe=True)


def test_a_data_loader_of_another_library_is_left_alone() -> None:
    text = "import torch\nfrom mylib import DataLoader\nl = DataLoader(d, pin_memory=True)\n"
    assert migrated(text, "2.6.0") == text


LOADER = "from torch.utils.data import DataLoader\nfrom functools import partial\n"


@pytest.mark.parametrize(
    ("code", "is_loader"),
    [
        ("class A:\n    kind = None\n    def f(self):\n        self.kind = DataLoader\n"
         "        self.kind(d, pin_memory=True)\n", True),
        ("made = partial(DataLoader, num_workers=2)\nmade(d, pin_memory=True)\n", True),
        ("a = DataLoader\nb = a\nc = b\ne = c\nf = e\nf(d, pin_memory=True)\n", True),
        ("class Own(DataLoader):\n    def __init__(self, data): ...\nOwn(d, pin_memory=True)\n", False),
        ("made = partial(other, DataLoader)\nmade(d, pin_memory=True)\n", False),
        ("a = b\nb = a\na(d, pin_memory=True)\n", False),
    ],
)  # fmt: skip
def test_a_class_of_data_loaders_is_followed_to_where_it_is_called(code: str, is_loader: bool) -> None:
    assert ("pin_memory_device" in migrated(LOADER + code, "2.3.1")) is is_loader
