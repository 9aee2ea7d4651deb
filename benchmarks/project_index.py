"""What the editor's index of a project costs: time and memory for 1,000 files."""

from __future__ import annotations

import ast
import gc
import shutil
import statistics
import tracemalloc
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from measure import interleaved

from gpu2ascend.project.index.facts.scan import facts_of_files, python_files
from gpu2ascend.project.index.indexed_files import IndexedFiles

FILES = 1_000
Figure = tuple[str, float, float | None, str]


def figures(package: Path, scratch: Path, rounds: int) -> Iterator[Figure]:
    """Building the index beside parsing the same files, and what is kept of them."""
    project = _project(package, scratch)
    paths = python_files(project).paths
    pair = interleaved(lambda: _built(project), lambda: _parsed(project, paths), max(3, rounds // 2))
    milliseconds = (f"{seconds * 1e6 / len(paths):.0f} ms" for seconds in pair)
    yield (
        "index of a project : ast.parse of its files",
        pair.ratio,
        0.25,
        " to ".join(milliseconds) + " per 1,000 files",
    )
    size = statistics.median(_kept_bytes(project) for _ in range(3)) / len(paths)
    yield "memory of the index, MiB per 1,000 files", size * 1000 / 2**20, 1.0, f"{len(paths)} files"


def _project(package: Path, scratch: Path) -> Path:
    """A project of at least 1,000 files: a package several times over."""
    project = scratch / "indexed"
    for number in count():
        shutil.copytree(package, project / f"part_{number}")
        if len(python_files(project).paths) >= FILES:
            return project
    raise AssertionError("a count does not end")


def _built(project: Path) -> IndexedFiles:
    """The index, by the steps that the background process and the server take."""
    index = IndexedFiles()
    paths = python_files(project).paths
    for path, facts in zip(paths, facts_of_files(project, paths), strict=True):
        if facts is not None:
            index.put(path, facts)
    return index


def _parsed(project: Path, paths: tuple[str, ...]) -> None:
    for path in paths:
        ast.parse((project / path).read_bytes())


def _kept_bytes(project: Path) -> int:
    """What an index holds in memory once it is built."""
    gc.collect()
    tracemalloc.start()
    try:
        index = _built(project)
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
        assert len(index)
        return held
    finally:
        tracemalloc.stop()
