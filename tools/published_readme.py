"""Where the repository is published, and the README for a package index, which has no files beside it.

Pictures and links of that README get whole addresses. While ``repository`` in pyproject.toml is empty, it
has no pictures, its links are plain words, and ``python -m tools.published_readme`` (`release-check`) fails.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?![a-z]+:|#)([^)\s]+)\)")
_ADDRESS = re.compile(r'^repository = "(.*)"$', re.MULTILINE)


def repository_of(root: Path) -> str:
    """The address that a checkout names, or an empty text."""
    (address,) = _ADDRESS.findall((root / "pyproject.toml").read_text(encoding="utf-8"))
    return str(address)


def with_whole_addresses(text: str, repository: str) -> str:
    """The text with links to files as links into a repository; pictures lead to the files themselves."""

    def whole(match: re.Match[str]) -> str:
        mark, label, path = match.groups()
        inner = _LINK.sub(whole, label)
        if not repository:
            return "" if mark else inner
        kind = "raw" if mark else "blob"
        return f"{mark}[{inner}]({repository}/{kind}/main/{path})"

    return _LINK.sub(whole, text)


def urls(repository: str) -> dict[str, str]:
    """What a package index lists beside the README."""
    if not repository:
        return {}
    return {
        "Homepage": repository,
        "Repository": repository,
        "Issues": f"{repository}/issues",
        "Changelog": f"{repository}/blob/main/CHANGELOG.md",
    }


class PublishedReadme(MetadataHookInterface):
    """What hatchling calls while it makes the metadata."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the addresses and the text into the metadata."""
        repository = self.config["repository"]
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["urls"] = urls(repository)
        metadata["readme"] = {"content-type": "text/markdown", "text": with_whole_addresses(text, repository)}


def main(root: Path = Path(__file__).parents[1]) -> int:
    """Print where the repository is; 1 while that is not known, or the extension does not name it."""
    repository = repository_of(root)
    if not re.fullmatch(r"https://[^/\s]+/(\S*[^/\s])", repository):
        print("error: `repository` in pyproject.toml is not the address of a repository", file=sys.stderr)
        return 1
    manifest = json.loads(Path(root, "vscode-extension", "package.json").read_text(encoding="utf-8"))
    if manifest.get("homepage") != repository:
        print(
            "error: vscode-extension/package.json has another address; run npm run generate", file=sys.stderr
        )
        return 1
    print(repository)
    return 0


if __name__ == "__main__":
    sys.exit(main())
