"""``python -m tools.proof.mindspore``: convert files of real packages to MindSpore, and import the result.

It runs in an environment with MindSpore (``make proof`` makes it), writes ``files.json`` beside this module
and the tables of docs/mindspore.md, and fails where a converted file cannot be imported.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence

from .converting import BROKEN, DONE, FINDINGS, Outcome, outcomes
from .packages import packages
from .page import read, write


def merged(found: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of a run, with those of the last for the packages that it left out."""
    new = {one.package for one in found}
    known = [*found, *(one for one in read() if one.package not in new)]
    return [one for package in packages() for one in known if one.package == package.title]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 1 where a converted file is broken, or too few are."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.mindspore", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the tables")
    parser.add_argument("names", nargs="*", help="packages, by name; all without")
    parsed = parser.parse_args(arguments)
    if parsed.page:
        write(read())
        return 0
    if importlib.util.find_spec("mindspore") is None:
        print("MindSpore is not installed: make proof installs and runs it", file=sys.stderr)
        return 1
    found: list[Outcome] = []
    for package in packages():
        if not parsed.names or package.name in parsed.names:
            mine = outcomes(package)
            found += mine
            converted = [one for one in mine if one.outcome in (DONE, FINDINGS)]
            print(f"{package.title}: {len(converted)} of {len(mine)} files", flush=True)
            for one in mine:
                if one.outcome == BROKEN:
                    print(f"  {one.file}: {one.error}", flush=True)
    write(merged(found))
    return 1 if any(one.outcome == BROKEN for one in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
