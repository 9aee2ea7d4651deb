"""``torch.compile`` in a verified process: what compiles for an NPU is not here."""

from __future__ import annotations

import functools
import sys
from typing import Any

_NEEDS_THE_DEVICE = frozenset({"inductor", "npu", "npugraphs", "npugraph_ex", "cudagraphs"})
_INSTEAD = "aot_eager"
_KIND = "compiled"
_TRACE = "gpu2ascend_simulator.device.trace"


def watch_compile(torch: Any) -> None:
    """Have ``torch.compile`` use a back end without a compiler, and note it; again where it was replaced."""
    original = getattr(torch, "compile", None)
    if original is None or hasattr(original, "gpu2ascend_watched"):
        return

    @functools.wraps(original)
    def compile(*args: Any, **kwargs: Any) -> Any:
        backend = kwargs.get("backend", "inductor")
        if isinstance(backend, str) and backend in _NEEDS_THE_DEVICE and not kwargs.get("disable"):
            trace: Any = sys.modules.get(_TRACE)
            if trace is not None:
                trace.record_refusal(_KIND, "compile", backend)
            kwargs = {**kwargs, "backend": _INSTEAD, "mode": None, "options": None}
        return original(*args, **kwargs)

    vars(compile)["gpu2ascend_watched"] = True
    torch.compile = compile


def leave_alone(dynamo: Any) -> None:
    """Have Dynamo run the device's own functions as they are."""
    from torch._dynamo import trace_rules

    if hasattr(trace_rules, "add"):
        trace_rules.add("gpu2ascend_simulator")
