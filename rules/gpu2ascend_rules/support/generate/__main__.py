"""``python -m gpu2ascend_rules.support.generate``: the packed tables from public sources, in two steps."""

from __future__ import annotations

import argparse
from pathlib import Path

from .pack import packed_tables

PACKAGE = Path(__file__).parent.parent


def main() -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m gpu2ascend_rules.support.generate", description=__doc__)
    commands = parser.add_subparsers(required=True)
    pack = commands.add_parser("pack", help="step two: pack a folder of TSV files")
    pack.add_argument("folder", type=Path)
    pack.set_defaults(run=_pack)
    arguments = parser.parse_args()
    code: int = arguments.run(arguments)
    return code


def _pack(arguments: argparse.Namespace) -> int:
    for name, data in packed_tables(arguments.folder).items():
        (PACKAGE / name).write_bytes(data)
        print(f"{name}: {len(data):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
