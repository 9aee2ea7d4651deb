"""``make site``: build the documentation site; broken links and pages without a Chinese twin are errors."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from .chinese import chinese_configuration
from .staging import stage
from .twins import problems

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "site"
"""As in ``mkdocs.yml``."""


def main() -> int:
    """Build the site in both languages; returns 1 for a broken link, or a page without its Chinese twin."""
    parser = argparse.ArgumentParser(prog="make site", description=__doc__)
    parser.add_argument("--repository", help="where sources can be read: https://host/owner/name/blob/main")
    given = parser.parse_args()
    if broken := problems(ROOT) + stage(ROOT, FOLDER / "sources", given.repository):
        print("\n".join(f"error: {link}" for link in broken), file=sys.stderr)
        return 1
    english = ROOT / "mkdocs.yml"
    chinese = FOLDER / "mkdocs.zh.yml"
    chinese.write_text(chinese_configuration(english), encoding="utf-8")
    for configuration in (english, chinese):
        if not _built(configuration):
            return 1
    print(f"The site: {FOLDER / 'html' / 'index.html'}")
    return 0


def _built(configuration: Path) -> bool:
    """Whether MkDocs builds without a warning; what it says is shown only where it does not."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(configuration)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}  # an announcement of Material's
    result = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if result.returncode:
        print(result.stdout + result.stderr, file=sys.stderr)
    return result.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
