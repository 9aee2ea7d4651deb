"""``make mutants``: a sample of mutants, and what became of them; see docs/testing.md."""

from __future__ import annotations

import argparse
import filecmp
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from . import covering, equivalent, running
from .running import Fate, Verdict
from .sampling import PACKAGES, sample

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / ".cache" / "mutants"
WANTED = 90
"""Per cent of the mutants that are killed or listed as equivalent."""

_KILLED = (Fate.KILLED, Fate.TIMED_OUT)


def main() -> int:
    """Run a sample; returns 1 when too few mutants are noticed, 2 when they cannot be run."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES, help="packages or modules instead of all")
    parser.add_argument("--count", type=int, default=120, help="how many mutants (120)")
    parser.add_argument("--seed", type=int, default=0, help="which sample (0)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    parser.add_argument(
        "--keep-record", action="store_true", help="do not record anew which tests run which lines"
    )
    given = parser.parse_args()
    try:
        if not (RECORDS / "coverage").is_file() or not given.keep_record:
            _refresh_record()
        mutants = list(sample(ROOT, given.packages, given.count, given.seed))
    except (RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    listed = equivalent.load()
    counts: Counter[str] = Counter()
    for verdict in running.run(ROOT, mutants, RECORDS, given.jobs):
        reason = equivalent.reason(verdict.mutant, listed) if verdict.fate not in _KILLED else None
        outcome = "equivalent" if reason else "killed" if verdict.fate in _KILLED else "survived"
        counts[outcome] += 1
        print("\n".join(_shown(verdict, reason)), flush=True)
    return _summary(counts, given.seed)


def _shown(verdict: Verdict, reason: str | None) -> Iterator[str]:
    mutant = verdict.mutant
    fate = f"equivalent: {reason}" if reason else verdict.fate.value
    yield f"{mutant.path}:{mutant.line}: {mutant.operator}: {fate}"
    if verdict.fate not in _KILLED and not reason:
        yield f"    - {mutant.before}"
        yield f"    + {mutant.after}"


def _summary(counts: Counter[str], seed: int) -> int:
    total = counts.total()
    noticed = counts["killed"] + counts["equivalent"]
    share = 100 * noticed / total if total else 0.0
    print(
        f"seed {seed}: {total} mutants, {counts['killed']} killed, "
        f"{counts['equivalent']} listed as equivalent, {counts['survived']} survived: {share:.0f} % noticed"
    )
    return 0 if share >= WANTED else 1


def _refresh_record() -> None:
    """Record which tests run which lines, unless nothing has changed since."""
    sources = RECORDS / "sources"
    if (RECORDS / "coverage").is_file() and _same(ROOT, sources):
        return
    print("recording which tests run which lines: a few minutes", file=sys.stderr)
    shutil.rmtree(RECORDS, ignore_errors=True)
    running.copy_checkout(ROOT, sources)
    covering.record(RECORDS)


def _same(root: Path, copy: Path) -> bool:
    for package in ("rules", "server", "tests"):
        now = {path.relative_to(root) for path in (root / package).rglob("*.py")}
        then = {path.relative_to(copy) for path in (copy / package).rglob("*.py")}
        if now != then or filecmp.cmpfiles(root, copy, [str(path) for path in now], shallow=False)[1:] != (
            [],
            [],
        ):
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
