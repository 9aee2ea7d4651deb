"""An interpreter is asked what it has; one that is too old is an error that says why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.verify.environment import interpreter
from gpu2ascend.verify.environment.interpreter import inspect_interpreter


def answering(monkeypatch: pytest.MonkeyPatch, torch: str | None, python: str = "3.11.7") -> None:
    """Let interpreters say that they have a release of torch."""
    text = f'import json; print(json.dumps({{"python": "{python}", "torch": {torch!r}}}))'
    monkeypatch.setattr(interpreter, "_QUESTION", text)


@pytest.mark.parametrize("torch", ["2.10.0", "2.13.0+cpu", "2.12.0a0+git123"])
def test_one_with_a_torch_that_is_new_enough(monkeypatch: pytest.MonkeyPatch, torch: str) -> None:
    answering(monkeypatch, torch)
    found = inspect_interpreter(Path(sys.executable))
    assert (found.path, found.python, found.torch) == (Path(sys.executable), "3.11.7", torch)


@pytest.mark.parametrize(
    ("torch", "message"),
    [(None, "verify.no-torch"), ("2.0.1+cpu", "verify.old-torch"), ("1.13.1", "verify.old-torch")],
)
def test_another_is_refused(monkeypatch: pytest.MonkeyPatch, torch: str | None, message: str) -> None:
    answering(monkeypatch, torch)
    with pytest.raises(InputError) as refused:
        inspect_interpreter(Path(sys.executable))
    assert refused.value.message.id == message


@pytest.mark.parametrize(("torch", "has"), [("2.1.0", False), ("2.9.1+cpu", False), ("2.10.0", True)])
def test_an_old_torch_has_no_device_in_python(monkeypatch: pytest.MonkeyPatch, torch: str, has: bool) -> None:
    answering(monkeypatch, torch)
    assert inspect_interpreter(Path(sys.executable)).has_device is has


def test_an_old_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "2.1.0", "3.9.18")
    with pytest.raises(InputError, match=r"is Python 3\.9\.18; verify needs 3\.10"):
        inspect_interpreter(Path(sys.executable))


def test_what_is_missing_or_no_interpreter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not an interpreter"):
        inspect_interpreter(tmp_path / "python")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    with pytest.raises(InputError, match=r"does not answer as a Python interpreter: hello"):
        inspect_interpreter(program)
