"""What must hold of pages in two languages: each has its twin, and leads to pages in its own language.

``python -m tools.site.twins`` prints what does not, and fails then.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from .chinese_lines import stray_blanks
from .links import outside_code
from .pages import ENGLISH_ONLY, Page, chinese_twin, pages

_LINK = re.compile(r"\]\(([^()\s#]+\.md)(?:#[^()\s]*)?\)")
_SHOWN_ELSEWHERE = "rules/"
"""Guides, which `explain` prints: they have no link to the other language."""


def problems(root: Path) -> list[str]:
    """A sentence for each page without a twin, link that leaves the reader's language, and stray blank."""
    found: list[str] = []
    for english, chinese in zip(pages(root, "en"), pages(root, "zh"), strict=True):
        found.extend(_of_pair(root, english, chinese))
    start = chinese_twin("README.md")
    found.extend(
        f"{start} links to {target}, which has no Chinese twin"
        for target in sorted(_linked(root, start) & ENGLISH_ONLY)
    )
    return found


def _of_pair(root: Path, english: Page, chinese: Page) -> Iterator[str]:
    twin = chinese_twin(english.source)
    if not chinese.translated:
        if english.source not in ENGLISH_ONLY:
            yield f"{english.source} has no Chinese twin {twin}"
        return
    if english.source in ENGLISH_ONLY:
        yield f"{english.source} has the twin {twin}, and is listed as a page in English only"
    if not english.source.startswith(_SHOWN_ELSEWHERE):
        for source, other in ((english.source, twin), (twin, english.source)):
            if other not in _linked(root, source):
                yield f"{source} does not link to {other}"
    for line in stray_blanks((root / twin).read_text(encoding="utf-8")):
        yield f"{twin}:{line} has a blank between Chinese characters; see tools/site/chinese_lines.py"
    for target in sorted(_linked(root, twin) - {english.source}):
        if (root / chinese_twin(target)).is_file():
            yield f"{twin} links to {target}, which is in Chinese, too"


def _linked(root: Path, source: str) -> set[str]:
    """The Markdown files that a page links to, by their path in the repository."""
    found: set[str] = set()
    folder = PurePosixPath(source).parent

    def collect(line: str) -> str:
        for place in _LINK.findall(line):
            found.add(os.path.normpath(folder / place).replace(os.sep, "/"))
        return line

    outside_code((root / source).read_text(encoding="utf-8"), collect)
    return found


if __name__ == "__main__":
    sys.exit("\n".join(f"error: {sentence}" for sentence in problems(Path(__file__).parents[2])) or None)
