"""The commands that migrate files where they are, by edits that the client makes; see docs/lsp.md."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from gpu2ascend_rules.finding import Message
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.source import SourceFile

from ..project.copying import UnreadableError, read_file
from ..project.encoding import NotTextError, decode
from ..project.errors import CancelledError, ProjectError
from ..project.paths import is_directory, shown
from ..project.preview import PlacedEdit, PreviewedFile, PreviewProcess, PreviewRequest, previewed
from ..project.view import ProjectFiles
from .finding_data import JsonObject
from .parameters import Parameters, location_of
from .project_commands import ProjectCommands, in_loop
from .server import Server
from .threads import in_thread
from .uris import path_of, uri_of
from .work_progress import WorkProgress
from .workspace_edits import EditedFile, takes_annotations, workspace_edit


class _Document(NamedTuple):
    uri: str
    path: Path | None
    text: str
    version: int | None


@attrs.frozen
class EditCommands:
    """The commands of one server."""

    server: Server
    projects: ProjectCommands

    async def preview(self, *arguments: object) -> JsonObject:
        """Offer all changes of a file, a folder or the workspace, the unsafe ones to be confirmed."""
        parameters = Parameters.of(*arguments)
        with_unsafe = takes_annotations(self.server.client_capabilities)
        try:
            files = await self._files(parameters, with_unsafe=with_unsafe)
        except CancelledError:
            return {"status": "cancelled"}
        except ProjectError as error:
            return self._failed(error)
        return await self._offer(files, is_sent=parameters.values.get("apply") is not False)

    async def migrate_file(self, *arguments: object) -> JsonObject:
        """Make the safe changes of one file."""
        try:
            uri = Parameters.of(*arguments).text("uri") or ""
            file = self._edited(self._document(uri), with_unsafe=False)
        except ProjectError as error:
            return self._failed(error)
        return await self._offer([file] if file.edits else [], is_sent=True)

    def _failed(self, error: ProjectError) -> JsonObject:
        return {"status": "failed", "message": render(error.message, self.server.settings.language)}

    async def _offer(self, files: list[EditedFile], *, is_sent: bool) -> JsonObject:
        counts = {"changes": sum(len(file.edits) for file in files), "files": len(files)}
        if not files:
            return {"status": "completed", "edit": None, **counts}
        language = self.server.settings.language
        edit = workspace_edit(files, self.server.client_capabilities, language)
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

    async def _files(self, parameters: Parameters, *, with_unsafe: bool) -> list[EditedFile]:
        uri = parameters.text("uri")
        path = location_of(uri)
        if uri is not None and (path is None or not is_directory(path)):
            file = self._edited(self._document(uri), with_unsafe=with_unsafe)
            return [file] if file.edits else []
        files: list[EditedFile] = []
        for folder in self.projects.folders_of(parameters, "uri"):
            files += await self._files_below(folder, parameters.token, with_unsafe=with_unsafe)
        return files

    async def _files_below(self, folder: Path, token: object, *, with_unsafe: bool) -> list[EditedFile]:
        documents = self.server.documents
        versions = {path_of(item.uri): (item.uri, item.version) for item in documents}
        request = PreviewRequest(
            root=folder,
            options=self.server.settings.at(folder).options,
            texts=self.projects.open_texts(folder),
            unit=self.server.unit,
            with_unsafe=with_unsafe,
        )
        process = PreviewProcess(request)
        progress = await self.projects.begin(token, "preview", [folder], process.cancel)
        try:
            found = await self._run(process, progress)
        except asyncio.CancelledError:
            process.cancel()
            raise
        finally:
            progress.end()
        files = []
        for file in found:
            path = folder.joinpath(*file.path.split("/"))
            uri, version = versions.get(path, (uri_of(path), None))
            files.append(EditedFile(uri, version, file.edits))
        return files

    async def _run(self, process: PreviewProcess, progress: WorkProgress) -> tuple[PreviewedFile, ...]:
        def on_file(done: int, total: int, path: str) -> None:
            progress.report(100 * done // max(1, total), path)

        tell = in_loop(on_file)
        return await in_thread(lambda: process.run(tell))

    def _edited(self, document: _Document, *, with_unsafe: bool) -> EditedFile:
        effective = self.server.settings.at(document.path)
        folder = effective.folder or Path()
        name = document.path.name if document.path is not None else ""
        if document.path is not None and folder in document.path.parents:
            name = document.path.relative_to(folder).as_posix()
        edits: tuple[PlacedEdit, ...] = previewed(
            SourceFile(document.text, name),
            effective.options,
            ProjectFiles(folder),
            self.server.unit,
            with_unsafe=with_unsafe,
        )
        return EditedFile(document.uri, document.version, edits)

    def _document(self, uri: str) -> _Document:
        """A document as the editor has it, or else the file.

        Raises:
            ProjectError: there is neither.
        """
        path = location_of(uri)
        document = self.server.documents.get(uri if path is None else uri_of(path))
        if document is not None:
            return _Document(document.uri, path, document.source.text, document.version)
        if path is None:
            raise ProjectError(Message.of("lsp.bad_location", value=shown(uri[:200])))
        try:
            return _Document(uri_of(path), path, decode(read_file(str(path)).data).text, None)
        except (UnreadableError, NotTextError) as error:
            raise ProjectError(error.message) from error
