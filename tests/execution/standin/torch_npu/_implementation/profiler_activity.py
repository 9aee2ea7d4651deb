"""torch's own profiler knows no NPU before 2.13."""

from gpu2ascend_rules.versions import Version
from torch.profiler import ProfilerActivity

from .._version import VERSION


def install():
    """Removes what the torch at hand adds by itself when the device gets its name."""
    if VERSION < Version(2, 13) and hasattr(ProfilerActivity, "NPU"):
        del ProfilerActivity.NPU
