"""``gpu2ascend survey``: which projects can move, what blocks, and which APIs matter most."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.cli.commands.projects.survey import survey_lines
from gpu2ascend.cli.output.terminal import Terminal
from gpu2ascend.project.processes.cancellable import Reporter
from gpu2ascend.survey import run as run_module
from gpu2ascend.survey.look import Looked, Task, look
from gpu2ascend.survey.model import Ranked, Survey, Surveyed
from gpu2ascend.texts.catalogue import Texts
from tests.server.cli.conftest import Run
from tests.server.cli.conftest import run as run  # a fixture
from tests.server.survey.conftest import BLOCKED, READY, TEXTS

pytestmark = pytest.mark.slow

V = ("-v", "2.8.0")


def states(document: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {Path(project["path"]).name: project["state"] for project in document["projects"]}


class TestStates:
    def test_each_project_is_as_a_migration_would_leave_it(self, run: Run, place: Path) -> None:
        ran = run("survey", place, *V, "--json")
        assert states(ran.json) == {name: name for name in TEXTS}
        assert ran.json["summary"] == {
            "projects": 4, "moving": 3, "failed": 0, "blocked": 1, "open": 1, "ready": 1, "untouched": 1,
        }  # fmt: skip
        assert ran.code == 1

    def test_0_when_all_can_move(self, run: Run, place: Path) -> None:
        shutil.rmtree(place / "blocked")
        assert run("survey", place, *V).code == 0

    def test_nothing_is_written_into_a_project(self, run: Run, place: Path) -> None:
        before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
        run("survey", place, *V)
        assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before

    def test_without_a_version_each_project_has_its_own(self, run: Run, place: Path) -> None:
        (place / "ready" / "requirements.txt").write_text("torch==2.1.0\n")
        versions = {
            Path(item["path"]).name: item["version"]
            for item in run("survey", place, "--json").json["projects"]
        }
        assert versions["ready"] == "2.1.0" != versions["open"]


class TestRankings:
    @pytest.mark.parametrize(("count", "more"), [(10, None), (11, 1), (14, 4)])
    def test_people_get_the_first_ten_and_how_many_follow(
        self, monkeypatch: pytest.MonkeyPatch, count: int, more: int | None
    ) -> None:
        ranked = [Ranked(f"torch.api{number}", "", 3, 7) for number in range(count)]
        monkeypatch.setattr(Survey, "apis", lambda self: ranked)
        said = list(survey_lines(Survey(()), Terminal(io.StringIO(), {}), Texts("en")))
        assert [line.split()[0] for line in said if "torch.api" in line] == [
            item.name for item in ranked[:10]
        ]
        assert [line.strip() for line in said if "more, in --json" in line] == (
            [f"... and {more} more, in --json and --html"] if more else []
        )

    def test_rules_and_apis_of_the_most_projects_come_first(self, run: Run, place: Path) -> None:
        (place / "ready" / "more.py").write_text(BLOCKED)
        found = run("survey", place, *V, "--json").json
        assert found["blockers"] == [{"name": "NPU520", "about": "nvtx-range", "projects": 2, "places": 4}]
        assert [item["name"] for item in found["apis"]] == [
            "torch.cuda.nvtx.mark", "torch.backends.cudnn.allow_tf32",
        ]  # fmt: skip

    def test_people_get_lines(self, run: Run, place: Path) -> None:
        printed = run("survey", place, *V).out
        assert printed.startswith(
            f"{place / 'blocked'}: blocked; errors 2, warnings 0, information 0, PyTorch 2.8.0\n"
        )
        assert (
            "Projects: 4. Can move: 3 " in printed and "NPU520  nvtx-range  projects: 1, places: 2" in printed
        )

    def test_a_file_that_is_not_python_is_the_reason(self, run: Run, place: Path) -> None:
        (place / "ready" / "old.py").write_text("import torch\nprint 'cuda'\n")
        named = run("survey", place, *V, "--json").json["projects"]
        (ready,) = (item for item in named if Path(item["path"]).name == "ready")
        assert ready["state"] == "blocked" and ready["counts"]["unparsable"] == 1
        (reason,) = ready["unexamined"]
        assert reason.startswith("old.py: not valid Python 3")
        assert f"    {reason}\n" in run("survey", place, *V).out


class TestPlaces:
    def test_a_list_names_paths_relative_to_itself(self, run: Run, place: Path) -> None:
        listed = place.parent / "list.txt"
        listed.write_text("# ours\nprojects/ready\n\nprojects/open\nprojects/ready\n")
        assert states(run("survey", listed, *V, "--json").json) == {"ready": "ready", "open": "open"}

    def test_a_project_that_is_not_there_costs_only_itself(self, run: Run, place: Path) -> None:
        listed = place.parent / "list.txt"
        listed.write_text("projects/gone\nprojects/ready\n")
        ran = run("survey", listed, *V, "--json")
        assert states(ran.json) == {"gone": "failed", "ready": "ready"}
        assert ran.code == 1

    def test_hidden_directories_and_outputs_are_no_projects(self, run: Run, place: Path) -> None:
        (place / ".git").mkdir()
        run("migrate", "-i", place / "ready", "-o", place, *V)
        assert states(run("survey", place, *V, "--json").json) == {name: name for name in TEXTS}

    @pytest.mark.parametrize("words", [("missing",), (), ("projects", "--backend", "slurm")])
    def test_2_where_nothing_is_named(
        self, run: Run, place: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
    ) -> None:
        monkeypatch.chdir(place.parent)
        assert run("survey", *words).code == 2

    def test_a_scheduler_belongs_to_a_cluster(self, run: Run, place: Path) -> None:
        assert run("survey", place, "--scheduler", "tcp://127.0.0.1:1").code == 2


class TestResume:
    @pytest.fixture
    def looked(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The names of the projects that are looked at, as the survey comes to them."""
        names: list[str] = []

        def noted(task: object) -> object:
            names.append(task.root.name)  # type: ignore[attr-defined]
            return look(task)  # type: ignore[arg-type]

        monkeypatch.setattr(run_module, "look", noted)
        return names

    @pytest.fixture
    def again(self, run: Run, place: Path, tmp_path: Path) -> Callable[..., dict[str, object]]:
        def survey(*words: str) -> dict[str, object]:
            ran = run("survey", place, *V, "--json", "--resume", tmp_path / "so-far.jsonl", *words)
            document: dict[str, object] = ran.json
            return document

        return survey

    def test_what_is_known_is_not_looked_at_again(
        self, again: Callable[..., dict[str, object]], looked: list[str]
    ) -> None:
        first = again()
        assert sorted(looked) == sorted(TEXTS)
        looked.clear()
        assert again() == first and looked == []

    def test_what_changed_is(
        self, again: Callable[..., dict[str, object]], looked: list[str], place: Path
    ) -> None:
        again()
        looked.clear()
        (place / "blocked" / "train.py").write_text(READY)
        assert again()["summary"]["blocked"] == 0  # type: ignore[index]
        assert looked == ["blocked"]

    def test_a_run_that_was_ended_goes_on(
        self, again: Callable[..., dict[str, object]], looked: list[str], tmp_path: Path
    ) -> None:
        whole = again()
        looked.clear()
        journal = tmp_path / "so-far.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        journal.write_text("".join(lines[:3]) + lines[3][:40])
        assert again() == whole
        assert len(looked) == 2

    def test_other_options_are_another_survey(self, run: Run, place: Path, tmp_path: Path) -> None:
        journal = tmp_path / "so-far.jsonl"
        run("survey", place, *V, "--resume", journal)
        ran = run("survey", place, *V, "--resume", journal, "--unsafe")
        assert ran.code == 2 and "--resume" in ran.err


class TestPage:
    @pytest.mark.parametrize(
        ("language", "verdict"), [("en", "3 of 4 projects can move."), ("zh", "4 个项目中有 3 个可以迁移。")]
    )
    def test_says_what_the_lines_say(
        self, run: Run, place: Path, tmp_path: Path, language: str, verdict: str
    ) -> None:
        page = tmp_path / "survey.html"
        run("survey", place, *V, "--html", page, "--language", language)
        text = page.read_text(encoding="utf-8")
        assert verdict in text and "NPU520" in text
        assert 'http-equiv="Content-Security-Policy"' in text and "<script" not in text

    def test_names_of_projects_are_text(self, run: Run, place: Path, tmp_path: Path) -> None:
        (place / "ready").rename(place / "<b>ready")
        page = tmp_path / "survey.html"
        run("survey", place, *V, "--html", page)
        text = page.read_text(encoding="utf-8")
        assert "&lt;b&gt;ready" in text and "<b>ready" not in text

    def test_is_not_written_into_a_project(self, run: Run, place: Path) -> None:
        assert run("survey", place, *V, "--html", place / "ready" / "s.html").code == 2

    def test_replaces_an_earlier_one_and_nothing_else(self, run: Run, place: Path, tmp_path: Path) -> None:
        page, folder = tmp_path / "survey.html", tmp_path / "folder.html"
        page.write_text("STALE")
        folder.mkdir()
        assert run("survey", place, *V, "--html", page).code == 1 and "STALE" not in page.read_text("utf-8")
        assert run("survey", place, *V, "--html", folder).code == 2 and not list(folder.iterdir())


def test_a_process_that_dies_costs_its_project_alone(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(task: Task) -> Looked:
        return look(_Dying(root=task.root, options=task.options) if task.root.name == "open" else task)

    monkeypatch.setattr(run_module, "look", dies)
    found = run("survey", place, *V, "--json", "--jobs", "1").json
    assert states(found) == {**{name: name for name in TEXTS}, "open": "failed"}


class _Dying(Task):
    """Work that ends its process in the middle."""

    def __call__(self, reporter: Reporter) -> Surveyed:
        os._exit(9)


def test_the_documents_of_a_survey_are_plain_data(run: Run, place: Path) -> None:
    printed = run("survey", place, *V, "--json").out
    assert json.loads(printed)["gpu2ascend"]
