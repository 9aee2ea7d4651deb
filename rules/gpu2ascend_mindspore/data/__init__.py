"""The tables of MindSpore's counterparts, and of libraries whose objects have methods of tensors."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gpu2ascend_rules import data

load_tsv = partial(data.load_tsv, folder=Path(__file__).parent)
"""The rows of a table, by column."""
