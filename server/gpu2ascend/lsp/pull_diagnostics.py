"""``textDocument/diagnostic``."""

from __future__ import annotations

from functools import partial

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpu2ascend_rules.lines import ColumnUnit

from .analysis import Analysis, OutdatedError
from .conversion import Encoded, encoded
from .diagnostics import diagnostics_by_uri, result_id
from .documents import Document
from .server import Server
from .uris import is_same

Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport | Encoded


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)
    async def diagnostic(params: types.DocumentDiagnosticParams) -> Report:
        uri = params.text_document.uri
        document = server.documents.examined(uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        try:
            return await _report(server, document, uri, params.previous_result_id)
        except OutdatedError as error:
            # The only answer to this request that makes every client ask again.
            again = types.DiagnosticServerCancellationData(retrigger_request=True)
            raise JsonRpcException(error.message, types.LSPErrorCodes.ServerCancelled, again) from None


async def _report(server: Server, document: Document, uri: str, previous: str | None) -> Report:
    analysis = await server.analysis_of(document)
    language = server.settings.of(document.uri).language
    identifier = result_id(document.source.data, analysis.options, language)
    if previous == identifier:
        return types.RelatedUnchangedDocumentDiagnosticReport(identifier)
    work = partial(_full_report, analysis, server.unit, language, uri, identifier)
    report = await server.worker.in_thread(work)
    if not server.documents.is_current(document):
        raise OutdatedError
    return report


def _full_report(analysis: Analysis, unit: ColumnUnit, language: str, uri: str, identifier: str) -> Encoded:
    """The report on one of the documents that were examined together."""
    found = diagnostics_by_uri(analysis, unit, language)
    diagnostics = next((items for name, items in found.items() if is_same(name, uri)), [])
    return encoded(types.RelatedFullDocumentDiagnosticReport(diagnostics, result_id=identifier))
