"""Equivalents of APIs that the NPU lacks: where each stands in, and the package that a project gets.

New text says ``similar_api.Conv3d`` and imports ``from ascend_function import similar_api``. The module is
assembled from the parts that the project uses (``parts/``), which are data to the product: it has no torch.
"""

from __future__ import annotations

PACKAGE = "ascend_function"
"""The package that a migrated project receives, in its top directory."""
MODULE = "similar_api"
