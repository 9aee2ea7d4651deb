"""What the CPU kernels of an older torch lack."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.execution


def without_halves(one: Any, *, two: Any) -> Any:
    """A sum as an older release has it."""
    if one.dtype is torch.float16:
        raise RuntimeError("\"add\" not implemented for 'Half'")
    return one + two


def plan(mutates: bool) -> Any:
    return SimpleNamespace(mutates=mutates)


def test_halves_are_computed_in_float32() -> None:
    from gpu2ascend_simulator.device.operators.fallback import computed

    ones = torch.ones(2, dtype=torch.float16)
    result = computed(without_halves, plan(False), [ones], {"two": ones})
    assert (result.dtype, result.tolist()) == (torch.float16, [2, 2])


def test_what_changes_its_argument_and_other_errors_are_raised() -> None:
    from gpu2ascend_simulator.device.operators.fallback import computed

    ones = torch.ones(2, dtype=torch.float16)
    with pytest.raises(RuntimeError, match="not implemented for 'Half'"):
        computed(without_halves, plan(True), [ones], {"two": ones})
    with pytest.raises(RuntimeError, match="must match"):
        computed(without_halves, plan(False), [torch.ones(2)], {"two": torch.ones(3)})
