"""The launch scripts as texts: what users know stands in them, and nothing is left to fill in."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpu2ascend.project.launchers.scripts import (
    DEFAULT_SCRIPT,
    MSRUN_SCRIPT,
    PLACEHOLDER,
    RANK_TABLE_SCRIPT,
    LaunchFile,
    launch_files,
    msrun_files,
)
from gpu2ascend_rules.options.choices import Launcher

ENTRIES = ("train.py", "tools/my train.py", "-odd.py", "it's.py", "训练.py", None)


def all_files() -> list[LaunchFile]:
    return [
        file
        for entry in ENTRIES
        for launcher in (None, *Launcher)
        for file in launch_files(entry, launcher, nnodes=2)
    ] + [file for entry in ENTRIES for language in ("en", "zh") for file in msrun_files(entry, language)]


def by_name(files: list[LaunchFile]) -> dict[str, str]:
    return {file.name: file.text for file in files}


def test_without_a_launcher_there_is_the_script_that_users_know() -> None:
    assert [file.name for file in launch_files("train.py")] == [DEFAULT_SCRIPT]


@pytest.mark.parametrize(
    "line",
    [
        "export MASTER_ADDR=127.0.0.1",
        "export MASTER_PORT=29688",
        "export HCCL_WHITELIST_DISABLE=1",
        "NPUS=($(seq 0 7))",
        "export RANK_SIZE=${#NPUS[@]}",
        "please input your shell script here > output_npu_${i}.log 2>&1 &",
    ],
)
def test_it_has_the_lines_that_they_know(line: str) -> None:
    text = by_name(launch_files(None))[DEFAULT_SCRIPT]
    assert line in [known.strip() for known in text.splitlines()]


@pytest.mark.parametrize("name", ["DEVICE_ID", "RANK_ID", "RANK", "LOCAL_RANK", "WORLD_SIZE", "RANK_SIZE"])
def test_it_exports_the_old_names_and_those_of_pytorch(name: str) -> None:
    assert re.search(rf"^ *export {name}=", by_name(launch_files(None))[DEFAULT_SCRIPT], re.M)


def test_a_known_command_takes_the_place_of_the_placeholder() -> None:
    files = by_name(launch_files("tools/my train.py", Launcher.SHELL))
    for name in (DEFAULT_SCRIPT, RANK_TABLE_SCRIPT):
        assert f"    {PLACEHOLDER}" not in files[name]
        assert "    python3 -u 'tools/my train.py' \"$@\" > " in files[name] or name == RANK_TABLE_SCRIPT


@pytest.mark.parametrize("launcher", Launcher)
def test_a_launcher_brings_its_script_the_environment_and_the_form_with_a_rank_table(
    launcher: Launcher,
) -> None:
    names = {file.name for file in launch_files("train.py", launcher)}
    assert {DEFAULT_SCRIPT, RANK_TABLE_SCRIPT, "env.sh", f"run_{launcher.value}.sh"} <= names


def test_mindspore_has_msrun_beside_the_form_with_a_rank_table() -> None:
    files = by_name(msrun_files("tools/my train.py"))
    assert set(files) == {MSRUN_SCRIPT, RANK_TABLE_SCRIPT}
    assert files[MSRUN_SCRIPT].endswith("start 'tools/my train.py' \"$@\"\n")
    assert "RANK_TABLE_FILE RANK_SIZE RANK_START DEVICE_START" in files[RANK_TABLE_SCRIPT]
    assert not any("source ./" in text for text in files.values())


def test_the_number_of_hosts_is_the_default_of_the_script() -> None:
    text = by_name(launch_files("train.py", Launcher.TORCHRUN, nnodes=2))["run_torchrun.sh"]
    assert 'NNODES="${NNODES:-2}"' in text


def test_nothing_is_left_to_fill_in() -> None:
    assert not [file.name for file in all_files() if re.search(r"@[A-Z]+@", file.text)]


@pytest.mark.parametrize("entry", ["@NNODES@.py", "@ENVIRONMENT@@NAME@.py", "@SAY_FAILED@.py"])
def test_a_name_that_looks_like_a_place_to_fill_in_stays(entry: str) -> None:
    made = [file for launcher in Launcher for file in launch_files(entry, launcher, nnodes=2)]
    commands = [file.text for file in [*made, *msrun_files(entry)] if file.name.startswith("run_")]
    assert commands and all(entry in text for text in commands)


@pytest.mark.parametrize(
    ("entry", "written"),
    [
        ("-x.py", "./-x.py"),
        ("train\ntouch.py", "$'train\\ntouch.py'"),
        ("a b.py", "'a b.py'"),
        ("\udcff.py", "$'\\377.py'"),
    ],
    ids=ascii,
)
def test_a_name_of_any_characters_is_one_word_of_a_script(entry: str, written: str) -> None:
    for file in launch_files(entry, Launcher.TORCHRUN):
        assert file.text.encode("utf-8")
        if file.name.startswith("run_"):
            assert f' {written} "$@"' in file.text


def test_scripts_can_be_executed_and_nothing_else() -> None:
    modes = {(file.name.startswith("run_"), file.mode) for file in all_files()}
    assert modes == {(True, 0o755), (False, 0o644)}


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
@pytest.mark.execution
def test_shellcheck_finds_nothing(tmp_path: Path) -> None:
    distinct = {(file.name, file.text) for file in all_files() if file.name.endswith(".sh")}
    for number, (name, text) in enumerate(sorted(distinct)):
        path = tmp_path / str(number) / name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
    found = subprocess.run(
        ["shellcheck", "--severity=style", *map(str, sorted(tmp_path.rglob("*.sh")))],
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stdout


def test_what_scripts_print_is_in_the_language() -> None:
    english, chinese = (by_name(msrun_files("train.py", language)) for language in ("en", "zh"))
    assert 'echo "usage, on every host: NODE_RANK=0..' in english[MSRUN_SCRIPT]
    assert 'echo "用法（每台主机）: NODE_RANK=0..' in chinese[MSRUN_SCRIPT]
    assert "$0: a process failed with exit code $code; see train*.log" in english[RANK_TABLE_SCRIPT]
    assert "$0: 有进程失败，退出码为 $code；详见 train*.log" in chinese[RANK_TABLE_SCRIPT]
    assert 'sys.exit("%s 中没有 rank %d" % (path, start))' in chinese[RANK_TABLE_SCRIPT]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_is_left_to_say(language: str) -> None:
    made = [file for launcher in Launcher for file in launch_files("train.py", launcher, language=language)]
    for file in [*made, *launch_files(None, language=language), *msrun_files(None, language)]:
        assert "@SAY" not in file.text
        for line in file.text.splitlines():
            if "echo " in line and ">&2" in line:
                assert line.count('"') % 2 == 0 and "`" not in line
