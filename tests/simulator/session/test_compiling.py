"""What compiles for an NPU is replaced, and noted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend_simulator.device import trace
from gpu2ascend_simulator.session.compiling import watch_compile


@pytest.fixture
def torch() -> Any:
    """A torch that says how it was asked to compile."""

    def compile(model: object = None, **how: object) -> dict[str, object]:
        return how

    made = SimpleNamespace(compile=compile)
    watch_compile(made)
    return made


@pytest.fixture(autouse=True)
def _nothing_noted() -> Any:
    trace.clear()
    yield
    trace.clear()


@pytest.mark.parametrize("how", [{}, {"backend": "inductor", "mode": "reduce-overhead"}, {"backend": "npu"}])
def test_a_back_end_that_needs_the_device_is_replaced_and_noted(torch: Any, how: dict[str, Any]) -> None:
    assert torch.compile(**how) == {"backend": "aot_eager", "mode": None, "options": None}
    ((refusal, count),) = trace.refusals()
    assert (refusal.kind, refusal.detail, count) == ("compiled", how.get("backend", "inductor"), 1)


@pytest.mark.parametrize("how", [{"backend": "eager"}, {"backend": print}, {"disable": True}])
def test_any_other_stays(torch: Any, how: dict[str, Any]) -> None:
    assert torch.compile(**how) == how
    assert trace.refusals() == ()


def test_it_is_watched_once(torch: Any) -> None:
    watched = torch.compile
    watch_compile(torch)
    assert torch.compile is watched
