"""Compresses a package once more, as tightly as its format can: ``python scripts/recompress.py FILE``.

The packager compresses for speed, which costs a fiftieth of the size.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

_TIGHTEST = 9


def recompress(package: Path) -> None:
    """Write the same entries, in the same order, in the place of the package."""
    new = package.with_suffix(".tmp")
    with ZipFile(package) as old, ZipFile(new, "w") as tight:
        for entry in old.infolist():
            tight.writestr(entry, old.read(entry), ZIP_DEFLATED, _TIGHTEST)
    new.replace(package)


if __name__ == "__main__":
    recompress(Path(sys.argv[1]))
