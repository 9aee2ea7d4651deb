"""Which names the releases of torch_npu lack that no package index has as a wheel.

The oldest wheel speaks for them: what it has, they have. But it is a later build than the last of those
releases, so three kinds of names are left out:

* what the version's own support list calls unsupported;
* what stands for a name of ``torch.cuda`` that is newer than the version: no list up to the version's has it,
  and a later one does;
* what an older build of the oldest wheel, or the history of the source, shows to be newer
  (``sources/lacking.tsv``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from gpu2ascend_rules.facts.names.npu_names import NAMESPACE
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version

from .additions import lacking_in
from .columns import ALIASES, CUDA, support_file
from .tsv import read_rows


class CudaLists:
    """What the support lists of all versions say of the names below ``torch.cuda``."""

    def __init__(self, folder: Path, counterparts: Mapping[str, str]) -> None:
        """``counterparts`` gives the NPU name of a name below ``torch.cuda``, where there is one."""
        self._folder = folder
        self._counterparts = counterparts
        self._same = _same_objects(folder)
        self._statuses = cache(self._read_statuses)

    def lacking(self, version: Version) -> frozenset[str]:
        """The NPU names that a release without a wheel lacks."""
        statuses = self._statuses(version)
        names = {api for api, status in statuses.items() if status == "unsupported"}
        names |= self._newer_than(version)
        return frozenset(self._npu_names(names)) | lacking_in(version)

    def _newer_than(self, version: Version) -> set[str]:
        known = {api for v in SUPPORTED_VERSIONS if v <= version for api in self._statuses(v)}
        later = {api for v in SUPPORTED_VERSIONS if v > version for api in self._statuses(v)}
        return later - known

    def _npu_names(self, apis: Iterable[str]) -> Iterator[str]:
        for name in apis:
            for api in (name, *self._same.get(name, ())):
                yield self._counterparts.get(api) or NAMESPACE + api.removeprefix(CUDA)

    def _read_statuses(self, version: Version) -> dict[str, str]:
        rows = read_rows(self._folder / support_file(version))
        return {row["api"]: row["status"] for row in rows if row["api"].startswith(f"{CUDA}.")}


def _same_objects(folder: Path) -> dict[str, list[str]]:
    same: dict[str, list[str]] = {}
    for row in read_rows(folder / ALIASES):
        if row["alias"].startswith(f"{CUDA}.") and row["documented_api"].startswith(f"{CUDA}."):
            same.setdefault(row["documented_api"], []).append(row["alias"])
            same.setdefault(row["alias"], []).append(row["documented_api"])
    return same
