"""After an update, reports say what is in the result, with what people changed in it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.server.project.conftest import Migrate
from tests.server.project.update.test_update import Make, Project

UNSUPPORTED = "import torch\n\n\ndef run(x):\n    return torch.cuda.nvtx.range_push(x)\n"
KEPT = "import torch\n\n\ndef keep(x):\n    return torch.cuda.nvtx.range_push(x)\n"
FILES = {"a.py": UNSUPPORTED, "b.py": KEPT}


@pytest.fixture
def project(run: Migrate, make: Make) -> Project:
    """A migrated project with an API that is left in two files."""
    return Project(run, make, FILES)


def rows(project: Project, table: str) -> list[tuple[str, int]]:
    """Files and lines of a table."""
    with (project.output / f"{table}.csv").open(encoding="utf-8-sig", newline="") as file:
        return [(row["File"], int(row["Start Line"])) for row in csv.DictReader(file)]


def orders(project: Project) -> dict[str, list[tuple[str, int]]]:
    """The places of each work order."""
    document = json.loads(project.read(".gpu2ascend/work-orders.json"))
    return {
        order["id"]: [(place["path"], place["line"]) for place in order["places"]]
        for order in document["orders"]
    }


def test_what_people_solved_is_left_no_more(project: Project) -> None:
    (order,) = orders(project)
    assert [path for path, _ in orders(project)[order]] == ["a.py", "b.py"]
    project.by_hand(a_py="def run(x):\n    return None\n")
    project.upstream(b_py=f"# new\n{KEPT}")
    project.update()
    assert orders(project) == {order: [("b.py", 6)]}
    assert [path for path, _ in rows(project, "unsupported_api")] == ["b.py"]
    assert "a.py" not in project.read("MIGRATION.md")


def test_all_solved_is_said_to_be_done(project: Project) -> None:
    (order,) = orders(project)
    project.by_hand(a_py="x = 1\n", b_py="x = 2\n")
    project.update()
    assert orders(project) == {}
    assert f"- [x] {order}" in project.read("MIGRATION.md")


def test_what_people_wrote_is_looked_at_with_its_lines(project: Project) -> None:
    text = project.read("a.py")
    project.by_hand(a_py=f"# mine\n# mine\n{text}", own_py=UNSUPPORTED)
    line = next(line for path, line in rows(project, "unsupported_api") if path == "a.py")
    project.update()
    assert set(rows(project, "unsupported_api")) == {
        ("a.py", line + 2 + text.count("\n") - UNSUPPORTED.count("\n")),
        ("b.py", line),
        ("own.py", 5),
    }
    assert "own.py" in project.read("report.html") and "own.py:5" in project.read("MIGRATION.md")


def test_a_file_with_marks_of_a_conflict_could_not_be_examined(project: Project) -> None:
    project.by_hand(a_py=project.read("a.py").replace("def run(x)", "def mine(x)"))
    project.upstream(a_py=UNSUPPORTED.replace("def run(x)", "def theirs(x)"))
    assert project.update().conflicts
    document = json.loads(project.read(".gpu2ascend/work-orders.json"))
    assert [item["path"] for item in document["not_examined"]] == ["a.py"]


def test_a_file_that_was_renamed_by_hand_has_its_new_name(project: Project) -> None:
    (project.output / "a.py").rename(project.output / "mine.py")
    project.upstream(a_py=UNSUPPORTED.replace("return", "y = 1\n    return"))
    project.update()
    assert {path for path, _ in rows(project, "unsupported_api")} == {"mine.py", "b.py"}


def test_ticks_stay_while_the_order_is_left(project: Project) -> None:
    (order,) = orders(project)
    document = project.read("MIGRATION.md")
    assert f"### [ ] {order}" in document
    project.by_hand(**{"MIGRATION.md": document.replace(f"### [ ] {order}", f"### [x] {order}")})
    merge = project.update()
    assert f"### [x] {order}" in project.read("MIGRATION.md")
    assert merge.kept_reports == ()


def test_what_people_wrote_into_the_document_is_kept_beside_it(project: Project) -> None:
    project.by_hand(**{"MIGRATION.md": project.read("MIGRATION.md") + "\nmine\n"})
    assert project.update().kept_reports == ("MIGRATION.md.yours",)


def test_the_effort_is_that_of_the_result(project: Project, run: Migrate, tmp_path: Path) -> None:
    project.by_hand(a_py="x = 1\n")
    project.update()
    document = json.loads(project.read(".gpu2ascend/work-orders.json"))
    fresh = run(project.root, output=tmp_path / "fresh").output
    before = json.loads((fresh / ".gpu2ascend" / "work-orders.json").read_text("utf-8"))
    assert document["effort"] != before["effort"]


USES = "from a import nvtx\n\nnvtx.range_push('x')\n"


@pytest.mark.parametrize("is_added", [True, False])
def test_what_people_change_in_one_file_shows_in_another(run: Migrate, make: Make, is_added: bool) -> None:
    """The functions of a module raise where another file imports it from this one."""
    files = {"a.py": "from torch.cuda import nvtx\n", "b.py": "x = 1\n" if is_added else USES}
    project = Project(run, make, files)
    assert bool(orders(project)) is not is_added
    project.by_hand(b_py=USES if is_added else "x = 1\n")
    project.update()
    found = {path for places in orders(project).values() for path, _ in places}
    assert found == ({"a.py"} if is_added else set())


def test_what_cannot_be_examined_solves_nothing_elsewhere(run: Migrate, make: Make) -> None:
    project = Project(run, make, {"a.py": "from torch.cuda import nvtx\n", "b.py": USES})
    project.by_hand(b_py="import torch\n\ntorch.cuda.synchronize(\n")
    project.update()
    assert "a.py" in {path for path, _ in rows(project, "unsupported_api")}
