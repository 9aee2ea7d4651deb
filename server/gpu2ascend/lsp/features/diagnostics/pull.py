"""``textDocument/diagnostic``."""

from __future__ import annotations

from functools import partial

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpu2ascend_rules.text.lines import ColumnUnit

from ...conversion.json_messages import Encoded, encoded
from ...server import Server
from ...session.analysis import Analysis, OutdatedError
from ...session.documents import Document
from .from_findings import diagnostics_of, result_id

Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport | Encoded


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC)
    async def diagnostic(params: types.DocumentDiagnosticParams) -> Report:
        uri = params.text_document.uri
        document = server.documents.examined(uri)
        if document is None or document.cells is not None:  # those of cells are sent
            return types.RelatedFullDocumentDiagnosticReport([])
        try:
            return await _report(server, document, params.previous_result_id)
        except OutdatedError as error:
            # The only answer to this request that makes every client ask again.
            again = types.DiagnosticServerCancellationData(retrigger_request=True)
            raise JsonRpcException(error.message, types.LSPErrorCodes.ServerCancelled, again) from None


async def _report(server: Server, document: Document, previous: str | None) -> Report:
    analysis = await server.analysis_of(document)
    language = server.settings.of(document.uri).language
    identifier = result_id(document.source.raw, analysis.options, language, analysis.findings)
    server.analyses.show(analysis)
    if previous == identifier:
        return types.RelatedUnchangedDocumentDiagnosticReport(identifier)
    work = partial(_full_report, analysis, server.unit, language, identifier)
    report = await server.worker.in_thread(work)
    if not server.documents.is_current(document):
        raise OutdatedError
    return report


def _full_report(analysis: Analysis, unit: ColumnUnit, language: str, identifier: str) -> Encoded:
    diagnostics = diagnostics_of(analysis, unit, language)
    return encoded(types.RelatedFullDocumentDiagnosticReport(diagnostics, result_id=identifier))
