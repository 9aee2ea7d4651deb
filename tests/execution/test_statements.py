"""What the documentation says runs has a proof on the simulated device, which docs/verify.md names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
ROW = re.compile(r"^\| [^|]+ \| ([\w./-]+\.md): ([^|]+) \| `([\w./-]+\.py)::(\w+)` \|$", re.MULTILINE)
STATEMENTS = ROW.findall((TOP / "docs" / "verify.md").read_text("utf-8"))
SAYS = re.compile(
    r"\bruns? (?:as|on|from|with)\b|\btrains (?:on|in)\b|\btake optimizer steps\b", re.IGNORECASE
)
TOLD = ("distributed.md", "device-agnostic.md")
"""Pages about code that gpu2ascend writes and somebody runs; the other pages have it in single sentences."""


@pytest.mark.parametrize(("page", "text", "file", "test"), STATEMENTS)
def test_it_is_said_there_and_has_its_proof(page: str, text: str, file: str, test: str) -> None:
    assert text in " ".join((TOP / page).read_text("utf-8").split())
    code = (TOP / file).read_text("utf-8")
    assert f"def {test}(" in code and "pytest.mark.execution" in code


@pytest.mark.parametrize("page", TOLD)
def test_every_such_sentence_of_a_page_is_a_statement(page: str) -> None:
    text = " ".join((TOP / "docs" / page).read_text("utf-8").split())
    known = [part for where, part, _, _ in STATEMENTS if where == f"docs/{page}"]
    said = list(SAYS.finditer(text))
    assert said
    for match in said:
        around = text[max(0, match.start() - 60) : match.end() + 60]
        assert any(part in around for part in known), around
