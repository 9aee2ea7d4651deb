"""Words of other tools are answered with ours."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from gpu2ascend.cli import commands
from gpu2ascend.cli.commands import ROOMS, module_of
from gpu2ascend.cli.parsing.synonyms import COMMANDS, FLAGS
from gpu2ascend.texts.catalogue import Texts

from .conftest import Run


def flags_of(command: str) -> set[str]:
    """The options of a command."""
    module = importlib.import_module(module_of(command), commands.__name__)
    return {flag for action in module._parser(Texts("en"))._actions for flag in action.option_strings}


@pytest.mark.parametrize(("word", "ours"), [*COMMANDS.items(), *FLAGS.items()])
def test_each_answer_exists(word: str, ours: str) -> None:
    known = {name: flags_of(name) for name in ROOMS}
    command, *flags = ours.removeprefix("gpu2ascend ").split()
    if command in known:
        assert set(flags) <= known[command]
    else:
        assert command in {"--version", "GPU2ASCEND_DEBUG=1"}.union(*known.values())
    assert word not in known


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (("migrate", "p", "--dry-run"), "--diff"),
        (("check", "--workers", "3"), "--jobs"),
        (("check", "--verbose"), "GPU2ASCEND_DEBUG=1"),
        (("migrate", "--examine"), "gpu2ascend analyze"),
        (("migrate", "p", "--inplace"), "--in-place"),
        (("check", "--in-place"), "gpu2ascend check --fix"),
        (("fix", "p"), "gpu2ascend check --fix"),
        (("migrate", "p", "--resume"), "--update"),
    ],
)
def test_the_error_names_ours(run: Run, line: tuple[str, ...], answer: str) -> None:
    done = run(*line)
    assert done.code == 2 and f"use `{answer}`" in done.err


def test_an_option_that_the_command_lacks_is_not_offered(run: Run) -> None:
    assert "--force" not in run("check", "-y").err


@pytest.mark.parametrize("line", [("check", "-y"), ("doctor", "--yes"), ("verify", "p", "--no-input")])
def test_who_would_answer_questions_learns_that_there_are_none(run: Run, line: tuple[str, ...]) -> None:
    done = run(*line)
    assert done.code == 2 and f"`gpu2ascend {line[0]}` asks nothing" in done.err
    assert "use `--force`" in run("migrate", "p", line[-1] if line[-1] != "--no-input" else "-y").err


def test_a_single_letter_is_close_to_no_other_option(run: Run) -> None:
    assert "did you mean" not in run("check", "-i", "p").err
    assert "did you mean --watch" in run("check", "--watc").err


def test_help_is_a_command(run: Run) -> None:
    assert run("help").out == run("--help").out
    assert run("help", "check").out == run("check", "--help").out
    assert run("help", "chekc").code == 2


def test_rule_is_explain_as_in_ruff(run: Run) -> None:
    assert run("rule", "NPU101").out == run("explain", "NPU101").out


def test_all_rules_are_listed_by_code(run: Run) -> None:
    codes = [line.split()[0] for line in run("rule", "--all").out.splitlines()]
    assert {"NPU101", "ADV101", "MS101"} & set(codes) and codes == sorted(codes)
    listed = run("explain", "--all", "--json").json
    assert [rule["code"] for rule in listed] == codes


def test_the_project_and_its_output_need_no_flags(run: Run, project: Path) -> None:
    done = run("migrate", project, "out", "-v", "2.8.0")
    assert done.code == 0 and Path("out/proj_msft/train.py").exists()
    assert run("migrate", project, "out", "more", "-v", "2.8.0").code == 2
