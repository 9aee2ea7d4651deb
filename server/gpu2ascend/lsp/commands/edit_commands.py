"""The commands that migrate files where they are, by edits that the client makes; see docs/lsp.md."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.options.options import MigrationOptions

from ...project.errors import CancelledError, ProjectError, out_of_time
from ...project.files.content.notebooks import sound_cells
from ...project.files.writing.copying import UnreadableError, read_file
from ...project.inspect.placed import PlacedFile
from ...project.inspect.previews.preview import PreviewedEdit, PreviewRequest, Unsafe, placed, previewed
from ...project.inspect.unit_edits import UnitEdits
from ...project.migrate.request import checked_request
from ...project.paths import is_directory, shown
from ...project.processes.cancellable import CancellableProcess
from ...project.processes.threads import in_thread
from ..conversion.uris import path_of, uri_of
from ..edits.equivalent_files import can_create_files, package_changes_in
from ..edits.workspace_edits import EditedFile, takes_annotations, workspace_edit
from ..server import Server
from ..session.documents import MAX_BYTES, Document, too_large
from ..session.elsewhere import DiedError
from ..session.work_progress import WorkProgress
from ..session.worker import OutOfTimeError
from .answering import failed
from .cancelling import CancellableWork
from .finishing import Finishing
from .found_edits import FoundEdits
from .parameters import Parameters, location_of
from .project_commands import ProjectCommands, in_loop
from .results.finding_data import JsonObject

_Result = TypeVar("_Result")
_NAMES_TOLD = 5
_INDEX_PATIENCE = 30.0
"""Seconds that the edits of a file wait for its project to be read; after that the file alone decides."""
_OF_THE_OUTPUT = frozenset({"outputPath", "force"})
"""Parameters of a migration that do not matter where nothing is copied."""


class _Document(NamedTuple):
    uri: str
    path: Path | None
    content: str | bytes
    version: int | None


@attrs.frozen
class _FolderPreview:
    """The preview of a folder, as a part of that of several."""

    work: CancellableWork
    progress: WorkProgress
    done: int
    """Of the folders; each counts the same."""
    count: int

    async def previewed(self, request: PreviewRequest) -> tuple[PlacedFile, ...]:
        """What is to change in the folder.
        Raises ProjectError: it cannot be looked at, or the preview was cancelled."""
        process = self.work.next(CancellableProcess(request))

        def on_file(done: int, total: int, path: str) -> None:
            self.progress.report(int(100 * (self.done + done / max(1, total)) / self.count), path)

        report = in_loop(on_file)
        return await in_thread(lambda: process.run(lambda event: report(*event)))


@attrs.frozen
class EditCommands:
    """The commands of one server."""

    server: Server
    projects: ProjectCommands
    finishing: Finishing

    async def preview(self, *arguments: object) -> JsonObject:
        """Show all changes of a file, a folder or the workspace, the unsafe ones to be confirmed."""
        parameters = Parameters.of(*arguments)
        try:
            found = await self._files(parameters, self._offered())
        except CancelledError:
            return {"status": "cancelled"}
        except ProjectError as error:
            return failed(error, self.server.settings.language)
        is_sent = parameters.values.get("apply") is not False
        return await self._offer(found, is_sent=is_sent, is_preview=True)

    async def migrate_file(self, *arguments: object) -> JsonObject:
        """Make the safe changes of one file."""
        parameters = Parameters.of(*arguments)
        try:
            found = await self._edited_document(_uri(parameters), Unsafe.NONE)
        except ProjectError as error:
            return failed(error, self.server.settings.language)
        is_sent = parameters.values.get("apply") is not False
        return await self._offer(found, is_sent=is_sent, is_preview=False)

    def _offered(self) -> Unsafe:
        """The unsafe fixes that the client can ask about, and make."""
        capabilities = self.server.client_capabilities
        if not takes_annotations(capabilities):
            return Unsafe.NONE
        return Unsafe.ALL if can_create_files(capabilities) else Unsafe.EDITS

    async def _offer(self, found: FoundEdits, *, is_sent: bool, is_preview: bool) -> JsonObject:
        files = found.files
        counts = {
            "changes": sum(len(file.edits) for file in files),
            "files": len(files),
            "leftOut": [shown(path) for path in found.left_out],
            "problems": found.problems_for_people(self.server.settings.language),
        }
        self.finishing.begin(found)
        if found.left_out and is_sent:
            self._tell_left_out(found.left_out)
        if not files:
            return {"status": "completed", "edit": None, **counts}
        language = self.server.settings.language
        made: list[types.CreateFile | types.TextDocumentEdit] = []
        for folder, parts in found.equivalents.items():
            made += package_changes_in(folder, parts, language) or ()
        can = self.server.client_capabilities
        edit = workspace_edit(files, can, language, made, is_preview=is_preview and is_sent)
        if not is_sent:
            return {"status": "completed", "edit": edit, **counts}
        label = render(Message.of("lsp.preview.label"), language)
        try:
            answer = await self.server.workspace_apply_edit_async(
                types.ApplyWorkspaceEditParams(edit=edit, label=label)
            )
        except JsonRpcException as error:
            return {"status": "failed", "message": str(error)}
        if not answer.applied:
            return {"status": "cancelled", "message": answer.failure_reason}
        return {"status": "completed", "edit": None, **counts}

    def _tell_left_out(self, notebooks: list[Path]) -> None:
        names = ", ".join(shown(path.name) for path in notebooks[:_NAMES_TOLD])
        message = Message.of("lsp.preview.left_out", count=len(notebooks), names=names)
        text = render(message, self.server.settings.language)
        self.server.show(types.MessageType.Info, text)

    async def finish(self, *arguments: object) -> JsonObject:
        """The imports that are missing after a part of a preview was applied."""
        return await self.finishing.finish(Parameters.of(*arguments))

    async def _files(self, parameters: Parameters, unsafe: Unsafe) -> FoundEdits:
        uri = parameters.text("uri")
        path = location_of(uri)
        if uri is not None and (path is None or not is_directory(path)):
            return await self._edited_document(uri, unsafe)
        folders = self.projects.folders_of(parameters, "uri")
        work = CancellableWork()
        progress = await self.projects.begin(parameters.token, "preview", folders, work.cancel)
        found = FoundEdits.none()
        try:
            for done, folder in enumerate(folders):
                given = partial(self._options, folder, parameters.mapping("options"))
                run = _FolderPreview(work, progress, done, len(folders))
                await self._add_files_below(folder, await work.in_thread(given), found, run, unsafe)
        except asyncio.CancelledError:
            work.cancel()
            raise
        finally:
            progress.end()
        return found

    def _options(self, folder: Path, given: Mapping[str, object]) -> MigrationOptions:
        """The settings of a folder, and over them what was given as for a migration.
        Raises ProjectError: a value cannot be used."""
        settings = self.server.settings
        if not given:
            return settings.at(folder).options
        checked = checked_request({**given, "inputPath": str(folder)}, settings.as_project(folder).options)
        for error in checked.errors:
            if error.field not in _OF_THE_OUTPUT:
                raise ProjectError(error.message)
        return checked.options

    async def _add_files_below(
        self, folder: Path, options: MigrationOptions, found: FoundEdits, run: _FolderPreview, unsafe: Unsafe
    ) -> None:
        documents = self.server.documents
        versions = {path_of(item.uri): (item.uri, item.version) for item in documents}
        request = PreviewRequest(
            root=folder,
            options=options,
            texts=self.server.projects.open_texts(folder),
            unit=self.server.unit,
            unsafe=_possible(folder, unsafe),
        )
        files = await run.previewed(request)
        notebooks = {path_of(item.uri): item for item in documents if item.cells is not None}
        for path, notebook in notebooks.items():
            if path is not None and folder in path.parents:
                cells = partial(self._add_cells, notebook, found, unsafe)
                await run.work.in_thread(partial(_in_time, cells))
        for file in files:
            path = folder.joinpath(*file.path.split("/"))
            if file.problem is not None:
                name = shown(file.path)
                problem = Message.of("lsp.preview.problem", path=name, reason=file.problem)
                self.server.log.write(problem, logging.WARNING)
                found.problems.append((path, file.problem))
            if file.is_left_out and path not in notebooks:
                found.left_out.append(path)
            uri, version = versions.get(path, (uri_of(path), None))
            found.add(EditedFile(uri, version, file.edits), folder, file)

    async def _edited_document(self, uri: str, unsafe: Unsafe) -> FoundEdits:
        """What changes in a document, or in all cells of its notebook.
        Raises ProjectError: there is no such document, or it is too large."""
        await self.server.indexing.built_for(uri, _INDEX_PATIENCE)
        document = self.server.documents.examined(uri) or self.server.documents.open_notebook(uri)
        if document is None or document.cells is None:
            return await self._edited(await in_thread(lambda: self._document(uri)), unsafe)
        found = FoundEdits.none()
        _refuse_without_edits(
            await in_thread(lambda: _in_time(lambda: self._add_cells(document, found, unsafe)))
        )
        return found

    def _add_cells(self, notebook: Document, found: FoundEdits, unsafe: Unsafe) -> PlacedFile:
        """What changes in the cells of an open notebook; those that are no Python 3 stay as they are."""
        if notebook.cells is None:
            return PlacedFile(notebook.source.path)
        settings = self.server.settings.of(notebook.uri)
        folder, unit = settings.folder or Path(), self.server.unit
        path, project = self.server.projects.view(notebook.uri)
        possible = _possible(settings.folder, unsafe)
        request = PreviewRequest(root=folder, options=settings.options, unit=unit, unsafe=possible)
        cells = notebook.cells._replace(composite=sound_cells(notebook.cells.composite))
        source = cells.composite.source.named(path)
        file, changes = previewed(path, source, project, request, cells=cells.composite)
        by_cell: dict[str, list[PreviewedEdit]] = {}
        for change in changes:
            for cell, edits in cells.edits([change.edit]):
                by_cell.setdefault(cell.uri, []).extend(change._replace(edit=edit) for edit in edits)
        for cell in notebook.parts:
            own = placed(by_cell.get(cell.uri, ()), cell.source, unit)
            found.add(EditedFile(cell.uri, cell.version, own, notebook.uri), folder, file)
        return file

    async def _edited(self, document: _Document, unsafe: Unsafe) -> FoundEdits:
        """What changes in a document. Raises ProjectError: it is too large, or cannot be migrated."""
        settings = self.server.settings.at(document.path)
        folder = settings.folder or Path()
        projects = self.server.projects
        name = projects.name_of(document.uri)
        project = await in_thread(projects.of_now(document.uri))
        await self.server.worker.decide(project, settings.options)
        possible = _possible(settings.folder, unsafe)
        if len(document.content) > MAX_BYTES:
            raise ProjectError(too_large(document.uri))
        request = PreviewRequest(
            root=folder, options=settings.options, unit=self.server.unit, unsafe=possible
        )
        make = partial(_previewed, project=project, request=request)
        try:
            file = await self.server.worker.edits_in(document.content, name, make)
        except OutOfTimeError:
            raise ProjectError(out_of_time()) from None
        except DiedError:
            raise ProjectError(Message.of("lsp.not-examined")) from None
        _refuse_without_edits(file)
        found = FoundEdits.none()
        found.add(EditedFile(document.uri, document.version, file.edits), folder, file)
        return found

    def _document(self, uri: str) -> _Document:
        """A document as the editor has it, or else the file. Raises ProjectError: there is neither."""
        path = location_of(uri)
        document = self.server.documents.get(uri if path is None else uri_of(path))
        if document is not None:
            return _Document(document.uri, path, document.source.text, document.version)
        if path is None:
            raise ProjectError(Message.of("lsp.bad_location", value=shown(uri[:200])))
        try:
            return _Document(uri_of(path), path, read_file(str(path)).data, None)
        except UnreadableError as error:
            raise ProjectError(error.message) from error


def _previewed(path: str, content: str | bytes, project: ProjectView, request: PreviewRequest) -> PlacedFile:
    """What changes in a file by itself. May run in another process."""
    alone = UnitEdits(project, request.options).alone(path)
    return previewed(path, content, alone, request)[0]


def _refuse_without_edits(file: PlacedFile) -> None:
    """Say why nothing changes. A part that nests too deeply keeps the others from nothing.
    Raises ProjectError: the file cannot be migrated."""
    if file.problem is not None and not file.edits:
        raise ProjectError(file.problem)


def _in_time(work: Callable[[], _Result]) -> _Result:
    """The result of work on one document. Raises ProjectError: it took too long."""
    try:
        with time_limit():
            return work()
    except TimeLimitError:
        raise ProjectError(out_of_time()) from None


def _uri(parameters: Parameters) -> str:
    """The document that a parameter names. Raises ProjectError: it names none."""
    uri = parameters.text("uri")
    if uri is None:
        given = parameters.values.get("uri")
        raise ProjectError(Message.of("lsp.bad_location", value=shown(repr(given)[:200])))
    return uri


def _possible(folder: Path | None, unsafe: Unsafe) -> Unsafe:
    """Without the fixes that need a package for which there is no place."""
    if unsafe is not Unsafe.ALL or (folder is not None and package_changes_in(folder, (), "en") is not None):
        return unsafe
    return Unsafe.EDITS
