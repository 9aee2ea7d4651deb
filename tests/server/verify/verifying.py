"""Runs a project as ``gpu2ascend verify`` does, in processes that have torch loaded already."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.verify.request import VerifyRequest
from gpu2ascend.verify.result.model import VerifyResult
from gpu2ascend.verify.running import supervise
from gpu2ascend.verify.verify import Listener, verify
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions
from tests.server.verify.forked import ForkedProcesses

VERSION = Version(2, 8, 0)


def verify_project(
    project: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, **given: Any
) -> VerifyResult:
    """What verify reports of a project; ``given`` are parts of the request."""
    monkeypatch.setattr(supervise, "Processes", ForkedProcesses)
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    usual = {"version": VERSION, "python": Path(sys.executable)}
    request = VerifyRequest(project=project, command=command, **{**usual, **given})
    listener = Listener(tell=lambda message: None, heard=lambda number, line: None)
    return verify(request, MigrationOptions(), listener)


def lines_that_ran(result: VerifyResult, project: Path, path: str) -> str:
    """The text of the lines of a file that ran; of those without code, too."""
    (file,) = (item for item in result.coverage if item.path == path)
    lines = (project / path).read_text("utf-8").splitlines()
    return "\n".join(line for number, line in enumerate(lines, 1) if number not in file.missed)
