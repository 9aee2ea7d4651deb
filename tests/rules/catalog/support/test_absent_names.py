"""NPU007: names that the chosen torch no longer has, or does not have yet."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before


def found(code: str, version: str = "2.8.0") -> list[tuple[str | None, str]]:
    findings = check(SourceFile(code), options_from({"version": version, "select": ["NPU007"]}))
    assert all(finding.severity is Severity.ERROR for finding in findings)
    return [(finding.api, render(finding.message, "en")) for finding in findings]


@pytest.mark.parametrize(
    ("code", "version", "api", "says"),
    [
        (
            "from torch._six import container_abcs as abc\n",
            "2.8.0",
            "torch._six.container_abcs",
            "`collections.abc`",
        ),
        ("import torch._six\n", "2.0.1", "torch._six", "removed in 2.0"),
        ("import torch\nx = torch._six.inf\n", "2.1.0", "torch._six.inf", "`torch.inf`"),
        ("import torch as th\nth.symeig(a)\n", "2.8.0", "torch.symeig", "`torch.linalg.eigh`"),
        ("from torch import symeig\nsymeig(a)\n", "2.8.0", "torch.symeig", "`torch.linalg.eigh`"),
        (
            "import torch\nf = torch.rfft\nf(x, 2)\n",
            "1.11.0",
            "torch.rfft",
            "`torch.view_as_real(torch.fft.rfft2(x))`",
        ),
        ("import torch\ntorch.fft(x, 2, normalized=True)\n", "1.8.1", "torch.fft", "is a module"),
        (
            "from torch.utils.ffi import create_extension\n",
            "1.5.0",
            "torch.utils.ffi.create_extension",
            "cpp_extension",
        ),
        (
            "from torch.nn.functional import scaled_dot_product_attention\n",
            "1.11.0",
            "torch.nn.functional.scaled_dot_product_attention",
            "it came with 2.0",
        ),
        (
            "import torch\nx = torch.ones(2)\nx.symeig()\n",
            "2.8.0",
            "torch.Tensor.symeig",
            "`torch.linalg.eigh(x)`",
        ),
        (
            "import torch\nx = torch.ones(2)\ny = x.untyped_storage()\n",
            "1.11.0",
            "torch.Tensor.untyped_storage",
            "`x.storage()`",
        ),
        (
            "import torch.nn as nn\nclass M(nn.Module):\n    def f(self):\n"
            "        self.register_full_backward_hook(h)\n",
            "1.5.0",
            "torch.nn.Module.register_full_backward_hook",
            "`torch.nn.Module.register_backward_hook`",
        ),
        (
            "from torch import nn\nclass N(nn.RMSNorm):\n    pass\n",
            "2.3.1",
            "torch.nn.RMSNorm",
            "it came with 2.4",
        ),
        ("import torch\ntorch.lstsq(b, a)\n", "2.1.0", "torch.lstsq", "removed in 1.13"),
    ],
)
def test_says_since_when_and_what_to_use(code: str, version: str, api: str, says: str) -> None:
    [(name, text)] = found(code, version)

    assert name == api
    assert says in text


@pytest.mark.parametrize(
    ("code", "version"),
    [
        ("import torch\ntorch.symeig(a)\n", "1.11.0"),
        ("import torch\ntorch.fft.fft(x)\n", "2.8.0"),
        ("import torch\ntorch.fft(x, 2)\n", "1.5.0"),
        ("try:\n    from torch._six import inf\nexcept ImportError:\n    inf = float('inf')\n", "2.8.0"),
        ("try:\n    from torch import inf\nexcept ImportError:\n    from torch._six import inf\n", "2.8.0"),
        ("import torch\nif TORCH_MAJOR < 2:\n    from torch._six import inf\n", "2.8.0"),
        ("import torch\nif hasattr(torch, 'symeig'):\n    torch.symeig(a)\n", "2.8.0"),
        ("def f(torch):\n    torch.symeig(a)\n", "2.8.0"),
        (
            "import torch\nclass T(torch.Tensor):\n    def symeig(self): ...\n    def g(self):\n"
            "        self.symeig()\n",
            "2.8.0",
        ),
        ("def f(x):\n    x.symeig()\n", "2.8.0"),
        ("import torch\ntorch.amp.GradScaler('cuda')\n", "2.1.0"),
        ("import torch\ntorch.something_of_no_release()\n", "2.8.0"),
        ("from torch.autograd import Variable\nVariable(x)\n", "1.11.0"),
        ("import torch\ntorch.autograd.Variable(x)\n", "2.8.0"),
        ("import torch.distributed.distributed_c10d as c10d\nc10d.logger.info(x)\n", "2.8.0"),
        ("from torch.multiprocessing import Pool, Queue\n", "2.8.0"),
        (
            "from torch.utils.data import DataLoader\nloader = DataLoader(data)\n"
            "loader.sampler.set_epoch(1)\nn = len(loader.dataset) // loader.batch_size\n",
            "1.5.0",
        ),
        (
            "import torch.nn as nn\nclass M(nn.Module):\n    def forward(self, x):\n"
            "        return x if self.training else 2 * x\n",
            "1.5.0",
        ),
        ("import torch\ntypes = [torch.HalfTensor, torch.sparse.FloatTensor]\n", "1.5.0"),
        ("import torch.distributed as dist\ndef f(group: dist.ProcessGroup): ...\n", "1.5.0"),
        ("from torch.distributed.rpc import RRef\n", "1.5.0"),
    ],
)
def test_says_nothing_of_what_is_there_or_expected_to_be_missing(code: str, version: str) -> None:
    control = "import torch._six\nfrom torch.func import vmap\n"  # of 1.x and of 2.x
    assert found_before(control, code, lambda text: found(text, version)) == []


@pytest.mark.parametrize(
    "gives",
    [
        "    def __init__(self):\n        self.compile = None\n",
        "    def __init__(self):\n        self.one, (self.compile, two) = f()\n",
        "    def __init__(self):\n        setattr(self, 'compile', None)\n",
        "    def __init__(self):\n        self.add_module('compile', layer)\n",
        "    compile = None\n",
        "    compile: bool\n",
        "    @property\n    def compile(self): ...\n",
        "    def __getattr__(self, name): ...\n",
    ],
)
def test_what_a_class_of_the_project_gives_its_objects_is_not_of_torch(gives: str) -> None:
    use = "    def forward(self, x):\n        return self.compile(x)\n"
    text = "import torch.nn as nn\nclass M(nn.Module):\n{}" + use
    without = "    def __init__(self):\n        self.other = None\n"

    assert len(found(text.format(without), "2.0.1")) == 1
    assert found(text.format(gives), "2.0.1") == []


@pytest.mark.parametrize(
    "other",
    [
        "    def g(self, compile=None):\n        compile = 1\n",
        "    def g(self):\n        def compile(): ...\n",
    ],
)
def test_a_local_name_is_no_member(other: str) -> None:
    use = "    def forward(self, x):\n        return self.compile(x)\n"

    [(name, _)] = found(f"import torch.nn as nn\nclass M(nn.Module):\n{other}{use}", "2.0.1")
    assert name == "torch.nn.Module.compile"


def test_nobody_is_asked_to_try_on_the_device_what_is_gone() -> None:
    options = options_from({"version": "2.8.0", "unknown_apis": True})
    findings = check(SourceFile("import torch\ntorch.symeig(a)\n"), options)

    assert [finding.code for finding in findings] == ["NPU007"]


def test_one_of_two_ways_that_a_switch_chooses_is_no_error() -> None:
    code = (
        "import torch.nn.functional as F\ndef f(self, q, k, v):\n    if self.fused_attn:\n"
        "        return F.scaled_dot_product_attention(q, k, v)\n    else:\n        return g(q, k, v)\n"
    )
    options = options_from({"version": "1.11.0", "select": ["NPU007"]})

    [finding] = check(SourceFile(code), options)
    assert finding.severity is Severity.INFORMATION


@pytest.mark.parametrize(
    ("name", "version", "says"),
    [
        ("torch.xpu.nope", "2.1.0", "does not have `torch.xpu` yet: it came with 2.3"),
        ("torch.profiler.profile_other", "1.5.0", "does not have `torch.profiler` yet: it came with 1.8"),
        ("torch._six.nope", "2.8.0", "does not have `torch._six`: it was removed in 2.0"),
        ("torch._six.inf", "2.8.0", "does not have `torch._six.inf`: it was removed in 2.0"),
        ("torch.profiler.itt", "1.5.0", "does not have `torch.profiler.itt` yet: it came with 1.13"),
    ],
)
def test_a_release_is_told_of_known_names_only(name: str, version: str, says: str) -> None:
    """A name that nobody knows may not have come with the module that it would be in."""
    ((api, message),) = found(f"import torch\nx = {name}\n", version)
    assert api == name and says in message


def test_what_another_device_is_asked_behind_its_own_predicate_is_not_missed() -> None:
    text = (
        "import torch\nfrom transformers.utils import is_ipex_available\n"
        "if is_ipex_available() and torch.xpu.is_available():\n    n = torch.xpu.device_count()\n"
    )
    assert found(text, "2.1.0") == []
