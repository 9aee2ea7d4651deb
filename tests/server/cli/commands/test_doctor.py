"""``gpu2ascend doctor``: a report for people or programs, and an exit code for scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.cli.commands.running import doctor

from ...doctor.host import SAMPLES, ready
from ..conftest import Run


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host on which everything fits takes the place of this machine, which is not looked at."""
    machine = ready(tmp_path / "host")
    monkeypatch.setattr(doctor, "Machine", lambda **given: machine)
    return tmp_path / "host"


def test_a_host_that_is_ready_ends_with_0(run: Run, host: Path) -> None:
    ran = run("doctor")
    assert (ran.code, ran.out.splitlines()[-1][:8]) == (0, "errors: ")


def test_an_error_ends_with_1_and_the_command_that_mends_it(run: Run, host: Path) -> None:
    (host / "dev" / "hisi_hdc").unlink()
    ran = run("doctor")
    assert ran.code == 1 and "    $ docker run --device=/dev/hisi_hdc ..." in ran.out.splitlines()


def test_the_document_is_that_of_the_page(run: Run, host: Path) -> None:
    document = run("doctor", "--json").json
    assert set(document) == {"format", "gpu2ascend", "machine", "results", "exit_code"}
    assert set(document["results"][0]) == {"check", "status", "id", "message", "commands"}
    assert document["machine"]["python"] == "3.11"


def test_it_runs_on_this_machine_in_both_languages(run: Run) -> None:
    for language in ("en", "zh"):
        assert run("doctor", "--nnodes", "2", "--language", language).code in (0, 1)


def test_a_log_with_failures_ends_with_1(run: Run) -> None:
    ran = run("doctor", "--log", SAMPLES / "log_ej0001.txt", "--json")
    assert ran.code == 1
    assert [failure["id"] for failure in ran.json["failures"]] == ["hccp-busy"]


def test_a_log_is_explained_in_words(run: Run) -> None:
    ran = run("doctor", "--log", SAMPLES / "log_ei0006.txt")
    assert "HCCL_CONNECT_TIMEOUT" in ran.out and "log_ei0006.txt:7" in ran.out


def test_a_log_without_failures_ends_with_0(run: Run, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("epoch 1\n")
    assert run("doctor", "--log", tmp_path / "train.log").code == 0


@pytest.mark.parametrize(
    "arguments",
    [("x",), ("--log", "missing.log"), ("--project", "missing"), ("--nnodes", "0"), ("--python", "missing")],
)
def test_what_cannot_be_done_ends_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    ran = run("doctor", *arguments)
    assert ran.code == 2 and len(ran.err.splitlines()) == 1


def test_write_makes_one_file_and_replaces_none(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "doctor.pyz"
    ran = run("doctor", "--write", path)
    assert ran.code == 0 and "python3 doctor.pyz" in ran.out and path.read_bytes().startswith(b"#!")
    before = path.read_bytes()
    again = run("doctor", "--write", path)
    assert again.code == 2 and "exists" in again.err and path.read_bytes() == before


def test_a_range_says_which_version_is_to_be_installed_and_why(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "environment_of", lambda *given: None)
    (tmp_path / "requirements.txt").write_text("torch>=2.1,<2.4\n")
    ran = run("doctor", "--project", tmp_path)
    assert "2.3.1" in ran.err and "torch>=2.1,<2.4" in ran.err
