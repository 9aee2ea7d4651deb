"""The commands that work on whole projects: migrate and analyse; docs/lsp.md describes them.

They run in separate processes; what happens here is talking to the client.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import attrs

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import ADVICE, Message
from gpu2ascend_rules.options.options import MigrationOptions

from ...project.errors import CancelledError, ProjectError
from ...project.inspect.analysis import Analysis
from ...project.inspect.placed import PlacedFile
from ...project.kernels.described import kernel_data
from ...project.migrate.detection.detecting_copy import Additions, AdditionsWork
from ...project.migrate.migration_process import MigrationProcess
from ...project.migrate.request import checked_request
from ...project.paths import shown
from ...project.processes.cancellable import CancellableProcess
from ...project.processes.threads import in_thread
from ...project.report.result import MigrationRequest, Phase, Progress
from ...texts.catalogue import Texts
from ..server import Server
from ..session.work_progress import WorkProgress
from .answering import answer_of, failed, field_errors
from .cancelling import CancellableWork
from .parameters import Parameters, location_of
from .results.finding_data import JsonObject, finding_data
from .results.migration_result import migration_result

_SEVERITIES = {"error": "errors", "warning": "warnings", "information": "information", "hint": "hints"}


@attrs.frozen
class ProjectCommands:
    """The commands of one server."""

    server: Server

    async def migrate(self, *arguments: object) -> JsonObject:
        """Write the migrated copy of a project."""
        parameters = Parameters.of(*arguments)
        language = self.server.settings.language
        values = parameters.mapping("options")
        source = location_of(values.get("inputPath"))
        work = CancellableWork()
        # The check may take seconds, and a token that has not begun cannot be cancelled.
        folders = [source] if source is not None else []
        progress = await self.begin(parameters.token, "migrate", folders, work.cancel)
        return await answer_of(self._checked(source, values, work, progress), work.cancel, progress, language)

    async def _checked(
        self, source: Path | None, values: Mapping[str, object], work: CancellableWork, progress: WorkProgress
    ) -> JsonObject:
        """The result of a migration, or what is wrong with the form.
        Raises ProjectError: it is impossible, or was cancelled; nothing was written."""
        language = self.server.settings.language
        base = self.server.settings.of_project(source).options
        checked = await work.in_thread(lambda: checked_request(values, base, language))
        if checked.request is None:
            return {"status": "invalid", "errors": field_errors(checked.errors, language)}
        return await self._migrated(checked.request, checked.notices, work, progress)

    async def analyze(self, *arguments: object) -> JsonObject:
        """All findings of a folder, or of every folder of the workspace."""
        parameters = Parameters.of(*arguments)
        language = self.server.settings.language
        try:
            folders = self.folders_of(parameters, "folder")
            output = parameters.path("output")
            paths = parameters.paths("paths")
        except ProjectError as error:
            return failed(error, language)
        analysis = _AnalysisResults(language, len(folders))
        analysis.output, analysis.force = output, parameters.values.get("force") is True
        progress = await self.begin(parameters.token, "analyze", folders, analysis.work.cancel)

        async def analysed() -> JsonObject:
            for folder in folders:
                await self._analyse(folder, analysis, progress, paths)
            return analysis.result()

        return await answer_of(analysed(), analysis.work.cancel, progress, language)

    async def _migrated(
        self,
        request: MigrationRequest,
        notices: tuple[Message, ...],
        work: CancellableWork,
        progress: WorkProgress,
    ) -> JsonObject:
        """The result of a migration.
        Raises ProjectError: it is impossible, or was cancelled; nothing was written."""
        language = self.server.settings.language
        process = work.next(MigrationProcess(request))
        report = in_loop(lambda event: _report(progress, event, language))
        migrated = await in_thread(lambda: self.server.migrations.run(process, report))
        result = await in_thread(lambda: migration_result(request, migrated, self.server.unit, language))
        moved = Message.of("lsp.log.migrated", source=result["inputPath"], target=result["outputPath"])
        self.server.log.write(moved)
        rendered = [render(notice, language, in_form=True) for notice in notices]
        return {**result, "notices": list(dict.fromkeys([*rendered, *result["notices"]]))}

    async def _analyse(
        self, folder: Path, analysis: _AnalysisResults, progress: WorkProgress, paths: Sequence[Path]
    ) -> None:
        effective = self.server.settings.at(folder)
        texts = self.server.projects.open_texts(folder)
        only = frozenset(path.relative_to(folder).as_posix() for path in paths if path.is_relative_to(folder))
        if paths and not only:
            return
        wanted = Analysis(
            root=folder, options=effective.options, texts=texts, unit=self.server.unit, only=only
        )
        process = analysis.work.next(CancellableProcess(wanted))

        def on_file(file: PlacedFile) -> None:
            analysis.add(folder, file)
            progress.report(analysis.percentage(file), file.path)

        report = in_loop(on_file)
        problem = None
        try:
            await in_thread(lambda: process.run(report))
            additions = analysis.work.next(CancellableProcess(analysis.additions(folder, effective.options)))
            analysis.add_additions(folder, await in_thread(additions.run))
        except CancelledError:
            raise
        except ProjectError as error:
            problem = render(error.message, analysis.language)
        analysis.add_folder(folder, str(effective.options.version), problem)

    def folders_of(self, parameters: Parameters, name: str) -> list[Path]:
        """The folder that a parameter names, or all of the workspace.
        Raises ProjectError: it names none, or there are none."""
        given = parameters.path(name)
        folders = [given] if given is not None else self.server.settings.folders
        if not folders:
            raise ProjectError(Message.of("lsp.no_folder"))
        return folders

    async def begin(
        self, token: object, kind: str, folders: Sequence[Path], on_cancel: Callable[[], None]
    ) -> WorkProgress:
        """Show that work on folders begins."""
        names = ", ".join(shown(folder.name or folder) for folder in folders)
        title = Message.of(f"lsp.progress.{kind}", name=names)
        return await WorkProgress.begin(
            self.server, token, render(title, self.server.settings.language).strip(), on_cancel
        )


@attrs.define
class _AnalysisResults:
    """What is found in the folders that are looked at, one after the other."""

    language: str
    count: int
    """Of folders."""
    folders: list[JsonObject] = attrs.field(factory=list)
    findings: list[JsonObject] = attrs.field(factory=list)
    problems: list[JsonObject] = attrs.field(factory=list)
    kernels: list[JsonObject] = attrs.field(factory=list)
    copies: list[JsonObject] = attrs.field(factory=list)
    output: Path | None = None
    force: bool = False
    files: int = 0
    work: CancellableWork = attrs.field(factory=CancellableWork)

    def percentage(self, file: PlacedFile) -> int:
        """How far it is; every folder counts the same."""
        return int(100 * (len(self.folders) + file.done / max(1, file.total)) / self.count)

    def add(self, folder: Path, file: PlacedFile) -> None:
        self.files += 1
        name = shown(folder.joinpath(*file.path.split("/")))
        if file.problem is not None:
            self.problems.append({"file": name, "message": render(file.problem, self.language)})
        for finding, place in file.findings:
            span = {
                side: {"line": position.line, "character": position.column}
                for side, position in (("start", place.start), ("end", place.end))
            }
            data = finding_data(finding, file.path, name, span, self.language, place.cell, file.way)
            fix = render(place.fix, self.language) if place.fix is not None else None
            self.findings.append({**data, "fix": fix, "proven": place.is_proven})

    def additions(self, folder: Path, options: MigrationOptions) -> AdditionsWork:
        return AdditionsWork(
            root=folder, options=options, output=self.output, force=self.force, language=self.language
        )

    def add_additions(self, folder: Path, found: Additions) -> None:
        if found.kernels:
            data = kernel_data(found.kernels, Texts(self.language))
            self.kernels.append({"folder": shown(folder), **data})
        if found.copy is not None:
            instructions = found.copy.instructions()
            notices = [render(message, self.language, in_form=True) for message in instructions]
            loops = [{"path": shown(path), "line": line} for path, line in found.copy.loops]
            copy = {"folder": shown(folder), "path": shown(found.copy.path), "loops": loops}
            self.copies.append({**copy, "notices": notices})

    def add_folder(self, folder: Path, version: str, problem: str | None) -> None:
        self.folders.append({"path": shown(folder), "version": version, "problem": problem})

    def result(self) -> JsonObject:
        counts = Counter(finding["severity"] for finding in self.findings if finding["kind"] != ADVICE)
        return {
            "status": "completed",
            "folders": self.folders,
            "summary": {
                "files": self.files,
                **{name: counts[severity] for severity, name in _SEVERITIES.items()},
            },
            "findings": self.findings,
            "problems": self.problems,
            "kernels": self.kernels,
            "copies": self.copies,
        }


def in_loop(report: Callable[..., None]) -> Callable[..., None]:
    """The same for another thread: called soon, in the thread of the event loop."""
    loop = asyncio.get_running_loop()

    def call(*arguments: object) -> None:
        loop.call_soon_threadsafe(report, *arguments)

    return call


def _report(progress: WorkProgress, event: Progress, language: str) -> None:
    if event.phase is Phase.SURVEY:
        progress.report(0, render(Message.of("lsp.progress.survey", path=event.path), language))
    elif event.phase is Phase.FINISH:
        progress.report(100, render(Message.of("lsp.progress.finish"), language))
    else:
        types = Message.of("cli.migrate.types", path=event.path) if event.phase is Phase.TYPES else None
        text = render(types, language) if types is not None else event.path
        progress.report(100 * event.done // max(1, event.total or 1), text)
