"""Packages that need CUDA, by their names on the package index."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ...data import load_tsv


class CudaPackage(NamedTuple):
    """What becomes of a package that needs CUDA."""

    treatment: str
    """``drop``, ``build``, ``replace`` or ``ask``; the table says what each means."""
    replacement: str
    advice: str


@lru_cache(maxsize=1024)
def cuda_package(name: str) -> CudaPackage | None:
    """The table's entry for a package, by its canonical name; None for one that is not listed."""
    best, longest = None, -1
    for row in load_tsv("cuda_packages"):
        pattern = row["package"]
        is_prefix = pattern.endswith("*")
        matches = name.startswith(pattern[:-1]) if is_prefix else name == pattern
        weight = len(pattern) + (0 if is_prefix else 1000)
        if matches and weight > longest:
            best, longest = (
                CudaPackage(row["treatment"], row["replacement"] or "", row["advice"] or ""),
                weight,
            )
    return best
