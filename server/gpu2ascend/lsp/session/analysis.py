"""The findings of open documents: asked for once a version, never published for a version that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

import attrs
from pygls.exceptions import JsonRpcContentModified

from gpu2ascend_rules.model.finding import Finding, Message
from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView
from gpu2ascend_rules.options.options import MigrationOptions

from ...project.errors import limit_of
from ...project.examination import Examination
from ..conversion.uris import document_key
from .documents import Document, DocumentStore, too_large
from .projects.projects import Projects
from .worker import Worker


class OutdatedError(JsonRpcContentModified):
    """The version that a request is about is gone; as its answer, that of the protocol for this."""


class Analysis(NamedTuple):
    """What was found in one version of a document."""

    document: Document
    options: MigrationOptions
    findings: tuple[Finding, ...]
    project: ProjectView = STANDALONE
    """What they were found by, beside the document."""
    problem: Message | None = None
    """Which limit kept the document, or a part of it, from being examined."""


class Analyses:
    """The latest analysis of each document. Typing while one runs lets it run out unheard."""

    def __init__(
        self,
        documents: DocumentStore,
        projects: Projects,
        worker: Worker,
        on_failure: Callable[[str, str, str], None],
    ) -> None:
        self._documents = documents
        self._worker = worker
        self._on_failure = on_failure
        self._projects = projects
        self._latest: dict[str, Analysis] = {}
        self._shown: dict[str, tuple[Finding, ...]] = {}
        self._counted: dict[str, tuple[Finding, ...]] = {}
        self._running: dict[str, tuple[_Question, asyncio.Task[Analysis]]] = {}

    def known(self, uri: str) -> Analysis | None:
        """The last analysis of a document, of this version or of an earlier one."""
        return self._latest.get(document_key(uri))

    def shown(self, uri: str) -> tuple[Finding, ...] | None:
        """The findings that the client has of a document."""
        return self._shown.get(document_key(uri))

    def show(self, analysis: Analysis) -> None:
        """The client is given these findings."""
        self._shown[document_key(analysis.document.uri)] = analysis.findings

    def counted(self, uri: str) -> tuple[Finding, ...] | None:
        """The findings that the lens of a document counts, which may be asked for before they are shown."""
        return self._counted.get(document_key(uri))

    def count(self, analysis: Analysis) -> None:
        """The client is given a lens that counts these findings."""
        self._counted[document_key(analysis.document.uri)] = analysis.findings

    def forget(self, uri: str) -> None:
        """A document was closed."""
        key = document_key(uri)
        self._latest.pop(key, None)
        self._shown.pop(key, None)
        self._counted.pop(key, None)
        running = self._running.pop(key, None)
        if running is not None:
            running[1].cancel()

    async def of(self, document: Document, options: MigrationOptions, *, is_wanted: bool = True) -> Analysis:
        """The analysis of a document; the one at hand if nothing has changed since.

        Args:
            is_wanted: Whether anything is to be found; else nothing is examined.

        Raises:
            OutdatedError: the document has been changed or closed meanwhile.
        """
        if not self._documents.is_current(document):
            raise OutdatedError
        if not is_wanted:
            self._latest.pop(document_key(document.uri), None)
            return Analysis(document, options, ())
        key = document_key(document.uri)
        question = _Question(document, options, self._projects.view(document.uri)[1])
        known = self._latest.get(key)
        if known is not None and question.is_same(known.document, known.options, known.project):
            return known
        running = self._running.get(key)
        if running is None or not question.is_same(*running[0]):
            if running is not None:
                running[1].cancel()
            task = asyncio.ensure_future(self._analyse(question))
            running = self._running[key] = (question, task)
        try:
            return await asyncio.shield(running[1])
        except asyncio.CancelledError:
            if not running[1].cancelled():
                raise
            if self._is_asked_again(question):
                return await self.of(document, options)
            raise OutdatedError from None

    def _is_asked_again(self, question: _Question) -> bool:
        """Whether an analysis ended only because the project has changed; the document has not."""
        newer = self._running.get(document_key(question.document.uri))
        is_current = self._documents.is_current(question.document)
        return is_current and newer is not None and newer[0].options == question.options

    async def _analyse(self, question: _Question) -> Analysis:
        document, options, project = question
        key = document_key(document.uri)
        done = Examination(path=document.source.path)
        if document.is_examined and document.is_too_large:
            done = attrs.evolve(done, problem=too_large(document.uri))
        elif document.is_examined:
            outcome = await self._worker.findings(document.source, options, project)
            done = outcome.examination
            for code, details in outcome.failures:
                self._on_failure(code, document.uri, details)
        analysis = Analysis(document, options, done.findings, project, limit_of(done.problem))
        if self._documents.is_current(document):
            self._latest[key] = analysis
        return analysis


class _Question(NamedTuple):
    document: Document
    options: MigrationOptions
    project: ProjectView

    def is_same(self, document: Document, options: MigrationOptions, project: ProjectView) -> bool:
        return self.document is document and self.project is project and self.options == options
