"""``python -m tools.proof.mindspore.repositories``: files of repositories, trained in both frameworks.

It runs in an environment with MindSpore (``make proof`` makes it), writes ``outcomes.json`` beside this
module and the table of docs/mindspore.md, and fails where a converted file raises or trains differently.
"""

from __future__ import annotations

import argparse
import itertools
import json

from .converting import DIFFERS, RAISES, Outcome, outcomes
from .page import read, write
from .sources import files


def merged(found: list[Outcome]) -> list[Outcome]:
    """The outcomes of a run, with those of the last for the files that it left out."""
    known = {(one.repository, one.path): one for one in [*read(), *found]}
    return [known[one.repository, one.path] for one in files() if (one.repository, one.path) in known]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 1 where a converted file raises or differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.proof.mindspore.repositories", description=__doc__)
    parser.add_argument("--page", action="store_true", help="only write the table")
    parser.add_argument("names", nargs="*", help="parts of repositories or paths; all without")
    parsed = parser.parse_args(arguments)
    found: list[Outcome] = []
    chosen = [
        one
        for one in files()
        if not parsed.names or any(name in f"{one.repository}/{one.path}" for name in parsed.names)
    ]
    for _, group in itertools.groupby([] if parsed.page else chosen, lambda one: one.repository):
        for one in outcomes(list(group)):
            found.append(one)
            print(json.dumps(one._asdict()), flush=True)
    write(merged(found))
    return 1 if any(one.outcome in (DIFFERS, RAISES) for one in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
