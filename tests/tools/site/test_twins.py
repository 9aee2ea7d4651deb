"""Pages for users are in both languages, and each leads on in its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.site import pages
from tools.site.twins import problems

ROOT = Path(__file__).parents[3]
GUIDE = "rules/gpu2ascend_rules/guides/custom-rules"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A repository with every page outside `docs`, and one page there, in both languages."""
    for name in ("README", "SECURITY", "vscode-extension/README", "docs/cli"):
        own = Path(name).name
        write(tmp_path / f"{name}.md", f"# A\n\n[中文]({own}.zh-CN.md)\n")
        write(tmp_path / f"{name}.zh-CN.md", f"# 甲\n\n[English]({own}.md)\n")
    for name in ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", GUIDE, f"{GUIDE}.zh-CN"):
        write(tmp_path / f"{name}.md", "# A\n")
    return tmp_path


def test_every_page_for_users_of_this_repository_has_its_twin() -> None:
    assert problems(ROOT) == []


def test_pages_in_both_languages_are_fine(site: Path) -> None:
    assert problems(site) == []


def test_a_page_without_a_twin_is_named(site: Path) -> None:
    write(site / "docs/new.md", "# New\n")
    assert problems(site) == ["docs/new.md has no Chinese twin docs/new.zh-CN.md"]


def test_a_page_that_leads_out_of_its_language_is_named(site: Path) -> None:
    write(site / "README.zh-CN.md", "# 甲\n\n[English](README.md) [命令](docs/cli.md#check)\n")
    assert problems(site) == ["README.zh-CN.md links to docs/cli.md, which is in Chinese, too"]


def test_twins_lead_to_each_other(site: Path) -> None:
    write(site / "docs/cli.md", "# A\n")
    assert problems(site) == ["docs/cli.md does not link to docs/cli.zh-CN.md"]


def test_a_page_that_got_a_twin_is_no_longer_listed_as_english(site: Path) -> None:
    write(site / "CONTRIBUTING.md", "# A\n\n[中文](CONTRIBUTING.zh-CN.md)\n")
    write(site / "CONTRIBUTING.zh-CN.md", "# 甲\n\n[English](CONTRIBUTING.md)\n")
    assert problems(site) == [
        "CONTRIBUTING.md has the twin CONTRIBUTING.zh-CN.md, and is listed as a page in English only"
    ]


def test_pages_in_english_only_are_pages() -> None:
    sources = {page.source for page in pages.pages(ROOT, "en")}
    assert sources >= pages.ENGLISH_ONLY


def test_the_chinese_readme_leads_to_chinese_pages_only(site: Path) -> None:
    write(site / "README.zh-CN.md", "# 甲\n\n[English](README.md) [历史](CHANGELOG.md)\n")
    assert problems(site) == ["README.zh-CN.md links to CHANGELOG.md, which has no Chinese twin"]


def test_a_line_break_between_chinese_characters_is_named(site: Path) -> None:
    write(site / "README.zh-CN.md", "# 甲\n\n[English](README.md) 及其\n周边文件\n")
    assert problems(site) == [
        "README.zh-CN.md:3 has a blank between Chinese characters; see tools/site/chinese_lines.py"
    ]
