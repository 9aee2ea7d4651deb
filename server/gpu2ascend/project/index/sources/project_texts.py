"""Which files a directory of a project has, and their texts: asked for by path."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping

from gpu2ascend_rules.hosting import IGNORE_MARKER

from ...paths import join
from .recent_texts import RecentTexts

_MAX_NAMES = 2_000
"""Files of a directory beyond which those that come later in the order of names are passed over."""


class ProjectTexts:
    """Looks into the directory of a project whenever it is asked, as few rules ask: files that nobody opened
    change beside an editor without notice.

    Args:
        files: What reads the files of the project's directory.
        texts: By path relative to that: the texts that count in place of the files.
    """

    def __init__(self, files: RecentTexts, texts: Mapping[str, str]) -> None:
        self._root = files.root
        self._texts = texts
        self._files = files
        self._marked: dict[str, tuple[Hashable, bool]] = {}
        """Whether a file may have ignore comments, with the sign of the text of which that is known."""

    @property
    def opened(self) -> Mapping[str, str]:
        """The texts that count in place of files."""
        return self._texts

    def names_in(self, directory: str) -> tuple[str, ...]:
        """The names of the files in a directory, sorted; open texts are among them."""
        start = f"{directory}/" if directory else ""
        opened = {path[len(start) :] for path in self._texts if path.startswith(start)}
        return tuple(sorted({*self._listed(directory), *(name for name in opened if "/" not in name)}))

    def text_at(self, path: str) -> str | None:
        """The text of a file; None of one that is not there, not inside the project, too large or no text."""
        if path in self._texts:
            return self._texts[path]
        return self._files.text_at(path)

    def sign_of(self, path: str) -> Hashable:
        """What is the same as long as the text of a file is; None of one that is not there."""
        if path in self._texts:
            return hash(self._texts[path])
        try:
            found = os.stat(join(self._root, path))  # noqa: PTH116 - asked for each file at each edit
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def may_silence(self, path: str) -> bool:
        """Whether a file may have ignore comments."""
        sign = self.sign_of(path)
        known = self._marked.get(path)
        if known is None or known[0] != sign:
            known = self._marked[path] = (sign, IGNORE_MARKER in (self.text_at(path) or ""))
        return known[1]

    def go_on_from(self, before: ProjectTexts) -> None:
        """Take over what is known of the texts of an earlier state of the project."""
        self._marked = before._marked

    def _listed(self, directory: str) -> tuple[str, ...]:
        try:
            with os.scandir(join(self._root, directory)) as scan:
                return tuple(sorted(item.name for item in scan if item.is_file()))[:_MAX_NAMES]
        except OSError:
            return ()
