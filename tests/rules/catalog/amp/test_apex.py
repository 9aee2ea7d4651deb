"""apex: calls are mapped, and the import goes when nothing of it is left."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.fix import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_beside_control

TRAINER = """\
import torch
from apex.optimizers import FusedAdam, FusedLAMB
from apex.parallel import DistributedDataParallel as DDP, convert_syncbn_model

model = convert_syncbn_model(model)
optimizer = FusedAdam(model.parameters(), lr=1e-3, weight_decay=0.1)
model = DDP(model, message_size=1000)
"""


def after(text: str, *, unsafe: bool, version: str = "2.8.0") -> str:
    options = options_from({"version": version, "unsafe_fixes": unsafe})
    return apply_fixes(SourceFile(text), options).text


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
