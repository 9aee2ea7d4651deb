"""The tables of versions that ``gpu2ascend doctor`` compares a machine with, made from public documents.

    python -m tools.ground_tables COMPATIBILITY.en.md package_info.js

The first is a page of the repository Ascend/pytorch: which torch_npu needs which torch, CANN and Python.
The second is the list behind the quick-install page of Ascend/docs (``_static/package_info.js``): which
driver and firmware each CANN release is installed with. Run it again when they change, and look at what
changes in the tables.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

TABLES = Path(__file__).parents[1] / "server" / "gpu2ascend" / "doctor" / "tables"
_ROW = re.compile(r"^\|(.+)\|$", re.MULTILINE)
_RELEASE = re.compile(r"^\s{4}'([0-9][^']*)': \{(.*?)^\s{4}\},?$", re.MULTILINE | re.DOTALL)
_CHIP = re.compile(
    r"'(?P<chip>\w+)': \{\s*driver_version: '(?P<driver>[^']+)',\s*firmware_version: '(?P<firmware>[^']+)'"
)


def builds(page: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Of each build of torch_npu: its version, release, torch, CANN and Pythons, as the page has them."""
    rows = [[cell.strip() for cell in row.split("|")] for row in _ROW.findall(page)]
    pythons = {
        row[0].removeprefix("PyTorch "): ",".join(re.findall(r"3\.\d+", row[1]))
        for row in rows
        if len(row) == 2 and row[0].startswith("PyTorch ")
    }
    for row in rows:
        if len(row) == 4 and row[3].startswith("CANN ") and row[0][0].isdigit():
            build, branch, torch, cann = row
            release = re.sub(r"^v[0-9.]+-", "", branch)
            yield build.split()[0], release, torch, cann.removeprefix("CANN "), pythons.get(torch, "")


def drivers(script: str) -> Iterator[tuple[str, str, str, str]]:
    """Of each CANN release and chip: the driver and the firmware, as the list has them."""
    for release in _RELEASE.finditer(script):
        for chip in _CHIP.finditer(release[2]):
            yield release[1], chip["chip"], chip["driver"], chip["firmware"]


def write(path: Path, source: str, head: Sequence[str], rows: Iterator[Sequence[str]]) -> None:
    """Write a table."""
    lines = [f"# Made by tools/ground_tables.py from {source}.", "\t".join(head), *map("\t".join, rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def main(arguments: Sequence[str]) -> None:
    """Write both tables from the two documents."""
    page, script = (Path(argument).read_text(encoding="utf-8") for argument in arguments)
    head = ("torch_npu", "release", "torch", "cann", "python")
    write(TABLES / "builds.tsv", "COMPATIBILITY.en.md of Ascend/pytorch", head, builds(page))
    source = "_static/package_info.js of Ascend/docs"
    write(TABLES / "drivers.tsv", source, ("cann", "chip", "driver", "firmware"), drivers(script))


if __name__ == "__main__":
    main(sys.argv[1:])
