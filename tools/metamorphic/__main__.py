"""``python -m tools.metamorphic``: refactors every sample in every way, and shows what is decided otherwise."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from .comparison import differences
from .refactorings import ALL
from .samples import samples


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code is 1 where a decision is not the same."""
    parser = argparse.ArgumentParser(prog="python -m tools.metamorphic", description=__doc__)
    parser.add_argument("--sample", default="", help="part of the names of the samples; all without")
    parser.add_argument("--refactoring", default="", help="part of the names of the refactorings; all without")
    parsed = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for sample in samples():
        for refactoring in ALL:
            if parsed.sample in sample.name and parsed.refactoring in refactoring.name:
                counts["programs"] += 1
                for difference in differences(sample.text, refactoring, sample.options):
                    counts[refactoring.name] += 1
                    print(f"==== {sample.name}, {difference}")
    for name, count in counts.most_common():
        print(f"{count:6} {name}", file=sys.stderr)
    return 1 if len(counts) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
