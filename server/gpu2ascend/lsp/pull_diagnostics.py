"""``textDocument/diagnostic``."""

from __future__ import annotations

from lsprotocol import types

from .analysis import Analysis
from .diagnostics import SOURCE, diagnostics_by_uri
from .server import Server
from .uris import is_same

Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=False, workspace_diagnostics=False, identifier=SOURCE
        ),
    )
    async def diagnostic(params: types.DocumentDiagnosticParams) -> Report:
        uri = params.text_document.uri
        document = server.documents.examined(uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        analysis = await server.analysis_of(document)
        language = server.settings.of(document.uri).language
        identifier = _result_id(analysis, language)
        if params.previous_result_id == identifier:
            return types.RelatedUnchangedDocumentDiagnosticReport(identifier)
        found = diagnostics_by_uri(analysis, server.unit, language)
        diagnostics = next((items for name, items in found.items() if is_same(name, uri)), [])
        return types.RelatedFullDocumentDiagnosticReport(diagnostics, result_id=identifier)


def _result_id(analysis: Analysis, language: str) -> str:
    """The same for the same findings at the same places, whatever else has changed."""
    return f"{hash((analysis.document.source.data, analysis.options, language)):x}"
