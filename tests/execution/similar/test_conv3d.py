"""``Conv3d`` in both its forms is torch's: results, gradients of input and parameters, state dict."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from hypothesis import assume, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from tests.execution.similar.compare import random_tensor  # noqa: E402
from tests.execution.similar.conftest import Load  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

TRIPLES = st.one_of(st.integers(1, 3), st.tuples(*[st.integers(1, 3)] * 3))
PADDINGS = st.one_of(
    st.integers(0, 2), st.tuples(*[st.integers(0, 2)] * 3), st.sampled_from(["same", "valid"])
)
MODES = st.sampled_from(["zeros", "zeros", "reflect", "replicate", "circular"])


@pytest.fixture(scope="module", params=["conv3d", "conv3d_slices"])
def form(request: pytest.FixtureRequest, load: Load) -> Iterator[ModuleType]:
    yield load([request.param])


@settings(max_examples=60)
@given(
    keywords=st.fixed_dictionaries(
        {
            "kernel_size": TRIPLES,
            "stride": TRIPLES,
            "padding": PADDINGS,
            "dilation": TRIPLES,
            "bias": st.booleans(),
            "padding_mode": MODES,
        }
    ),
    groups=st.sampled_from([1, 2]),
    sizes=st.tuples(*[st.integers(2, 8)] * 3),
    batched=st.booleans(),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_equals_torch(
    form: ModuleType,
    keywords: dict[str, Any],
    groups: int,
    sizes: tuple[int, ...],
    batched: bool,
    dtype: torch.dtype,
) -> None:
    keywords = {**keywords, "groups": groups, "dtype": dtype, "device": "cpu"}
    if keywords["padding"] == "same":
        keywords["stride"] = 1
    theirs = torch.nn.Conv3d(2, 4, **keywords)
    ours = form.Conv3d(2, 4, **keywords)
    assert {k: v.shape for k, v in ours.state_dict().items()} == {
        k: v.shape for k, v in theirs.state_dict().items()
    }
    ours.load_state_dict(theirs.state_dict())
    x = random_tensor(((3,) if batched else ()) + (2, *sizes), dtype, 3)
    try:
        expected = theirs(x)
    except RuntimeError:  # the kernel is larger than the input, or the padding than what it copies
        with pytest.raises(RuntimeError):
            ours(x)
        assume(False)
    expected.square().sum().backward()
    wanted, x.grad = x.grad, None
    result = ours(x)
    result.square().sum().backward()
    close = {"rtol": 1e-3, "atol": 1e-3} if dtype == torch.float32 else {}
    torch.testing.assert_close(result, expected, **close)
    torch.testing.assert_close(x.grad, wanted, **close)
    for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(mine.grad, other.grad, **close)


def test_call_styles(form: ModuleType) -> None:
    positional = form.Conv3d(2, 4, 3, 1, 1, 2, 1, False)
    assert positional.bias is None and positional.dilation == (2, 2, 2)
    named = form.Conv3d(in_channels=2, out_channels=4, kernel_size=(1, 2, 3), padding_mode="circular")
    assert named.weight.shape == (4, 2, 1, 2, 3)
    assert isinstance(named, torch.nn.Conv3d)
    assert repr(named) == repr(torch.nn.Conv3d(2, 4, (1, 2, 3), padding_mode="circular"))


def test_dilation_adds_no_parameters(form: ModuleType) -> None:
    assert form.Conv3d(1, 1, 3, dilation=4).weight.shape == (1, 1, 3, 3, 3)


@pytest.mark.parametrize("bias", [True, False])
def test_autocast_chooses_the_dtype(form: ModuleType, bias: bool) -> None:
    layer = form.Conv3d(2, 4, 2, bias=bias)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        result = layer(torch.ones(1, 2, 3, 3, 3))
    result.sum().backward()
    assert (result.dtype, layer.weight.grad.dtype) == (torch.bfloat16, torch.float32)
