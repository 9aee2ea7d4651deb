"""What an equivalent gives lies in memory as what torch gives does: `view` works on it."""

from __future__ import annotations

from types import ModuleType

import pytest

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.slow, pytest.mark.execution]


@pytest.mark.parametrize("padding", [0, 1, (1, 0, 2)])
@pytest.mark.parametrize("bias", [True, False])
def test_conv3d_can_be_viewed(similar: ModuleType, padding: object, bias: bool) -> None:
    layer = similar.Conv3d(2, 4, 3, padding=padding, bias=bias)
    result = layer(torch.randn(2, 2, 6, 5, 5))
    assert result.is_contiguous() and result.view(-1).numel() == result.numel()
    assert layer(torch.randn(2, 6, 5, 5)).is_contiguous()


@pytest.mark.parametrize(
    ("pads", "mode"), [((1, 2), "constant"), ((1, 0, 2, 1), "reflect"), ((-1, 2), "constant")]
)
def test_pad_can_be_viewed(similar: ModuleType, pads: tuple[int, ...], mode: str) -> None:
    x = torch.randn(2, 3, 5, 6)
    result = similar.pad(x, pads, mode=mode)
    assert result.is_contiguous() and result.stride() == torch.nn.functional.pad(x, pads, mode=mode).stride()
