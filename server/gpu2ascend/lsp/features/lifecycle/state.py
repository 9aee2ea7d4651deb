"""What the requests share, made when the first of them may come."""

from __future__ import annotations

import asyncio
import gc
from functools import partial

from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile

from ....project.migrate.migration_process import Migrations
from ...server import Server
from ...session.analysis import Analyses, Analysis
from ...session.client_log import ClientLog
from ...session.documents import Document, DocumentStore
from ...session.projects.indexing import Indexing
from ...session.projects.projects import Projects
from ...session.projects.verifications import Verifications
from ...session.settings import DEFAULT_VERSION, Settings
from ...session.worker import Worker, check_source
from ..diagnostics.from_findings import encoded_diagnostics
from ..project_index import IndexFront

_SAMPLE = "import torch\nx = torch.zeros(1).cuda()\n"


def register(server: Server) -> None:
    """Make it."""
    server.documents = DocumentStore()
    server.settings = Settings()
    server.log = ClientLog(server)
    server.worker = Worker(partial(server.log.warn, "lsp.log.worker-died"))
    server.migrations = Migrations()
    server.verifications = Verifications()
    server.projects = Projects(server.settings, server.documents)
    server.analyses = Analyses(server.documents, server.projects, server.worker, server.log.rule_failed)
    server.indexing = Indexing(
        server.projects, server.documents, server.settings, server.worker, IndexFront(server)
    )
    server.warming = asyncio.ensure_future(server.worker.in_thread(warm_up))


def warm_up() -> None:
    """Read the rules and texts that the first file would wait for, while the client sends its settings."""
    document = Document("untitled:warm-up", None, "python", SourceFile(_SAMPLE))
    options = options_from({"version": str(DEFAULT_VERSION)})
    findings = check_source(document.source, options).examination.findings
    encoded_diagnostics(Analysis(document, options, findings), ColumnUnit.UTF16, "en")
    gc.freeze()  # rules and texts live as long as the process: no collection need look at them again
