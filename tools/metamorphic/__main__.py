"""``python -m tools.metamorphic``: refactors every sample in every way, and shows what is decided otherwise.

With ``--below FOLDER`` the modules of projects are taken, a few words of each.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

from .comparison import Original
from .refactorings import ALL
from .samples import modules_below, samples


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code is 1 where a decision is not the same."""
    parser = argparse.ArgumentParser(prog="python -m tools.metamorphic", description=__doc__)
    parser.add_argument("--sample", default="", help="part of the names of the samples; all without")
    parser.add_argument(
        "--refactoring", default="", help="part of the names of the refactorings; all without"
    )
    parser.add_argument("--below", type=Path, help="a folder of projects, whose modules are taken instead")
    parser.add_argument("--modules", type=int, default=100, help="how many of them (100)")
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args(arguments)
    chance = random.Random(parsed.seed)
    found = samples() if parsed.below is None else modules_below(parsed.below, parsed.modules, parsed.seed)
    counts: Counter[str] = Counter()
    for sample in found:
        if parsed.sample not in sample.name:
            continue
        original = Original(sample)
        for refactoring in ALL:
            if parsed.refactoring not in refactoring.name:
                continue
            targets = original.targets
            if parsed.below is not None:
                targets = chance.sample(targets, min(1, len(targets)))
            for difference in original.differences(refactoring, targets):
                counts[refactoring.name] += 1
                print(f"==== {difference}")
    for name, count in counts.most_common():
        print(f"{count:6} {name}", file=sys.stderr)
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
