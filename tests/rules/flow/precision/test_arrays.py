"""Which arrays of NumPy have double precision, and the tensors that are made of them."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

HEAD = "import numpy as np\nimport torch\nimport torch.distributed as dist\n"


def is_double(tensor: str, before: str = "") -> bool:
    """Whether the reduction of a tensor is reported as one of double precision."""
    source = SourceFile(f"{HEAD}{before}dist.all_reduce({tensor})\n")
    options = options_from({"version": "2.8.0"})
    return any(finding.message.id == "NPU407.float64" for finding in check(source, options))


@pytest.mark.parametrize(
    "array",
    [
        "np.zeros(3)",
        "np.random.rand(3)",
        "np.linspace(0, 1)",
        "np.array([0.5, 1])",
        "np.full(3, 0.5)",
        "np.zeros(3, dtype=np.float64)",
        "np.zeros(3, dtype=float)",
        "np.zeros(3, 'float64')",
        "x.astype(np.float64)",
        "np.zeros(3, np.float32).astype('double')",
        "np.zeros(3) * 2",
        "np.float64(3)",
    ],
)
def test_an_array_of_float64_gives_such_a_tensor(array: str) -> None:
    assert is_double(f"torch.from_numpy({array})")


@pytest.mark.parametrize(
    "array",
    [
        "np.zeros(3, np.float32)",
        "np.zeros(3, dtype='float32')",
        "np.zeros(3, dtype=kind)",
        "np.arange(3)",
        "np.array([1, 2])",
        "np.zeros(3).astype(np.float32)",
        "np.zeros(3).argmax()",
        "np.zeros(3) > 1",
        "len(np.zeros(3))",
        "x",
    ],
)
def test_another_array_gives_none(array: str) -> None:
    assert not is_double(f"torch.from_numpy({array})")
    assert is_double("torch.from_numpy(np.zeros(3))")


@pytest.mark.parametrize("maker", ["torch.tensor", "torch.as_tensor", "torch.asarray"])
def test_every_function_that_keeps_the_precision_counts(maker: str) -> None:
    assert is_double(f"{maker}(np.zeros(3))")


@pytest.mark.parametrize(
    "tensor",
    [
        "torch.FloatTensor(np.zeros(3))",
        "torch.from_numpy(np.zeros(3)).float()",
        "torch.tensor(np.zeros(3), dtype=torch.float32)",
        "torch.tensor([0.5])",
        "t.double().argmax()",
    ],
)
def test_a_tensor_that_gets_another_precision_is_none(tensor: str) -> None:
    assert not is_double(tensor)
    assert is_double("torch.from_numpy(np.zeros(3)).double()")


def test_the_last_value_of_a_variable_counts() -> None:
    assert not is_double("torch.from_numpy(a)", "a = np.zeros(3)\na = a.astype(np.float32)\n")
    assert is_double("torch.from_numpy(a)", "a = np.zeros(3)\n")
