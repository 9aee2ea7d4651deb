"""The profiler."""

from .._implementation.profiling import profiler as _profiler
from .._surface import publish

publish(__name__, _profiler)
