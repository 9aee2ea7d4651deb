"""What the editor's index of a project costs: time and memory for 1,000 files."""

from __future__ import annotations

import ast
import gc
import shutil
import statistics
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from measure import interleaved

from gpu2ascend.project.files.writing.copying import MAX_BYTES
from gpu2ascend.project.index.facts.facts import ProjectFacts
from gpu2ascend.project.index.facts.file_facts import facts_below, facts_of_text
from gpu2ascend.project.index.facts.scan import facts_of_files, python_files
from gpu2ascend.project.index.indexed_files import IndexedFiles
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.program.kept import KeptPrograms

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
    yield from _of_link(project, paths, max(3, rounds // 2))
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


def _of_link(project: Path, paths: tuple[str, ...], rounds: int) -> Iterator[Figure]:
    """Following all words of a project beside parsing its files, and again after an edit of one."""
    options = options_from({"version": "2.8.0"})
    pair = interleaved(lambda: facts_below(project, MAX_BYTES), lambda: _parsed(project, paths), rounds)
    yield "summary of a project : ast.parse of its files", pair.ratio, 0.2, f"{len(paths)} files"
    facts = facts_below(project, MAX_BYTES)
    pair = interleaved(
        lambda: ProjectFiles(project, facts).program.decided(options), lambda: _parsed(project, paths), rounds
    )
    yield "link of a project : ast.parse of its files", pair.ratio, 0.3, f"{len(facts.with_words)} with words"
    words = sorted(facts.with_words)
    others = [path for path in paths if path not in facts.with_words]
    for what, edited, more, budget in (
        ("after an edit to which no word comes", others[len(others) // 2], "x = {}\n", 0.002),
        ("after an edit beside the code of a file with words", words[len(words) // 2], "# {}\n", 0.002),
        ("after an edit to which no question leads", words[len(words) // 2], "x = [{}]\n", 0.003),
        ("after an edit to which words lead", words[len(words) // 2], "x = ['cuda', {}]\n", 0.3),
    ):
        again = interleaved(_edits(project, facts, edited, more), lambda: _parsed(project, paths), rounds)
        yield f"... {what}", again.ratio, budget, f"{again.measured * 1e3:.1f} ms"


def _edits(project: Path, facts: ProjectFacts, edited: str, more: str) -> Callable[[], object]:
    """Makes another edit each time, and decides with what is kept of the state before, as the editor does."""
    options, kept, numbers = options_from({"version": "2.8.0"}), KeptPrograms(), count()
    text = (project / edited).read_text(encoding="utf-8")

    def edit() -> None:
        texts = {edited: text + more.format(next(numbers))}
        ProjectFiles(project, facts, texts, overlay=overlay).program.decided(options, kept)

    overlay = {edited: facts_of_text(edited, text + more.format(0))}
    edit()
    return edit


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
