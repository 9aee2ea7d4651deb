"""Which versions belong together, which drivers they need, and what the texts of failures mean: data."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from gpu2ascend_rules.data import load_tsv

rows = partial(load_tsv, folder=Path(__file__).parent)
"""The rows of ``<name>.tsv`` in this folder, by column."""
