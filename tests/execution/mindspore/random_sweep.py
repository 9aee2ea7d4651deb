"""Trains random models in both frameworks: ``python -m tests.execution.mindspore.random_sweep FIRST COUNT``.

Prints a line of JSON for each seed: its outcome (equal, differs, raises, refused), and why. All run in one
process, each model from weights of its own.
"""

from __future__ import annotations

import json
import sys
import warnings

import numpy as np

from .helper_files import provide
from .random_models import program
from .scripts import compared

_ABSOLUTE, _RELATIVE = 1e-3, 1e-3


def outcome(seed: int) -> tuple[str, str]:
    """What becomes of a seed's program, and why."""
    from tests.mindspore.conversion.converting import converted

    text = program(seed)
    answer = converted(text)
    if answer.blockers:
        return "refused", "; ".join(f"{reason}: {place}" for place, reason in sorted(answer.blockers.items()))
    provide(answer.parts)
    try:
        expected, found, parameters = compared(text, answer.text)
    except Exception as error:
        return "raises", f"{type(error).__name__}: {error}"[:300]
    if not np.allclose(expected, found, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True):
        worst = max(abs(one - other) for one, other in zip(expected, found, strict=True))
        return "differs", f"results: {worst}"
    return ("differs", f"weights: {parameters}") if parameters > 1e-3 else ("equal", "")


def main() -> None:
    """Run the seeds that the arguments name."""
    warnings.simplefilter("ignore")
    import mindspore

    mindspore.runtime.launch_blocking()
    first, count = map(int, sys.argv[1:3])
    for seed in range(first, first + count):
        found, why = outcome(seed)
        print(json.dumps({"seed": seed, "outcome": found, "why": why}), flush=True)


if __name__ == "__main__":
    main()
