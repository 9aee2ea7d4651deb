"""How ``check`` writes what it found: for people, and for the programs that read it."""

from __future__ import annotations

import importlib

from ...texts.catalogue import Texts
from ..output.terminal import Terminal
from .report import CheckReport

_MODULES = {
    "text": "text",
    "json": "ruff_json",
    "sarif": "sarif",
    "github": "github",
    "gitlab": "gitlab",
    "junit": "junit",
}
"""The module that writes each format; its ``write`` is loaded only when the format is asked for."""
OUTPUT_FORMATS = tuple(_MODULES)


def write_report(report: CheckReport, output_format: str, out: Terminal, texts: Texts) -> None:
    """Write a report in one of :data:`OUTPUT_FORMATS`."""
    importlib.import_module(f".{_MODULES[output_format]}", __package__).write(report, out, texts)
