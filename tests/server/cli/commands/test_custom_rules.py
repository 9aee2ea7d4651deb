"""``--rule``: the user's rules in every command, and their mistakes reported before anything is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.rules.codemods.distributed.conversion import script

from ..conftest import Run, make_project
from .test_amp_transplant import TRAIN

V = ("-v", "2.8.0")
RENAME = {"rules": {"FuncNameModifyRule": [{"old_name": "to_gpu", "new_name": "to_npu"}]}}
PLAIN = "import tools\n\ntools.to_gpu(1)\n"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A project without a word that any built-in rule waits for."""
    return make_project(tmp_path / "proj", {"a.py": PLAIN, "b.py": "x = 1\n"})


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A rule file."""
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(RENAME), encoding="utf-8")
    return path


def test_migrate_applies_and_lists_them(run: Run, plain: Path, rules: Path, tmp_path: Path) -> None:
    ran = run("migrate", "-i", plain, "-o", tmp_path / "out", "-r", rules, *V)
    assert (ran.code, ran.err) == (0, "")
    out = tmp_path / "out" / "proj_msft"
    assert (out / "a.py").read_text() == PLAIN.replace("gpu", "npu")
    assert "a.py,3,3,MODIFY,CUS002" in (out / "change_list.csv").read_text(encoding="utf-8-sig")


@pytest.mark.slow
def test_workers_get_them(run: Run, tmp_path: Path, rules: Path) -> None:
    files = {f"m{index}.py": "import torch\nto_gpu(1)\n" + f"x = {'x' * 400_000!r}\n" for index in range(4)}
    project = make_project(tmp_path / "proj", files)
    assert run("migrate", "-i", project, "-o", tmp_path / "out", "--jobs", "2", "-r", rules, *V).code == 0
    assert "to_gpu" not in (tmp_path / "out" / "proj_msft" / "m3.py").read_text()


@pytest.mark.parametrize("output_format", ["text", "json", "sarif", "github"])
def test_check_reports_them_in_every_format(run: Run, plain: Path, rules: Path, output_format: str) -> None:
    ran = run("check", plain, "--rule", rules, "--output-format", output_format, *V)
    assert ran.code == 1 and "CUS002" in ran.out


def test_check_fixes_them(run: Run, plain: Path, rules: Path) -> None:
    assert run("check", "--fix", plain, "--rule", rules, *V).code == 0
    assert "to_npu" in (plain / "a.py").read_text()


def test_check_reports_a_rule_that_matches_nothing(run: Run, plain: Path, rules: Path) -> None:
    ran = run("check", plain / "b.py", "--rule", rules, *V)
    assert ran.code == 0 and f"{rules}:1:35" in ran.err


def test_the_path_in_settings_is_relative_to_them(run: Run, plain: Path, rules: Path) -> None:
    text = '[tool.gpu2ascend]\nversion = "2.8.0"\ncustom-rule = "settings/rules.json"\n'
    (plain / "pyproject.toml").write_text(text, encoding="utf-8")
    (plain / "settings").mkdir()
    rules.rename(plain / "settings" / "rules.json")
    assert "CUS002" in run("check", plain).out


ARGUMENT = '{"rules": {"ArgsModifyRule": [\n  {"func_name": "to_gpu", "arg_idx": 0, "arg_new": %s}]}}'
ABSENT = '{"rules": {"FuncNameModifyRule": [\n{"old_name": "absent", "new_name": "b"}]}}'
LISTED = ARGUMENT % '"x", "white_list": [%s]'


@pytest.mark.parametrize(
    ("text", "place", "fix"),
    [
        ('{"rules": \n', "2:1", "a value is missing here"),
        ("", "1:1", "a value is missing here"),
        ('{"rules": {\n  "Func": []}}', "2:3", "the types are ArgsModifyRule"),
        (ARGUMENT % '"x", "arg": 1', "2:57", "the keys here are func_name"),
        (ARGUMENT % "1", "2:52", "must be a string in double quotes"),
        (ARGUMENT % '"1 +"', "2:52", "must be a single Python expression"),
        (LISTED % '"("', "2:72", "correct it"),
        (LISTED % '"(a+)+$"', "2:72", "avoid nested repetition"),
        (LISTED % '"a*a*a*a*a*b"', "2:72", "several .* in a row"),
        (" " * (10 * 1024 * 1024 + 1), "1:1", "split it"),
    ],
    ids=[
        "bad-json", "empty", "unknown-type", "unknown-key", "wrong-type", "no-expression", "invalid-regex",
        "exponential-regex", "polynomial-regex", "too-large",
    ],
)  # fmt: skip
def test_a_mistake_is_reported_with_its_place_and_its_fix_before_anything_is_written(
    run: Run, plain: Path, tmp_path: Path, text: str, place: str, fix: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    ran = run("migrate", "-i", plain, "-o", tmp_path / "out", "-r", path, *V)
    (reported,) = ran.err.splitlines()
    assert ran.code == 2 and f"{path}:{place}: " in reported and fix in reported
    assert not (tmp_path / "out").exists()


def test_a_rule_that_matches_nothing_is_a_warning(run: Run, plain: Path, tmp_path: Path) -> None:
    path = tmp_path / "absent.json"
    path.write_text(ABSENT, encoding="utf-8")
    ran = run("migrate", "-i", plain, "-o", tmp_path / "out", "-r", path, *V)
    assert ran.code == 0 and (tmp_path / "out").exists()
    assert f"{path}:2:1: " in ran.err and "Check the name" in ran.err


def test_an_option_makes_it_an_error_before_anything_is_written(
    run: Run, plain: Path, tmp_path: Path
) -> None:
    path = tmp_path / "absent.json"
    path.write_text(ABSENT, encoding="utf-8")
    strict = ("-r", path, "--require-rule-matches", *V)
    ran = run("migrate", "-i", plain, "-o", tmp_path / "out", *strict)
    assert ran.code == 2 and f"{path}:2:1: " in ran.err and "Check the name" in ran.err
    assert not (tmp_path / "out").exists()
    assert run("check", plain / "b.py", *strict).code == 2


def test_a_mistake_is_reported_in_chinese(run: Run, plain: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(LISTED % '"(a+)+$"', encoding="utf-8")
    ran = run("migrate", "-i", plain, "-o", tmp_path / "out", "-r", path, "--language", "zh", *V)
    assert f"{path}:2:72: 正则表达式 `(a+)+$`" in ran.err


def test_each_mistake_has_a_line(run: Run, plain: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('{"rules": {"A": [], "B": []}}', encoding="utf-8")
    ran = run("migrate", "-i", plain, "-o", tmp_path / "out", "-r", path, *V)
    assert len(ran.err.splitlines()) == 2


@pytest.mark.parametrize("kind", ["missing", "directory", "latin-1"])
def test_a_file_that_cannot_be_read_is_reported(run: Run, plain: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "bad.json"
    if kind == "directory":
        path.mkdir()
    elif kind == "latin-1":
        path.write_bytes('{"rules": {}, "é": 1}'.encode("latin-1"))
    ran = run("migrate", "-i", plain, "-o", tmp_path / "out", "-r", path, *V)
    assert ran.code == 2 and f"{path}:1:1" in ran.err
    assert not (tmp_path / "out").exists()


def test_explain_describes_them(run: Run) -> None:
    assert "arg_new" in run("explain", "CUS001").out


def test_codemods_see_what_they_leave(run: Run, tmp_path: Path) -> None:
    """The distributed rule finds the loader that a rule of the user's wrote; each rule holds once."""
    text = script().replace("DataLoader(", "Feeder(None, ").replace("DataLoader\n", "Feeder\n")
    project = make_project(tmp_path / "proj", {"train.py": text})
    rules = {
        "ArgsModifyRule": [{"func_name": "Feeder", "arg_idx": 0, "arg_new": ""}],
        "FuncNameModifyRule": [{"old_name": "Feeder", "new_name": "DataLoader"}],
    }
    path = tmp_path / "rules.json"
    path.write_text(json.dumps({"rules": rules}), encoding="utf-8")
    arguments = ("-i", project, "-o", tmp_path / "out", "-r", path, *V, "distributed", "-m", "train.py")
    assert run("migrate", *arguments).code == 0
    out = tmp_path / "out" / "proj_msft_multi"
    migrated = (out / "train.py").read_text(encoding="utf-8")
    plain = make_project(tmp_path / "plain", {"train.py": script()})
    run("migrate", "-i", plain, "-o", tmp_path / "out2", *V, "distributed", "-m", "train.py")
    expected = (tmp_path / "out2" / "plain_msft_multi" / "train.py").read_text(encoding="utf-8")
    assert migrated == expected and "DistributedSampler" in migrated
    listed = (out / "change_list.csv").read_text(encoding="utf-8-sig")
    line = 1 + text[: text.index("Feeder(None")].count("\n")
    assert (
        f"train.py,{line},{line},MODIFY,CUS002" in listed
        and f"train.py,{line},{line},DELETE,CUS001" in listed
    )


def test_amp_transplant_sees_what_they_leave(run: Run, tmp_path: Path) -> None:
    project = make_project(tmp_path / "proj", {"train.py": TRAIN.replace("autocast", "mixed")})
    path = tmp_path / "rules.json"
    rule = {
        "FuncNameModifyRule": [{"old_name": "torch.cuda.amp.mixed", "new_name": "torch.cuda.amp.autocast"}]
    }
    path.write_text(json.dumps({"rules": rule}), encoding="utf-8")
    ran = run("migrate", "-i", project, "-o", tmp_path / "out", "-r", path, "-v", "1.5.0", "-a", "model")
    migrated = (tmp_path / "out" / "proj_msft" / "train.py").read_text(encoding="utf-8")
    assert "amp.scale_loss" in migrated and "mixed" not in migrated, ran.err
