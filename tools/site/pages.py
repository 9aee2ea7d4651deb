"""Which files of the repository are pages of the site, and under which names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

LANGUAGES = ("en", "zh")
"""The folders of the site's sources; the first is the language of pages that have no other."""
_CHINESE = ".zh-CN"
_ROOT_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "vscode-extension/README.md": "vscode.md",
    "rules/gpu2ascend_rules/guides/custom-rules.md": "custom-rules.md",
}
"""Pages outside ``docs`` by their place in the repository."""


ENGLISH_ONLY = frozenset(
    {
        "docs/decisions.md",
        "docs/support-tables.md",
        "docs/testing.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
    }
)
"""Pages for those who work on gpu2ascend, and tables of evidence; every other page is in both languages."""


@dataclass(frozen=True)
class Page:
    """A page in one language: its path in the repository, and that below the language's folder."""

    source: str
    target: str
    translated: bool
    """Whether the source is in the page's language."""


def pages(root: Path, language: str) -> list[Page]:
    """All pages of a language; those without a translation are the English ones."""
    found = dict(_ROOT_PAGES)
    for path in sorted((root / "docs").glob("*.md")):
        if not path.stem.endswith(_CHINESE):
            found[f"docs/{path.name}"] = path.name
    return [_page(root, source, target, language) for source, target in found.items()]


def targets(root: Path) -> Mapping[str, str]:
    """The page that a file of the repository is, also a translation, by its path."""
    found = {page.source: page.target for language in LANGUAGES for page in pages(root, language)}
    return found | {source: target for source, target in _ROOT_PAGES.items() if (root / source).is_file()}


def chinese_twin(source: str) -> str:
    """Where the Chinese version of a page lies."""
    path = PurePosixPath(source)
    return str(path.with_name(f"{path.stem}{_CHINESE}{path.suffix}"))


def _page(root: Path, source: str, target: str, language: str) -> Page:
    twin = chinese_twin(source)
    if language == "zh" and (root / twin).is_file():
        return Page(twin, target, True)
    return Page(source, target, language == "en")
