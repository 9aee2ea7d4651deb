"""The findings of open documents: asked for once a version, never told of a version that is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from pygls.exceptions import JsonRpcContentModified

from gpu2ascend_rules.finding import Finding, Message
from gpu2ascend_rules.options import MigrationOptions

from .documents import Document, DocumentStore, too_large
from .uris import document_key
from .worker import Outcome, Worker


class OutdatedError(JsonRpcContentModified):
    """The version that a request is about is gone; as its answer, that of the protocol for this."""


class Analysis(NamedTuple):
    """What was found in one version of a document."""

    document: Document
    options: MigrationOptions
    findings: tuple[Finding, ...]
    problem: Message | None = None
    """Why the document, or a part of it, was not examined."""


class Analyses:
    """The latest analysis of each document. Typing while one runs lets it run out unheard."""

    def __init__(
        self, documents: DocumentStore, worker: Worker, on_failure: Callable[[str, str, str], None]
    ) -> None:
        self._documents = documents
        self._worker = worker
        self._on_failure = on_failure
        self._latest: dict[str, Analysis] = {}
        self._running: dict[str, tuple[Document, MigrationOptions, asyncio.Task[Analysis]]] = {}

    def known(self, uri: str) -> Analysis | None:
        """The last analysis of a document, of this version or of an earlier one."""
        return self._latest.get(document_key(uri))

    def forget(self, uri: str) -> None:
        """A document was closed."""
        key = document_key(uri)
        self._latest.pop(key, None)
        running = self._running.pop(key, None)
        if running is not None:
            running[2].cancel()

    async def of(self, document: Document, options: MigrationOptions) -> Analysis:
        """The analysis of a document; the one at hand if nothing has changed since.

        Raises:
            OutdatedError: the document has been changed or closed meanwhile.
        """
        if not self._documents.is_current(document):
            raise OutdatedError
        key = document_key(document.uri)
        known = self._latest.get(key)
        if known is not None and known.document is document and known.options == options:
            return known
        running = self._running.get(key)
        if running is None or running[0] is not document or running[1] != options:
            if running is not None:
                running[2].cancel()
            task = asyncio.ensure_future(self._analyse(document, options))
            running = self._running[key] = (document, options, task)
        try:
            return await asyncio.shield(running[2])
        except asyncio.CancelledError:
            if running[2].cancelled():
                raise OutdatedError from None
            raise

    async def _analyse(self, document: Document, options: MigrationOptions) -> Analysis:
        key = document_key(document.uri)
        outcome = Outcome(())
        if document.is_python and document.is_too_large:
            outcome = Outcome((), problem=too_large(document.uri))
        elif document.is_python:
            outcome = await self._worker.findings(document.source, options)
            for code, details in outcome.failures:
                self._on_failure(code, document.uri, details)
        analysis = Analysis(document, options, outcome.findings, outcome.problem)
        if self._documents.is_current(document):
            self._latest[key] = analysis
        return analysis
