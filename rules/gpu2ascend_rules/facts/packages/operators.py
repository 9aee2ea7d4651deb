"""CUDA operators, and what takes their place on the NPU: one table, asked by the name of the operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from ...data import load_tsv
from ...model.versions import Version

_RENAMED = "-"
_PACKAGES = {"mx_driving": "mx-driving"}
"""The package on the index, by the module of its operators."""


class Operator(NamedTuple):
    """An operator that runs CUDA kernels, or several that one row of the table is about."""

    libraries: tuple[str, ...]
    """The modules that it is of; none for a function of extensions that projects compile themselves."""
    names: tuple[str, ...]
    """The last parts of its name."""
    instead: str
    """The qualified name of what takes its place; empty where nothing does."""
    signature: str
    """The parameters of that."""
    differs: tuple[tuple[str, str], ...]
    """How the two differ: codes, each with a text that it is about, or without."""
    limits: str
    """What the new operator takes, as formulas; empty where nothing is documented."""
    otherwise: str
    """An expression of plain torch that does the same; empty where none is known."""
    parameters: str
    """Those of the operator, where an unsafe fix writes a call; ``-`` for a rename."""
    target: str
    """The new call over these parameters; empty where a person must write it."""
    built: tuple[str, ...]
    """The branches of mmcv whose own build for the NPU has the operator."""
    extension: tuple[str, ...]
    """The functions of mmcv's extension that it calls."""
    own_rule: str
    """The rule that reports its calls, where it is another than the one for all operators."""
    since: str
    """The first release that has the new operator."""
    source: str

    @property
    def module(self) -> str:
        """The module that has what takes its place."""
        return self.instead.partition(".")[0]

    @property
    def is_renamed(self) -> bool:
        """Whether the new name has the same meaning, called or not."""
        return bool(self.target) and self.parameters == _RENAMED

    @property
    def keeps_names(self) -> bool:
        """Whether the new operator takes arguments by the names that the old one has for them."""
        return self.instead.rpartition(".")[2][:1].isupper()

    @property
    def dropped(self) -> frozenset[str]:
        """The parameters that the new operator does without."""
        texts = (text for code, text in self.differs if code == "drop")
        return frozenset(name.strip() for text in texts for name in text.split(","))

    @property
    def is_of_same_library(self) -> bool:
        """Whether the library itself has the new name."""
        return self.is_renamed and self.libraries[0].partition(".")[0] == self.module


class Release(NamedTuple):
    """What is known of a package's releases for a version of PyTorch."""

    package: str
    newest: str
    """The newest release for that version; empty where there is none."""
    versions: tuple[Version, ...]
    """The versions for which there is one."""


@cache
def operators() -> tuple[Operator, ...]:
    """All rows of the table."""
    return tuple(map(_read, load_tsv("cuda_operators")))


@lru_cache(maxsize=2048)
def operator_named(name: str) -> Operator | None:
    """The operator of a qualified name: ``mmcv.ops.DeformConv2d``, ``.bev_pool_ext.bev_pool_forward``."""
    parts = [part for part in name.split(".") if part]
    for tail in (".".join(parts[-2:]), parts[-1] if parts else ""):
        rows = _by_tail().get(tail, ())
        for row in sorted(rows, key=lambda item: not item.libraries):
            if not row.libraries or any(_is_below(name, parts, library) for library in row.libraries):
                return row
    return None


def operators_of(library: str) -> Iterator[Operator]:
    """The operators of a library, by the name of its module."""
    return (row for row in operators() if any(item.partition(".")[0] == library for item in row.libraries))


@cache
def operator_of_extension(function: str) -> Operator | None:
    """The operator of mmcv that calls a function of its extension."""
    return next((row for row in operators() if function in row.extension), None)


@cache
def libraries() -> frozenset[str]:
    """The modules at the top of the libraries that have operators in the table."""
    return frozenset(library.partition(".")[0] for row in operators() for library in row.libraries)


@cache
def release_for(module: str, version: Version) -> Release | None:
    """The releases of the package of a module; None for a module that is no package with operators."""
    package = _PACKAGES.get(module)
    rows = [row for row in load_tsv("operator_builds") if row["package"] == package]
    if not rows:
        return None
    versions = {item for row in rows for item in row["torch"].split()}
    fitting = [row["release"] for row in rows if str(version) in row["torch"].split()]
    known = sorted(Version(*map(int, item.split("."))) for item in versions)
    return Release(rows[0]["package"], max(fitting, default=""), tuple(known))


def _is_below(name: str, parts: list[str], library: str) -> bool:
    return name.startswith(f"{library}.") if "." in library else library in parts[:-1]


@cache
def _by_tail() -> Mapping[str, tuple[Operator, ...]]:
    found: dict[str, tuple[Operator, ...]] = {}
    for row in operators():
        for name in row.names:
            found[name] = (*found.get(name, ()), row)
    return found


def _read(row: Mapping[str, str]) -> Operator:
    codes = (item.partition(":") for item in row["differs"].split("; ") if item)
    return Operator(
        tuple(row["library"].split()),
        tuple(row["names"].split()),
        row["instead"],
        row["signature"],
        tuple((code, text) for code, _, text in codes),
        row["limits"],
        row["otherwise"],
        row["parameters"],
        row["target"],
        tuple(row["built"].split()),
        tuple(row["extension"].split()),
        row["told"],
        row["since"],
        row["source"],
    )
