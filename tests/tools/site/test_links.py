"""Links of a page, from places in the repository to places on the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.site.links import Links

TARGETS = {"README.md": "index.md", "docs/cli.md": "cli.md", "docs/deep/page.md": "deep/page.md"}


@pytest.fixture
def links(tmp_path: Path) -> Links:
    """Links of a repository with three pages, a picture and a source file."""
    for name in (*TARGETS, "docs/picture.png", "rules/source.tsv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return Links(tmp_path, TARGETS, "https://host/blob/main")


def test_a_link_to_another_page_leads_to_it_on_the_site(links: Links) -> None:
    assert links.rewritten("[a](docs/cli.md#flags)", "README.md") == "[a](cli.md#flags)"
    assert links.rewritten("[a](../../README.md)", "docs/deep/page.md") == "[a](../index.md)"


def test_a_picture_is_copied_and_shown(links: Links) -> None:
    assert links.rewritten("![a](picture.png)", "docs/cli.md") == "![a](files/docs/picture.png)"
    assert links.assets == {"docs/picture.png"}


def test_a_link_to_a_source_leads_to_the_repository(links: Links) -> None:
    assert links.rewritten("[t](../rules/source.tsv)", "docs/cli.md") == (
        "[t](https://host/blob/main/rules/source.tsv)"
    )


def test_without_a_repository_a_link_to_a_source_is_its_text(links: Links) -> None:
    links.repository = None
    assert links.rewritten("see [t](../rules/source.tsv).", "docs/cli.md") == "see t."


def test_a_link_to_nothing_is_reported(links: Links) -> None:
    links.rewritten("[a](gone.md)", "docs/cli.md")
    assert links.broken == ["docs/cli.md links to gone.md, which does not exist"]


@pytest.mark.parametrize(
    "text",
    [
        "[a](https://example.org/x.md)",
        "[a](#here)",
        "`[a](gone.md)`",
        "```\n[a](gone.md)\n```",
        "`k[grid](...)`",
    ],
)
def test_addresses_elsewhere_and_code_stay(links: Links, text: str) -> None:
    assert links.rewritten(text, "docs/cli.md") == text
    assert links.broken == []
