"""Nothing is looked at twice, and nothing is reported of a version that is gone."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.session.analysis import Analyses, OutdatedError
from gpu2ascend.lsp.session.documents import Document, DocumentStore
from gpu2ascend.lsp.session.projects.projects import Projects
from gpu2ascend.lsp.session.settings import Settings
from gpu2ascend.lsp.session.worker import Outcome, Worker, check_source
from gpu2ascend.project import examine as examine_module
from gpu2ascend.project.examination import Examination
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
URI = "file:///p/a.py"


class Hand:
    """Ends each piece of work when the test says so."""

    def __init__(self) -> None:
        self.begun: list[asyncio.Future[Outcome]] = []

    async def findings(self, source: SourceFile, options: object, project: object) -> Outcome:
        self.begun.append(asyncio.get_running_loop().create_future())
        return await self.begun[-1]

    def finish(self, number: int) -> None:
        self.begun[number].set_result(Outcome(Examination(path=URI)))


class Session:
    """An open document, and what is asked of its analysis."""

    def __init__(self) -> None:
        self.hand, self.documents = Hand(), DocumentStore()
        worker: Any = self.hand
        projects = Projects(Settings(), self.documents)
        self.analyses = Analyses(self.documents, projects, worker, lambda *failure: None)
        self.document = self.documents.open(types.TextDocumentItem(URI, "python", 1, "x = 1\n"))

    async def ask(self, document: Document) -> asyncio.Task[Any]:
        task = asyncio.ensure_future(self.analyses.of(document, OPTIONS))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return task

    def type(self) -> Document:
        place = types.Range(types.Position(0, 0), types.Position(0, 0))
        change = types.TextDocumentContentChangePartial(place, "y")
        document = self.documents.change(URI, 2, [change], ColumnUnit.UTF16)
        assert document is not None
        return document


async def test_a_version_is_looked_at_once_however_often_it_is_asked_for() -> None:
    session = Session()
    first, second = [await session.ask(session.document) for _ in range(2)]
    session.hand.finish(0)
    assert await first is await second
    assert await session.analyses.of(session.document, OPTIONS) is await first
    assert len(session.hand.begun) == 1


async def test_typing_ends_what_is_asked_about_the_version_before() -> None:
    session = Session()
    old = await session.ask(session.document)
    new = await session.ask(session.type())
    with pytest.raises(OutdatedError):
        await old
    assert session.hand.begun[0].cancelled()
    session.hand.finish(1)
    assert (await new).document.version == 2
    with pytest.raises(OutdatedError):
        await session.analyses.of(session.document, OPTIONS)


async def test_a_change_of_the_project_ends_no_question_about_a_document(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session()
    first = await session.ask(session.document)
    changed = ProjectFiles(Path("p"))
    monkeypatch.setattr(session.analyses._projects, "view", lambda uri: ("a.py", changed))
    second = await session.ask(session.document)
    assert session.hand.begun[0].cancelled()
    session.hand.finish(1)
    assert (await first).project is changed
    assert (await second).project is changed


async def test_a_result_that_comes_in_time_is_kept() -> None:
    session = Session()
    running = await session.ask(session.document)
    session.hand.finish(0)
    analysis = await running
    assert session.analyses.known(URI) is analysis


async def test_a_result_that_comes_too_late_is_not_kept() -> None:
    session = Session()
    old = await session.ask(session.document)
    session.type()
    session.hand.finish(0)
    await old
    assert session.analyses.known(URI) is None


async def test_a_closed_document_is_forgotten() -> None:
    session = Session()
    running = await session.ask(session.document)
    session.documents.close(URI)
    session.analyses.forget(URI)
    with pytest.raises(OutdatedError):
        await running
    assert session.analyses.known(URI) is None


async def test_a_look_that_is_cancelled_makes_room_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()

    real = examine_module.check

    def check(source: SourceFile, *others: Any) -> tuple[Finding, ...]:
        is_cancelled: Callable[[], bool] = others[-1]
        begun.set()
        while "wait" in source.text and not is_cancelled():
            time.sleep(0.001)
        return real(source, *others)

    monkeypatch.setattr(examine_module, "check", check)
    worker = Worker()
    old = asyncio.ensure_future(worker.findings(SourceFile("torch.cuda # wait"), OPTIONS))
    await asyncio.to_thread(begun.wait)
    old.cancel()
    new = await asyncio.wait_for(
        worker.findings(SourceFile("import torch\ntorch.cuda.init()\n"), OPTIONS), 60
    )
    assert [item.code for item in new.examination.findings] == ["NPU101"]
    worker.close()


def test_not_even_the_engines_own_mistakes_end_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(examine_module, "check", fails)
    done, ((code, details),) = check_source(SourceFile("import torch.cuda\n"), OPTIONS)
    assert (done.findings, code) == ((), "") and "ZeroDivisionError" in details
