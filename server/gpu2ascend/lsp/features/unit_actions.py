"""The fixes of words that other files share: one edit of all these files, or none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from lsprotocol import types

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Finding, Message
from gpu2ascend_rules.model.project.project_view import ProjectView

from ...project.index.view import ProjectFiles
from ...project.inspect.unit_edits import UnitEdits
from ..conversion.uris import path_of, uri_of
from ..server import Server
from ..session.analysis import Analysis
from ..session.documents import Document
from .refactorings import RefactoredFile, edit_of_files

_NOT_MADE = Message.of("lsp.unit-not-made")


class Offer(NamedTuple):
    """Which fixes of a document can be offered."""

    of_file: tuple[Finding, ...]
    """The findings whose fixes are about this file alone."""
    files: Mapping[int, int]
    """How many files change with a finding, by its place among all; 0 where the fix cannot be made."""

    def has(self, number: int) -> bool:
        """Whether the fix of a finding can be offered."""
        return self.files.get(number, 1) > 0

    def titled(self, action: types.CodeAction, number: int, language: str) -> types.CodeAction:
        """An action whose title says how many files it changes, where those are several."""
        count = self.files.get(number, 1)
        if count > 1:
            action.title = render(Message.of("lsp.action.unit", title=action.title, count=count), language)
        return action


def offer_of(server: Server, analysis: Analysis) -> Offer:
    """What can be offered of the fixes of a document."""
    units = UnitEdits(analysis.project, analysis.options)
    members = units.members(analysis.document.source, analysis.findings)
    counts = {unit: units.count_of_files(unit) for unit in set(members.values())}
    if not _takes_versions(server):
        counts = dict.fromkeys(counts, 0)
    own = tuple(item for number, item in enumerate(analysis.findings) if number not in members)
    return Offer(own, {number: counts[unit] for number, unit in members.items()})


async def unit_edit(
    server: Server, analysis: Analysis, project: ProjectView, number: object
) -> types.WorkspaceEdit | Message | None:
    """The edit for the fix of a finding that other files share; None where its file alone is concerned.

    Args:
        project: With the texts of now.
        number: The place of the finding among those of the analysis; anything else is no finding.

    Returns:
        Why it cannot be made, else.
    """
    if not isinstance(number, int):
        return None
    opened = tuple(server.documents)
    return await server.worker.aside(partial(_unit_edit, server, analysis, project, number, opened))


def _unit_edit(
    server: Server, analysis: Analysis, project: ProjectView, number: int, opened: tuple[Document, ...]
) -> types.WorkspaceEdit | Message | None:
    units = UnitEdits(project, analysis.options)
    unit = units.members(analysis.document.source, analysis.findings).get(number)
    if unit is None or not isinstance(project, ProjectFiles):
        return None
    files = units.edits(unit) if _takes_versions(server) else None
    documents = {path_of(item.uri): item for item in opened}
    changed = []
    for file in files or ():
        path = project.root.joinpath(*file.path.split("/"))
        document = documents.get(path)
        if document is None:
            changed.append(RefactoredFile(uri_of(path), None, file.source, file.edits))
        elif document.source.text == file.source.text:
            changed.append(RefactoredFile(document.uri, document.version, file.source, file.edits))
        else:  # it was edited while this was worked out
            return _NOT_MADE
    return edit_of_files(changed, server.unit, server.client_capabilities) if changed else _NOT_MADE


def _takes_versions(server: Server) -> bool:
    """Whether the client refuses an edit of several files of which one has changed since."""
    workspace = server.client_capabilities.workspace
    support = workspace.workspace_edit if workspace is not None else None
    return support is not None and bool(support.document_changes)
