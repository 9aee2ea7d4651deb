"""What we know beside the collected files, each fact with its public source: ``sources/*.tsv``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, Version, choose_version

from .tsv import read_rows

_FOLDER = Path(__file__).parent / "sources"


class Addition(NamedTuple):
    """A name that torch_npu has, or a name of ``torch.cuda`` with what stands for it."""

    cuda_name: str
    npu_name: str
    kind: str
    relation: str
    versions: tuple[Version, ...]


@cache
def additions() -> tuple[Addition, ...]:
    """Names that the collected files lack."""
    return tuple(
        Addition(row["cuda_name"], row["npu_name"], row["kind"], row["relation"], _versions(row["versions"]))
        for row in read_rows(_FOLDER / "additions.tsv")
    )


@cache
def lacking_in(version: Version) -> frozenset[str]:
    """Names of torch_npu that a release of which there is no wheel has not."""
    rows = read_rows(_FOLDER / "lacking.tsv")
    return frozenset(row["npu_name"] for row in rows if version in _versions(row["versions"]))


def _versions(text: str) -> tuple[Version, ...]:
    """Versions and ranges between commas: ``2.1.0``, ``2.1.0-2.5.1``, ``2.6.0-`` (and later)."""
    return tuple(version for part in text.split(",") if part for version in _range(part))


def _range(text: str) -> Iterable[Version]:
    first, dash, last = text.partition("-")
    low = choose_version(first).version
    high = choose_version(last).version if last else (NEWEST if dash else low)
    return (version for version in SUPPORTED_VERSIONS if low <= version <= high)
