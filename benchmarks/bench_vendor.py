"""A whole migration beside one by the vendor's tool, msFmkTransplt, on the same projects in the same run.

``python benchmarks/bench_vendor.py PATH/TO/ms_fmk_transplt.py --python PYTHON`` prints for each project the
processor time of both commands, their ratio and how many lines each added or changed. The tool is not part of
this repository: it is published with MindStudio's training tools, and PYTHON must have what it imports
(pandas, libcst, jedi, prettytable, packaging).
"""

from __future__ import annotations

import argparse
import difflib
import shutil
import sys
import tempfile
from pathlib import Path

from corpus import python_files, unpacked
from measure import let_bytecode_be_kept, run_process

VERSION = "2.1.0"
"""The newest that both know."""
COMMAND = Path(sys.executable).with_name("gpu2ascend")
PROJECTS = (
    ("denoising-diffusion-pytorch==2.1.1", "denoising_diffusion_pytorch"),
    ("open-clip-torch==2.26.1", "open_clip_train"),
    ("yolov5==7.0.14", "yolov5"),
)


def lines_of(path: Path) -> list[str]:
    """The lines of a file; none of one that does not exist."""
    return path.read_text(encoding="utf-8").splitlines() if path.is_file() else []


def written_lines(source: Path, migrated: Path) -> int:
    """How many lines of Python a migration added or changed."""
    count = 0
    for path in python_files(migrated):
        before = lines_of(source / path.relative_to(migrated))
        changes = difflib.unified_diff(before, lines_of(path), n=0, lineterm="")
        count += sum(line.startswith("+") and not line.startswith("+++") for line in changes)
    return count


def measured(command: list[str], source: Path, scratch: Path) -> tuple[float, int]:
    """Seconds of processor time and written lines of one migration."""
    output = scratch / "output"
    output.mkdir()
    arguments = ["-i", str(source), "-o", str(output), "-v", VERSION]
    seconds = run_process([*command, *arguments], frozenset({0, 1})).processor_seconds
    lines = written_lines(source, output / f"{source.name}_msft")
    shutil.rmtree(output)
    return seconds, lines


def main() -> int:
    """Print a line for each project."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", type=Path, help="ms_fmk_transplt.py of the vendor's tool")
    parser.add_argument("--python", default=sys.executable, help="an interpreter with what that tool needs")
    parsed = parser.parse_args()
    let_bytecode_be_kept()
    ours = [str(COMMAND), "migrate", "--jobs", "1"]
    for requirement, package in PROJECTS:
        with tempfile.TemporaryDirectory() as scratch:
            source = Path(scratch, package)
            shutil.copytree(unpacked(requirement) / package, source)
            lines = sum(len(lines_of(path)) for path in python_files(source))
            (fast, few) = measured(ours, source, Path(scratch))
            (slow, many) = measured([parsed.python, str(parsed.tool)], source, Path(scratch))
        print(f"{requirement} ({lines} lines): {slow:.1f} s to {fast:.2f} s, {slow / fast:.0f} times; "
              f"lines written {many} to {few}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
