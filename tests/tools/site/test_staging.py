"""The sources of the site, as they are written from this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.engine.registry import all_codes
from tools.site.staging import stage

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of this repository's site."""
    folder = tmp_path_factory.mktemp("site") / "sources"
    assert stage(ROOT, folder, None) == []
    return folder


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_rule_has_a_page(sources: Path, language: str) -> None:
    listed = (sources / language / "rules" / "index.md").read_text(encoding="utf-8")
    for rule in all_codes():
        page = (sources / language / "rules" / f"{rule.code}.md").read_text(encoding="utf-8")
        assert page.startswith(f"# {rule.code} ")
        assert f"({rule.code}.md)" in listed


def test_both_languages_have_the_same_pages(sources: Path) -> None:
    english, chinese = (
        {path.relative_to(sources / language) for path in (sources / language).rglob("*.md")}
        for language in ("en", "zh")
    )
    assert english == chinese
    assert Path("index.md") in english


def test_a_page_without_a_translation_says_so(sources: Path) -> None:
    note = "本页尚无中文版"
    assert note in (sources / "zh" / "changelog.md").read_text(encoding="utf-8")
    assert note not in (sources / "zh" / "index.md").read_text(encoding="utf-8")
