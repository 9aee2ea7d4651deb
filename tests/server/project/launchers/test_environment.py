"""The script that sets the environment: for sh, bash and dash, under ``set -eu``, and twice in a row."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from gpu2ascend.project.launchers.environment import Need, environment_file, names

SHELLS = [shell for shell in ("sh", "bash", "dash") if shutil.which(shell) and os.name != "nt"]
ALL = environment_file(needs=tuple(Need))
VENDOR = 'export ASCEND_OPP_PATH="{root}" TIMES="${{TIMES}}x"\n[ "$NOT_SET_ANYWHERE" = y ] || :\n'
"""As the vendor's script: it reads what is not set, and adds to what is."""


def sourced(shell: str, folder: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Source the file in a shell, then run a script there."""
    (folder / ALL.name).write_text(ALL.text, encoding="utf-8")
    plain = {"PATH": os.environ["PATH"], "HOME": str(folder), "ASCEND_INSTALL_PATH": str(folder / "Ascend")}
    return subprocess.run(
        [shell, "-c", script],
        cwd=folder,
        env={**plain, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(params=("cann", "ascend-toolkit"))
def installed(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A directory with CANN of a newer or an older release."""
    root = tmp_path / "Ascend" / request.param
    root.mkdir(parents=True)
    (root / "set_env.sh").write_text(VENDOR.format(root=root))
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_cann_is_sourced_wherever_it_is_and_once(installed: Path, shell: str) -> None:
    shown = 'echo "$TIMES ${ASCEND_OPP_PATH##*/} $HCCL_CONNECT_TIMEOUT"; echo "$-"'
    script = f"set -eu; . ./env.sh; . ./env.sh; {shown}"
    done = sourced(shell, installed, script)
    assert done.returncode == 0, done.stderr
    values, flags = done.stdout.splitlines()
    assert values in ("x cann 1800", "x ascend-toolkit 1800")
    assert {"e", "u"} <= set(flags), "the shell's own settings are as before"


@pytest.mark.parametrize("shell", SHELLS)
def test_without_cann_it_says_what_to_set_and_fails_nothing(tmp_path: Path, shell: str) -> None:
    done = sourced(shell, tmp_path, "set -eu; . ./env.sh; echo on")
    assert done.stdout == "on\n" and "ASCEND_HOME_PATH" in done.stderr


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CUDA_VISIBLE_DEVICES": "3,1,10"}, "1,3,10"),
        ({"CUDA_VISIBLE_DEVICES": "3", "ASCEND_RT_VISIBLE_DEVICES": "5"}, "5"),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, "none"),
        ({"CUDA_VISIBLE_DEVICES": ""}, "none"),
        ({}, "none"),
    ],
)
def test_the_npus_that_the_old_variable_chooses(
    tmp_path: Path, shell: str, variables: dict[str, str], expected: str
) -> None:
    script = '. ./env.sh; echo "${ASCEND_RT_VISIBLE_DEVICES-none}"'
    assert sourced(shell, tmp_path, script, **variables).stdout.strip() == expected


def test_what_is_set_stays(tmp_path: Path) -> None:
    done = sourced("sh", tmp_path, '. ./env.sh; echo "$HCCL_CONNECT_TIMEOUT"', HCCL_CONNECT_TIMEOUT="60")
    assert done.stdout.strip() == "60"


@pytest.mark.parametrize(
    "needs", [needs for count in range(len(Need) + 1) for needs in itertools.combinations(Need, count)]
)
def test_it_is_clean(tmp_path: Path, needs: tuple[Need, ...]) -> None:
    if shutil.which("shellcheck") is None:
        pytest.skip("shellcheck is not installed")
    path = tmp_path / "env.sh"
    path.write_text(environment_file(needs=needs).text)
    done = subprocess.run(["shellcheck", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_setting_is_explained() -> None:
    lines = ALL.text.splitlines()
    for number, line in enumerate(lines):
        if re.match(r"(# )?export (?!\w+IFNAME)", line):
            assert re.match(r"# (?!export)", lines[number - 1]), line


def test_only_what_is_needed_is_set() -> None:
    plain = environment_file().text
    assert "HCCL_CONNECT_TIMEOUT" in ALL.text and "CUDA_VISIBLE_DEVICES" in ALL.text
    assert "HCCL_CONNECT_TIMEOUT" not in plain and "CUDA_VISIBLE_DEVICES" not in plain


def test_names_are_the_usual_one_and_others_after_it() -> None:
    assert list(itertools.islice(names(), 3)) == ["env.sh", "env_npu.sh", "env_npu2.sh"]
