"""Which project a document belongs to, how it is named there, and which projects are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from gpu2ascend.lsp.session.documents import DocumentStore
from gpu2ascend.lsp.session.projects.open_project import OpenProject
from gpu2ascend.lsp.session.projects.projects import Projects
from gpu2ascend.lsp.session.settings import Settings
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.model.project.project_view import STANDALONE
from tests.server.project.samples import make_tree


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return make_tree(
        tmp_path,
        {
            "work/pyproject.toml": "",
            "work/a.py": "",
            "work/inner/b.py": "",
            "work/inner/pyproject.toml": "",
            "other/pyproject.toml": "",
            "other/pkg/c.py": "",
        },
    )


class Session:
    def __init__(self, *folders: Path) -> None:
        self.documents, self.settings = DocumentStore(), Settings()
        self.settings.use_folders(list(folders))
        self.projects = Projects(self.settings, self.documents)
        self.new: list[Path] = []
        self.projects.on_new = lambda project: self.new.append(project.root)

    def open(self, uri: str, text: str = "", language: str = "python") -> None:
        self.documents.open(types.TextDocumentItem(uri, language, 1, text))


def test_a_document_belongs_to_its_folder_or_to_the_project_around_it(top: Path) -> None:
    session = Session(top / "work")
    places = {}
    for name in ("work/a.py", "work/inner/b.py", "other/pkg/c.py"):
        place = session.projects.place((top / name).as_uri())
        assert place is not None
        places[name] = (place.project.root, place.path)
    assert places == {
        "work/a.py": (top / "work", "a.py"),
        "work/inner/b.py": (top / "work", "inner/b.py"),
        "other/pkg/c.py": (top / "other", "pkg/c.py"),
    }
    assert session.new == [top / "work", top / "other"]
    assert [project.root for project in session.projects] == session.new


def test_what_is_no_file_is_on_its_own(top: Path) -> None:
    session = Session(top / "work")
    assert session.projects.place("untitled:Untitled-1") is None
    assert session.projects.view("untitled:Untitled-1") == ("", STANDALONE)
    assert session.projects.name_of("untitled:Untitled-1") == ""
    uri = (top / "work" / "a.py").as_uri()
    assert session.projects.view(uri) == ("a.py", session.projects.at(top / "work").view)
    assert session.projects.name_of(uri) == "a.py"


@pytest.mark.parametrize(
    ("name", "is_indexed"),
    [("a.py", True), ("A.PY", True), ("a.ipynb", True), ("a.pyw", True), ("a.txt", False), ("py", False)],
)
def test_python_files_and_notebooks_are_indexed(top: Path, name: str, is_indexed: bool) -> None:
    place = Session(top / "work").projects.place((top / "work" / name).as_uri())
    assert place is not None and place.is_indexed is is_indexed


def test_a_file_that_changed_belongs_to_the_innermost_project_that_is_known(top: Path) -> None:
    session = Session(top / "work", top / "work" / "inner")
    uri = (top / "work" / "inner" / "b.py").as_uri()
    assert session.projects.known_place(uri) is None
    session.projects.at(top / "work")
    outer = session.projects.known_place(uri)
    assert outer is not None and (outer.project.root, outer.path) == (top / "work", "inner/b.py")
    session.projects.at(top / "work" / "inner")
    inner = session.projects.known_place(uri)
    assert inner is not None and (inner.project.root, inner.path) == (top / "work" / "inner", "b.py")
    assert session.projects.known_place("untitled:x") is None
    assert session.new == [top / "work", top / "work" / "inner"]


def test_a_place_is_looked_up_again_when_the_folders_are_others(top: Path) -> None:
    session = Session(top / "work")
    uri = (top / "work" / "inner" / "b.py").as_uri()
    assert session.projects.name_of(uri) == "inner/b.py"
    session.settings.use_folders([top / "work" / "inner"])
    assert session.projects.name_of(uri) == "inner/b.py"
    session.projects.look_again()
    assert session.projects.name_of(uri) == "b.py"


def test_the_open_texts_of_a_folder_are_those_that_are_examined(top: Path) -> None:
    session = Session(top / "work")
    session.open((top / "work" / "a.py").as_uri(), "x = 1\n")
    session.open((top / "work" / "inner" / "b.py").as_uri(), "y = 1\n")
    session.open((top / "work" / "notes.md").as_uri(), "z", "markdown")
    session.open((top / "other" / "pkg" / "c.py").as_uri(), "w = 1\n")
    session.open("untitled:Untitled-1", "v = 1\n")
    assert session.projects.open_texts(top / "work") == {"a.py": "x = 1\n", "inner/b.py": "y = 1\n"}
    assert session.projects.open_texts(top / "work" / "inner") == {"b.py": "y = 1\n"}


def test_projects_of_folders_and_of_open_documents_are_kept(top: Path) -> None:
    session = Session(top / "work")
    session.projects.at(top / "work")
    uri = (top / "other" / "pkg" / "c.py").as_uri()
    session.projects.place(uri)
    session.projects.keep([uri])
    assert session.projects.has(top / "work") and session.projects.has(top / "other")
    kept = session.projects.at(top / "other")
    session.projects.keep(["untitled:x"])
    assert session.projects.has(top / "work") and not session.projects.has(top / "other")
    assert session.projects.at(top / "other") is not kept


A = "class A:\n    def cuda(self): pass\n"


def test_a_view_is_the_same_until_something_changes_that_matters(top: Path) -> None:
    project = OpenProject(top / "work")
    view, generation = project.view, project.generation
    assert project.view is view
    project.renew()
    assert project.view is not view
    assert project.generation != generation
    assert OpenProject(top / "work").generation != project.generation


def test_documents_that_are_taken_off_together_count_no_more(top: Path) -> None:
    project = OpenProject(top / "work")
    view = project.view
    project.take_all_off()
    assert project.view is view, "there was none"
    assert project.take_off("a.py") is None and project.opened("a.py") is None


def test_a_document_that_is_no_file_is_fixed_as_a_program_of_one_file() -> None:
    session = Session()
    session.open("untitled:one", "import torch\nx = torch.ones(1).to('cuda')\n")
    assert session.projects.view("untitled:one") == ("", STANDALONE)
    project = session.projects.of_now("untitled:one")()
    assert isinstance(project, ProjectFiles) and set(project.files_with_words) == {""}
    session.open("untitled:two", "device: cuda\n", "yaml")
    assert session.projects.of_now("untitled:two")() is STANDALONE
