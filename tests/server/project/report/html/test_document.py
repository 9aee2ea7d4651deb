"""The page as a whole: what it weighs, loads, and is made of."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from gpu2ascend.project.report.html import document
from gpu2ascend.project.report.html.collect import PageCollector
from gpu2ascend.project.report.html.sections.diffs import differences
from gpu2ascend.project.report.html.style import content_policy, style_sheet
from gpu2ascend.project.report.result import FileOutcome
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.messages import LANGUAGES, catalogue
from gpu2ascend_rules.model.finding import Severity
from tests.server.project.report.html.pages import changed, left, page

SOURCE = "import torch\nx = torch.ones(2).cuda()\n"
AFTER = "import torch\nimport torch_npu\nx = torch.ones(2).npu()\n"
LOADING = re.compile(
    r"<(?:script|link|img|iframe|object|embed|video|audio|base)\b|url\(|@import|\bsrc=|srcset="
)


def project(count: int = 3) -> list[FileOutcome]:
    """Files with edits, each with findings that no other has."""
    severities = tuple(Severity)
    return [
        changed(
            f"package_{number // 25}/subpackage/module_with_a_long_name_{number}.py",
            SOURCE * 30,
            AFTER * 30,
            "NPU101",
            "NPU110",
            remaining=[
                left(
                    severities[(number + extra) % 4], line=extra, text=f"finding {number} {extra} " + "x" * 90
                )
                for extra in range(3)
            ],
        )
        for number in range(count)
    ]


class _Elements(HTMLParser):
    """The elements that are open, and what was wrong."""

    VOID = frozenset({"meta", "input", "col", "rect", "wbr"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.headings: list[int] = []
        self.ids: Counter[str] = Counter()
        self.links: set[str] = set()
        self.landmarks: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        values = dict(attrs)
        if values.get("id"):
            self.ids[str(values["id"])] += 1
        if tag == "a" and str(values.get("href")).startswith("#"):
            self.links.add(str(values["href"])[1:])
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        self.landmarks[tag] += 1

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def parsed(html: str) -> _Elements:
    parser = _Elements()
    parser.feed(html)
    parser.close()
    return parser


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_element_ends_and_every_link_within_the_page_leads_somewhere(
    tmp_path: Path, language: str
) -> None:
    found = parsed(page(tmp_path, project(), language, ["train.sh", "a.md"]).html)
    assert (found.wrong, found.open) == ([], [])
    assert [name for name, count in found.ids.items() if count > 1] == []
    assert found.links - set(found.ids) == set()


def test_headings_leave_no_level_out(tmp_path: Path) -> None:
    levels = parsed(page(tmp_path, project(), others=["train.sh"]).html).headings
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_a_screen_reader_finds_landmarks_and_headings_of_tables(tmp_path: Path) -> None:
    made = page(tmp_path, project(), others=["train.sh"])
    found = parsed(made.html)
    assert [found.landmarks[name] for name in ("header", "nav", "main", "footer")] == [1, 1, 1, 1]
    assert found.landmarks["table"] == found.landmarks["caption"] > 3
    assert found.landmarks["section"] == made.html.count("aria-labelledby=")
    assert '<html lang="en">' in made.html


def test_nothing_is_loaded_and_no_script_runs(tmp_path: Path) -> None:
    made = page(tmp_path, project(), others=["train.sh"])
    assert LOADING.findall(made.html) == []
    assert re.findall(r"\son\w+=|style=", made.html) == []
    assert (
        f'http-equiv="Content-Security-Policy" content="{content_policy().replace(chr(39), "&#x27;")}"'
        in made.html
    )
    assert content_policy().startswith("default-src 'none'; style-src 'sha256-")


def test_the_policy_allows_the_style_sheet_of_the_page(tmp_path: Path) -> None:
    made = page(tmp_path, project(1))
    (found,) = re.findall(r"<style>(.*?)</style>", made.html, re.DOTALL)
    assert found == style_sheet()


def test_it_is_printed_and_follows_the_colours_of_the_system(tmp_path: Path) -> None:
    html = page(tmp_path, project(1)).html
    assert "@media print" in html and "prefers-color-scheme:dark" in html
    assert {f'id="theme-{theme}"' in html for theme in ("system", "light", "dark")} == {True}


def test_the_same_files_make_the_same_bytes(tmp_path: Path) -> None:
    assert page(tmp_path / "a", project()).bytes == page(tmp_path / "b", project()).bytes


@pytest.mark.slow
def test_a_thousand_files_take_less_than_a_megabyte_without_their_differences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "MAX_INLINE_BYTES", 0)
    others = [f"configs/model_{number}.yaml" for number in range(300)]
    made = page(tmp_path, project(1_000), others=others)
    assert made.summary.files == 1_000
    assert len(made.bytes) < 1_000_000


class TestDifferences:
    def test_are_in_the_page_as_long_as_they_are_few(self, tmp_path: Path) -> None:
        made = page(tmp_path, project())
        assert made.names == ("report.html",)
        assert 'href="#diff-1"' in made.html and 'id="diff-1"' in made.html

    def test_have_a_page_beside_it_when_they_are_many(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(document, "MAX_INLINE_BYTES", 1_000)
        made = page(tmp_path, project())
        assert made.names == ("report.html", "report_diffs.html") and made.diffs is not None
        assert 'href="report_diffs.html#diff-1"' in made.html and 'id="diff-1"' not in made.html
        assert 'id="diff-1"' in made.diffs and 'href="report.html"' in made.diffs
        found = parsed(made.diffs)
        assert (found.wrong, found.open) == ([], []) and LOADING.findall(made.diffs) == []

    @pytest.mark.parametrize(("less", "names"), [(0, 1), (1, 2)])
    def test_of_just_the_limit_are_few(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, less: int, names: int
    ) -> None:
        collected = PageCollector("en", tmp_path)
        for outcome in project():
            collected.add(outcome)
        pieces = differences(collected.records, Texts("en"))
        size = sum(len(piece.encode("utf-8")) for piece in pieces)
        collected.close()
        monkeypatch.setattr(document, "MAX_INLINE_BYTES", size - less)
        assert len(page(tmp_path, project()).names) == names

    def test_are_many_beyond_five_megabytes(self) -> None:
        assert document.MAX_INLINE_BYTES == 5_000_000

    def test_leave_nothing_else_in_the_directory(self, tmp_path: Path) -> None:
        page(tmp_path, project())
        assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_ids_in_code_and_catalogue_are_the_same() -> None:
    """Some ids are made of a name that the code has: those are counted by how they begin."""
    sources = Path(document.__file__).parents[1].rglob("*.py")
    text = "\n".join(path.read_text("utf-8") for path in sources)
    used = set(re.findall(r'"(report\.[\w-]+)"', text))
    begun = tuple(re.findall(r'"(report\.[\w-]*)\{', text))
    for language in LANGUAGES:
        there = {name for name in catalogue(language) if name.startswith("report.")}
        assert used - there == set()
        assert {name for name in there - used if not name.startswith(begun)} == set()
        assert [start for start in begun if not any(name.startswith(start) for name in there)] == []
