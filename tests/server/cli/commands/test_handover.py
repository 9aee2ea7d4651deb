"""``handover`` lists what is left as work orders, and ``migrate`` writes the same into its output."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpu2ascend.project.inspect.handover import migrated_directory

from ..conftest import STUCK, TRAIN, Run, make_project

V = ("-v", "2.8.0")
SCHEMA = json.loads((Path(__file__).parents[4] / "docs/work-orders.schema.json").read_text(encoding="utf-8"))
NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["é"]},
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": [STUCK]},
        ],
    }
)


@pytest.fixture
def migrated(tmp_path: Path, run: Run) -> Path:
    """A migrated project with errors left in three files."""
    files = {"a.py": TRAIN, "b.py": "# -*- coding: latin-1 -*-\n" + STUCK, "c.py": STUCK, "n.ipynb": NOTEBOOK}
    project = make_project(tmp_path / "stuck", files)
    run("migrate", "-i", project, "-o", tmp_path / "out", *V)
    return tmp_path / "out" / "stuck_msft"


def orders(run: Run, directory: Path) -> dict[str, Any]:
    ran = run("handover", directory, "--output-format", "json")
    assert ran.code in (0, 1), ran.err
    document: dict[str, Any] = json.loads(ran.out)
    jsonschema.validate(document, SCHEMA)
    return document


def test_migrate_writes_what_handover_says(run: Run, migrated: Path) -> None:
    assert run("handover", migrated).out == (migrated / "MIGRATION.md").read_text(encoding="utf-8")
    written = json.loads((migrated / ".gpu2ascend/work-orders.json").read_text(encoding="utf-8"))
    assert orders(run, migrated) == written


def test_one_order_a_cause_with_its_places_as_they_are_in_the_output(run: Run, migrated: Path) -> None:
    (order,) = orders(run, migrated)["orders"]
    assert order["total"] == 3 and order["severity"] == "error"
    by_path = {place["path"]: place for place in order["places"]}
    assert by_path.keys() == {"b.py", "c.py", "n.ipynb"}
    line = (migrated / "c.py").read_text(encoding="utf-8").splitlines()[by_path["c.py"]["line"] - 1]
    assert by_path["c.py"]["code"] == line.strip() != ""
    assert by_path["n.ipynb"]["cell"] == 2


def test_an_order_is_done_when_its_check_holds(run: Run, migrated: Path) -> None:
    (order,) = orders(run, migrated)["orders"]
    for name in ("b.py", "c.py"):
        (migrated / name).write_text("import torch\n", encoding="utf-8")
    assert orders(run, migrated)["done"] == []
    (migrated / "n.ipynb").unlink()
    ran = run("handover", migrated)
    assert ran.code == 0
    assert f"- [x] {order['id']} " in ran.out


def test_the_command_of_an_order_ends_with_0_once_it_is_done(
    run: Run, migrated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (order,) = orders(run, migrated)["orders"]
    monkeypatch.chdir(migrated)
    command = order["check"].split()[1:]
    assert run(*command).code == 1
    for name in ("b.py", "c.py"):
        (migrated / name).write_text("import torch\n", encoding="utf-8")
    text = (migrated / "n.ipynb").read_text(encoding="utf-8").replace("torch.cuda.comm.broadcast", "print")
    (migrated / "n.ipynb").write_text(text, encoding="utf-8")
    assert run(*command).code == 0


def test_the_directory_that_holds_the_project_will_do(run: Run, migrated: Path) -> None:
    assert run("handover", migrated.parent).out == run("handover", migrated).out


def test_a_project_that_was_not_migrated_can_be_looked_at(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "plain", {"b.py": STUCK})
    assert run("handover", project, *V).code == 1


def test_a_directory_that_cannot_be_listed_is_left_to_the_look_at_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()

    def refuse(path: Path) -> Iterator[Path]:
        raise PermissionError(errno.EACCES, str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert migrated_directory(tmp_path) == tmp_path


def test_the_documents_are_no_part_of_a_project_that_is_migrated_again(
    run: Run, migrated: Path, tmp_path: Path
) -> None:
    run("migrate", "-i", migrated, "-o", tmp_path / "again", *V)
    again = tmp_path / "again" / f"{migrated.name}_msft"
    assert (again / "MIGRATION.md").exists() and not (again / "MIGRATION_msft.md").exists()
    assert sorted(path.name for path in (again / ".gpu2ascend").iterdir()) == ["base.zip", "work-orders.json"]


def test_a_document_of_the_project_keeps_its_name(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "plain", {"b.py": STUCK, "MIGRATION.md": "mine\n"})
    run("migrate", "-i", project, "-o", tmp_path / "out", *V)
    output = tmp_path / "out" / "plain_msft"
    assert (output / "MIGRATION.md").read_text() == "mine\n" and (output / "MIGRATION_msft.md").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "Name one directory"),
        (("a", "b"), "Name one directory"),
        (("missing",), "missing"),
        ((".", "--output-format", "xml"), "md, json"),
    ],
)
def test_bad_arguments_end_with_2_and_the_reason(run: Run, arguments: tuple[str, ...], reason: str) -> None:
    ran = run("handover", *arguments)
    assert ran.code == 2 and reason in ran.err.splitlines()[-1]


def test_a_file_that_cannot_be_examined_is_named_and_counts(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "old", {"a.py": "import torch\n", "b.py": "print 'cuda'\n"})
    run("migrate", "-i", project, "-o", tmp_path / "out", *V)
    output = tmp_path / "out" / "old_msft"
    ran = run("handover", output)
    assert ran.code == 1 and "- `b.py`: " in ran.out
    assert ran.out == (output / "MIGRATION.md").read_text(encoding="utf-8")
    assert [item["path"] for item in orders(run, output)["not_examined"]] == ["b.py"]


def test_what_a_flag_leaves_out_is_not_taken_for_done(run: Run, migrated: Path) -> None:
    ran = run("handover", migrated, "--select", "NPU110")
    assert ran.code == 2 and "--select" in ran.err


@pytest.mark.parametrize("content", ["", "[1]", '{"orders": [{}], "done": []}', "[" * 100_000])
def test_a_damaged_document_of_the_migration_ticks_nothing(run: Run, migrated: Path, content: str) -> None:
    (migrated / ".gpu2ascend/work-orders.json").write_text(content)
    assert orders(run, migrated)["done"] == []


@pytest.fixture
def two_of_a_rule(tmp_path: Path, run: Run) -> Path:
    """A migrated project in which one file has two orders of one rule."""
    text = STUCK + "torch.cuda.comm.gather(x)\n"
    project = make_project(tmp_path / "two", {"a.py": text})
    run("migrate", "-i", project, "-o", tmp_path / "out", *V)
    return tmp_path / "out" / "two_msft"


def test_the_check_of_a_done_order_holds_while_another_of_its_rule_is_left_in_the_file(
    run: Run, two_of_a_rule: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = orders(run, two_of_a_rule)["orders"]
    assert first["code"] == second["code"] and first["check"] != second["check"]
    monkeypatch.chdir(two_of_a_rule)
    (two_of_a_rule / "a.py").write_text(STUCK, encoding="utf-8")
    codes = {item["api"]: run(*item["check"].split()[1:]).code for item in (first, second)}
    assert codes == {"torch.cuda.comm.broadcast": 1, "torch.cuda.comm.gather": 0}
    (done,) = orders(run, two_of_a_rule)["done"]
    assert codes[next(item["api"] for item in (first, second) if item["id"] == done["id"])] == 0


def test_the_check_of_an_order_lists_what_is_left_of_it_alone(run: Run, two_of_a_rule: Path) -> None:
    first, second = orders(run, two_of_a_rule)["orders"]
    ran = run("handover", two_of_a_rule, "--check", first["id"])
    assert f"### {first['id']} " in ran.out and "`a.py:" in ran.out and second["id"] not in ran.out
    document = json.loads(
        run("handover", two_of_a_rule, "--check", first["id"], "--output-format", "json").out
    )
    jsonschema.validate(document, SCHEMA)
    assert [item["id"] for item in document["orders"]] == [first["id"]]


def test_an_order_is_not_done_by_a_file_that_cannot_be_examined_any_more(run: Run, migrated: Path) -> None:
    (order,) = orders(run, migrated)["orders"]
    for name in ("b.py", "n.ipynb"):
        (migrated / name).unlink()
    (migrated / "c.py").write_text("print 'cuda'\n", encoding="utf-8")
    ran = run("handover", migrated, "--check", order["id"])
    assert ran.code == 1 and "`c.py`" in ran.out
    assert orders(run, migrated)["done"] == []
    (migrated / "c.py").unlink()
    (migrated / "a.py").write_text("print 'cuda, no place of the order'\n", encoding="utf-8")
    assert run("handover", migrated, "--check", order["id"]).code == 0
    assert [item["id"] for item in orders(run, migrated)["done"]] == [order["id"]]


def test_an_order_that_no_document_has_is_checked_by_its_rule(run: Run, migrated: Path) -> None:
    """Once it is done, nobody would know that it was one."""
    (migrated / "new.py").write_text("import torch\ntorch.cuda.comm.gather([])\n", encoding="utf-8")
    by_api = {item["api"]: item["check"] for item in orders(run, migrated)["orders"]}
    assert by_api["torch.cuda.comm.gather"] == "gpu2ascend check --select NPU101 new.py"
    assert "handover . --check" in by_api["torch.cuda.comm.broadcast"]


def test_an_unknown_order_is_refused_and_a_done_one_is_not(run: Run, migrated: Path) -> None:
    unknown = "NPU101-00000000"
    ran = run("handover", migrated, "--check", unknown)
    assert ran.code == 2 and unknown in ran.err and not ran.out
    (order,) = orders(run, migrated)["orders"]
    assert run("handover", migrated, "--check", order["id"]).code == 1
    for name in ("b.py", "c.py", "n.ipynb"):
        (migrated / name).unlink()
    assert run("handover", migrated, "--check", order["id"]).code == 0
    (migrated / ".gpu2ascend/work-orders.json").unlink()
    assert run("handover", migrated, "--check", order["id"]).code == 2


TWO_FIXABLE = "import torch\ntorch.cuda.manual_seed(1)\ntorch.cuda.empty_cache()\n"


def test_the_fix_of_an_order_makes_its_fixes_alone(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project(tmp_path / "plain", {"a.py": TWO_FIXABLE, "b.py": TWO_FIXABLE})
    found = json.loads(run("handover", project, *V, "--output-format", "json").out)["orders"]
    first, second = sorted(found, key=lambda item: str(item["api"]))
    assert first["code"] == second["code"] and first["api"] == "torch.cuda.empty_cache"
    monkeypatch.chdir(project)
    shown = run(*first["fix"].replace("--fix", "--diff").split()[1:]).out
    assert "+torch_npu.npu.empty_cache()" in shown and "+torch_npu.npu.manual_seed" not in shown
    run(*first["fix"].split()[1:])
    for name in ("a.py", "b.py"):
        text = (project / name).read_text(encoding="utf-8")
        assert "torch_npu.npu.empty_cache()" in text and "torch.cuda.manual_seed(1)" in text
    run(*second["fix"].split()[1:])
    assert "torch_npu.npu.manual_seed(1)" in (project / "a.py").read_text(encoding="utf-8")
    assert run(*second["check"].split()[1:]).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("--fix", "--order", "NPU101"),
        ("--order", "NPU101-00000000"),
        ("--fix", "--lines", "1", "--order", "NPU101-00000000"),
    ],
)
def test_an_order_to_fix_is_named_and_fixed(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    project = make_project(tmp_path / "plain", {"a.py": TWO_FIXABLE})
    ran = run("check", *V, *arguments, project / "a.py")
    assert ran.code == 2 and (project / "a.py").read_text(encoding="utf-8") == TWO_FIXABLE


def test_a_check_repeats_how_a_project_was_looked_at(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "plain", {"b.py": STUCK})
    found = run("handover", project, *V, "--hardware", "A3", "--output-format", "json").out
    (order,) = json.loads(found)["orders"]
    assert order["check"] == "gpu2ascend check --select NPU101 -v 2.8.0 --hardware A3 b.py"


def test_what_is_no_id_of_an_order_is_refused(run: Run, migrated: Path) -> None:
    ran = run("handover", migrated, "--check", "NPU101")
    assert ran.code == 2 and "NPU101" in ran.err
