"""Work orders of a folder, for an editor that hands them to an agent; docs/lsp.md describes the request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs

from ...project.errors import ProjectError
from ...project.handover.left import Chosen
from ...project.inspect.handover import HandoverWork
from ...project.processes.cancellable import CancellableProcess
from ...project.processes.threads import in_thread
from ..server import Server
from .answering import answer_of, failed
from .cancelling import CancellableWork
from .parameters import Parameters, location_of
from .project_commands import ProjectCommands, in_loop
from .results.finding_data import JsonObject


@attrs.frozen
class HandoverCommand:
    """The command of one server."""

    server: Server
    projects: ProjectCommands

    async def handover(self, *arguments: object) -> JsonObject:
        """What is left in a folder as work orders, or the chosen findings as such."""
        parameters = Parameters.of(*arguments)
        language = self.server.settings.language
        try:
            folder = self.projects.folders_of(parameters, "folder")[0]
        except ProjectError as error:
            return failed(error, language)
        work = CancellableWork()
        progress = await self.projects.begin(parameters.token, "handover", [folder], work.cancel)
        wanted = HandoverWork(
            root=folder,
            options=self.server.settings.as_project(folder).options,
            contents=self.server.projects.open_texts(folder),
            chosen=_chosen(parameters.values.get("findings"), folder),
            language=language,
        )
        report = in_loop(lambda path: progress.report(0, path))

        async def handed_over() -> JsonObject:
            process = work.next(CancellableProcess(wanted))
            handed = await in_thread(lambda: process.run(report))
            return {"status": "completed", **handed.document, "prompt": handed.prompt}

        return await answer_of(handed_over(), work.cancel, progress, language)


def _chosen(given: object, folder: Path) -> frozenset[Chosen] | None:
    """The findings that a client names; None where it names none."""
    return frozenset(_findings(given, folder)) if isinstance(given, list) else None


def _findings(given: list[object], folder: Path) -> Iterator[Chosen]:
    for item in given:
        values = Parameters.of(item)
        path, line, code = (
            location_of(values.values.get("file")),
            values.values.get("line"),
            values.text("code"),
        )
        cell = values.values.get("cell")
        if path is not None and path.is_relative_to(folder) and isinstance(line, int) and code is not None:
            number = cell if isinstance(cell, int) else None
            yield Chosen(path.relative_to(folder).as_posix(), number, line + 1, code)
