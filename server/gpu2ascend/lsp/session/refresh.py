"""Shows findings anew where another file of the project has changed them."""

from __future__ import annotations

from collections.abc import Iterable

from ..features.text_synchronization import publish
from ..server import Server
from .analysis import OutdatedError
from .documents import Document


async def refresh(server: Server, documents: Iterable[Document]) -> None:
    """Analyse documents again, one after the other, and show those whose findings differ.

    A client that asks for diagnostics is asked once to do so again, and only if there is a difference. Its
    answer, which some clients never give, is not waited for.
    """
    differ = False
    for document in documents:
        try:
            analysis = await server.analysis_of(document)
        except OutdatedError:
            continue  # the version of now is being analysed
        if server.analyses.shown(document.uri) not in (None, analysis.findings):
            differ = True
            await publish(server, document)
    workspace = server.client_capabilities.workspace
    if not differ or workspace is None:
        return
    if server.pulls_diagnostics and refreshes(workspace.diagnostics):
        server.workspace_diagnostic_refresh(None)
    if refreshes(workspace.code_lens):
        server.workspace_code_lens_refresh(None)


def refreshes(capability: object) -> bool:
    """Whether the client can be asked to ask again."""
    return bool(getattr(capability, "refresh_support", False))
