"""``make mutants``: a sample of mutants, and what became of them; see docs/testing.md."""

from __future__ import annotations

import argparse
import filecmp
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import again, covering, equivalent, running
from .plan import WITHOUT_EDITORS
from .running import Fate, Verdict
from .sampling import PACKAGES, Mutant, sample

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / ".cache" / "mutants"
WANTED = 90
"""Per cent of the mutants that are killed or listed as equivalent."""

LATER = "later"
"""Below a record, that of tests that are newer than it."""

_EQUIVALENT, _SURVIVED = "equivalent", "survived"
_KILLED = (Fate.KILLED, Fate.TIMED_OUT)


def main() -> int:
    """Run a sample; returns 1 when too few mutants are noticed, 2 when they cannot be run."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES, help="packages or modules instead of all")
    parser.add_argument("--count", type=int, default=120, help="how many mutants (120)")
    parser.add_argument("--seed", type=int, default=0, help="which sample (0)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    parser.add_argument(
        "--keep-record", action="store_true", help="keep the record of an earlier state of the code"
    )
    parser.add_argument(
        "--again", action="store_true", help="run the survivors of the last sample with this seed"
    )
    parser.add_argument(
        "--without-editors", action="store_true", help="leave out the tests that talk as editors do: minutes"
    )
    given = parser.parse_args()
    if given.without_editors:
        os.environ[WITHOUT_EDITORS] = "1"
    halves = covering.halves(given.packages)
    records = RECORDS / "-".join(halves)
    survivors = RECORDS / f"survivors-{'-'.join(halves)}-{given.seed}.json"
    try:
        _refresh_record(records, halves, keep=given.keep_record)
        chosen = again.load(ROOT, survivors) if given.again else None
        mutants = list(chosen or sample(ROOT, given.packages, given.count, given.seed))
    except (OSError, RuntimeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    counts: Counter[str] = Counter()
    survived: list[Mutant] = []
    for verdict in running.run(ROOT, mutants, [records, records / LATER], given.jobs):
        outcome = _printed(verdict)
        counts[outcome] += 1
        if outcome == _SURVIVED and not given.again:
            survived.append(verdict.mutant)
            again.keep(survivors, survived)  # at once: a run may be cut short
    return _summary(counts, given.seed)


def _printed(verdict: Verdict) -> str:
    """What to count a mutant as, after telling what became of it."""
    reason = equivalent.reason(verdict.mutant, equivalent.load()) if verdict.fate not in _KILLED else None
    print("\n".join(_shown(verdict, reason)), flush=True)
    return _EQUIVALENT if reason else "killed" if verdict.fate in _KILLED else _SURVIVED


def _shown(verdict: Verdict, reason: str | None) -> Iterator[str]:
    mutant = verdict.mutant
    fate = f"equivalent: {reason}" if reason else verdict.fate.value
    by = f" by {verdict.test}" if verdict.test and not reason else ""
    yield f"{mutant.path}:{mutant.line}: {mutant.operator}: {fate}{by}"
    if verdict.fate not in _KILLED and not reason:
        yield f"    - {mutant.before}"
        yield f"    + {mutant.after}"


def _summary(counts: Counter[str], seed: int) -> int:
    total = counts.total()
    noticed = counts["killed"] + counts[_EQUIVALENT]
    share = 100 * noticed / total if total else 0.0
    print(
        f"seed {seed}: {total} mutants, {counts['killed']} killed, "
        f"{counts['equivalent']} listed as equivalent, {counts['survived']} survived: {share:.0f} % noticed"
    )
    return 0 if share >= WANTED else 1


def _refresh_record(records: Path, halves: list[str], *, keep: bool) -> None:
    """Record which tests run which lines: those that are new, if the code is as it was or need not be."""
    is_there = (records / "coverage").is_file()
    if not is_there or not (keep or _same(ROOT, records / "sources")):
        print("recording which tests run which lines: a few minutes", file=sys.stderr)
        shutil.rmtree(records, ignore_errors=True)
        _record(records, halves)
        return
    later = records / LATER
    new = covering.new_tests(ROOT, records / "sources", halves)
    if new and covering.new_tests(ROOT, later / "sources", halves):
        print(f"recording which lines the tests of {len(new)} files run, which are new", file=sys.stderr)
        shutil.rmtree(later, ignore_errors=True)
        _record(later, halves, new)


def _record(records: Path, halves: list[str], files: Sequence[str] = ()) -> None:
    running.copy_checkout(ROOT, records / "sources")
    covering.record(records, halves, files)


def _same(root: Path, copy: Path) -> bool:
    for package in ("rules", "server"):
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
