"""The profiler."""

from .._implementation import profiling
from .._surface import publish

publish(__name__, profiling)
