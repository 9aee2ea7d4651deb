"""Whether two functions of tensors are the same: results, gradients, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

Function = Callable[..., torch.Tensor]


def assert_same(ours: Function, theirs: Function, *tensors: torch.Tensor) -> None:
    """Same result and gradients. What torch refuses, ours must refuse; ours may also take dtypes more.

    Results are compared bit for bit where nothing is computed, else to the precision of the dtype.
    """
    try:
        expected, expected_gradients = _run(theirs, tensors)
    except (RuntimeError, NotImplementedError, ValueError, AssertionError, IndexError, TypeError) as error:
        if "not implemented for" not in str(error):
            _assert_refused(ours, tensors, error)
        return
    result, gradients = _run(ours, tensors)
    assert result.dtype == expected.dtype
    torch.testing.assert_close(result, expected, equal_nan=True)
    if expected.numel() == 0:  # torch leaves memory unset in the gradients of some paddings to nothing
        return
    for gradient, wanted in zip(gradients, expected_gradients, strict=True):
        torch.testing.assert_close(gradient, wanted, equal_nan=True)


def _assert_refused(ours: Function, tensors: Iterable[torch.Tensor], error: Exception) -> None:
    try:
        result = ours(*tensors)
    except (RuntimeError, NotImplementedError, ValueError, AssertionError, IndexError, KeyError, TypeError):
        return
    if result.numel() == 0:  # torch refuses some empty tensors in some modes, and takes them in others
        return
    raise AssertionError(f"torch refuses this ({error}); ours gives {tuple(result.shape)}")


def _run(
    function: Function, tensors: Iterable[torch.Tensor]
) -> tuple[torch.Tensor, list[torch.Tensor | None]]:
    leaves = [tensor.clone().requires_grad_(tensor.requires_grad) for tensor in tensors]
    result = function(*leaves)
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    if not wanted or not result.requires_grad:
        return result.detach(), []
    weights = torch.linspace(-1, 1, max(result.numel(), 1), dtype=torch.float64)[: result.numel()]
    loss = (result.to(torch.promote_types(result.dtype, torch.float64)) * weights.reshape(result.shape)).sum()
    gradients = torch.autograd.grad(loss.real if loss.is_complex() else loss, wanted, allow_unused=True)
    return result.detach(), list(gradients)


def random_tensor(
    shape: Iterable[int], dtype: torch.dtype, seed: int, *, gradient: bool = True
) -> torch.Tensor:
    """Numbers that identify places."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.randn(tuple(shape), generator=generator, dtype=torch.float64) * 3
    tensor = values.to(dtype)
    return tensor.requires_grad_(gradient and (dtype.is_floating_point or dtype.is_complex))
