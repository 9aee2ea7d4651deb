"""What the log of an editor tells of the server, and at which level."""

from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.session.client_log import ClientLog
from gpu2ascend.lsp.session.settings import Settings


class Told:
    """A server of which only what it says is looked at."""

    def __init__(self, level: int, **settings: Any) -> None:
        self.lines: list[tuple[types.MessageType, str]] = []
        logger = logging.Logger("gpu2ascend", level)
        self.settings = Settings()
        self.settings.initialize(settings, None)
        server: Any = SimpleNamespace(
            logger=logger, settings=self.settings, window_log_message=lambda line: self.add(line)
        )
        self.log = ClientLog(server)

    def add(self, line: types.LogMessageParams) -> None:
        self.lines.append((line.type, line.message))

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.lines)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "requirements.txt").write_text("torch==2.6.0\n")
    return tmp_path


def test_the_version_that_was_found_is_told_with_where_it_was_found(project: Path) -> None:
    told = Told(logging.INFO)
    told.settings.use_folders([project])
    told.log.settings()
    assert "2.6.0" in told.text and "requirements.txt" in told.text and str(project) in told.text


def test_settings_are_told_when_they_change_and_not_again(project: Path) -> None:
    told = Told(logging.INFO)
    told.settings.use_folders([project])
    told.log.settings()
    before = len(told.lines)
    told.log.settings()
    assert len(told.lines) == before
    told.settings.use({"version": "2.8.0", "ignore": ["NPU1"]})
    told.log.settings()
    later = "\n".join(text for _, text in told.lines[before:])
    assert "2.8.0" in later and "set" in later and "NPU1" in later


def test_only_what_the_level_asks_for_is_told() -> None:
    told = Told(logging.WARNING)
    told.log.started()
    told.log.settings()
    assert told.lines == []
    told.log.warn("lsp.log.worker-died")
    told.log.rule_failed("NPU110", "file:///a.py", "Traceback")
    assert [kind for kind, _ in told.lines] == [types.MessageType.Warning, types.MessageType.Error]


def test_a_rule_that_fails_with_every_key_is_told_once() -> None:
    told = Told(logging.INFO)
    for _ in range(3):
        told.log.rule_failed("NPU110", "file:///a.py", "Traceback")
    assert len(told.lines) == 1 and "NPU110" in told.text


def test_the_log_is_in_the_language_of_the_editor() -> None:
    told = Told(logging.INFO, language="zh")
    told.log.warn("lsp.log.worker-died")
    assert "进程" in told.text
