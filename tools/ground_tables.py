"""The tables of the versions that belong together, made from public documents.

    python -m tools.ground_tables COMPATIBILITY.en.md package_info.js torch-npu.html

The first is a page of the repository Ascend/pytorch: which torch_npu needs which torch, CANN and Python.
The second is the list behind the quick-install page of Ascend/docs (``_static/package_info.js``): which
driver and firmware each CANN release is installed with. The third is the page of torch-npu in the package
index (https://pypi.org/simple/torch-npu/): its names of wheels. Run it again when they change, and look at
what changes in the tables.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

TOP = Path(__file__).parents[1]
BUILDS = TOP / "rules" / "gpu2ascend_rules" / "data" / "torch_npu_builds.tsv"
DRIVERS = TOP / "server" / "gpu2ascend" / "doctor" / "tables" / "drivers.tsv"
_ROW = re.compile(r"^\|(.+)\|$", re.MULTILINE)
_PYTHON = re.compile(r"(?<![=.\d])3\.\d+")
_RELEASE = re.compile(r"^\s{4}'([0-9][^']*)': \{(.*?)^\s{4}\},?$", re.MULTILINE | re.DOTALL)
_CHIP = re.compile(
    r"'(?P<chip>\w+)': \{\s*driver_version: '(?P<driver>[^']+)',\s*firmware_version: '(?P<firmware>[^']+)'"
)


class Documented(NamedTuple):
    """A build of torch_npu, as the page has it."""

    release: str
    """Of torch_npu as a product: ``26.0.0``."""
    torch: str
    cann: str


def documented(page: str) -> tuple[dict[str, Documented], dict[str, str]]:
    """The builds of a page by their versions, and the Pythons by the version of torch."""
    rows = [[cell.strip() for cell in row.split("|")] for row in _ROW.findall(page)]
    pythons = {
        row[0].removeprefix("PyTorch").strip(): ",".join(
            dict.fromkeys(re.findall(r"(?<![=.\d])3\.\d+", row[1]))
        )
        for row in rows
        if len(row) == 2 and row[0].startswith("PyTorch")
    }
    known = {}
    for row in rows:
        if len(row) == 4 and row[3].startswith("CANN ") and row[0][0].isdigit():
            build, branch, torch, cann = row
            release = re.sub(r"^v[0-9.]+-", "", branch)
            torch = torch if build.startswith(torch) else Version(build.split()[0]).base_version  # a slip
            known[build.split()[0]] = Documented(release, torch, cann.removeprefix("CANN "))
    return known, pythons


def wheels(index: str) -> dict[str, str]:
    """The Pythons of the wheels of each final build on a page of a package index, by the build's version."""
    found: dict[str, set[tuple[int, int]]] = {}
    for name in re.findall(r">([^<>]+\.whl)</a>", index):
        try:
            _, version, _, tags = parse_wheel_filename(name)
        except InvalidWheelFilename:
            continue
        if not version.is_prerelease:
            pythons = found.setdefault(str(version), set())
            pythons.update((3, int(tag.interpreter.removeprefix("cp3"))) for tag in tags)
    return {
        build: ",".join(f"{major}.{minor}" for major, minor in sorted(pythons))
        for build, pythons in found.items()
    }


def builds(page: str, index: str) -> Iterator[tuple[str, ...]]:
    """Each build of torch_npu, the newest first: of what is in neither document, the cell is empty."""
    known, pythons = documented(page)
    on_index = wheels(index)
    for build in sorted({*known, *on_index}, key=Version, reverse=True):
        row = known.get(build) or Documented("", Version(build).base_version, "")
        python = on_index.get(build) or pythons.get(row.torch, "")
        yield build, row.release, row.torch, row.cann, python, "yes" if build in on_index else "no"


_RELEASE_NOTES = (
    ("9.1", "910b", "25.2.rc1", ""),
    ("9.0", "910b", "25.0.rc1", ""),
    ("8.5", "910b", "25.0.rc1", ""),
    ("8.3.RC1", "910b", "25.0.rc1", ""),
)
"""The oldest driver that the release notes of CANN 8.5.0, 9.1.0 and 9.1.1 call compatible; 8.3.RC1 is
installed with 25.3.RC1 and has no such statement, so that of the newer 8.5.0 bounds it."""


def drivers(script: str) -> Iterator[tuple[str, str, str, str]]:
    """Of each CANN release and chip: the driver and the firmware, as the list has them."""
    yield from _RELEASE_NOTES
    for release in _RELEASE.finditer(script):
        for chip in _CHIP.finditer(release[2]):
            yield release[1], chip["chip"], chip["driver"], chip["firmware"]


def write(path: Path, source: str, head: Sequence[str], rows: Iterator[Sequence[str]]) -> None:
    """Write a table."""
    lines = [f"# Made by tools/ground_tables.py from {source}.", "\t".join(head), *map("\t".join, rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def main(arguments: Sequence[str]) -> None:
    """Write both tables from the three documents."""
    page, script, index = (Path(argument).read_text(encoding="utf-8") for argument in arguments)
    head = ("torch_npu", "release", "torch", "cann", "python", "on_pypi")
    source = "COMPATIBILITY.en.md of Ascend/pytorch and the package index; what is empty is not stated there"
    write(BUILDS, source, head, builds(page, index))
    source = "_static/package_info.js of Ascend/docs and the release notes of CANN (see there)"
    write(DRIVERS, source, ("cann", "chip", "driver", "firmware"), drivers(script))


if __name__ == "__main__":
    main(sys.argv[1:])
