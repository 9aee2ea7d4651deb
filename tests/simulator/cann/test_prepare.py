"""Whether an interpreter can run its torch_npu on the emulated CANN, and why it cannot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend_simulator.cann import prepare
from gpu2ascend_simulator.cann.build import BuildError, NoCompilerError
from gpu2ascend_simulator.cann.wheel import Needs, Wheel

WHEEL = Wheel("2.8.0.post2", "2.8.0+cpu", Path("torch_npu"), Path("torch"))


def asked(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> dict[str, Any]:
    """The answer of a machine that can, but for the changes."""

    def build(needs: Needs, cache: Path) -> Path:
        if isinstance(changes.get("built"), Exception):
            raise changes["built"]
        return cache / "made"

    monkeypatch.setattr(prepare.sys, "platform", changes.get("system", "linux"))
    monkeypatch.setattr(prepare.platform, "machine", lambda: changes.get("machine", "aarch64"))
    monkeypatch.setattr(prepare, "installed_wheel", lambda: changes.get("wheel", WHEEL))
    monkeypatch.setattr(prepare, "needs_of", lambda wheel: Needs((), ()))
    monkeypatch.setattr(prepare, "built", build)
    return prepare.prepare(Path("cache"))


def test_a_machine_that_can(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = asked(monkeypatch)
    assert answer["torch_npu"] == "2.8.0.post2"
    assert answer["variables"]["ASCEND_HOME_PATH"] == str(Path("cache", "made"))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"system": "darwin"}, "platform"),
        ({"machine": "riscv64"}, "platform"),
        ({"wheel": None}, "wheel"),
        ({"wheel": WHEEL._replace(torch="2.7.1")}, "torch"),
        ({"built": NoCompilerError()}, "compiler"),
        ({"built": BuildError("no stdio.h")}, "build"),
        ({"built": OSError("no room")}, "build"),
    ],
)
def test_one_that_cannot_says_why(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], reason: str
) -> None:
    assert asked(monkeypatch, **changes)["reason"] == reason


def test_libraries_of_the_user_come_later(monkeypatch: pytest.MonkeyPatch) -> None:
    found = prepare.variables_of(Path("made"), {"LD_LIBRARY_PATH": "/theirs"})["LD_LIBRARY_PATH"]
    assert found.split(":") == ["made", "/theirs"]
