"""The sources of the site, written to a folder: what MkDocs then makes pages of."""

from __future__ import annotations

import shutil
from pathlib import Path

from .links import Links, asset
from .pages import LANGUAGES, Page, pages, targets
from .rules import rule_pages

_UNTRANSLATED = "!!! note\n    本页尚无中文版，以下为英文原文。\n\n"


def stage(root: Path, folder: Path, repository: str | None) -> list[str]:
    """Write the sources of all pages in both languages to a folder, and give the links that lead nowhere."""
    shutil.rmtree(folder, ignore_errors=True)
    broken: list[str] = []
    for language in LANGUAGES:
        links = Links(root, targets(root), repository)
        for page in pages(root, language):
            _write(folder / language / page.target, _text(root, page, links))
        for name, text in rule_pages(language):
            _write(folder / language / name, text)
        for path in sorted(links.assets):
            copy = folder / language / asset(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, copy)
        broken.extend(links.broken)
    return sorted(set(broken))


def _text(root: Path, page: Page, links: Links) -> str:
    text = links.rewritten((root / page.source).read_text(encoding="utf-8"), page.source)
    if page.translated:
        return text
    title, _, rest = text.partition("\n")
    return f"{title}\n\n{_UNTRANSLATED}{rest.lstrip(chr(10))}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
