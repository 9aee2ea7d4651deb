"""The README for a package index, which has no files beside it: pictures and links get whole addresses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?![a-z]+:|#)([^)\s]+)\)")


def with_whole_addresses(text: str, repository: str) -> str:
    """The text with links to files as links into a repository; pictures lead to the files themselves."""

    def whole(match: re.Match[str]) -> str:
        mark, label, path = match.groups()
        kind = "raw" if mark else "blob"
        inner = _LINK.sub(whole, label)
        return f"{mark}[{inner}]({repository}/{kind}/main/{path})"

    return _LINK.sub(whole, text)


class PublishedReadme(MetadataHookInterface):
    """What hatchling calls while it makes the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the text into the metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        whole = with_whole_addresses(text, metadata["urls"]["Repository"])
        metadata["readme"] = {"content-type": "text/markdown", "text": whole}
