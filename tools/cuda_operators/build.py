"""Joins what is read of operators with the collected facts, the wheels and mmcv's sources."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .wheels import Build, read_build

READINGS = Path(__file__).parent / "operators.tsv"
TABLES = Path(__file__).parents[2] / "rules" / "gpu2ascend_rules" / "data"
COLUMNS = (
    "library", "names", "instead", "signature", "differs", "limits", "otherwise", "parameters", "target",
    "extension", "built", "told", "since", "source",
)  # fmt: skip
_HEAD = (
    "# CUDA operators and what takes their place on the NPU. Made by `python -m tools.cuda_operators`,\n"
    "# whose operators.tsv explains the columns; not edited by hand. `built`: the branches of mmcv that\n"
    "# have an NPU implementation of it.\n"
)
_BUILDS_HEAD = (
    "# Releases of packages with NPU operators, and the versions of PyTorch that they are for. Made by\n"
    "# `python -m tools.cuda_operators` from the wheels; not edited by hand.\n"
)
_SINCE = re.compile(r"\bv?\d+\.\d+[\w.-]*")
_REGISTERED = re.compile(r"REGISTER_NPU_IMPL\((\w+)")
_IN_PYTHON = frozenset(
    {"deform_conv_forward", "modulated_deform_conv_forward", "masked_im2col_forward", "nms_rotated"}
)
"""What mmcv implements for the NPU beside its table of implementations: in Python, or behind a macro."""
_BRANCHES = {"1.x": "1.x", "main": "2.x"}
Row = dict[str, str]


class SourceError(ValueError):
    """A row says what a source does not."""


def read_rows(path: Path) -> list[Row]:
    """The rows of a table, by column; lines that begin with ``#`` are comments."""
    with path.open(encoding="utf-8", newline="") as stream:
        lines = (line for line in stream if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def tables(facts: Path, mmcv: Path, wheels: Iterable[Path]) -> dict[str, str]:
    """The texts of the tables, by name. Raises SourceError: an operator is in no wheel, or has no source."""
    builds = [read_build(path) for path in wheels]
    collected = read_rows(facts)
    built = {name: _registered(mmcv, branch) for branch, name in _BRANCHES.items()}
    rows = [_row(reading, collected, builds, built) for reading in read_rows(READINGS)]
    made = ([*map(row.__getitem__, COLUMNS)] for row in rows)
    releases = ([item.package, item.release, " ".join(item.torch)] for item in builds)
    return {
        "cuda_operators": _HEAD + _text(COLUMNS, made),
        "operator_builds": _BUILDS_HEAD + _text(("package", "release", "torch"), sorted(releases)),
    }


def _row(reading: Row, collected: list[Row], builds: list[Build], built: dict[str, frozenset[str]]) -> Row:
    row = {**dict.fromkeys(COLUMNS, ""), **reading}
    package, _, name = row["instead"].rpartition(".")
    known = [item for item in collected if row["instead"] and row["instead"] in item["npu_api"]]
    if package == "mx_driving":
        row["signature"] = _signature(name, builds)
    elif known:
        row["signature"] = known[0]["signature"].partition("(")[2].partition(")")[0]
    if known:
        found = _SINCE.search(known[0]["since"])
        row["since"] = row["since"] or (found[0] if found else "")
        row["source"] = row["source"] or known[0]["evidence"]
    if row["extension"]:
        functions = row["extension"].split()
        row["built"] = " ".join(name for name, has in built.items() if functions[0] in has)
        row["source"] = row["source"] or "open-mmlab/mmcv mmcv/ops/csrc/pytorch/npu"
    row["source"] = row["source"] or _source_of_library(row, collected)
    return row


def _signature(name: str, builds: list[Build]) -> str:
    """The parameters of an operator of mx_driving."""
    signatures = {build.signatures.get(name) for build in builds}
    (found,) = signatures if len(signatures) == 1 else (None,)
    if found is None:
        raise SourceError(f"mx_driving.{name} is not in every wheel, or not with the same parameters")
    return found


def _source_of_library(row: Row, collected: list[Row]) -> str:
    """Where it is said that a library has no counterpart."""
    for item in collected:
        if item["source_library"] in row["library"].split() and item["npu_package"] in ("none", "torch"):
            return item["evidence"]
    for item in collected:
        if any(name in item["source_api"] for name in row["names"].split()):
            return item["evidence"]
    raise SourceError(f"{row['names']} has no source")


def _registered(mmcv: Path, branch: str) -> frozenset[str]:
    """The functions of mmcv's extension with an NPU implementation in a branch."""
    grep = ["grep", "-hE", "REGISTER_NPU_IMPL", branch, "--", "mmcv/ops/csrc/pytorch/npu"]
    command = ["git", "-C", str(mmcv), *grep]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = (name.removesuffix("_impl").replace("_impl_", "_") for name in _REGISTERED.findall(found))
    return frozenset(names) | _IN_PYTHON


def _text(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    return "".join("\t".join(cells) + "\n" for cells in ([*columns], *rows))
