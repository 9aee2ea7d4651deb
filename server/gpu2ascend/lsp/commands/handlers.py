"""What answers each command and custom request; docs/lsp.md describes them."""

from __future__ import annotations

from collections.abc import Mapping

from ..server import Server
from ..startup.announcement import EXPLAIN, MIGRATE_FILE, PREVIEW
from .edit_commands import EditCommands
from .finishing import Finishing
from .handover_command import HandoverCommand
from .information_commands import InformationCommands
from .project_commands import ProjectCommands
from .registry import Handler
from .results import answers
from .state_commands import StateCommands
from .verifying.command import VerifyCommand


def handlers_of(server: Server) -> Mapping[str, Handler]:
    """Those of one server, by the name of the command or of the request."""
    projects = ProjectCommands(server)
    edits = EditCommands(server, projects, Finishing(server))
    information = InformationCommands(server)
    state = StateCommands(server)
    verifying = VerifyCommand(server)
    handing = HandoverCommand(server, projects)
    return {
        "gpu2ascend.migrateProject": projects.migrate,
        "gpu2ascend.analyzeProject": projects.analyze,
        "gpu2ascend.verifyProject": verifying.verify,
        "gpu2ascend.handover": handing.handover,
        PREVIEW: edits.preview,
        MIGRATE_FILE: edits.migrate_file,
        EXPLAIN: answers.answered(information.explain, answers.page),
        "gpu2ascend.options": information.options,
        "gpu2ascend.validateOptions": information.validate,
        "gpu2ascend.rules": state.rules,
        "gpu2ascend.status": state.status,
        "gpu2ascend/migrate": projects.migrate,
        "gpu2ascend/analyze": answers.answered(projects.analyze, answers.findings),
        "gpu2ascend/preview": edits.preview,
        "gpu2ascend/finishPreview": edits.finish,
        "gpu2ascend/verify": answers.answered(verifying.verify, answers.run),
        "gpu2ascend/handover": answers.answered(handing.handover, answers.orders),
    }
