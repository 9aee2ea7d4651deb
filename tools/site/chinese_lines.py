"""Line breaks of Chinese pages: a browser shows each as a blank, which Chinese text does not have.

``python -m tools.site.chinese_lines FILE ...`` joins the lines of pages in place.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_PUNCTUATION = "\u3000-\u303f\uff01-\uff65\u201c\u201d\u2014\u2026"
_WIDE = re.compile(f"[\u4e00-\u9fff{_PUNCTUATION}]")
_MARK = re.compile(f"[{_PUNCTUATION}]")
_FENCE = re.compile(r"\s*(```|~~~)")
_BLOCK = re.compile(r"\s*(?:[-*+] |\d+\. |[|#>]|<|$)")
"""What begins a block of its own: an item, a row, a heading, a quotation, HTML, or nothing."""
_LINK_END = re.compile(r"\]\([^()]*\)$")
_BLANK_INSIDE = re.compile("[\u4e00-\u9fff，。；：、] +[\u4e00-\u9fff]")


def stray_blanks(text: str) -> list[int]:
    """The lines, from 1, that end in a break which shows as a stray blank, or that have a blank in a text."""
    lines = text.split("\n")
    found = set(_stray_breaks(lines))
    found |= {number for number, line in _of_text(lines) if _BLANK_INSIDE.search(_without_code(line))}
    return sorted(number + 1 for number in found)


def joined(text: str) -> str:
    """The text without its stray line breaks."""
    lines = text.split("\n")
    for number in reversed(list(_stray_breaks(lines))):
        lines[number : number + 2] = [lines[number] + lines[number + 1].lstrip()]
    return "\n".join(lines)


def _stray_breaks(lines: list[str]) -> Iterator[int]:
    texts = dict(_of_text(lines))
    for number, line in texts.items():
        following = texts.get(number + 1)
        if following is None or _BLOCK.fullmatch(line) or line.lstrip().startswith(("#", "|")):
            continue
        if not _BLOCK.match(following) and _touch(line, following):
            yield number


def _touch(line: str, following: str) -> bool:
    """Whether the two shown characters beside a break need no blank between them."""
    before = _LINK_END.sub("", line.rstrip()).rstrip("*_")[-1:]
    after = following.lstrip(" *_[!")[:1]
    if _MARK.match(before) or _MARK.match(after):
        return True
    return bool(_WIDE.match(before) and _WIDE.match(after))


def _of_text(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced code."""
    fenced = False
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def _without_code(line: str) -> str:
    return re.sub("`[^`]*`", "`", line)


def main() -> None:
    """Join the lines of the files that are named."""
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(joined(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
