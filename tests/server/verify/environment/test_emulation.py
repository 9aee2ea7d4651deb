"""Which device a run gets, and what is said where it is not torch_npu itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.verify import verify as verifying
from gpu2ascend.verify.environment import emulation
from gpu2ascend.verify.environment.emulation import Choice, Device, device_of
from gpu2ascend.verify.environment.interpreter import Interpreter
from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.running.programs import Done
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions

INTERPRETER = Interpreter(Path("/python"), "3.11.4", "2.8.0")
VARIABLES = {"ASCEND_HOME_PATH": "/made"}
ANSWER = {"torch_npu": "2.8.0.post2", "has_cuda": True, "variables": VARIABLES}
CAN = Done(0, "a warning\n" + json.dumps(ANSWER) + "\n")


def chosen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, done: Done, choice: Choice = Choice.AUTO
) -> Device:
    """The device where the interpreter answers so."""
    monkeypatch.setattr(emulation, "run_to_end", lambda command, *, seconds: done)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    return device_of(INTERPRETER, Path("folder"), choice)


def test_torch_npu_itself_where_the_interpreter_can(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert chosen(monkeypatch, tmp_path, CAN) == Device(VARIABLES, "2.8.0.post2", has_cuda=True)


@pytest.mark.parametrize("reason", ["platform", "wheel", "torch", "compiler", "build"])
def test_else_the_device_in_python_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reason: str
) -> None:
    done = Done(0, json.dumps({"reason": reason, "detail": "so"}))
    device = chosen(monkeypatch, tmp_path, done)
    assert device.torch_npu is None and device.reason is not None
    assert device.reason.id == f"verify.device.{reason}"


@pytest.mark.parametrize("done", [Done(1, "Traceback"), Done(None, ""), Done(0, "[1]"), Done(0, "no JSON")])
def test_an_answer_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, done: Done) -> None:
    device = chosen(monkeypatch, tmp_path, done)
    assert device.reason is not None and device.reason.id == "verify.device.build"


def test_the_device_in_python_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    device = chosen(monkeypatch, tmp_path, CAN, Choice.PYTHON)
    assert device.reason is not None and device.reason.id == "verify.device.chosen"


def test_torch_npu_itself_can_be_demanded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no torch_npu"):
        chosen(monkeypatch, tmp_path, Done(0, json.dumps({"reason": "wheel", "detail": ""})), Choice.EMULATED)


@pytest.mark.parametrize(
    ("torch_npu", "release"), [(None, (2, 7, 1)), ("2.8.0.post2", (2, 8, 0)), ("99.0.0", (2, 7, 1))]
)
def test_the_release_that_counts(torch_npu: str | None, release: tuple[int, int, int]) -> None:
    assert Device(torch_npu=torch_npu).release_or(Version(2, 7, 1)) == Version(*release)


def test_an_old_torch_without_torch_npu_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No device can be made in Python there."""
    (tmp_path / "train.py").touch()
    old = Interpreter(Path(sys.executable), "3.11.7", "2.8.0+cpu")
    monkeypatch.setattr(verifying, "_interpreter", lambda *_: old)
    request = VerifyRequest(
        project=tmp_path, command=("train.py",), version=Version(2, 8, 0), device=Choice.PYTHON
    )
    listener = verifying.Listener(tell=lambda message: None, heard=lambda number, line: None)
    with pytest.raises(InputError, match=r"torch 2\.8\.0\+cpu: without torch_npu itself"):
        verifying.verify(request, MigrationOptions(), listener)


def test_an_original_finds_the_libraries_and_no_npu() -> None:
    """A torch that was built for CUDA is imported there, too."""
    variables = {"LD_LIBRARY_PATH": "/made", "ASCEND_HOME_PATH": "/made", "GPU2ASCEND_EMULATED": "1"}
    assert Device(variables, "2.8.0", has_cuda=True).paths == {"LD_LIBRARY_PATH": "/made"}
    assert Device().paths == {}
