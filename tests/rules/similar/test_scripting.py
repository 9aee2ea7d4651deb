"""Nothing is replaced in code that TorchScript compiles, and the finding says why it stays."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

ON = options_from({"version": "1.8.1", "replace_unsupported": True})
ON_NEW = options_from({"version": "2.8.0", "unsafe_fixes": True})
HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
PAD = "    return F.pad(x, (1, 1))\n"
NET = "class Net(nn.Module):\n    def __init__(self):\n        self.conv = nn.Conv3d(1, 1, 3)\n"


@pytest.mark.parametrize(
    "text",
    [
        f"@torch.jit.script\ndef f(x):\n{PAD}",
        f"@torch.jit.script_if_tracing\ndef f(x):\n{PAD}",
        f"from torch.jit import script as compiled\n@compiled\ndef f(x):\n{PAD}",
        f"fuse = torch.jit.script\n@fuse\ndef f(x):\n{PAD}",
        "@torch.jit.script\ndef f(x: torch.Tensor):\n    return x.repeat_interleave(2)\n",
        f"def f(x):\n{PAD}g = torch.jit.script(f)\n",
        f"def f(x):\n{PAD}g = torch.jit.script(obj=f)\n",
        f"def inner(x):\n{PAD}@torch.jit.script\ndef f(x):\n    return inner(x)\n",
        f"{NET}m = torch.jit.script(Net())\n",
        f"{NET}m = Net()\nm.eval()\ns = torch.jit.script(m)\n",
        f"{NET}def build():\n    net = Net()\n    return net\ns = torch.jit.script(build().eval())\n",
        f"{NET}class Whole(nn.Module):\n    def __init__(self):\n        self.net = Net()\n"
        "s = torch.jit.script(Whole())\n",
        f"{NET}class Trainer:\n    def __init__(self):\n        self.net = Net()\n"
        "    def save(self):\n        torch.jit.script(self.net).save('m.pt')\n",
        f"{NET}def export(path, net):\n    torch.jit.script(net).save(path)\nexport('m.pt', Net())\n",
        f"{NET}def export(path, net):\n    torch.jit.script(net).save(path)\nexport('m.pt', net=Net())\n",
        "s = torch.jit.script(nn.Sequential(nn.Conv3d(1, 1, 3)))\n",
        "m = nn.SyncBatchNorm.convert_sync_batchnorm(net)\ns = torch.jit.script(m)\n",
        "class Net(torch.jit.ScriptModule):\n    @torch.jit.script_method\n"
        f"    def forward(self, x):\n    {PAD}",
        f"{NET}    @torch.jit.export\n    def extra(self, x):\n    {PAD}",
    ],
)
def test_what_is_compiled_stays_with_a_finding(text: str) -> None:
    source = SourceFile(HEAD + text)
    assert apply_fixes(source, ON).text == source.text
    assert {f.message.id for f in check(source, ON) if f.code == "NPU004"} == {"NPU004.scripted"}


@pytest.mark.parametrize(
    "text",
    [
        f"{NET}m = torch.jit.trace(Net(), x)\n",
        f"{NET}def f(x):\n    return x\ng = torch.jit.script(f)\n",
        f"{NET}script(Net())\n",
        f"@torch.jit.script\ndef g(x):\n    return x\ndef f(x):\n{PAD}",
    ],
)
def test_what_is_not_compiled_is_replaced(text: str) -> None:
    assert "similar_api" in apply_fixes(SourceFile(HEAD + text), ON).text


def test_an_api_that_a_list_calls_unsupported_says_why_it_stays() -> None:
    source = SourceFile(f"{HEAD}{NET}m = torch.jit.script(Net())\n")
    chosen = options_from({"version": "2.3.1", "replace_unsupported": True})
    assert apply_fixes(source, chosen).text == source.text
    assert [f.message.id for f in check(source, chosen) if f.code == "NPU001"] == ["NPU001.scripted"]


def test_a_formula_that_is_compiled_is_offered_no_adapter() -> None:
    formula = "    a, b = x.chunk(2, -1)\n    return F.silu(a) * b\n"
    scripted = f"{HEAD}@torch.jit.script\ndef f(x):\n{formula}"
    found = [f.fix for f in check(SourceFile(scripted), ON_NEW) if f.code == "NPU612"]
    plain = [f.fix for f in check(SourceFile(f"{HEAD}def f(x):\n{formula}"), ON_NEW) if f.code == "NPU612"]
    assert found == [None] and plain[0] is not None
