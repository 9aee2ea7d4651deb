"""Keeps the projects' indexes: built in the background, then kept up to date by file events and edits.

All of it runs on the event loop, between whatever the user does. Files are read in the background process,
documents are looked at in the analysis thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

from gpu2ascend_rules.text.plain.python_files import may_have_head

from ....project.files.content.notebooks import is_notebook
from ....project.files.discover import is_left_out
from ....project.index.facts.facts import FileFacts
from ....project.index.facts.scan import facts_of_files, python_files
from ....project.index.view import ProjectFiles
from ..documents import Document, DocumentStore
from ..settings import Settings
from ..worker import Worker
from .open_project import OpenedFile, OpenProject, is_on_disk, looked_at
from .projects import ProjectPath, Projects

QUIET_SECONDS = 0.3
"""How long nothing must change before what has changed is looked at."""
_FRESH_SECONDS = 60.0
"""How long files that the client does not watch are taken to be as they were."""
_FILES_AT_ONCE = 200
"""Files that the background process reads before other work for it has its turn."""


class Announcement(Protocol):
    """How the client sees that an index is being built."""

    def report(self, done: int, total: int) -> None:
        """So many files have been read."""

    async def end(self) -> None:
        """It is over."""


class Front(Protocol):
    """The client."""

    async def ready(self) -> None:
        """Wait until the first document need not wait for anything any more."""

    def announce(self, root: Path) -> Announcement:
        """Show that the index of a project is being built."""

    def not_indexed(self, root: Path) -> None:
        """Say that a project has no index."""

    async def refresh(self, documents: Iterable[Document]) -> None:
        """Show the findings of these documents again, where they are others now."""


class Indexing:
    """The indexes of all projects that the server knows."""

    def __init__(
        self, projects: Projects, documents: DocumentStore, settings: Settings, worker: Worker, front: Front
    ) -> None:
        self._projects = projects
        self._documents = documents
        self._settings = settings
        self._worker = worker
        self._front = front
        self._has_begun = False
        self._building: dict[Path, asyncio.Task[None]] = {}
        self._edited: dict[str, None] = {}
        self._changed: dict[tuple[Path, str], None] = {}
        self._events = 0
        self._settling: asyncio.Task[None] | None = None
        projects.on_new = self._new_project

    def begin(self) -> None:
        """Build from now on: the client is ready, and its settings and folders are known."""
        if self._has_begun:
            return
        self._has_begun = True
        for project in self._projects:
            self._new_project(project)

    def folders_changed(self) -> None:
        """The folders of the workspace are others now; projects of those that went are forgotten.

        Documents count at once in the projects that they are in now, as they were last looked at.
        """
        before = {document.uri: self._projects.place(document.uri) for document in self._documents}
        opened = {uri: place.project.opened(place.path) for uri, place in before.items() if place is not None}
        self._projects.look_again()
        for project in self._projects:
            project.take_all_off()
        self._documents.name_again()
        for folder in self._settings.folders:
            self._projects.at(folder)
        self._forget_unused()
        for uri, file in opened.items():
            place = self._projects.place(uri)
            if place is not None and file is not None:
                place.project.lay_over(place.path, file)
        for document in self._documents:
            self.edited(document.uri)

    def edited(self, uri: str) -> None:
        """A document was opened, changed or closed."""
        place = self._projects.place(uri)
        if place is not None and (place.is_indexed or may_have_head(place.path)):
            self._edited[uri] = None
            self._settle_soon()

    def files_changed(self, uris: Iterable[str]) -> None:
        """Files came, went or changed on the disk."""
        for uri in uris:
            place = self._projects.known_place(uri)
            if place is not None and (place.is_indexed or place.path in place.project.files):
                self._changed[place.project.root, place.path] = None
            elif place is not None:  # a directory, perhaps
                below = place.project.files.below(place.path)
                self._changed.update(((place.project.root, path), None) for path in below)
        if self._changed:
            self._settle_soon()

    async def built(self, root: Path) -> None:
        """Wait until the index of a project has been built, if that has begun."""
        task = self._building.get(root)
        if task is not None:
            await asyncio.wait([task])

    async def built_for(self, uri: str, patience: float) -> None:
        """Wait until the index that a document belongs to has been built, at most so many seconds.

        Edits of a whole file are asked for once: those that depend on the project would be missing in them.
        """
        place = self._projects.place(uri)
        if place is not None:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.built(place.project.root), patience)

    def close(self) -> None:
        """Stop."""
        self._has_begun = False
        for task in (*self._building.values(), self._settling):
            if task is not None:
                task.cancel()

    def _new_project(self, project: OpenProject) -> None:
        if self._has_begun and project.root not in self._building:
            self._building[project.root] = asyncio.ensure_future(self._build(project))

    def _read_again(self, project: OpenProject) -> None:
        """Where nobody says which files change, look at all of them now and then: when one is opened."""
        is_old = time.monotonic() - project.read_at > _FRESH_SECONDS
        if project.is_complete and is_old and not self._settings.is_watched:
            self._new_project(project)

    def _forget_unused(self) -> None:
        self._projects.keep(document.uri for document in self._documents)
        for root, task in list(self._building.items()):
            if not self._projects.has(root):
                task.cancel()
                self._building.pop(root)

    async def _build(self, project: OpenProject) -> None:
        """Read a project for the first time. Until it is done, its view knows that it does not know all."""
        try:
            await self._front.ready()
            progress = self._front.announce(project.root)
            try:
                project.is_complete = await self._read_all(project, progress)
                project.read_at = time.monotonic()
                self._forget_building(project)
                await self._renew([project])
            finally:
                await progress.end()
        finally:
            self._forget_building(project)

    def _forget_building(self, project: OpenProject) -> None:
        if self._building.get(project.root) is asyncio.current_task():
            self._building.pop(project.root)

    async def _read_all(self, project: OpenProject, progress: Announcement) -> bool:
        in_background = self._worker.in_background
        found = await in_background(partial(python_files, project.root))
        if found is None or not found.is_complete:
            self._front.not_indexed(project.root)
            return False
        for gone in project.files.paths.difference(found.paths):
            project.files.remove(gone)
        for start in range(0, len(found.paths), _FILES_AT_ONCE):
            progress.report(start, len(found.paths))
            await self._read(project, found.paths[start : start + _FILES_AT_ONCE])
        return True

    async def _read(self, project: OpenProject, paths: Sequence[str]) -> None:
        """Enter files as they are on the disk. One that ends the process has nothing to say."""
        work = partial(facts_of_files, project.root, paths)
        facts = await self._worker.in_background(work)
        if facts is not None:
            _enter(project, paths, facts)
        elif len(paths) > 1:
            middle = len(paths) // 2
            await self._read(project, paths[:middle])
            await self._read(project, paths[middle:])

    def _settle_soon(self) -> None:
        """Look at what has changed once it is quiet; what changes meanwhile is looked at after that."""
        self._events += 1
        if self._settling is None or self._settling.done():
            self._settling = asyncio.ensure_future(self._settle())

    async def _settle(self) -> None:
        while self._edited or self._changed:
            await self._quiet()
            edited, self._edited = self._edited, {}
            changed, self._changed = self._changed, {}
            renewed = {*(await self._settle_files(changed)), *(await self._settle_documents(edited))}
            self._forget_unused()
            await self._renew([item for item in self._projects if item.root in renewed])

    async def _quiet(self) -> None:
        known: int | None = None
        while known != self._events:
            known = self._events
            await asyncio.sleep(QUIET_SECONDS)

    async def _settle_files(self, changed: Iterable[tuple[Path, str]]) -> set[Path]:
        """Enter files that changed on the disk; gives the projects in which that matters."""
        renewed: set[Path] = set()
        by_project: dict[Path, list[str]] = {}
        for root, path in changed:
            by_project.setdefault(root, []).append(path)
        for root, paths in by_project.items():
            project = self._projects.at(root)
            own = await self._worker.in_thread(partial(_not_left_out, root, paths))
            # The text of a document that is open counts, whatever is written to its file.
            if any(project.opened(path) is None or path not in project.files for path in own):
                renewed.add(root)
            for start in range(0, len(own), _FILES_AT_ONCE):
                await self._read(project, own[start : start + _FILES_AT_ONCE])
        return renewed

    async def _settle_documents(self, uris: Iterable[str]) -> set[Path]:
        """Look at documents that were opened, changed or closed; gives the projects in which that matters."""
        renewed: set[Path] = set()
        for uri in uris:
            place = self._projects.place(uri)
            if place is not None and await self._settle_document(uri, place):
                renewed.add(place.project.root)
        return renewed

    async def _settle_document(self, uri: str, place: ProjectPath) -> bool:
        """Let the other files see a document as it is now; gives whether that is a difference to them."""
        project, path = place
        before = project.opened(path)
        document = self._documents.examined(uri)
        source = document.python if document is not None else None
        if source is None:
            project.take_off(path)
            if before is None:
                return False
            await self._read(project, [path])
            return await self._differs_from_file(project, path, before)
        if before is not None and before.source is source:
            return False
        in_thread = self._worker.in_thread
        if await in_thread(partial(is_left_out, project.root, path)):
            return project.take_off(path) is not None
        after = await in_thread(partial(looked_at, source, path, project.view))
        if self._projects.place(uri) != place:  # the folders changed meanwhile: it is looked at once more
            return False
        project.lay_over(path, after)
        if before is None:
            self._read_again(project)
            return await self._differs_from_file(project, path, after)
        if (before.facts, before.passed_on) != (after.facts, after.passed_on):
            return True
        if before.source.text == after.source.text:
            return False
        is_linked = after.facts.has_words or project.view.program.passes(path)
        return is_linked or await self._is_decided_otherwise(project)

    async def _is_decided_otherwise(self, project: OpenProject) -> bool:
        """Whether something else is decided than what is shown: a word may come to a file to which none
        came. Only what the edit concerns is followed again."""
        if not project.view.files_with_words:
            return False
        return not project.view.program.is_decided_like((await self._decided(project)).program)

    async def _differs_from_file(self, project: OpenProject, path: str, opened: OpenedFile) -> bool:
        """Whether a document is something else to other files than its file; of a notebook, facts count."""
        if project.files.get(path) != opened.facts:
            return True
        if is_notebook(path):
            return False
        work = partial(is_on_disk, project.root, path, opened.source.text)
        return not await self._worker.in_thread(work)

    async def _renew(self, projects: Sequence[OpenProject]) -> None:
        """Something has changed that matters in these projects."""
        for project in projects:
            generation, view = -1, project.view
            while generation != project.generation:  # else the view is of what was before
                generation, view = project.generation, await self._decided(project)
            project.renew(view)
        roots = {project.root for project in projects if project.root not in self._building}
        documents = [
            document
            for document in self._documents
            if (place := self._projects.place(document.uri)) is not None and place.project.root in roots
        ]
        await self._front.refresh(documents)

    async def _decided(self, project: OpenProject) -> ProjectFiles:
        """A project as it is now, with what is decided about its words under its own settings and those of
        the documents that are open, which are looked at by what was decided before until it is done."""
        view = project.view_of_now()
        await self._worker.decide(view, self._settings.at(project.root).options)
        for document in self._documents:
            place = self._projects.place(document.uri)
            if place is not None and place.project is project:
                await self._worker.decide(view, self._settings.of(document.uri).options)
        return view


def _enter(project: OpenProject, paths: Sequence[str], facts: Sequence[FileFacts | None]) -> None:
    for path, found in zip(paths, facts, strict=True):
        if found is not None:
            project.files.put(path, found)
        else:
            project.files.remove(path)


def _not_left_out(root: Path, paths: Sequence[str]) -> list[str]:
    return [path for path in paths if not is_left_out(root, path)]
