"""Facts that the collected files lack, each with its public source: ``sources/additions.tsv``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...versions import SUPPORTED_VERSIONS, Version, choose_version
from .tsv import read_rows

FILE = Path(__file__).parent / "sources" / "additions.tsv"


class Addition(NamedTuple):
    """A name of torch_npu, or of ``torch.cuda`` with what stands for it."""

    cuda_name: str
    npu_name: str
    kind: str
    relation: str
    versions: tuple[Version, ...]


@cache
def read_additions() -> tuple[Addition, ...]:
    """Every addition."""
    return tuple(
        Addition(row["cuda_name"], row["npu_name"], row["kind"], row["relation"], _versions(row["versions"]))
        for row in read_rows(FILE)
    )


def _versions(text: str) -> tuple[Version, ...]:
    """``2.1.0-2.13.0`` or ``2.6.0-`` (and later) or one version; empty for none."""
    if not text:
        return ()
    first, dash, last = text.partition("-")
    low = choose_version(first).version
    high = choose_version(last).version if last else (SUPPORTED_VERSIONS[-1] if dash else low)
    return tuple(version for version in SUPPORTED_VERSIONS if low <= version <= high)
