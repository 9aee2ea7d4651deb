"""apex: calls are mapped, and the import goes when nothing of it is left."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_beside_control
from tests.rules.fixing import migrated as after

TRAINER = """\
import torch
from apex.optimizers import FusedAdam, FusedLAMB
from apex.parallel import DistributedDataParallel as DDP, convert_syncbn_model

model = convert_syncbn_model(model)
optimizer = FusedAdam(model.parameters(), lr=1e-3, weight_decay=0.1)
model = DDP(model, message_size=1000)
"""


def test_safe_fixes_take_what_torch_has_itself() -> None:
    assert (
        after(TRAINER, unsafe=False)
        == """\
import torch
import torch_npu
from apex.optimizers import FusedAdam, FusedLAMB

model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
optimizer = FusedAdam(model.parameters(), lr=1e-3, weight_decay=0.1)
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[torch_npu.npu.current_device()])
"""
    )


def test_with_all_fixes_nothing_of_apex_is_left() -> None:
    moved = after(TRAINER, unsafe=True)
    assert "apex" not in moved
    assert "torch_npu.optim.NpuFusedAdamW(model.parameters(), lr=1e-3, weight_decay=0.1)" in moved


def test_an_optional_apex_keeps_its_path() -> None:
    text = (
        "import torch\ntry:\n    from apex.parallel import DistributedDataParallel as ApexDDP\n"
        "    has_apex = True\nexcept ImportError:\n    has_apex = False\n"
        "if has_apex:\n    model = ApexDDP(model)\n"
    )
    assert after(text, unsafe=False) == text
    found = check(SourceFile(text), options_from({"version": "2.8.0"}))
    assert [finding.severity.value for finding in found] == ["information"]


def test_on_1_5_0_apex_is_the_mixed_precision_there_is() -> None:
    text = "import torch\nfrom apex import amp\nmodel, opt = amp.initialize(model, opt, opt_level='O1')\n"
    assert after(text, unsafe=True, version="1.5.0") == text


@pytest.mark.parametrize(
    "text",
    [
        "from .apex import amp\namp.initialize()\n",
        "import torch\nopt = torch.optim.AdamW(p)\n",
        "try:\n    from apex import amp\nexcept ImportError:\n    amp = None\n",
        "from torch_npu.optim import NpuFusedAdam\nopt = NpuFusedAdam(p)\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert found_beside_control(text) == []


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("import apex.optimizers\n", id="the package, of which other modules may be used"),
        pytest.param("from apex.optimizers import *\n", id="whatever names a star brings"),
    ],
)
def test_an_import_of_more_than_names_stays(line: str) -> None:
    assert after(f"{line}x = 1\n", unsafe=True) == f"{line}x = 1\n"
    assert after("from apex.optimizers import FusedAdam\nx = 1\n", unsafe=True) == "x = 1\n"


FUSED = "fused_layer_norm, fused_layer_norm_affine"
NORMS = f"import torch\nfrom apex.normalization.fused_layer_norm import {FUSED}\n"


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("fused_layer_norm(x, s)", "layer_norm(x, s, eps=1e-6)"),
        ("fused_layer_norm(x, s, 1e-3)", "layer_norm(x, s, eps=1e-3)"),
        ("fused_layer_norm(input=x, normalized_shape=s, eps=e)", "layer_norm(x, s, eps=e)"),
        (
            "fused_layer_norm_affine(x, weight=w, bias=b, normalized_shape=s)",
            "layer_norm(x, s, weight=w, bias=b, eps=1e-6)",
        ),
        (
            "fused_layer_norm_affine(input=x, normalized_shape=s, bias=b, weight=w, eps=1e-3)",
            "layer_norm(x, s, weight=w, bias=b, eps=1e-3)",
        ),
    ],
)
def test_a_function_for_a_norm_keeps_its_parameters_and_its_epsilon(call: str, made: str) -> None:
    assert f"y = torch.nn.functional.{made}\n" in after(f"{NORMS}y = {call}\n", unsafe=True)


@pytest.mark.parametrize(
    "call",
    [
        "fused_layer_norm_affine(x, w, b, s)",
        "fused_layer_norm_affine(x, weight=w, normalized_shape=s)",
        "fused_layer_norm(x, *shape)",
        "fused_layer_norm(x, **named)",
        "fused_layer_norm(x)",
        "fused_layer_norm(x, s  # all\n)",
    ],
)
def test_a_function_of_which_the_parameters_are_unknown_is_left_and_reported(call: str) -> None:
    text = f"{NORMS}y = {call}\n"
    assert f"y = {call}\n" in after(text, unsafe=True)
    assert "NPU314" in [item.code for item in check(SourceFile(text), options_from({"version": "2.8.0"}))]


@pytest.mark.parametrize(
    ("call", "made"),
    [
        ("FusedLayerNorm(8)", "torch.nn.LayerNorm(8)"),
        ("FusedLayerNorm(8, memory_efficient=True)", "torch.nn.LayerNorm(8)"),
        ("FusedLayerNorm(8, memory_efficient=False, eps=e)", "torch.nn.LayerNorm(8, eps=e)"),
    ],
)
def test_a_module_for_a_norm_keeps_what_torchs_takes(call: str, made: str) -> None:
    text = f"import torch\nfrom apex.normalization import FusedLayerNorm\nn = {call}\n"
    assert after(text, unsafe=True) == f"import torch\nn = {made}\n"


@pytest.mark.parametrize(
    ("call", "value", "becomes"),
    [
        ("SyncBatchNorm(8, channel_last={})", "False", "torch.nn.SyncBatchNorm(8)"),
        ("SyncBatchNorm(8, channel_last={})", "True", None),
        ("SyncBatchNorm(8, channel_last={})", "flag", None),
        (
            "convert_syncbn_model(m, channel_last={})",
            "False",
            "torch.nn.SyncBatchNorm.convert_sync_batchnorm(m)",
        ),
        ("convert_syncbn_model(m, channel_last={})", "True", None),
        ("convert_syncbn_model(m, channel_last={})", "not flag", None),
    ],
)
def test_an_argument_goes_only_with_a_value_that_changes_nothing(
    call: str, value: str, becomes: str | None
) -> None:
    head, made = "import torch, apex\n", f"x = apex.parallel.{call.format(value)}\n"
    expected = head + (made if becomes is None else f"x = {becomes}\n")
    assert [after(head + made, unsafe=unsafe) for unsafe in (False, True)] == [expected, expected]


def test_an_import_that_holds_a_comment_is_not_removed() -> None:
    plain = "from apex.optimizers import (\n    FusedAdam,\n    FusedSGD,\n)\nx = 1\n"
    noted = plain.replace("FusedAdam,", "FusedAdam,  # a note")
    assert after(plain, unsafe=True) == "x = 1\n"
    assert after(noted, unsafe=True) == noted
