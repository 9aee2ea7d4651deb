"""The package that a migrated project receives in its top directory, for what its new framework lacks."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


class Home(NamedTuple):
    """Such a package, with one module of parts."""

    package: str
    module: str
    folder: Path
    """With the sources of the parts in ``parts``, and the texts of the package's README in ``readme``."""
    about: str
    """The docstring of the module."""
    package_about: str
    most_lines: int
    """Of a module: what does not fit goes into others beside it, which it imports from."""


NPU = Home(
    "ascend_function",
    "similar_api",
    Path(__file__).parents[1] / "similar",
    """Equivalents, in forward and backward, of APIs that torch_npu lacks in some releases.

Each has the signature of the API that it stands in for. README.md, beside this file, says how the package
is found.
""",
    "Equivalents of APIs that torch_npu lacks, put here by gpu2ascend; see README.md.",
    100_000,
)
