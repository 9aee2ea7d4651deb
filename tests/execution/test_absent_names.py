"""What the table of releases says torch lacks is compared with the torch that is installed."""

from __future__ import annotations

import importlib
import warnings

import pytest

from gpu2ascend_rules.facts.releases.history import _history, lacking
from gpu2ascend_rules.model.versions import Version

pytestmark = pytest.mark.execution

ONLY_RAISING = {
    *("torch.eig", "torch.lstsq", "torch.matrix_rank", "torch.solve", "torch.symeig"),
    *("torch.Tensor.eig", "torch.Tensor.lstsq", "torch.Tensor.solve", "torch.Tensor.symeig"),
    "torch.jit.quantized.quantize_linear_modules",
    "torch.jit.quantized.quantize_rnn_cell_modules",
    "torch.jit.quantized.quantize_rnn_modules",
}
"""Functions that are still there to say that they were removed."""


def exists(name: str) -> bool:
    parts = name.split(".")
    found: object = importlib.import_module(parts[0])
    for count, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(".".join(parts[:count]))
            except Exception:
                return False
    return True


def test_no_name_of_the_installed_torch_is_called_absent() -> None:
    torch = pytest.importorskip("torch")
    numbers = [int(part) for part in torch.__version__.partition("+")[0].split(".")[:3]]
    version = Version(*numbers)
    asked = [name for name in _history() if not name.endswith("()") and lacking(name, version) is not None]
    assert len(asked) > 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {name for name in asked if exists(name)} <= ONLY_RAISING
