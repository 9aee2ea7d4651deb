"""A build hook: packages of a development version say which commit they are of.

The sdist gets the file, too: a wheel that is built from it has no repository to ask.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FILE = "gpu2ascend/revision.txt"
"""What ``gpu2ascend.revision`` reads."""


class RevisionHook(BuildHookInterface[Any]):
    """Adds the commit and its date to a package, from a temporary directory."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Ask git, where there is a repository and the version is that of no release."""
        self._folder = tempfile.TemporaryDirectory()
        is_wanted = "dev" in self.metadata.version and version != "editable"
        if not is_wanted or not Path(self.root, ".git").exists():
            return
        command = ["git", "-C", self.root, "show", "--no-patch", "--format=%h %cs", "HEAD"]
        try:
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return
        written = Path(self._folder.name, "revision.txt")
        written.write_text(said, encoding="ascii", newline="\n")
        place = _FILE if self.target_name == "wheel" else f"server/{_FILE}"
        build_data["force_include"][str(written)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary directory."""
        self._folder.cleanup()
