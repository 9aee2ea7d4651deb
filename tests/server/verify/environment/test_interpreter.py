"""An interpreter is asked what it has; one on which the device cannot be made is an error that says why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.verify.environment import interpreter
from gpu2ascend.verify.environment.interpreter import inspect_interpreter


def answering(monkeypatch: pytest.MonkeyPatch, torch: str | None) -> None:
    """Let interpreters say that they have a release of torch."""
    text = f'import json; print(json.dumps({{"python": "3.11.7", "torch": {torch!r}}}))'
    monkeypatch.setattr(interpreter, "_QUESTION", text)


@pytest.mark.parametrize("torch", ["2.10.0", "2.13.0+cpu", "2.14.0a0+git123"])
def test_one_with_a_torch_that_is_new_enough(monkeypatch: pytest.MonkeyPatch, torch: str) -> None:
    answering(monkeypatch, torch)
    found = inspect_interpreter(Path(sys.executable))
    assert (found.path, found.python, found.torch) == (Path(sys.executable), "3.11.7", torch)


@pytest.mark.parametrize(
    ("torch", "message"),
    [(None, "verify.no-torch"), ("2.9.1+cpu", "verify.old-torch"), ("2.1.0", "verify.old-torch")],
)
def test_another_is_refused(monkeypatch: pytest.MonkeyPatch, torch: str | None, message: str) -> None:
    answering(monkeypatch, torch)
    with pytest.raises(InputError) as refused:
        inspect_interpreter(Path(sys.executable))
    assert refused.value.message.id == message


def test_what_an_old_torch_would_not_show_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "2.5.1")
    with pytest.raises(
        InputError, match=r"mixed devices, \.numpy\(\) on a device and dtype limits would not be seen"
    ):
        inspect_interpreter(Path(sys.executable))


def test_what_is_missing_or_no_interpreter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is no interpreter"):
        inspect_interpreter(tmp_path / "python")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho hello\n")
    program.chmod(0o755)
    with pytest.raises(InputError, match=r"does not answer as a Python interpreter: hello"):
        inspect_interpreter(program)
