"""What a run found is a problem in the line where it is."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from gpu2ascend.lsp.commands.verifying.problems import problems_of
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend.verify.result.model import OperatorUse, Place, Refusal, VerifyResult
from gpu2ascend_rules.text.lines import ColumnUnit
from tests.server.verify.results import FAILURE, LINE, REFUSALS, UNREGISTERED, failed, made_up

SCRIPT = "x = 1\n" * 11 + "    y = '\U0001f600'  \n"
"""Of which the twelfth line is indented, and has a character of two units in UTF-16."""
OTHER = Place("train.py", 2, "main")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the script of which the made-up results speak."""
    (tmp_path / "train.py").write_text(SCRIPT, "utf-8")
    return tmp_path


def problems(result: VerifyResult, language: str = "en") -> list[dict[str, object]]:
    """The problems of a result."""
    return problems_of(result, Texts(language), ColumnUnit.UTF16)


def test_a_run_that_passed_and_met_nothing_has_none(project: Path) -> None:
    assert problems(made_up(project)) == []


def test_the_range_is_the_text_of_the_line_in_the_columns_of_the_client(project: Path) -> None:
    (found,) = problems(failed(project))
    assert found["range"] == {"start": {"line": 11, "character": 4}, "end": {"line": 11, "character": 12}}


def test_a_line_that_is_gone_has_a_place_all_the_same(project: Path) -> None:
    (project / "train.py").write_text("")
    (found,) = problems(failed(project))
    assert found["range"] == {"start": {"line": 11, "character": 0}, "end": {"line": 12, "character": 0}}


def test_the_calls_that_led_there_are_related(project: Path) -> None:
    (found,) = problems(failed(project))
    assert [item["message"] for item in found["related"]] == ["called from <module>"]  # type: ignore[attr-defined]


def test_what_the_device_does_not_take_and_operators_without_a_kernel_are_warnings(project: Path) -> None:
    found = problems(made_up(project, refusals=REFUSALS, unregistered=UNREGISTERED))
    assert [(item["severity"], item["message"]) for item in found] == [
        ("warning", "aten::mm does not support float64 on the NPU (2 times)"),
        (
            "warning",
            "aten::roll has no kernel in torch_npu 2.8.0: it falls back to the CPU there, or fails (6 calls)",
        ),
    ]


def test_what_the_first_error_is_about_is_not_said_twice(project: Path) -> None:
    refusals = (
        Refusal("mixed", "aten::addmm", "npu:0 and cpu", 1, LINE),
        attrs.evolve(REFUSALS[0], place=OTHER),
    )
    found = problems(failed(project, refusals=refusals))
    assert [item["severity"] for item in found] == ["error", "warning"]
    assert "float64" in str(found[1]["message"])


def test_what_has_no_line_in_the_project_is_no_problem_of_a_file(project: Path) -> None:
    nowhere = attrs.evolve(FAILURE, traceback=())
    assert problems(failed(project, nowhere, unregistered=(OperatorUse("aten::roll", 1, None),))) == []


def test_they_are_in_the_language_of_the_client(project: Path) -> None:
    (found,) = problems(failed(project), "zh")
    assert "原因" in str(found["message"])


def test_there_are_no_more_than_a_view_can_show(project: Path) -> None:
    assert len(problems(made_up(project, unregistered=UNREGISTERED * 5_000))) == 200
