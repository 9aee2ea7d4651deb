"""How the work grows with a file and with a project: eight times as much of one thing beside eight times one.

The tests count steps (``tests/rules/test_growth.py``, ``tests/rules/flow/test_growth.py``,
``tests/security/test_growth.py``); this is the time that they take, tree-sitter's included.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from keys import typed

from gpu2ascend.__main__ import main
from gpu2ascend.lsp.features.hover import page_at
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

VERSION = "2.8.0"
HEAD = "import torch\nx = torch.ones(2)\n"
TIMES = 8
MOST = 1.5
"""Linear growth is 1; twice the time a part, as with a square, would be 8."""
FINDINGS = 4_000
TEST = " or x.device.type == 'cuda'"
LAST = "torch.cuda.empty_cache()\n"
EDITED = ("findings in a block", "nesting", "length of a chain", "length of a line", "imports of a file")
Figure = tuple[str, float, float | None, str]
Text = Callable[[int], str]

TEXTS: dict[str, tuple[int, Text]] = {
    "findings in a block": (500, lambda n: f"{HEAD}def f(x):\n" + "    x.cuda()\n" * n),
    "findings in a block that is half migrated": (
        250,
        lambda n: f"{HEAD}import torch_npu\ndef f(x):\n" + "    y = x.npu()\n    z = x.cuda()\n" * n,
    ),
    "nesting": (50, lambda n: f"{HEAD}y = {'[x.cuda(), ' * n}{']' * n}\n"),
    "nesting of choices": (50, lambda n: f"{HEAD}y = {'x.cuda() if a else ' * n}x\n"),
    "length of a chain": (50, lambda n: f"{HEAD}y = x{'.cuda()' * n}\n"),
    "length of a chain of attributes": (50, lambda n: f"{HEAD}y = x{'.cuda' * n}\n"),
    "length of a chain, past what is looked at,": (750, lambda n: f"{HEAD}y = x{'.cuda()' * n}\n"),
    "length of a chain of tests": (50, lambda n: f"{HEAD}y = a{TEST * n}\n"),
    "length of a chain of assignments": (50, lambda n: f"{HEAD}{'x = ' * n}x.cuda()\n"),
    "length of a line": (500, lambda n: f"{HEAD}y = [{'x.cuda(), ' * n}]\n"),
    "imports of a file": (100, lambda n: "".join(f"import a{i}\n" for i in range(n)) + f"{HEAD}x.cuda()\n"),
}


def figures(rounds: int) -> Iterator[Figure]:
    """The growth of a check and of all fixes, of a project, and what one fix of many costs."""
    options = options_from({"version": VERSION})
    for what, (size, text) in TEXTS.items():
        for task, work in (("check", check), ("fix", apply_fixes)):

            def run(count: int, text: Text = text, work: Callable[..., object] = work) -> None:
                work(SourceFile(text(count)), options)

            yield grown(f"{task}, {TIMES} times the {what} : {TIMES} times one", run, size, rounds)
    yield from _of_an_editor(rounds)
    with tempfile.TemporaryDirectory() as scratch:
        projects = {count: _project(Path(scratch), count) for count in (40, 40 * TIMES)}

        def check_files(count: int) -> None:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
                main(["check", "--jobs", "1", "-v", VERSION, str(projects[count])])

        yield grown(f"check, {TIMES} times the files : {TIMES} times one", check_files, 40, rounds)
    yield _one_of_many(rounds)


def _of_an_editor(rounds: int) -> Iterator[Figure]:
    """A key, a hover and the resolving of one fix, with so much more in the text."""
    options = options_from({"version": VERSION})
    for what in EDITED:
        size, text = TEXTS[what]

        def key(count: int, text: Text = text) -> None:
            source = SourceFile(text(count))
            check(typed(source, len(source.text), "\n"), options)

        def hover(count: int, text: Text = text) -> None:
            source = SourceFile(text(count) + LAST)
            page_at(source, len(source.data) - len(LAST) + LAST.index("empty"), (), options, "en")

        def resolve(count: int, text: Text = text) -> None:
            source = SourceFile(text(count))
            found = check(source, options)
            closure_edits(source, found[len(found) // 2 :][:1], found, options)

        for task, run in (("key", key), ("hover", hover), ("resolve one fix", resolve)):
            yield grown(f"{task}, {TIMES} times the {what} : {TIMES} times one", run, size, rounds)


def grown(what: str, run: Callable[[int], None], size: int, rounds: int) -> Figure:
    """The time for :data:`TIMES` times ``size``, compared with that many times the time for ``size``."""
    small, large = (_fastest(lambda count=count: run(count), rounds) for count in (size, size * TIMES))
    detail = f"{small * 1000:.3g} ms for {size}, {large * 1000:.3g} ms for {size * TIMES}"
    return what, large / (small * TIMES), MOST, detail


def _project(scratch: Path, count: int) -> Path:
    folder = scratch / f"files_{count}"
    folder.mkdir()
    for number in range(count):
        (folder / f"file_{number}.py").write_text(f"{HEAD}x.cuda()\n", encoding="utf-8")
    return folder


def _one_of_many(rounds: int) -> Figure:
    """An editor's question for the edits of one fix, in a block of thousands of findings."""
    options = options_from({"version": VERSION})
    text = TEXTS["findings in a block"][1](FINDINGS)
    source = SourceFile(text)
    findings = check(source, options)
    middle = findings[len(findings) // 2 : len(findings) // 2 + 1]
    ours = _fastest(lambda: closure_edits(SourceFile(text), middle, findings, options), rounds)
    theirs = _fastest(lambda: ast.parse(text), rounds)
    detail = f"{ours * 1000:.0f} ms to {theirs * 1000:.0f} ms"
    return f"resolve one of {FINDINGS} fixes : ast.parse", ours / theirs, 5.0, detail


def _fastest(work: Callable[[], object], rounds: int) -> float:
    work()
    seconds: list[float] = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            start = time.process_time()
            work()
            seconds.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(seconds)
