"""What the log of an editor contains of the server, and at which level."""

from __future__ import annotations

import logging
import platform
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend import __version__
from gpu2ascend.lsp.session.client_log import ClientLog
from gpu2ascend.lsp.session.settings import Settings
from gpu2ascend.project.paths import shown


class LogRecorder:
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


def test_the_version_that_was_found_is_reported_with_where_it_was_found(project: Path) -> None:
    reported = LogRecorder(logging.INFO)
    reported.settings.use_folders([project])
    reported.log.settings()
    assert "2.6.0" in reported.text and "requirements.txt" in reported.text and str(project) in reported.text


def test_the_program_is_reported_once_before_the_settings(project: Path) -> None:
    reported = LogRecorder(logging.INFO)
    reported.settings.use_folders([project])
    reported.log.settings()
    assert [line for line, (_, text) in enumerate(reported.lines) if shown(sys.executable) in text] == [0]
    assert __version__ in reported.lines[0][1] and platform.python_version() in reported.lines[0][1]
    reported.settings.use({"version": "2.8.0"})
    reported.log.settings()
    assert reported.text.count(shown(sys.executable)) == 1


def test_settings_are_reported_when_they_change_and_not_again(project: Path) -> None:
    reported = LogRecorder(logging.INFO)
    reported.settings.use_folders([project])
    reported.log.settings()
    before = len(reported.lines)
    reported.log.settings()
    assert len(reported.lines) == before
    reported.settings.use({"version": "2.8.0", "ignore": ["NPU1"]})
    reported.log.settings()
    later = "\n".join(text for _, text in reported.lines[before:])
    assert "2.8.0" in later and "set" in later and "NPU1" in later


def test_only_what_the_level_asks_for_is_reported() -> None:
    reported = LogRecorder(logging.WARNING)
    reported.log.started()
    reported.log.settings()
    assert reported.lines == []
    reported.log.warn("lsp.log.worker-died")
    reported.log.rule_failed("NPU110", "file:///a.py", "Traceback")
    assert [kind for kind, _ in reported.lines] == [types.MessageType.Warning, types.MessageType.Error]


def test_a_rule_that_fails_with_every_key_is_reported_once() -> None:
    reported = LogRecorder(logging.INFO)
    for _ in range(3):
        reported.log.rule_failed("NPU110", "file:///a.py", "Traceback")
    assert len(reported.lines) == 1 and "NPU110" in reported.text


def test_the_log_is_in_the_language_of_the_editor() -> None:
    reported = LogRecorder(logging.INFO, language="zh")
    reported.log.warn("lsp.log.worker-died")
    assert "进程" in reported.text
