"""Trains random models in both frameworks: ``python -m tests.execution.mindspore.random_sweep FIRST COUNT``.

Prints a line of JSON for each seed: its outcome (equal, rough tanh, ill-conditioned, differs, raises,
refused), and why. All run in one process, each model from weights of its own.
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from collections.abc import Iterator
from unittest import mock

import numpy as np

from .helper_files import provide
from .random_models import nudged, program
from .scripts import compared, moved

_ABSOLUTE, _RELATIVE = 2e-4, 1e-3
_MULTIPLE = 4


def outcome(seed: int) -> tuple[str, str]:
    """What becomes of a seed's program, and why."""
    from tests.mindspore.conversion.converting import converted

    text = program(seed)
    answer = converted(text)
    if answer.blockers:
        return "refused", "; ".join(f"{reason}: {place}" for place, reason in sorted(answer.blockers.items()))
    provide(answer.parts)
    try:
        verdict, why = _compared(text, answer.text)
        if verdict == "differs" and "anh" in text:
            with exact_tanh():
                exact, closer = _compared(text, answer.text)
            if exact != "differs":
                return "rough tanh", f"{why}; with an exact tanh: {exact} {closer}"
    except Exception as error:
        return "raises", f"{type(error).__name__}: {error}"[:300]
    return verdict, why


def _compared(before: str, after: str) -> tuple[str, str]:
    """Whether two programs are equal, and why not."""
    expected, found, parameters = compared(before, after)
    if np.allclose(expected, found, rtol=_RELATIVE, atol=_ABSOLUTE, equal_nan=True) and parameters <= 1e-3:
        return "equal", ""
    apart = max(abs(one - other) for one, other in zip(expected, found, strict=True))
    return condition(before, apart, parameters)


@contextlib.contextmanager
def exact_tanh() -> Iterator[None]:
    """Have MindSpore compute ``tanh`` in double precision.

    Its kernel for float32 on the CPU is off by up to 1e-4, and gives 1, with no gradient, from 5 on
    (``test_random_models.py`` measures that); the one for float64 is exact.
    """
    import mindspore
    from mindspore import nn, ops

    rough = ops.tanh

    def exact(x: mindspore.Tensor) -> mindspore.Tensor:
        return rough(x.astype(mindspore.float64)).astype(x.dtype)

    with (
        mock.patch.object(ops, "tanh", exact),
        mock.patch.object(nn.Tanh, "construct", lambda _, x: exact(x)),
    ):
        yield


def condition(text: str, apart: float, parameters: float) -> tuple[str, str]:
    """What a difference is: that of an ill-conditioned model, if one rounding error moves torch as far.

    Torch runs again from data and weights that are rounded otherwise. A difference is allowed where it is
    at most ``_MULTIPLE`` times as large as what moves there: each of the many operations of three steps
    rounds once more, beside that of the inputs.
    """
    runs = [moved(text, nudged(text), number) for number in range(1, 4)]
    results, weights = max(max(one) for one, _ in runs), max(one for _, one in runs)
    why = f"results: {apart}, torch moves {results}; weights: {parameters}, torch moves {weights}"
    is_near = apart <= max(_ABSOLUTE, _MULTIPLE * results)
    is_rounding = is_near and parameters <= max(1e-3, _MULTIPLE * weights)
    return "ill-conditioned" if is_rounding else "differs", why


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
