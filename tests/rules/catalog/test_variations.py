"""What the rules say of many short pieces of code, room by room: what is found, and what fixes make of it.

The pieces are in ``samples``, with empty lines between them, what is found in ``samples/goldens``. Beside one
in which a rule finds something stand those that differ in one point, by which it finds something else or
nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.fix import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import options_from
from tests.golden import agrees, described, difference

SAMPLES = Path(__file__).with_name("samples")
GOLDENS = SAMPLES / "goldens"
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


def is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "", "exec", dont_inherit=True)
        except SyntaxError:
            return False
    return True


def outcome(piece: str) -> Iterator[str]:
    """What is found in a piece of code, and what the fixes make of it."""
    given = (line[1:].split(" ", 1) for line in piece.splitlines() if line.startswith("%"))
    settings = {name: value == "true" or value for name, value in given}
    code = "\n".join(line for line in piece.splitlines() if not line.startswith("%"))
    path = str(settings.pop("path", "train.py"))
    head = HEAD if path.endswith(".py") else ""
    text = f"{head.replace(LOADED, '') if 'target' in settings else head}{code}\n"
    options = options_from({"version": "2.8.0", "unsafe_fixes": True, **settings})
    source = text_file(text, path)
    yield f"# {piece}".replace("\n", "\n# ")
    yield from described(check(source, options), source.lines, source.data)
    fixed = apply_fixes(source, options).text
    if path.endswith(".py") and is_python(text):
        assert is_python(fixed), fixed
    changes = difference(source.text, fixed, path)
    yield from (line for line in changes if line[0] != "@" and line[1:] not in HELPER)


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_found_of_each_way_to_write_it(room: str) -> None:
    pieces = (SAMPLES / f"{room}.txt").read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    lines = [line for piece in pieces for line in outcome(piece)]
    agrees(GOLDENS / f"{room}.txt", "".join(f"{line}\n" for line in lines))
