"""The index of a project: built once, and kept up to date by what changes on the disk and in the editor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.session.documents import Document, DocumentStore
from gpu2ascend.lsp.session.projects import indexing as module
from gpu2ascend.lsp.session.projects.indexing import Indexing
from gpu2ascend.lsp.session.projects.open_project import OpenProject
from gpu2ascend.lsp.session.projects.projects import Projects
from gpu2ascend.lsp.session.settings import Settings
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.text.lines import ColumnUnit
from tests.server.project.samples import make_tree

A = "class A:\n    def cuda(self): pass\n"
B = "class B:\n    def cuda(self): pass\n"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_SECONDS", 0)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "proj", {"pyproject.toml": "", "a.py": A, "pkg/b.py": B, "notes.txt": "x"})


class Here:
    """Does all work at once; of a path that is deadly, the process dies."""

    def __init__(self, deadly: str = "") -> None:
        self.deadly = deadly
        self.read: list[tuple[str, ...]] = []

    async def in_thread(self, work: Callable[[], Any]) -> Any:
        return work()

    async def in_background(self, work: partial[Any]) -> Any:
        await asyncio.sleep(0)
        if len(work.args) > 1:
            self.read.append(tuple(work.args[1]))
        return None if self.deadly and self.deadly in str(work.args[-1]) else work()

    async def decide(self, project: ProjectFiles, options: MigrationOptions) -> None:
        project.program.decided(options)


class Told:
    """A client that notes what it is told."""

    def __init__(self) -> None:
        self.announced: list[Path] = []
        self.reported: list[tuple[int, int]] = []
        self.ended = 0
        self.unknown: list[Path] = []
        self.refreshed: list[list[str]] = []
        self.is_ready = asyncio.Event()
        self.is_ready.set()

    async def ready(self) -> None:
        await self.is_ready.wait()

    def announce(self, root: Path) -> Told:
        self.announced.append(root)
        return self

    def report(self, done: int, total: int) -> None:
        self.reported.append((done, total))

    async def end(self) -> None:
        self.ended += 1

    def not_indexed(self, root: Path) -> None:
        self.unknown.append(root)

    async def refresh(self, documents: Iterable[Document]) -> None:
        self.refreshed.append([document.uri for document in documents])


class Session:
    """What an editor has open, and the indexes of it."""

    def __init__(self, *folders: Path, deadly: str = "", is_watched: bool = True) -> None:
        self.documents, self.settings = DocumentStore(), Settings()
        self.settings.use_folders(list(folders))
        self.settings.is_watched = is_watched
        self.projects = Projects(self.settings, self.documents)
        self.worker, self.told = Here(deadly), Told()
        worker: Any = self.worker
        self.indexing = Indexing(self.projects, self.documents, self.settings, worker, self.told)

    async def begin(self) -> None:
        self.indexing.folders_changed()
        self.indexing.begin()
        await self.quiet()

    async def quiet(self) -> None:
        while tasks := [
            task
            for task in (*self.indexing._building.values(), self.indexing._settling)
            if task is not None and not task.done()
        ]:
            await asyncio.wait(tasks)

    async def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        self.documents.open(types.TextDocumentItem(uri, "python", 1, text))
        self.indexing.edited(uri)
        await self.quiet()
        return uri

    async def type(self, uri: str, text: str, version: int = 2) -> None:
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.documents.change(uri, version, [change], ColumnUnit.UTF16)
        self.indexing.edited(uri)
        await self.quiet()

    async def close(self, uri: str) -> None:
        self.documents.close(uri)
        self.indexing.edited(uri)
        await self.quiet()

    async def changed(self, *paths: Path) -> None:
        self.indexing.files_changed(path.as_uri() for path in paths)
        await self.quiet()

    def project(self, root: Path) -> OpenProject:
        return self.projects.at(root)

    def known(self, root: Path) -> set[str]:
        """The classes with the method, as a rule sees them."""
        return set(self.project(root).view.defines_method("cuda"))


async def test_it_is_built_when_the_client_is_ready_and_shown_as_long_as_it_takes(root: Path) -> None:
    session = Session(root)
    session.indexing.folders_changed()
    assert session.indexing._building == {} and not session.project(root).is_complete
    session.told.is_ready.clear()
    session.indexing.begin()
    session.indexing.begin()
    await asyncio.sleep(0)
    assert session.told.announced == []
    assert session.known(root) == set()
    session.told.is_ready.set()
    await session.quiet()
    assert session.known(root) == {"a.A", "pkg.b.B"}
    assert session.project(root).is_complete
    assert (session.told.announced, session.told.reported, session.told.ended) == ([root], [(0, 2)], 1)
    assert session.told.refreshed == [[]]


async def test_files_are_read_in_turns(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FILES_AT_ONCE", 2)
    make_tree(root, {f"{name}.py": "" for name in "cde"})

    session = Session(root)
    await session.begin()
    assert session.told.reported == [(0, 5), (2, 5), (4, 5)]
    assert [len(paths) for paths in session.worker.read] == [2, 2, 1]


async def test_a_file_on_which_the_process_dies_costs_no_other(root: Path) -> None:
    session = Session(root, deadly="b.py")
    await session.begin()
    assert session.known(root) == {"a.A"}
    assert session.project(root).is_complete
    await session.changed(root / "a.py", root / "pkg" / "b.py")
    assert session.known(root) == {"a.A"}


async def test_a_project_whose_files_cannot_be_listed_has_no_index_and_that_is_said(root: Path) -> None:
    session = Session(root, deadly=str(root))
    await session.begin()
    assert (session.told.unknown, session.told.reported, session.told.ended) == ([root], [], 1)
    assert not session.project(root).is_complete


async def test_what_changes_on_the_disk_is_known_and_shown(root: Path) -> None:
    session = Session(root)
    await session.begin()
    uri = await session.open(root / "use.py", "x = 1\n")
    session.told.refreshed.clear()
    (root / "a.py").write_text(A.replace("A", "Other"))
    make_tree(root, {"new.py": A, "venv/pyvenv.cfg": "", "venv/lib.py": A})
    (root / "pkg" / "b.py").unlink()
    await session.changed(*(root / path for path in ("a.py", "new.py", "pkg/b.py", "venv/lib.py")))
    assert session.known(root) == {"a.Other", "new.A"}
    assert session.told.refreshed == [[uri]]
    session.told.refreshed.clear()
    await session.changed(root / "notes.txt")
    await session.changed(root / "venv" / "lib.py")
    await session.changed(root.parent / "elsewhere.py")
    assert session.told.refreshed in ([], [[]])
    assert session.known(root) == {"a.Other", "new.A"}


async def test_a_directory_that_goes_takes_its_files_with_it(root: Path) -> None:
    session = Session(root)
    await session.begin()
    (root / "pkg" / "b.py").unlink()
    (root / "pkg").rmdir()
    await session.changed(root / "pkg")
    assert session.known(root) == {"a.A"}


async def test_the_text_of_an_open_document_counts_in_place_of_its_file(root: Path) -> None:
    session = Session(root)
    await session.begin()
    uri = await session.open(root / "a.py", A)
    assert session.known(root) == {"a.A", "pkg.b.B"}
    await session.type(uri, "x = 1\n")
    assert session.known(root) == {"pkg.b.B"}
    (root / "a.py").write_text(A.replace("A", "Other"))
    await session.changed(root / "a.py")
    assert session.known(root) == {"pkg.b.B"}
    await session.close(uri)
    assert session.known(root) == {"a.Other", "pkg.b.B"}
    assert session.project(root).opened("a.py") is None


async def test_what_is_written_to_the_file_of_an_open_document_shows_nothing_again(root: Path) -> None:
    session = Session(root)
    await session.begin()
    await session.open(root / "a.py", A)
    session.told.refreshed.clear()
    (root / "a.py").write_text(A.replace("A", "Other"))
    await session.changed(root / "a.py")
    assert session.told.refreshed in ([], [[]])
    uri = await session.open(root / "new.py", A)
    session.told.refreshed.clear()
    (root / "new.py").write_text(A)
    await session.changed(root / "new.py")
    assert [uri in documents for documents in session.told.refreshed] == [True], "it is a file now"


@pytest.mark.parametrize(
    ("before", "after", "matters"),
    [
        (A, A + "# more\n", False),
        (A, A + "x = 1\n", False),
        (A, A.replace("A", "Other"), True),
        ("from torch import nn\n", "from torch import nn as layers\n", True),
        ("import torch\nx = 1\n", "import torch\nx = torch.nn\n", True),
    ],
)
async def test_only_what_matters_to_other_files_shows_them_again(
    root: Path, before: str, after: str, matters: bool
) -> None:
    (root / "a.py").write_text(before)
    session = Session(root)
    await session.begin()
    session.told.refreshed.clear()
    uri = await session.open(root / "a.py", before)
    assert session.told.refreshed in ([], [[]]), "the document is as its file"
    view = session.project(root).view
    session.told.refreshed.clear()
    await session.type(uri, after)
    assert (session.project(root).view is not view) is matters
    assert (session.told.refreshed == [[uri]]) is matters


async def test_a_document_that_is_opened_with_another_text_than_its_file_matters(root: Path) -> None:
    session = Session(root)
    await session.begin()
    session.told.refreshed.clear()
    uri = await session.open(root / "a.py", A.replace("A", "Other"))
    assert session.told.refreshed == [[uri]]
    assert session.known(root) == {"a.Other", "pkg.b.B"}


async def test_a_document_that_no_project_has_is_not_looked_at(root: Path) -> None:
    session = Session(root)
    await session.begin()
    make_tree(root, {"venv/pyvenv.cfg": ""})
    await session.open(root / "venv" / "lib.py", A)
    await session.open(root / "notes.txt", A)
    assert session.known(root) == {"a.A", "pkg.b.B"}
    await session.open(root / "c.py", A)
    assert session.known(root) == {"a.A", "pkg.b.B", "c.A"}


@pytest.mark.parametrize(
    ("is_watched", "fresh", "is_read_again"), [(False, -1.0, True), (False, 60.0, False), (True, -1.0, False)]
)
async def test_where_nobody_says_what_changes_files_are_read_again_when_one_is_opened_later(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_watched: bool, fresh: float, is_read_again: bool
) -> None:
    monkeypatch.setattr(module, "_FRESH_SECONDS", fresh)

    session = Session(root, is_watched=is_watched)
    await session.begin()
    (root / "pkg" / "b.py").unlink()
    make_tree(root, {"new.py": A})
    await session.open(root / "a.py", A)
    expected = {"a.A", "new.A"} if is_read_again else {"a.A", "pkg.b.B"}
    assert session.known(root) == expected
    assert len(session.told.announced) == (2 if is_read_again else 1)


async def test_a_project_elsewhere_is_known_as_long_as_a_document_of_it_is_open(
    root: Path, tmp_path: Path
) -> None:
    other = make_tree(tmp_path / "other", {"pyproject.toml": "", "c.py": B})
    session = Session(root)
    await session.begin()
    uri = await session.open(other / "c.py", B)
    assert session.projects.has(other) and session.told.announced == [root, other]
    await session.close(uri)
    assert not session.projects.has(other) and session.projects.has(root)


async def test_a_folder_that_goes_is_forgotten_also_while_it_is_read(root: Path, tmp_path: Path) -> None:
    other = make_tree(tmp_path / "other", {"pyproject.toml": "", "c.py": B})
    session = Session(root, other)
    session.told.is_ready.clear()
    session.indexing.folders_changed()
    session.indexing.begin()
    session.settings.use_folders([root])
    session.indexing.folders_changed()
    assert set(session.indexing._building) == {root}
    session.told.is_ready.set()
    await session.quiet()
    assert session.told.announced == [root]
    assert not session.projects.has(other)


async def test_edits_wait_for_the_index_but_not_for_ever(root: Path) -> None:
    session = Session(root)
    uri = (root / "a.py").as_uri()
    session.told.is_ready.clear()
    session.indexing.folders_changed()
    session.indexing.begin()
    await session.indexing.built_for(uri, 0.01)
    assert not session.project(root).is_complete
    session.told.is_ready.set()
    await session.indexing.built_for(uri, 60.0)
    assert session.project(root).is_complete
    await session.indexing.built_for("untitled:Untitled-1", 60.0)


async def test_at_the_end_nothing_goes_on(root: Path) -> None:
    session = Session(root)
    session.told.is_ready.clear()
    session.indexing.folders_changed()
    session.indexing.begin()
    (task,) = session.indexing._building.values()
    session.indexing.close()
    await asyncio.wait([task])
    assert task.cancelled() and session.told.announced == []


WITH_A_WORD = {
    "kinds.py": "KIND = 'cuda'\n",
    "train.py": "import torch\nfrom kinds import KIND\ntorch.device(KIND)\n",
    "other.py": "import xgboost\nfrom kinds import KIND\n",
}


class TestAFileToWhichNoWordComes:
    """It imports the constant that is a word, and does nothing with it."""

    async def shown_after(self, root: Path, more: str) -> tuple[int, int]:
        """How often the open files were shown again after it was opened, and after an edit of it."""
        session = Session(make_tree(root, WITH_A_WORD))
        await session.begin()
        uri = await session.open(root / "other.py", WITH_A_WORD["other.py"])
        opened = sum(map(len, session.told.refreshed))
        await session.type(uri, WITH_A_WORD["other.py"] + more)
        return opened, sum(map(len, session.told.refreshed))

    async def test_others_are_shown_again_once_a_word_comes_there(self, tmp_path: Path) -> None:
        before, after = await self.shown_after(tmp_path, "xgboost.train({}, x, device=KIND)\n")
        assert after == before + 1

    async def test_nothing_is_shown_again_as_long_as_the_decisions_are_the_same(self, tmp_path: Path) -> None:
        before, after = await self.shown_after(tmp_path, "print(1)\n")
        assert after == before
