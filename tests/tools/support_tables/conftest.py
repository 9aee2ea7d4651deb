from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.support_tables.tsv_folder import TsvFolder


@pytest.fixture
def tsv(tmp_path: Path) -> TsvFolder:
    """An almost empty TSV folder."""
    return TsvFolder(tmp_path)
