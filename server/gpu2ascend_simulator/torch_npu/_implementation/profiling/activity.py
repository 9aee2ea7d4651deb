"""torch's own profiler knows no NPU before 2.13."""

from __future__ import annotations

from torch.profiler import ProfilerActivity

from ..._version import VERSION


def install() -> None:
    """Has the torch at hand know the NPU where that of the release does, and nowhere else."""
    knows: bool = hasattr(ProfilerActivity, "NPU")
    if VERSION < (2, 13) and knows:
        del ProfilerActivity.NPU
    elif VERSION >= (2, 13) and not knows:
        ProfilerActivity.NPU = ProfilerActivity.PrivateUse1
