"""One project of the editor: the index of its files, the texts that are open, and the view made of both."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.hosting import brought, meanings_in
from gpu2ascend_rules.text.source_file import SourceFile

from ....project.files.content.encoding import NotTextError, decode
from ....project.files.content.notebooks import is_notebook
from ....project.files.writing.copying import UnreadableError, read_file
from ....project.index.facts.facts import FileFacts
from ....project.index.facts.file_facts import facts_of
from ....project.index.indexed_files import IndexedFiles
from ....project.index.view import ProjectFiles
from ....project.paths import join
from ..worker import LARGE

_generations = count()


class OpenedFile(NamedTuple):
    """An open document as the other files of the project see it."""

    source: SourceFile
    facts: FileFacts
    passed_on: object
    """What its names stand for to others: equal as long as that is the same."""


class OpenProject:
    """Belongs to the event loop; the views that it hands out are immutable."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = IndexedFiles()
        self.is_complete = False
        """Whether the index knows all files."""
        self.generation = next(_generations)
        """Another number for each view, of any project."""
        self.read_at = 0.0
        """When all files were read last, by the monotonic clock."""
        self._opened: dict[str, OpenedFile] = {}
        self._view: ProjectFiles | None = None

    @property
    def view(self) -> ProjectFiles:
        """The project as it is now: the same object until something changes that matters to other files."""
        if self._view is None:
            self._view = self.view_of_now()
        return self._view

    def view_of_now(self) -> ProjectFiles:
        """Another view, which nobody sees before :meth:`renew` is given it."""
        texts = {path: item.source.text for path, item in self._opened.items() if not is_notebook(path)}
        overlay = {path: item.facts for path, item in self._opened.items()}
        return ProjectFiles(
            self.root, self.files.facts(), texts, overlay=overlay, is_complete=self.is_complete
        )

    def renew(self, view: ProjectFiles | None = None) -> None:
        """Let another view be seen, made now or before: something has changed that matters."""
        self._view = view
        self.generation = next(_generations)

    def opened(self, path: str) -> OpenedFile | None:
        """An open document, as it was last looked at."""
        return self._opened.get(path)

    def lay_over(self, path: str, opened: OpenedFile) -> None:
        """Let a document count in place of its file."""
        self._opened[path] = opened

    def take_all_off(self) -> None:
        """Let the files count again: documents may belong to another project now."""
        if self._opened:
            self._opened.clear()
            self.renew()

    def take_off(self, path: str) -> OpenedFile | None:
        """Let the file count again."""
        return self._opened.pop(path, None)


def looked_at(source: SourceFile, path: str, view: ProjectFiles) -> OpenedFile:
    """A document as the other files see it. May run in any thread."""
    facts = facts_of(path, source.data)
    names = view.reexported_names.union(facts.torch_names)
    exported = tuple(brought(source.data, sorted(names)))
    if len(source.data) >= LARGE:  # its tree is made in another process; imports are what passes names on
        lines = source.data.splitlines()
        return OpenedFile(source, facts, (exported, tuple(line for line in lines if b"import" in line)))
    copy = SourceFile(source.text, path, source.known_tree)  # which has its own names
    return OpenedFile(source, facts, (exported, tuple(meanings_in(copy, names, view))))


def is_on_disk(root: Path, path: str, text: str) -> bool:
    """Whether a file has this very text."""
    try:
        return decode(read_file(join(str(root), path)).data).text == text
    except (UnreadableError, NotTextError):
        return False
