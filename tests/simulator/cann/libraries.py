"""Shared libraries that tests compile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpu2ascend_simulator.cann.build import NoCompilerError, find_compiler


def compiler() -> tuple[str, ...]:
    """A compiler for C."""
    try:
        return find_compiler()
    except NoCompilerError as error:
        pytest.skip(str(error))


def library(path: Path, text: str, *options: str) -> Path:
    """A library made of a C text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = path.with_suffix(".c")
    source.write_text(text, encoding="utf-8")
    subprocess.run([*compiler(), "-shared", "-fPIC", "-o", str(path), str(source), *options], check=True)
    return path
