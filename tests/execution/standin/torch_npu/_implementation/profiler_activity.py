"""torch's own profiler knows no NPU before 2.13."""

from torch.profiler import ProfilerActivity

from gpu2ascend_rules.model.versions import Version

from .._version import VERSION


def install():
    """Removes what the torch at hand adds by itself when the device gets its name."""
    if Version(2, 13) > VERSION and hasattr(ProfilerActivity, "NPU"):
        del ProfilerActivity.NPU
