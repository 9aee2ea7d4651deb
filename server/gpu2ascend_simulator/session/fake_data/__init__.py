"""Synthetic samples in place of data that is not here: of the right shape, without any meaning.

Only on the user's word, and each is noted: losses of such a run say nothing but that the code runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

SAMPLES = 512
"""Of each data set of rows."""
Note = Callable[[str], None]
"""Receives what was made up."""


def rows(name: str) -> Iterator[list[str]]:
    """The columns of a table beside this module, without its comments."""
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.split("\t")
