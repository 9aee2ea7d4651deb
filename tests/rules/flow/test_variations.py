"""Where texts and values go in the usual ways to write it: what is found of each, and what fixes make of it.

The ways are in ``samples``, by subject.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.golden import described, difference
from tests.pieces import agree

SAMPLES = Path(__file__).with_name("samples")
HEAD = """\
import argparse, os, subprocess
from dataclasses import dataclass, field
import torch
import torch.distributed as dist
import torch.nn as nn
"""
SUBJECTS = sorted(path.stem for path in SAMPLES.glob("*.txt"))


def outcome(code: str) -> Iterator[str]:
    """What is found in a piece of code, and what the fixes make of it."""
    source = SourceFile(f"{HEAD}{code}\n", "train.py")
    options = options_from({"version": "2.8.0", "unsafe_fixes": True})
    yield from described(check(source, options), source.lines, source.data)
    changes = difference(source.text, apply_fixes(source, options).text, "train.py")
    yield from (line for line in changes if line[0] != "@")


@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_is_found_of_each_way_to_write_it(subject: str) -> None:
    agree(SAMPLES / f"{subject}.txt", outcome)
