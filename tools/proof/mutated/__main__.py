"""``python -m tools.proof.mutated``: examines thousands of files that are made by chance of real ones.

The real ones are the rules' examples, the sample project, and the projects of the proof, which pip downloads.
A file of which something does not hold is written to the folder of results, with what it is in the lines of
the output; ``--seed N --count 1`` makes the same file again.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from ..projects import CACHE, projects, unpacked
from .run import Examined, run
from .sources import sources

RESULTS = CACHE / "mutated"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code is 1 when something does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.mutated", description=__doc__)
    parser.add_argument("--count", type=int, default=3000, help="files to examine (3000)")
    parser.add_argument("--seed", type=int, default=1, help="number of the first file (1)")
    parser.add_argument("--own", action="store_true", help="of examples and the sample project alone")
    parsed = parser.parse_args(arguments)
    given = sources(() if parsed.own else map(unpacked, projects()))
    counts = ", ".join(f"{len(some)} {kind}" for kind, some in given.items())
    print(f"made of {counts}", flush=True)
    changed: Counter[str] = Counter()
    found = 0
    for done in run(given, range(parsed.seed, parsed.seed + parsed.count)):
        changed[done.file.kind] += done.verdict.is_changed
        found += len(done.verdict.violations)
        if done.verdict.violations:
            print(f"{_kept(done)}: {done.options}", flush=True)
        for violation in done.verdict.violations:
            print(f"  {violation}", flush=True)
    fixed = ", ".join(f"{count} {kind}" for kind, count in sorted(changed.items()) if count)
    print(f"{parsed.count} files; fixes changed {fixed}; {found} violations")
    return 1 if found else 0


def _kept(done: Examined) -> Path:
    """Write the file; where it is."""
    path = RESULTS / str(done.seed) / done.file.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(done.file.data)
    return path


if __name__ == "__main__":
    raise SystemExit(main())
