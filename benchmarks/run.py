"""Measure what gpu2ascend promises about its speed, as ratios to things every Python user knows.

``make bench`` prints a table of each ratio beside its budget; ``--markdown`` prints it for
docs/benchmarks.md; with ``--strict`` a budget that is exceeded is a failure.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import growth
import keys
import language_server
import migrations
import project_index
import requests_aside
import shell_scripts
import simulated_device
from corpus import OTHER_PACKAGES, TORCH_PACKAGES, python_files, unpacked
from measure import interleaved, let_bytecode_be_kept, run_process

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.engine.prefilter import may_concern
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

VERSION = "2.8.0"
MIN_FILE_SIZE = 2_000
"""Bytes below which a file says more about call overhead than about work, and is left out."""
FILES_PER_CASE = 40
COMMAND = Path(sys.executable).with_name("gpu2ascend")
CHECKED_LINES = 100_000
PARSE = """
import ast, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_bytes())
"""


class Result(NamedTuple):
    """One line of the table."""

    what: str
    ratio: float
    budget: float | None
    detail: str

    @property
    def verdict(self) -> str:
        """Whether it keeps its budget; nothing for a figure without one."""
        if self.budget is None:
            return ""
        return "within" if self.ratio <= self.budget else "OVER"


def check_one_file(sources: list[Path], what: str, budget: float, rounds: int) -> Result:
    """Checking a file against parsing it with ``ast``: the median of the files' ratios."""
    options = options_from({"version": VERSION})
    ratios: list[float] = []
    for path in sources:
        text = path.read_text(encoding="utf-8")
        pair = interleaved(
            lambda text=text, name=str(path): check(SourceFile(text, name), options),
            lambda text=text: ast.parse(text),
            rounds,
        )
        ratios.append(pair.ratio)
    ninth = statistics.quantiles(ratios, n=10)[-1] if len(ratios) > 1 else ratios[0]
    return Result(
        what, statistics.median(ratios), budget, f"{len(ratios)} files; 90th percentile {ninth:.3g}"
    )


def spread(paths: list[Path], count: int) -> list[Path]:
    """At most ``count`` of the files, evenly over their sizes."""
    by_size = sorted(paths, key=lambda path: (path.stat().st_size, path))
    step = max(1, len(by_size) // count)
    return by_size[::step][:count]


def split_corpus(folders: list[Path]) -> tuple[list[Path], list[Path]]:
    """The files of a corpus that some rule may concern, and the others."""
    concerned: list[Path] = []
    others: list[Path] = []
    for folder in folders:
        for path in python_files(folder):
            data = path.read_bytes()
            if len(data) >= MIN_FILE_SIZE:
                (concerned if may_concern(data) else others).append(path)
    return concerned, others


def start_up(rounds: int) -> Result:
    """``gpu2ascend --version`` against the smallest Python program."""
    pair = interleaved(
        lambda: run_process([str(COMMAND), "--version"]),
        lambda: run_process([sys.executable, "-c", "pass"]),
        rounds,
        time.perf_counter,
    )
    detail = f"{pair.measured * 1000:.0f} ms to {pair.reference * 1000:.0f} ms"
    return Result("gpu2ascend --version : python -c pass", pair.ratio, 3.0, detail)


def check_project(folders: Sequence[Path], scratch: Path, rounds: int) -> Iterator[Result]:
    """``check --jobs 1`` of 100,000 lines less that of two lines, beside ``ast.parse`` of the same files less
    the start of Python; and what two lines take; by processor time."""
    project, one_line = scratch / "checked", scratch / "one_line"
    count = 0
    for number in itertools.count():
        if count >= CHECKED_LINES:
            break
        folder = folders[number % len(folders)]
        shutil.copytree(folder, project / f"part_{number}")
        count += sum(path.read_bytes().count(b"\n") for path in python_files(folder))
    one_line.mkdir()
    (one_line / "a.py").write_text("import torch\ntorch.ones(2).cuda()\n", encoding="utf-8")
    commands = {
        "check": [str(COMMAND), "check", "--jobs", "1", "-v", VERSION, str(project)],
        "start": [str(COMMAND), "check", "--jobs", "1", "-v", VERSION, str(one_line)],
        "parse": [sys.executable, "-c", PARSE, str(project)],
        "python": [sys.executable, "-c", "import ast, pathlib, sys"],
        "pass": [sys.executable, "-c", "pass"],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds + 1):
        for name, command in commands.items():
            seconds[name].append(run_process(command, frozenset({0, 1})).processor_seconds)
    fastest = {name: min(found[1:]) for name, found in seconds.items()}  # the first writes bytecode
    ours, theirs = fastest["check"] - fastest["start"], fastest["parse"] - fastest["python"]
    detail = f"{ours:.2f} s to {theirs:.2f} s, {count} lines; the start takes {fastest['start']:.2f} s"
    yield Result("check --jobs 1 less its start : ast.parse", ours / theirs, 1.5, detail)
    detail = f"{fastest['start']:.2f} s to {fastest['pass']:.2f} s"
    more = fastest["start"] - fastest["pass"]
    yield Result("check of two lines, seconds more than python -c pass", more, 0.25, detail)


def command_line(
    torch_files: list[Path], others: list[Path], folders: Sequence[Path], rounds: int
) -> Iterator[Result]:
    """The figures of checking and migrating."""
    yield check_one_file(spread(torch_files, FILES_PER_CASE), "check a torch file : ast.parse", 1.2, rounds)
    yield check_one_file(
        spread(others, FILES_PER_CASE), "check a file without a trigger word : ast.parse", 0.05, rounds
    )
    yield start_up(rounds * 3)
    with tempfile.TemporaryDirectory() as scratch:
        yield from check_project(folders[: len(TORCH_PACKAGES)], Path(scratch), max(3, rounds // 2))
        for figure in migrations.figures(folders[0], Path(scratch), max(3, rounds // 2)):
            yield Result(*figure)


def simulated_step() -> Result:
    """A step of a small network on the simulated device beside the same step on the CPU."""
    cost = simulated_device.step_cost()
    what = "step of a small CNN on the simulated device : CPU"
    return Result(what, cost.ratio, cost.budget, f"{cost.cpu:.1f} ms to {cost.device:.1f} ms")


def results(rounds: int, *, server_only: bool = False) -> Iterator[Result]:
    """Every figure, as it is measured."""
    folders = [unpacked(requirement) for requirement in (*TORCH_PACKAGES, *OTHER_PACKAGES)]
    concerned, others = split_corpus(folders)
    torch_files = [path for path in concerned if b"import torch" in path.read_bytes()]
    if not server_only:
        yield from command_line(torch_files, others, folders, rounds)
        for figure in (*growth.figures(rounds), *shell_scripts.figures(rounds)):
            yield Result(*figure)
        if simulated_device.has_torch():
            yield simulated_step()
    for figure in keys.figures(torch_files):
        yield Result(*figure)
    with tempfile.TemporaryDirectory() as scratch:
        for figure in project_index.figures(folders[0], Path(scratch), rounds):
            yield Result(*figure)
        for figure in language_server.figures(torch_files, Path(scratch), rounds):
            yield Result(*figure)
        for figure in requests_aside.figures(torch_files, Path(scratch)):
            yield Result(*figure)


def as_markdown(result: Result) -> str:
    """A row of the table in docs/benchmarks.md."""
    budget = "" if result.budget is None else f"{result.budget:g}"
    return f"| {result.what} | {result.ratio:.3g} | {budget} | {result.detail} |"


def as_text(result: Result) -> str:
    """A line for the terminal."""
    budget = "" if result.budget is None else f"budget {result.budget:g}"
    return f"{result.what:<48} {result.ratio:>8.3g}  {budget:<12} {result.verdict:<7} {result.detail}"


def main() -> int:
    """Print the table; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="repetitions of each pair (default 7)")
    parser.add_argument("--markdown", action="store_true", help="print the table for docs/benchmarks.md")
    parser.add_argument("--server", action="store_true", help="the language server's figures only")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a budget is exceeded")
    arguments = parser.parse_args()
    let_bytecode_be_kept()

    corpus = ", ".join((*TORCH_PACKAGES, *OTHER_PACKAGES))
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; corpus: {corpus}\n", flush=True)
    if arguments.markdown:
        print("| what | ratio | budget | |\n|---|---|---|---|")
    budgets, over = 0, list[str]()
    for result in results(arguments.rounds, server_only=arguments.server):
        budgets += result.budget is not None
        over += [result.what] if result.verdict == "OVER" else []
        print(as_markdown(result) if arguments.markdown else as_text(result), flush=True)
    print(f"\n{len(over)} of {budgets} budgets are exceeded{': ' if over else ''}{'; '.join(over)}")
    return 1 if over and arguments.strict else 0


if __name__ == "__main__":
    sys.exit(main())
