"""A new release of torch is an entry of one list and rows of tables: no code and no text names the newest."""

from __future__ import annotations

import re
from pathlib import Path

from gpu2ascend_rules.model.versions import NEWEST

ROOT = Path(__file__).parents[3]
NAMED = re.compile(rf"(?<![\d.]){NEWEST.major}[., ]+{NEWEST.minor}(?!\d)")
"""As a text or as the numbers of a ``Version``."""
PLACES = ("rules/**/*.py", "server/**/*.py", "tools/**/*.py", "tests/**/*.py", "rules/*/messages/**/*.json")
LIST = "rules/gpu2ascend_rules/model/versions.py"


def test_only_the_list_of_releases_and_tables_name_the_newest() -> None:
    files = {path for pattern in PLACES for path in ROOT.glob(pattern)}
    naming = {str(path.relative_to(ROOT)) for path in files if NAMED.search(path.read_text(encoding="utf-8"))}
    assert naming == {LIST}
