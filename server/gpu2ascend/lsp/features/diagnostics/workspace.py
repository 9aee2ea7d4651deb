"""``workspace/diagnostic``: the findings of every Python file of the workspace, a few files at a time.

Files that are open are those that the editor shows; the others are read from the disk, in a process of low
priority that is not the one in which open documents are looked at. A file's result id is made of what the
file system reports of it, so that nothing is read to find that nothing has changed. Notebooks have their
diagnostics where they are open: their cells have no URIs before.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types

from gpu2ascend_rules.model.project.project_view import ProjectView
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile

from ....project.errors import limit_of
from ....project.examination import Examination
from ....project.files.discover import EXAMINED, NOTEBOOK_SUFFIX, walk
from ....project.files.excludes import Excludes
from ....project.inspect.check_job import CheckJob, CheckTask
from ....project.paths import join
from ...conversion.json_messages import Encoded, encoded
from ...conversion.uris import document_key, uri_of
from ...server import Server
from ...session.analysis import Analysis, OutdatedError
from ...session.documents import MAX_BYTES, Document, too_large
from ...session.settings import DocumentSettings
from .from_findings import diagnostics_of, result_id

_FILES_AT_ONCE = 20
_UNCHANGED_AT_ONCE = 200
_STEPS_AT_ONCE = 20
"""Files whose settings and ids are looked up before whatever the user does has its turn."""


class _File(NamedTuple):
    """A file on the disk."""

    folder: str
    path: str
    """Relative to the folder, with ``/``."""
    uri: str
    stamp: tuple[int, int]
    """When it was changed, and its size."""


class _Task(NamedTuple):
    file: _File
    settings: DocumentSettings
    result_id: str


def register(server: Server) -> None:
    """Answer this request."""

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(params: types.WorkspaceDiagnosticParams) -> Encoded:
        await server.ready()
        report = _Report(server, params)
        await report.open_documents()
        await report.files()
        await report.gone()
        return _with_items(report.items)


class _Report:
    """One answer, sent in parts to a client that takes parts."""

    def __init__(self, server: Server, params: types.WorkspaceDiagnosticParams) -> None:
        self._server = server
        self._token = params.partial_result_token
        self._known = {document_key(item.uri): item for item in params.previous_result_ids}
        self._seen: set[str] = set()
        self._views: dict[str, tuple[int, ProjectView]] = {}
        self.items: list[Encoded] = []
        """What is left to be sent in the answer itself."""

    async def open_documents(self) -> None:
        """The documents that are open, in the version that the client has."""
        for document in self._server.documents:
            self._seen.update(document_key(part.uri) for part in document.parts)
            if document.cells is not None or not document.is_examined:
                continue
            try:
                analysis = await self._server.analysis_of(document)
            except OutdatedError:
                continue  # the client asks for the version of now by itself
            language = self._server.settings.of(document.uri).language
            identifier = result_id(document.source.raw, analysis.options, language, analysis.findings)
            if self._is_known(document.uri, identifier):
                await self._tell([_unchanged(document.uri, document.version, identifier)])
            else:
                work = partial(_looked_at, analysis, self._server.unit, language, identifier)
                await self._tell([await self._server.worker.in_thread(work)])

    async def files(self) -> None:
        """The files of all folders that are not open."""
        seen = frozenset(self._seen)
        pending: list[_Task] = []
        unchanged: list[Encoded] = []
        for folder in self._server.settings.folders:
            if not _is_wanted(self._server.settings.at(folder)):
                continue
            await self._server.indexing.built(folder)
            project = self._server.projects.at(folder)
            self._views[str(folder)] = (project.generation, project.view)
            excludes = Excludes(self._server.settings.at(folder).options.unexamined)
            work = partial(_files, folder, excludes, seen)
            for count, file in enumerate(await self._server.worker.in_background(work) or ()):
                if count % _STEPS_AT_ONCE == 0:
                    await asyncio.sleep(0)
                if document_key(file.uri) in self._seen:
                    continue  # of a folder within another
                task = self._task(file)
                if not _is_wanted(task.settings):
                    continue  # of a folder within this one
                self._seen.add(document_key(file.uri))
                if self._is_known(file.uri, task.result_id):
                    unchanged.append(_unchanged(file.uri, None, task.result_id))
                else:
                    pending.append(task)
                if len(unchanged) >= _UNCHANGED_AT_ONCE:
                    await self._tell(unchanged)
                    unchanged = []
        await self._tell(unchanged)
        for some in _batches(_by_settings(pending), _FILES_AT_ONCE):
            await self._look_at(some)

    async def gone(self) -> None:
        """What the client still shows of files that are no more."""
        gone = [item for key, item in self._known.items() if key not in self._seen and item.value]
        await self._tell([_full(item.uri, None, "", []) for item in gone])

    def _task(self, file: _File) -> _Task:
        settings = self._server.settings.at(Path(file.folder, file.path))
        generation = self._views[file.folder][0]
        return _Task(file, settings, result_id(file.stamp, settings.options, settings.language, generation))

    def _is_known(self, uri: str, identifier: str) -> bool:
        known = self._known.get(document_key(uri))
        return known is not None and known.value == identifier

    async def _look_at(self, tasks: Sequence[_Task]) -> None:
        settings = tasks[0].settings
        files = [(task.file, task.result_id) for task in tasks]
        projects = {folder: self._views[folder][1] for folder in {task.file.folder for task in tasks}}
        job = CheckJob(options=settings.options, projects=projects, fix=False)
        work = partial(look_at, job, files, self._server.unit, settings.language)
        await self._tell(await self._server.worker.in_background(work) or ())

    async def _tell(self, items: Sequence[Encoded]) -> None:
        if items and self._token is not None:
            part = f'{{"token": {json.dumps(self._token)}, "value": {_with_items(items).text}}}'
            self._server.notify_encoded(types.PROGRESS, Encoded(part))
        else:
            self.items += items
        await asyncio.sleep(0)  # between two parts whatever the user does has its turn


def _is_wanted(settings: DocumentSettings) -> bool:
    """Whether files of a folder that are not open have diagnostics; what the client has of them goes else."""
    return settings.is_enabled and not settings.is_open_files_only


def look_at(
    job: CheckJob, files: Sequence[tuple[_File, str]], unit: ColumnUnit, language: str
) -> list[Encoded]:
    """The reports on files, each with its result id. Runs in the background process."""
    found = []
    for file, identifier in files:
        done = _examined(job, file)
        document = Document(file.uri, None, "python", SourceFile(done.text or "", file.path))
        project, limit = job.projects[file.folder], limit_of(done.problem)
        analysis = Analysis(document, job.options, done.findings, project, limit)
        found.append(_looked_at(analysis, unit, language, identifier))
    return found


def _examined(job: CheckJob, file: _File) -> Examination:
    """A file as a check examines it."""
    task = CheckTask(file.folder, file.path, file.path)
    if file.stamp[1] > MAX_BYTES:
        return Examination(path=file.path, problem=too_large(file.uri))
    return job(task).file


def _looked_at(analysis: Analysis, unit: ColumnUnit, language: str, identifier: str) -> Encoded:
    """The report on a document; its version is that of the open one."""
    document = analysis.document
    found = diagnostics_of(analysis, unit, language)
    return _full(document.uri, document.version, identifier, found)


def _files(folder: Path, excludes: Excludes, seen: frozenset[str]) -> list[_File]:
    return list(_walked(folder, excludes, seen))


def _walked(folder: Path, excludes: Excludes, seen: frozenset[str]) -> Iterator[_File]:
    """The files below a folder that there are rules for; none if it has gone."""
    root = str(folder)
    try:
        for entry in walk(folder, excludes):
            if entry.kind not in EXAMINED or entry.path.lower().endswith(NOTEBOOK_SUFFIX):
                continue
            path = Path(join(root, entry.path))
            uri = uri_of(path)
            if document_key(uri) in seen:
                continue
            try:
                status = path.stat()
            except OSError:
                continue
            yield _File(root, entry.path, uri, (status.st_mtime_ns, status.st_size))
    except OSError:
        return


def _by_settings(tasks: Sequence[_Task]) -> Iterator[list[_Task]]:
    """Tasks with the same settings together."""
    groups: dict[tuple[object, str], list[_Task]] = {}
    for task in tasks:
        groups.setdefault((task.settings.options, task.settings.language), []).append(task)
    yield from groups.values()


def _batches(groups: Iterator[list[_Task]], size: int) -> Iterator[list[_Task]]:
    for group in groups:
        rest = iter(group)
        while some := list(islice(rest, size)):
            yield some


def _with_items(items: Sequence[Encoded]) -> Encoded:
    return Encoded(f'{{"items": [{", ".join(item.text for item in items)}]}}')


def _full(uri: str, version: int | None, identifier: str, found: Sequence[types.Diagnostic]) -> Encoded:
    return encoded(
        types.WorkspaceFullDocumentDiagnosticReport(
            uri, list(found), version=version, result_id=identifier or None
        )
    )


def _unchanged(uri: str, version: int | None, identifier: str) -> Encoded:
    return encoded(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, identifier, version=version))
