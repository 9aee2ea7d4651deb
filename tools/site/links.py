"""Links of a page, from places in the repository to places on the site."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

_LINK = re.compile(r"(?P<code>`+)[^`].*?(?P=code)|(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
"""A link or an image; or a span of code, in which nothing is one."""
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#", re.IGNORECASE)
_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass
class Links:
    """Rewrites the links of pages, and collects the files that they show, by their path in the repository."""

    root: Path
    targets: Mapping[str, str]
    """Pages of the site by their source."""
    repository: str | None
    """Where sources are read (``https://host/owner/name/blob/main``); else links to them are plain text."""
    assets: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    """A sentence for each link that leads to no file of the repository."""

    def rewritten(self, text: str, source: str) -> str:
        """The text of a page with links that hold on the site."""
        return outside_code(text, lambda line: _LINK.sub(lambda match: self._link(match, source), line))

    def _link(self, match: re.Match[str], source: str) -> str:
        code, image, label, address = match.groups()
        if code or _ELSEWHERE.match(address):
            return match[0]
        label = outside_code(label, lambda text: _LINK.sub(lambda inner: self._link(inner, source), text))
        place, _, anchor = address.partition("#")
        path = os.path.normpath(PurePosixPath(source).parent / place).replace(os.sep, "/")
        if not (self.root / path).exists():
            self.broken.append(f"{source} links to {address}, which does not exist")
            return label
        if path in self.targets:
            if self.targets[path] == self.targets[source] and not anchor:
                return ""  # to the same page in the other language, which the head of each page leads to
            return f"[{label}]({self._up(source)}{self.targets[path]}{'#' + anchor if anchor else ''})"
        if image:
            self.assets.add(path)
            return f"![{label}]({self._up(source)}{asset(path)})"
        return f"[{label}]({self.repository}/{path})" if self.repository else label

    def _up(self, source: str) -> str:
        """The way from a page to the top of its language's folder."""
        return "../" * self.targets[source].count("/")


def asset(path: str) -> str:
    """Where a file that pages show lies below a language's folder."""
    return f"files/{path}"


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with every line changed that is not in a fenced block of code."""
    lines, fence = [], ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        lines.append(line if fence or mark else change(line))
    return "\n".join(lines)
