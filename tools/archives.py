"""Archives from elsewhere, unpacked without what could lie outside the folder."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

_ONLY_DATA: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
"""Patch releases of Python from before June 2023, such as Debian 12's, know no filters."""


def unpack(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpack everything into a folder, by Python's filter for data where it has one."""
    archive.extractall(folder, **_ONLY_DATA)
