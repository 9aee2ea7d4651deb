"""A flag that would have no effect is refused by name, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.cli.commands.projects import analyze, check, migrate
from gpu2ascend.cli.commands.reference import rank_table
from gpu2ascend.cli.commands.running import doctor, verify
from gpu2ascend.cli.parsing.combinations import TABLE
from gpu2ascend.cli.parsing.parser import CommandParser
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.options.effects import CODES
from gpu2ascend_rules.options.options import option_infos

from .conftest import Run, make_project

LIBRARY = "import torch\ndef move(x):\n    return x.cuda()\n"
SCRIPT = LIBRARY + "if __name__ == '__main__':\n    move(torch.ones(1))\n"
PARSERS = {
    "migrate": migrate._parser, "analyze": analyze._parser, "rank-table": rank_table._parser,
    "check": check._parser, "verify": verify._parser, "doctor": doctor._parser,
}  # fmt: skip

ALONE = {
    "force-diff": ("--diff", "--force"),
    "discard-diff": ("--diff", "--discard-changes"),
    "discard": ("-o", "out", "--discard-changes"),
    "unknown": ("-o", "out", "--unknown-apis"),
    "restricted": ("-o", "out", "--restricted-apis"),
    "not-unknown": ("-o", "out", "--no-unknown-apis"),
    "rules-required": ("-o", "out", "--require-rule-matches"),
    "nodes": ("-o", "out", "--nnodes", "2"),
    "launcher": ("-o", "out", "--launcher", "torchrun"),
    "model": ("-o", "out", "-t", "net"),
    "amp-model": ("-o", "out", "-a", "net", "--no-amp-transplant"),
    "auto-style": ("-o", "out", "--auto", "--api-style", "torch.npu"),
    "auto-device": ("-o", "out", "--auto", "-s"),
    "accelerator-hardware": ("-o", "out", "--target", "accelerator", "--hardware", "A3"),
    "accelerator-image": ("-o", "out", "--target", "accelerator", "--image", "cann"),
    "nothing-selected": ("-o", "out", "--select", "NPU101", "--ignore", "NPU101"),
    "ignored-twice": ("-o", "out", "--select", "NPU1", "--ignore", "NPU2"),
    "graded-in-vain": ("-o", "out", "--ignore", "NPU201", "--severity", "NPU201=hint"),
    "rules-of-another-target": ("-o", "out", "--select", "ACC"),
    "rules-left-of-another-target": ("-o", "out", "--ignore", "ACC101"),
    "rules-graded-of-another-target": ("-o", "out", "--severity", "ACC=hint"),
    "rules-of-no-accelerator": ("-o", "out", "--target", "accelerator", "--select", "NPU101"),
    "lists-of-no-accelerator": ("-o", "out", "--target", "accelerator", "--no-restricted-apis"),
    "no-main-block": ("-o", "out", "-s"),
    "no-container": ("-o", "out", "--image", "cann"),
    "no-training": ("-o", "out", "--from-cpu"),
    "no-loop": ("-o", "out", "--enable-amp"),
}
"""Arguments of ``migrate`` for a project with one file that is no script."""

TOGETHER = {
    "discard": ("--force", "--discard-changes"),
    "select-and-ignore": ("--select", "NPU1", "--ignore", "NPU101"),
    "selected-severity": ("--select", "NPU1", "--severity", "NPU110=hint"),
    "similar": ("-sim",),
    "paths": ("--modelarts",),
    "device": ("-s",),
}
"""What has its effect, or asks for something that need not be there, on a script."""


@pytest.mark.parametrize("arguments", ALONE.values(), ids=ALONE)
def test_what_has_no_effect_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    make_project(tmp_path / "p", {"lib.py": LIBRARY})
    monkeypatch.chdir(tmp_path)
    ran = run("migrate", "-i", "p", "-v", "2.8.0", *arguments)
    assert ran.code == 2 and ran.err.startswith("gpu2ascend: error: ")
    assert not list(tmp_path.glob("out/*"))


@pytest.mark.parametrize("arguments", TOGETHER.values(), ids=TOGETHER)
def test_what_has_one_is_not(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    project = make_project(tmp_path / "p", {"train.py": SCRIPT})
    ran = run("migrate", "-i", project, "-o", tmp_path / "out", "-v", "2.8.0", *arguments)
    assert ran.code == 0, ran.err


@pytest.mark.parametrize("command", [("check",), ("check", "--fix"), ("analyze",)], ids=" ".join)
@pytest.mark.parametrize("flags", [("-s",), ("--image", "cann")], ids=" ".join)
def test_a_look_at_a_project_refuses_what_its_migration_does(
    run: Run, tmp_path: Path, command: tuple[str, ...], flags: tuple[str, ...]
) -> None:
    project = make_project(tmp_path / "p", {"lib.py": LIBRARY})
    migration = run("migrate", "-i", project, "-o", tmp_path / "out", "-v", "2.8.0", *flags)
    ran = run(*command, project, "-v", "2.8.0", *flags)
    assert (ran.code, ran.out, ran.err) == (2, "", migration.err)
    assert (project / "lib.py").read_text() == LIBRARY

    files = {"train.py": SCRIPT, "Dockerfile": "FROM nvidia/cuda:12.1.0-base\n"}
    other = make_project(tmp_path / "other", files)
    assert run(*command, other, "-v", "2.8.0", *flags).code in (0, 1)


def test_a_file_of_its_own_and_settings_are_no_project(run: Run, tmp_path: Path) -> None:
    settings = "[tool.gpu2ascend]\nspecify-device = true\n"
    project = make_project(tmp_path / "p", {"lib.py": LIBRARY, "pyproject.toml": settings})
    for command in ("check", "analyze"):
        assert run(command, project / "lib.py", "-v", "2.8.0", "-s").code == 1
        assert run(command, project, "-v", "2.8.0").code == 1


def test_an_analysis_of_advice_alone_without_advice_looks_at_nothing(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", {"lib.py": LIBRARY})
    for mode in ("advice", "torch_apis,advice"):
        ran = run("analyze", project, "-v", "2.8.0", "--mode", mode, "--no-advice")
        assert (ran.code, ran.out) == (2, "")
        assert "--mode advice has no effect with --no-advice" in ran.err
    assert run("analyze", project, "-v", "2.8.0", "--mode", "advice").code == 0


def test_settings_of_a_project_are_no_slip_of_the_command_line(run: Run, tmp_path: Path) -> None:
    settings = '[tool.gpu2ascend]\nignore = ["NPU2"]\nunknown-apis = true\n'
    project = make_project(tmp_path / "p", {"train.py": SCRIPT, "pyproject.toml": settings})
    arguments = ("-v", "2.8.0", "--select", "NPU1")
    assert run("migrate", "-i", project, "-o", tmp_path / "out", *arguments).code == 0


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: f"{entry.command}{entry.flag}")
def test_the_table_names_flags_that_there_are(entry: tuple[str, ...]) -> None:
    command, *flags = entry
    parser: CommandParser = PARSERS[command](Texts("en"))
    known = {spelling for action in parser._actions for spelling in action.option_strings}
    assert set(filter(None, flags)) <= known


def test_the_table_of_effects_names_options() -> None:
    assert CODES.keys() <= option_infos().keys()


@pytest.mark.parametrize("command", ["migrate", "analyze", "check"])
def test_the_help_offers_no_flag_that_is_refused_and_names_what_turns_a_default_off(
    run: Run, command: str
) -> None:
    text = " ".join(run(command, "--help-all").out.split())
    assert ("--unknown-apis" in text) == (command == "check")
    assert ("--restricted-apis" in text) == (command != "migrate")
    assert "on by default, --no-advice turns it off" in text
