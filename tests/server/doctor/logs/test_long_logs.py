"""A long log: few patterns are tried on a line, and none on one that looks like an earlier line."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpu2ascend.doctor.logs import failures as reading
from gpu2ascend.doctor.logs.failures import failures
from gpu2ascend.doctor.logs.literals import Candidates, required
from gpu2ascend.doctor.logs.table import BY_CLASS, Row, first_row, fits, form_of, matching, table

from .test_public_texts import texts

PROGRESS = "[2026-01-01 10:00:{:02d}] step {}/150000 loss 2.{:04d} lr 1.0e-05"


def first_of_all(line: str, shows_error: bool) -> Row | None:
    """The first row of a line by trying each."""
    rows = (row for row in table() if shows_error or row.kind not in BY_CLASS)
    form = form_of(line) if shows_error else None
    return next((row for row in rows if fits(row, line, form)), None)


def test_lines_that_look_alike_are_looked_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []

    def counted(line: str, shows_error: bool) -> Row | None:
        looked_up.append(line)
        return matching(line, shows_error)

    monkeypatch.setattr(reading, "matching", counted)
    log = [PROGRESS.format(step % 60, step, step % 9999 + 1) for step in range(1, 5000)]
    (found,) = failures([*log, "RuntimeError: NPU out of memory. Tried to allocate 2 GiB", *log])
    assert (found.name, found.line) == ("out-of-memory", 5000)
    assert len(looked_up) < 8


def test_a_line_tries_few_of_the_patterns() -> None:
    candidates = Candidates([row.pattern.pattern for row in table()])
    lines = [
        PROGRESS.format(1, 2, 3), "Loading checkpoint shards: 100%|####| 2/2 [00:02<00:00,  1.4it/s]",
        "INFO 01-02 10:00:00 [log.py:123] Engine 000: Avg prompt throughput: 12.1 tokens/s, Running: 3 reqs",
        "epoch 3 iter 77 data_time 0.01 batch 33 acc 0.91 best 0.93 at epoch 2",
    ]  # fmt: skip
    assert len(table()) > 300
    assert max(len(candidates.of(line)) for line in lines) < 30


@pytest.mark.slow
def test_the_rows_that_are_tried_are_those_that_match() -> None:
    lines = [line for row in texts() for line in row["text"].split("\\n")]
    assert len(lines) > 500
    for line in lines:
        for shows_error in (True, False):
            assert first_of_all(line, shows_error) == first_row(line, shows_error)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        (r"\bout of memory\b", {"out of memory"}),
        (r"[Ff]ailed to (?:open|load) \S+", {"ailed to "}),
        (r"(?:abc)?defg|hijk+l", {"defg", "hijk"}),
        (r"(?:abcd|efgh)+", {"abcd", "efgh"}),
        (r"(?i:error)|\d+", None),
        (r"a(?!bcdef)\d", None),
        (r"a(?:b|\[c\]|(?P<name>de))?fgh", {"fgh"}),
        (r"a{2}bc\(\)[x-z]{3,}d\.e\.f", {"d.e.f"}),
    ],
)
def test_the_texts_that_a_pattern_needs(pattern: str, texts: set[str] | None) -> None:
    assert required(pattern) == texts


FEW = settings(
    max_examples=2, deadline=None, derandomize=True, database=None, suppress_health_check=[*HealthCheck]
)


@pytest.mark.slow
def test_what_a_row_matches_has_one_of_its_texts() -> None:
    def checked(texts: frozenset[str]) -> Callable[[str], None]:
        def check(line: str) -> None:
            assert any(text in line for text in texts)

        return check

    needing = [(row.pattern, texts) for row in table() if (texts := required(row.pattern.pattern))]
    assert len(needing) > 350
    for pattern, texts in needing:
        FEW(given(st.from_regex(pattern))(checked(texts)))()


@pytest.mark.parametrize("line", [
    "12 passed, 0 failed", "0 failures", "epoch 3: failed=0 skipped=2", "Errors: 0", "no errors found",
    "failed: 0/12 tests", "Failed requests:                         0", '{"failed": 0, "passed": 4}',
    "loaded 12 files, 0 errors, 0 warnings", "num_failed: 0, num_done: 7", "failed: none",
])  # fmt: skip
def test_a_count_of_zero_is_no_failure(line: str) -> None:
    assert failures([line]) == []


@pytest.mark.parametrize("line", [
    "12 passed, 1 failed", "10 failed", "failed: 10", "failed 0x7020009", "ERROR: 0 errors, 3 failed",
    "failed with exit code 0x1", "1 failed, 0 errors", "ERROR: could not open 0",
])  # fmt: skip
def test_a_count_that_is_not_zero_is_one(line: str) -> None:
    """The control."""
    assert len(failures([line])) == 1
