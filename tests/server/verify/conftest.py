"""Runs small projects as ``gpu2ascend verify`` does, in processes that have torch loaded already."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.model import VerifyResult
from gpu2ascend.verify.running import supervise
from gpu2ascend.verify.verify import Listener, verify
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions
from tests.server.verify.forked import ForkedProcesses

VERSION = Version(2, 8, 0)


class Verified(Protocol):
    """Verifies a project of these files."""

    def __call__(self, files: Mapping[str, str], *command: str, **request: Any) -> VerifyResult: ...


@pytest.fixture
def with_torch() -> None:
    """torch for the runs, or the reason why there are none."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed (`make torch`)")


@pytest.fixture
def verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_torch: None) -> Verified:
    """Verifies projects in processes that share a loaded torch."""
    monkeypatch.setattr(supervise, "Processes", ForkedProcesses)
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")

    def run(files: Mapping[str, str], *command: str, **given: Any) -> VerifyResult:
        project = tmp_path / "project"
        for name, text in files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        request = VerifyRequest(
            project=project,
            command=command or ("train.py",),
            version=VERSION,
            python=Path(sys.executable),
            **given,
        )
        heard: list[str] = []
        listener = Listener(tell=lambda message: None, heard=lambda number, line: heard.append(line))
        return verify(request, MigrationOptions(), listener)

    return run
