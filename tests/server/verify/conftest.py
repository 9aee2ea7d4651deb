"""Runs small projects as ``gpu2ascend verify`` does, in processes that have torch loaded already."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pytest

from gpu2ascend.verify.result.model import VerifyResult
from tests.server.verify.verifying import VERSION, verify_project

__all__ = ["VERSION", "Verified", "verified", "with_torch"]


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

    def run(files: Mapping[str, str], *command: str, **given: Any) -> VerifyResult:
        project = tmp_path / "project"
        for name, text in files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return verify_project(project, command or ("train.py",), monkeypatch, **given)

    return run
