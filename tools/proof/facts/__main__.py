"""``python -m tools.proof.facts``: facts drawn from the tables, for a person who checks them at the sources.

Facts that ``facts.tsv`` has were checked; ``--seed`` draws others.
"""

from __future__ import annotations

import argparse
import sys

from .draw import SEED, checked, drawn


def main(arguments: list[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.facts", description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    parsed = parser.parse_args(arguments)
    known = {(row["table"], row["fact"]): row["verdict"] for row in checked()}
    for fact in drawn(parsed.count, parsed.seed):
        print("\t".join([known.get((fact.table, fact.text), "not checked"), *fact]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
