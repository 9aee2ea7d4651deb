"""torch's own profiler knows no NPU before 2.13."""

from __future__ import annotations

from torch.profiler import ProfilerActivity

from ..._version import VERSION


def install() -> None:
    """Removes what the torch at hand adds by itself when the device gets its name."""
    if VERSION < (2, 13) and hasattr(ProfilerActivity, "NPU"):
        del ProfilerActivity.NPU
