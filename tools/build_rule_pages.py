"""A build hook: makes the pages of all rules, which the language server links to, while a wheel is built.

The pages are generated from the rules, so the repository does not contain them. A wheel for an editable
installation has none either: there the server writes them on first use. A wheel whose project URLs name a
``Documentation`` site also gets its address, and links lead there.

Of a development version, a wheel and an sdist also say which commit they are of: a wheel that is made from an
sdist has no repository to ask.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE = "gpu2ascend/lsp/documentation"
_SITE = "site.txt"
"""``SITE`` of ``rule_pages``."""
_REVISION = "gpu2ascend/revision.txt"
"""What ``gpu2ascend.revision`` reads."""
_PROGRAM = """
import sys
from pathlib import Path
from gpu2ascend.lsp.documentation.rule_pages import PAGES, page
for language, name in PAGES.items():
    Path(sys.argv[1], name).write_text(page(language), encoding="utf-8", newline="\\n")
"""


class RulePagesHook(BuildHookInterface[Any]):
    """Adds the pages to the wheel, from a temporary directory."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate the pages, in a process that imports the sources that are being packed."""
        if version == "editable":
            return
        self._pages = tempfile.TemporaryDirectory()
        self._name_commit(build_data)
        if self.target_name == "sdist":
            return
        with tempfile.TemporaryDirectory() as installed:
            self._name_targets(Path(installed))
            sources = [*(str(Path(self.root, name)) for name in ("rules", "server")), installed]
            program = f"import sys; sys.dont_write_bytecode = True; sys.path[:0] = {sources!r}\n{_PROGRAM}"
            subprocess.run([sys.executable, "-c", program, self._pages.name], check=True)
        if address := self.metadata.core.urls.get("Documentation"):
            Path(self._pages.name, _SITE).write_text(f"{address}\n", encoding="utf-8", newline="\n")
        for path in sorted(Path(self._pages.name).glob("*.*")):
            build_data["force_include"][str(path)] = f"{_PACKAGE}/{path.name}"

    def _name_commit(self, build_data: dict[str, Any]) -> None:
        """Add the commit and its date, where there is a repository and the version is that of no release."""
        if "dev" not in self.metadata.version or not Path(self.root, ".git").exists():
            return
        command = ["git", "-C", self.root, "show", "--no-patch", "--format=%h %cs", "HEAD"]
        try:
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return
        written = Path(self._pages.name, "revision")
        written.write_text(said, encoding="ascii", newline="\n")
        place = _REVISION if self.target_name == "wheel" else f"server/{_REVISION}"
        build_data["force_include"][str(written)] = place

    def _name_targets(self, folder: Path) -> None:
        """Declare in a folder the entry points of the project, which is not installed yet."""
        text = "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in self.metadata.core.entry_points.items()
        )
        declared = folder / "gpu2ascend-0.dist-info"
        declared.mkdir()
        (declared / "entry_points.txt").write_text(text, encoding="utf-8")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary directory."""
        if version != "editable":
            self._pages.cleanup()
