"""Hardware 910A: what it lacks beside A2, and what the lists say of it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.options.contradictions import refuse_contradictions
from gpu2ascend_rules.options.options import OptionError, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before

VERSIONS = ("1.5.0", "1.8.1", "1.11.0", "2.0.1", "2.1.0")


def found(text: str, version: str, hardware: str = "910A") -> list[str]:
    options = options_from({"version": version, "hardware": hardware, "select": ["NPU809"]})
    return [item.message.id for item in check(SourceFile(f"import torch\n{text}\n"), options)]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "text",
    [
        "x = x.to(torch.bfloat16)",
        "x = x.bfloat16()",
        "run(bf16=True)",
        "make(torch_dtype='bfloat16')",
        "Trainer(precision='bf16-mixed')",
        "Accelerator(mixed_precision='bf16')",
    ],
)
def test_there_is_no_bfloat16(text: str, version: str) -> None:
    assert found(text, version) == ["NPU809.bfloat16"]
    assert found(text, version, "A2") == []


@pytest.mark.parametrize("text", ["run(bf16=False)", "make(torch_dtype='float16')", "torch.float16"])
def test_other_types_are_there(text: str) -> None:
    assert found_before("\nx.bfloat16()", text, lambda both: found(both, "2.1.0")) == []


def test_training_needs_mixed_precision_for_speed() -> None:
    step = "loss.backward()\noptimizer.step()"
    assert found(step, "2.1.0") == ["NPU809.precision"]
    assert found(f"with torch.cuda.amp.autocast():\n    pass\n{step}", "2.1.0") == []
    assert found(step, "2.1.0", "A2") == []


def test_releases_end_with_2_1() -> None:
    refuse_contradictions(options_from({"version": "2.1.0", "hardware": "910A"}))
    for version in ("2.2.0", "2.8.0"):
        with pytest.raises(OptionError):
            refuse_contradictions(options_from({"version": version, "hardware": "910A"}))


def test_findings_on_support_say_that_no_list_covers_it() -> None:
    text = "import torch\ntorch.set_default_device('cpu')\n"
    by_hardware = {}
    for hardware in ("A2", "910A"):
        options = options_from({"version": "2.0.1", "hardware": hardware, "select": ["NPU001"]})
        (by_hardware[hardware],) = [render(item.message) for item in check(SourceFile(text), options)]
    assert "no list covers it" in by_hardware["910A"]
    assert "no list" not in by_hardware["A2"]


LOADER = "loader = torch.utils.data.DataLoader({})\nloss.half().backward()"


@pytest.mark.parametrize("arguments", ["data", "data, 8", "data, batch_size=8, shuffle=True"])
def test_batches_of_changing_size_are_compiled_again(arguments: str) -> None:
    assert found(LOADER.format(arguments), "2.1.0") == ["NPU809.shapes"]
    assert found(LOADER.format(arguments), "2.1.0", "A2") == []


@pytest.mark.parametrize(
    "text",
    [
        LOADER.format("data, drop_last=True"),
        LOADER.format("data, drop_last=args.drop"),
        LOADER.format("data, **options"),
        "torch_npu.npu.set_compile_mode(jit_compile=False)\n" + LOADER.format("data"),
        "loader = torch.utils.data.DataLoader(data)",
    ],
)
def test_batches_that_may_be_of_one_size_are_not_reported(text: str) -> None:
    assert found_before("\nx.bfloat16()", text, lambda both: found(both, "2.1.0")) == []


SEEN = "import os\nos.environ['{}'] = '{}'"


@pytest.mark.parametrize(
    "text",
    [
        "torch.multiprocessing.spawn(main, nprocs=3)",
        "launch(nproc_per_node=6)",
        SEEN.format("CUDA_VISIBLE_DEVICES", "0,1,2"),
        SEEN.format("ASCEND_RT_VISIBLE_DEVICES", "3,4"),
        SEEN.format("CUDA_VISIBLE_DEVICES", "0,1,4,5"),
    ],
)
def test_cards_that_are_not_joined_are_reported(text: str) -> None:
    assert found(text, "2.1.0") == ["NPU809.cards"]
    assert found(text, "2.1.0", "A2") == []


@pytest.mark.parametrize(
    "text",
    [
        "torch.multiprocessing.spawn(main, nprocs=8)",
        "torch.multiprocessing.spawn(main, nprocs=count)",
        "launch(nproc_per_node=16)",
        SEEN.format("CUDA_VISIBLE_DEVICES", "3"),
        SEEN.format("CUDA_VISIBLE_DEVICES", "6,7"),
        SEEN.format("CUDA_VISIBLE_DEVICES", "4,5,6,7"),
        SEEN.format("CUDA_VISIBLE_DEVICES", "0,1,2,3,4,5,6,7"),
        SEEN.format("CUDA_VISIBLE_DEVICES", ""),
        SEEN.format("PATH", "0,1,2"),
    ],
)
def test_cards_that_are_joined_are_not(text: str) -> None:
    control = "\ntorch.multiprocessing.spawn(main, nprocs=3)"
    assert found_before(control, text, lambda both: found(both, "2.1.0")) == []


FUSED = {
    "rotary": (
        "def rotate_half(x):\n    a, b = x.chunk(2, dim=-1)\n    return torch.cat((-b, a), dim=-1)\n"
        "y = q * cos + rotate_half(q) * sin",
        ["NPU613.series"],
    ),
    "gate": ("import torch.nn.functional as F\na, b = x.chunk(2, dim=-1)\ny = F.silu(a) * b", []),
    "attention": ("from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v)", ["NPU601.series"]),
    "norm": ("y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)", ["NPU611.norm"]),
}


@pytest.mark.parametrize(("text", "expected"), FUSED.values(), ids=FUSED)
def test_only_operators_that_it_has_are_offered(text: str, expected: list[str]) -> None:
    select = ["NPU601", "NPU611", "NPU612", "NPU613"]
    options = options_from({"version": "2.1.0", "hardware": "910A", "select": select})
    findings = check(SourceFile(f"import torch\n{text}\n"), options)
    assert [item.message.id for item in findings] == expected
    assert [item.message.id for item in findings if item.fix is not None] == [
        name for name in expected if name == "NPU611.norm"
    ]
