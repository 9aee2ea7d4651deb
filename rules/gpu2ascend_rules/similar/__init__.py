"""Code that a project gets for what its new framework lacks, and the packages that hold it.

New text says ``similar_api.Conv3d`` and imports ``from ascend_function import similar_api``; for MindSpore
it says ``like_torch.DataLoader``. The module is assembled from the parts that the project uses, which are
data to the product: it has neither torch nor MindSpore.
"""

from __future__ import annotations

from typing import NamedTuple


class Home(NamedTuple):
    """The package that a migrated project receives in its top directory, with one module of parts."""

    package: str
    module: str
    parts: str
    """The folder with the sources of the parts; beside it, that with the texts of the package's README."""
    readme: str
    about: str
    """The docstring of the module."""
    package_about: str
    most_lines: int
    """Of a module: what does not fit goes into others beside it, which it imports from."""


NPU = Home(
    "ascend_function",
    "similar_api",
    "parts",
    "readme",
    """Equivalents, in forward and backward, of APIs that torch_npu lacks in some releases.

Each has the signature of the API that it stands in for. README.md, beside this file, says how the package
is found.
""",
    "Equivalents of APIs that torch_npu lacks, put here by gpu2ascend; see README.md.",
    100_000,
)
MINDSPORE = Home(
    "x2ms_helpers",
    "like_torch",
    "parts_mindspore",
    "readme_mindspore",
    "What the project uses of PyTorch's data and files, by MindSpore; see README.md, beside this file.",
    "What MindSpore has in another form, put here by gpu2ascend; see README.md.",
    200,
)
HOMES = (NPU, MINDSPORE)
PACKAGE, MODULE = NPU.package, NPU.module
"""Those of the equivalents for torch_npu."""
