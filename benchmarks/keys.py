"""What a key costs in a file of some length: a parse from the version before, and a check; processor time."""

from __future__ import annotations

import ast
import gc
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from editing_session import TYPED
from language_server import TRAIN, VERSION, lines_of, percentile
from tree_sitter import Point

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.limits.checkpoints import time_limit
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

LINES = (1_800, 11_000)
BUDGET = 1.5
PARSES = 15
Figure = tuple[str, float, float | None, str]


def figures(torch_files: Sequence[Path]) -> Iterator[Figure]:
    """The keys of the session, 95 times in 100, in the middle of real code of these lengths."""
    by_size = sorted(torch_files, key=lambda path: path.stat().st_size)
    for lines in LINES:
        text = long_text(by_size, lines)
        seconds, parse = _typed(text)
        ratio = percentile(seconds, 95) / parse
        median = statistics.median(seconds) / parse
        detail = f"median {median:.3g}; a parse takes {parse * 1000:.0f} ms; {len(seconds)} keys"
        yield f"a key in {lines} lines, p95 : ast.parse", ratio, BUDGET, detail


def long_text(sources: Sequence[Path], lines: int) -> str:
    """About so many lines of real code, the longest files first, with code for CUDA at the end."""
    last = TRAIN.read_text(encoding="utf-8")
    parts: list[str] = []
    left = lines - last.count("\n")
    for path in reversed(sources):
        parts.append(lines_of(path, min(left, path.read_text(encoding="utf-8").count("\n"))))
        left -= parts[-1].count("\n")
        if left < lines // 20:
            break
    return "".join(parts) + last


def _typed(text: str) -> tuple[list[float], float]:
    """The seconds of every key, and the median of a parse between them."""
    options = options_from({"version": VERSION})
    source = SourceFile(text)
    check(source, options)
    at = sum(map(len, text.splitlines(keepends=True)[: text.count("\n") // 2]))
    keys: list[float] = []
    parses: list[float] = []
    gc.disable()
    try:
        for number, key in enumerate(TYPED):
            start = time.process_time()
            source = typed(source, at + number, key)
            with time_limit():
                check(source, options)
            keys.append(time.process_time() - start)
            if number % PARSES == 0:
                start = time.process_time()
                ast.parse(text)
                parses.append(time.process_time() - start)
    finally:
        gc.enable()
    return keys, statistics.median(parses)


def typed(source: SourceFile, at: int, key: str) -> SourceFile:
    """The next version, parsed from the tree of this one as the server does."""
    text = source.text
    tree = source.editable_tree
    if tree is not None:
        line = text.rfind("\n", 0, at) + 1
        row, first = text.count("\n", 0, at), len(text[:at].encode())
        column = len(text[line:at].encode())
        size = len(key.encode())
        after = Point(row + 1, 0) if key == "\n" else Point(row, column + size)
        before = Point(row, column)
        tree.edit(first, first, first + size, before, before, after)
    return SourceFile(text[:at] + key + text[at:], "", tree)
