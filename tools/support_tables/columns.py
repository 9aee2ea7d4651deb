"""The files of a TSV folder, their columns, and which wheel speaks for which PyTorch version."""

from __future__ import annotations

from collections.abc import Iterable

from gpu2ascend_rules.model.versions import UnknownVersionError, Version, choose_version

from .tsv import Row, TsvError

CUDA = "torch.cuda"

COUNTERPARTS = "cuda-to-npu.tsv"
NAMES = "torch_npu-names.tsv"
OPERATORS = "aten-npu-ops.tsv"
ALIASES = "aliases.tsv"
PRIVATE = "private-apis.tsv"

SUPPORT_COLUMNS = (
    "api", "kind", "npu_name", "a2", "a3", "dt950", "status", "dtypes", "flags", "source", "hw_notes", "tags",
    "conflict",
)  # fmt: skip

WITHOUT_TORCH_NPU = Version(1, 5, 0)
"""torch itself is the NPU build; its support list alone says which names there are."""
WITHOUT_WHEEL = (Version(1, 8, 1), Version(1, 11, 0), Version(2, 0, 1))
"""Releases of torch_npu that no package index has; the oldest wheel speaks for them, less what they lack."""
OLDEST_WHEEL = Version(2, 1, 0)


def support_file(version: Version) -> str:
    """The name of the file with a version's support list."""
    return f"support-{version}.tsv"


def wheel_columns(columns: Iterable[str]) -> dict[Version, str]:
    """The columns that are named after wheels (``2.1.0.post17``) of supported versions, by the version.
    Raises TsvError: two columns are of one version."""
    found: dict[Version, str] = {}
    for column in columns:
        if not column[:1].isdigit():
            continue
        try:
            version = choose_version(column).version
        except UnknownVersionError:
            continue
        if version in found:
            raise TsvError(f"two wheels of PyTorch {version}: {found[version]} and {column}")
        found[version] = column
    return found


def versions_with_yes(row: Row, wheels: dict[Version, str]) -> tuple[Version, ...]:
    """The versions whose wheel column of a row says yes."""
    return tuple(version for version, column in wheels.items() if row[column] == "yes")
