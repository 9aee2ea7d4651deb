"""What the rules say of many short pieces of code, room by room: what is found, and what fixes make of it.

The pieces are in ``samples``. After one in which a rule finds something come those that differ in one point,
by which it finds something else or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from tests.golden import described, difference
from tests.pieces import agree, codes
from tests.rules.nearly import parsed

SAMPLES = Path(__file__).with_name("samples")
LOADED = "import torch_npu\n"
HEAD = f"""\
import os
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
{LOADED}"""
HELPER = {
    "",
    '    """The accelerator of this machine, else the CPU."""',
    "    if torch.accelerator.is_available():",
    "        return torch.accelerator.current_accelerator()",
    '    return torch.device("cpu")',
}
"""The body of the function that the target ``accelerator`` adds, which is the same each time."""
ROOMS = sorted(path.stem for path in SAMPLES.glob("*.txt"))


class Piece(NamedTuple):
    """A piece of code, and what it is examined as."""

    head: str
    """What precedes the code in its file."""
    code: str
    path: str
    settings: dict[str, object]

    @property
    def options(self) -> MigrationOptions:
        """What the settings mean."""
        return options_from(self.settings)

    @property
    def is_python(self) -> bool:
        """Whether it is examined as Python."""
        return self.path.endswith(".py")


def piece_of(lines: str) -> Piece:
    """A piece of code from its lines in the samples: settings, then the code."""
    given = (line[1:].split(" ", 1) for line in lines.splitlines() if line.startswith("%"))
    own = {name: value == "true" or value for name, value in given}
    code = "\n".join(line for line in lines.splitlines() if not line.startswith("%"))
    path = str(own.pop("path", "train.py"))
    head = HEAD if path.endswith(".py") else ""
    settings = {"version": "2.8.0", "unsafe_fixes": True, **own}
    return Piece(head.replace(LOADED, "") if "target" in own else head, f"{code}\n", path, settings)


def pieces(room: str) -> list[Piece]:
    """The pieces of code of a room."""
    return [piece_of(lines) for lines in codes(SAMPLES / f"{room}.txt")]


def outcome(lines: str) -> Iterator[str]:
    """What is found in a piece of code, and what the fixes make of it."""
    piece = piece_of(lines)
    source = text_file(piece.head + piece.code, piece.path)
    yield from described(check(source, piece.options), source.lines, source.data)
    fixed = apply_fixes(source, piece.options).text
    if piece.is_python and parsed(source.text) is not None:
        assert parsed(fixed) is not None, fixed
    changes = difference(source.text, fixed, piece.path)
    yield from (line for line in changes if line[0] != "@" and line[1:] not in HELPER)


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_found_of_each_way_to_write_it(room: str) -> None:
    agree(SAMPLES / f"{room}.txt", outcome)
