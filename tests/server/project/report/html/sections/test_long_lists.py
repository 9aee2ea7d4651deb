"""How much a section lists, and that what it leaves out is counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gpu2ascend.project.report.result import FileOutcome, FileStatus
from gpu2ascend_rules.model.finding import Message, Severity
from gpu2ascend_rules.model.outcome import RemainingFinding
from tests.server.project.report.html.pages import Page, changed, left, page

NAME = "item{:04}x"
"""Of each thing that is listed; no other text of the page has it."""
UNPARSABLE = "project.unparsable"

Outcomes = Sequence[FileOutcome]


def of_one_file(items: Sequence[RemainingFinding]) -> Outcomes:
    return [FileOutcome("a.py", FileStatus.UNCHANGED, remaining=tuple(items))]


def causes(count: int) -> Outcomes:
    return of_one_file([left(text=NAME.format(number)) for number in range(count)])


def apis(count: int) -> Outcomes:
    items = (
        left(kind="unsupported", api=NAME.format(number), text=f"text {number}") for number in range(count)
    )
    return of_one_file(list(items))


def restricted(count: int) -> Outcomes:
    found = (
        left(Severity.INFORMATION, "NPU006", api=NAME.format(number), text=f"text {number}")
        for number in range(count)
    )
    return [FileOutcome("a.py", FileStatus.UNCHANGED, restricted=tuple(found))]


def places(count: int) -> Outcomes:
    return [
        FileOutcome(NAME.format(number), FileStatus.UNCHANGED, remaining=(left(),)) for number in range(count)
    ]


def migrated(count: int) -> Outcomes:
    return [changed(NAME.format(number), "a\n", "b\n") for number in range(count)]


def troubled(count: int) -> Outcomes:
    problem = Message.of(UNPARSABLE, line=3, reason="no")
    return [
        FileOutcome(NAME.format(number), FileStatus.UNPARSABLE, problem=problem) for number in range(count)
    ]


def dependencies(count: int) -> Outcomes:
    return of_one_file([left(code="NPU1105", text=NAME.format(number)) for number in range(count)])


@pytest.mark.parametrize(
    ("section", "made", "most", "rest"),
    [
        pytest.param("findings", causes, 250, "Further causes: {}.", id="causes"),
        pytest.param("findings", places, 13, "and {} more", id="places of a cause"),
        pytest.param("apis", apis, 200, "More rows: {}.", id="APIs"),
        pytest.param("apis", restricted, 200, "More rows: {}.", id="restricted APIs"),
        pytest.param("files", migrated, 1000, "have something left: {}.", id="files"),
        pytest.param("unexamined", troubled, 200, "More rows: {}.", id="files that were not examined"),
        pytest.param("dependencies", dependencies, 400, "More rows: {}.", id="dependencies"),
    ],
)
def test_a_section_lists_so_many_and_counts_the_rest(
    tmp_path: Path, section: str, made: Callable[[int], Outcomes], most: int, rest: str
) -> None:
    counted = rest.partition("{}")[0]
    whole = page(tmp_path / "whole", made(most)).section(section)
    assert len(names_in(whole)) == most and counted not in whole
    longer = page(tmp_path / "longer", made(most + 2)).section(section)
    assert len(names_in(longer)) == most and rest.format(2) in longer


def names_in(said: str) -> set[str]:
    return {word for item in said.split() if (word := item.split(":")[0].strip(",`")) if is_name(word)}


def is_name(word: str) -> bool:
    return word[:4] == "item" and word[-1] == "x" and word[4:-1].isdigit()


@pytest.mark.parametrize(("count", "shown", "rest"), [(12, 12, ""), (15, 12, "and 3 more")])
def test_a_kind_of_file_names_some_and_counts_the_rest(
    tmp_path: Path, count: int, shown: int, rest: str
) -> None:
    others = [f"data/{NAME.format(number)}.sh" for number in range(count)]
    said = page(tmp_path, migrated(1), others=others).section("unexamined")
    assert said.count(".sh") == shown
    assert f" {count} may matter" in said
    assert rest in said and ("more" in said) == bool(rest)


@pytest.mark.parametrize(("count", "shown", "rest"), [(40, 40, ""), (43, 40, "and 3 more")])
def test_notes_are_listed_and_the_rest_is_counted(tmp_path: Path, count: int, shown: int, rest: str) -> None:
    notes = [Message.of(UNPARSABLE, line=3, reason=NAME.format(number)) for number in range(count)]
    said = page(tmp_path, migrated(1), notes=notes).section("unexamined")
    assert f"leading outside the project: {count}" in said
    assert len(names_in(said)) == shown
    assert rest in said and ("more" in said) == bool(rest)


@pytest.mark.parametrize(("count", "shown"), [(1, 0), (2, 2), (150, 150), (153, 150)])
def test_the_picture_has_so_many_files_and_says_how_many(tmp_path: Path, count: int, shown: int) -> None:
    made: Page = page(tmp_path, migrated(count))
    assert made.html.count("<title>item") == shown
    assert (f"The {shown} files with the most places" in made.section("files")) == bool(shown)
