"""``textDocument/diagnostic``."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from .analysis import OutdatedError
from .diagnostics import SOURCE, diagnostics_by_uri, result_id
from .server import Server
from .uris import is_same

Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(inter_file_dependencies=False, workspace_diagnostics=True, identifier=SOURCE),
    )
    async def diagnostic(params: types.DocumentDiagnosticParams) -> Report:
        uri = params.text_document.uri
        document = server.documents.examined(uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        try:
            analysis = await server.analysis_of(document)
        except OutdatedError as error:
            # The only answer to this request that makes every client ask again.
            again = types.DiagnosticServerCancellationData(retrigger_request=True)
            raise JsonRpcException(error.message, types.LSPErrorCodes.ServerCancelled, again) from None
        language = server.settings.of(document.uri).language
        identifier = result_id(document.source.data, analysis.options, language)
        if params.previous_result_id == identifier:
            return types.RelatedUnchangedDocumentDiagnosticReport(identifier)
        found = diagnostics_by_uri(analysis, server.unit, language)
        diagnostics = next((items for name, items in found.items() if is_same(name, uri)), [])
        return types.RelatedFullDocumentDiagnosticReport(diagnostics, result_id=identifier)
