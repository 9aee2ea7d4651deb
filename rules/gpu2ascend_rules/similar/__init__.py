"""Code that a project gets for what its new framework lacks, and the packages that hold it.

New text says ``similar_api.Conv3d`` and imports ``from ascend_function import similar_api``. The module is
assembled from the parts that the project uses, which are data to the product: it has no framework.
"""

from __future__ import annotations

from ..targets.helpers import NPU

PACKAGE, MODULE = NPU.package, NPU.module
"""Those of the equivalents for torch_npu."""
