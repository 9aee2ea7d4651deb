"""Write the locks of the lists of requirements, from files that are downloaded now.

    python scripts/lock.py

To be run whenever a version in `bundled/*requirements.txt` changes. pip checks each download against the hash
that the index gives.
"""

from __future__ import annotations

import shutil

import bundle
from locking import write_lock


def main() -> None:
    """Download every file of every platform, and write which they are."""
    shutil.rmtree(bundle.WHEELS, ignore_errors=True)
    everywhere = [pair for platform in bundle.PLATFORMS for pair in bundle.wheels(platform, lock=None)]
    write_lock(bundle.REQUIREMENTS, everywhere)
    write_lock(bundle.BUILD_REQUIREMENTS, bundle.build_wheels(lock=None))


if __name__ == "__main__":
    main()
