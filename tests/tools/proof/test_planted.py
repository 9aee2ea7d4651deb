"""The mistakes that the proof plants in public projects: their table, and where each shows."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

import gpu2ascend.verify
from tools.proof.planted.tables import Mistake, mistakes, projects

CAUSES = Path(gpu2ascend.verify.__file__).parent / "tables" / "causes.tsv"
MISTAKE = Mistake("minGPT", "a.py", "x.npu()", "x.cpu(),\ny", "mixed-devices", "", "", "")


def test_forty_in_five_projects() -> None:
    counts = Counter(mistake.project for mistake in mistakes())
    assert counts == dict.fromkeys(projects(), 8) and len(counts) == 5


def test_each_has_a_cause_that_there_is() -> None:
    with CAUSES.open(encoding="utf-8", newline="") as stream:
        known = {row[0] for row in csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)}
    assert {mistake.cause for mistake in mistakes()} <= known


def test_the_first_text_that_is_right_is_replaced() -> None:
    assert MISTAKE.planted("a\nx.npu()\nx.npu()\n") == "a\nx.cpu(),\ny\nx.npu()\n"
    with pytest.raises(ValueError, match=r"has no 'x\.npu\(\)'"):
        MISTAKE.planted("x.to(device)")


def test_it_shows_in_its_first_line_or_in_the_one_that_is_named() -> None:
    text = MISTAKE.planted("a\nx.npu()\nloss = x + z\n")
    assert MISTAKE.line(text) == 2
    assert MISTAKE._replace(shown_at="x + z").line(text) == 4
