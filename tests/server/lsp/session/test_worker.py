"""Work on one document waits for no work on another, and keys wait for no chosen fix."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from gpu2ascend.lsp.session.elsewhere import Crew
from gpu2ascend.lsp.session.worker import LARGE, LARGE_TO_EDIT, Worker, check_source
from gpu2ascend.project import examine as examining
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.limits import parsing
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text import parsed_text
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
CUDA = "import torch\nx = torch.zeros(1).cuda()\n"


@pytest.fixture
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


def process_of(source: SourceFile) -> int:
    return os.getpid()


def once_there(source: SourceFile, gate: str) -> int:
    """The process that waited until a file was there."""
    while not Path(gate).exists():
        time.sleep(0.01)
    return os.getpid()


async def test_a_key_is_answered_while_a_fix_is_being_made(worker: Worker) -> None:
    goes_on = threading.Event()

    def fix(source: SourceFile) -> bool:
        return goes_on.wait(60)

    fixing = asyncio.ensure_future(worker.edits_of(fix, SourceFile(CUDA)))
    outcome = await worker.findings(SourceFile(CUDA), OPTIONS)
    was_waiting = not fixing.done()
    goes_on.set()
    assert await fixing
    result = len(outcome.examination.findings), was_waiting
    assert result == (1, True)


@pytest.mark.slow
async def test_edits_of_a_long_file_are_made_in_another_process(worker: Worker) -> None:
    short, long = SourceFile(CUDA), SourceFile(CUDA + "#" * LARGE_TO_EDIT, "long.py")

    here, there = await worker.edits_of(process_of, short), await worker.edits_of(process_of, long)
    assert here == os.getpid() != there


@pytest.mark.slow
async def test_two_large_documents_are_looked_at_side_by_side(worker: Worker, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    first, second = (SourceFile(CUDA + "#" * LARGE, f"{name}.py") for name in "ab")

    waiting = asyncio.ensure_future(worker.on_source(once_there, first, str(gate)))
    other = await worker.on_source(process_of, second)
    assert not waiting.done()
    gate.touch()
    result = {await waiting, other}
    assert len(result) == 2


@pytest.mark.slow
def test_a_document_comes_back_to_the_process_that_knows_it() -> None:
    crew = Crew(2)

    async def scenario() -> list[int]:
        await asyncio.gather(crew.run("a", os.getpid), crew.run("b", os.getpid))
        return [await crew.run(name, os.getpid) for name in ("b", "a", "a", "b", "b", "a")]

    try:
        b, a, *others = asyncio.run(scenario())
    finally:
        crew.close()
    assert a != b and others == [a, b, b, a]


async def test_work_that_was_cancelled_before_it_began_is_not_done(worker: Worker) -> None:
    goes_on, done = threading.Event(), []

    first = asyncio.ensure_future(worker.in_thread(lambda: goes_on.wait(60)))
    second = asyncio.ensure_future(worker.in_thread(lambda: done.append("second")))
    await asyncio.sleep(0)
    second.cancel()
    with suppress(asyncio.CancelledError):
        await second  # only then has the thread that is to do it been told
    goes_on.set()
    await first
    await worker.in_thread(lambda: done.append("third"))
    assert done == ["third"]


def test_of_a_broken_text_nobody_asks_what_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's compiler and LibCST would parse it at each key, and no editor shows what they say."""
    asked: list[str] = []
    monkeypatch.setattr(examining, "syntax_problem", lambda source: asked.append(source.text))
    broken = SourceFile(f"{CUDA}f(\n", "a.py")
    done = check_source(broken, OPTIONS, STANDALONE).examination
    assert asked == [] and [finding.code for finding in done.findings] == ["NPU110"]
    examining.examine("a.py", broken, examining.Request(options=OPTIONS))
    assert asked == [broken.text]


def test_what_is_decided_in_the_background_is_what_a_project_decides_itself(
    worker: Worker, tmp_path: Path
) -> None:
    (tmp_path / "lib.py").write_text("import torch\ndef put(x, where):\n    x.to(torch.device(where))\n")
    (tmp_path / "train.py").write_text("from lib import put\nput(x, 'cuda')\n")
    project = ProjectFiles(tmp_path)
    assert project.program.is_undecided(OPTIONS)
    asyncio.run(worker.decide(project, OPTIONS))
    assert not project.program.is_undecided(OPTIONS)
    assert project.program.decided(OPTIONS) == ProjectFiles(tmp_path).program.decided(OPTIONS)
    assert project.program.decided(OPTIONS).units


PROGRAM = """\
import argparse, re, torch
def place(s):
    if not re.fullmatch('cuda|cpu', s):
        raise ValueError(s)
    return s
p = argparse.ArgumentParser()
p.add_argument('--where', type=place, default='cuda')
x.to(p.parse_args().where)
"""


@pytest.mark.parametrize("size", [0, LARGE])
def test_a_text_that_is_in_no_project_is_a_program_by_itself(worker: Worker, size: int) -> None:
    source = SourceFile(PROGRAM + "#" * size)
    found = asyncio.run(worker.findings(source, OPTIONS, STANDALONE)).examination.findings
    assert [source.slice(item.start, item.end) for item in found if item.code.startswith("NPU20")] == [
        "'cuda|cpu'",
        "'cuda'",
    ]
    alone = examining.examine("", source, examining.Request(options=OPTIONS)).findings
    assert len(alone) < len(found)


def test_it_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []

    def parse(data: bytes, *more: object, of=parsing.parse, **named: object) -> object:  # type: ignore[no-untyped-def]
        parsed.append(data)
        return of(data, *more, **named)

    monkeypatch.setattr(parsed_text, "parse", parse)
    check_source(SourceFile(PROGRAM), OPTIONS)
    assert parsed == [PROGRAM.encode()]
