"""What may be typed at a place. ``|`` is the place."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.complete import Suggestion, suggestions
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import choose_version
from gpu2ascend_rules.text.source_file import SourceFile

NEWER = "are_compatible_impl_enabled"
"""A name that torch_npu has from 2.7.1 on."""


def suggested(text: str, version: str = "2.8.0") -> dict[str, Suggestion]:
    """By text."""
    before, after = text.split("|")
    source = SourceFile(before + after)
    found = suggestions(
        source, len(before.encode()), Facts.load(choose_version(version).version, Hardware.A2)
    )
    return {item.text: item for item in found}


@pytest.mark.parametrize(
    "text",
    [
        "import torch_npu\ntorch_npu.npu.|",
        "import torch_npu\ntorch_npu.npu.emp|",
        "import torch_npu\nif x:\n    torch_npu.npu.|\ny = 1\n",
        "import torch_npu as tn\ntn.npu.|",
        "from torch_npu import npu\nnpu.|",
        "from torch_npu import npu as device_api\nprint(device_api.e|)",
        "import torch\ntorch.npu.|",
        "from torch_npu.npu import |",
        "from torch_npu.npu import synchronize, emp|",
        "名 = 1; torch_npu.npu.|",
    ],
)
def test_names_below_the_namespace(text: str) -> None:
    assert "empty_cache" in suggested(text)


def test_names_below_torch_npu_itself() -> None:
    found = suggested("import torch_npu\ntorch_npu.|")
    assert found["npu"].kind == "module" and "npu_fusion_attention" in found
    assert "npu" in suggested("import torch_npu.n|")


def test_only_names_that_the_version_has() -> None:
    text = "import torch_npu\ntorch_npu.npu.|"
    assert NEWER in suggested(text) and NEWER not in suggested(text, "2.1.0")


def test_private_names_only_when_asked_for() -> None:
    assert not any(name.startswith("_") for name in suggested("import torch_npu\ntorch_npu.|"))
    assert "_npu_dropout" in suggested("import torch_npu\ntorch_npu._|")


def test_what_was_typed_is_replaced() -> None:
    item = suggested("import torch_npu\ntorch_npu.npu.empt|")["empty_cache"]
    assert (item.start, item.end) == (31, 35)
    assert item.qualified_name == "torch_npu.npu.empty_cache" and item.kind == "function"


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.|",
        "import torch\ntorch.cuda.|",
        "model.npu.|",
        "torch_npu = load()\nimport other as torch\ntorch.npu.|",
        "import torch_npu\n# torch_npu.npu.|",
        "import torch_npu\ns = 'torch_npu.npu.|'",
        "x = 1\n|",
    ],
)
def test_nothing_elsewhere(text: str) -> None:
    assert suggested(text) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\nd = torch.device(|", ['"npu"', '"npu:0"']),
        ("import torch\nd = torch.device(|)", ['"npu"', '"npu:0"']),
        ("import torch\nd = torch.device('|')", ["npu", "npu:0"]),
        ('import torch\nd = torch.device("n|"', ["npu", "npu:0"]),
        ('import torch\nd = torch.device("npu:|"', ["npu:0"]),
        ("import torch\nd = torch.device('|", ["npu'", "npu:0'"]),
        ("from torch import device\nd = device('|')", ["npu", "npu:0"]),
        ("import torch as th\nd = th.device(device='|')", ["npu", "npu:0"]),
        ("model.to('|')", ["npu", "npu:0"]),
        ("f(x).to(device='|')", ["npu", "npu:0"]),
        ("x[0].to(|)", ['"npu"', '"npu:0"']),
    ],
)
def test_device_strings(text: str, expected: list[str]) -> None:
    assert list(suggested(text)) == expected


ELSEWHERE = ["print('|')", "to('|')", "device('|')", "x.to(n|)", "x.to('cpu|')", "x.to(a, '|')"]


@pytest.mark.parametrize("text", ELSEWHERE)
def test_no_device_strings_elsewhere(text: str) -> None:
    assert suggested(text) == {}
