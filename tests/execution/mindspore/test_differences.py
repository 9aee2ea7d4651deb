"""What MindSpore computes otherwise under the same name is written with its correction, or refused.

The texts of ``samples/differences.txt`` are converted and run in both frameworks; those that are
marked as refused must not be converted. A part of a text is one form of a call: by position, by keyword, as a
function, as a method, with another type or shape.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from .both import texts
from .needs import needs_mindspore
from .test_loading import SAMPLES, shown

pytestmark = needs_mindspore

REFUSED = "(refused)"
NAMES = [(kind, name) for kind in ("differences", "tensors") for name in texts(SAMPLES / f"{kind}.txt")]
_RELATIVE, _ABSOLUTE = 2e-6, 1e-6


def differing(torch: Any, mindspore: Any, place: str = "result") -> Iterator[str]:
    """The places in two results that differ by more than float32 rounds; types and shapes must be equal."""
    if isinstance(torch, list) and isinstance(mindspore, list) and len(torch) == len(mindspore):
        for index, pair in enumerate(zip(torch, mindspore, strict=True)):
            yield from differing(*pair, f"{place}[{index}]")
    elif isinstance(torch, dict) and isinstance(mindspore, dict):
        for key in torch | mindspore:
            yield from differing(torch.get(key), mindspore.get(key), f"{place}.{key}")
    elif isinstance(torch, float) and isinstance(mindspore, float):
        if not math.isclose(torch, mindspore, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE):
            yield f"{place}: {torch} and {mindspore}"
    elif torch != mindspore:
        yield f"{place}: {torch} and {mindspore}"


@pytest.mark.parametrize(("kind", "name"), [one for one in NAMES if not one[1].endswith(REFUSED)])
def test_both_compute_the_same(kind: str, name: str) -> None:
    found = shown(kind)[name]
    assert "blockers" not in found, found
    assert list(differing(found["torch"], found["mindspore"])) == []


@pytest.mark.parametrize(("kind", "name"), [one for one in NAMES if one[1].endswith(REFUSED)])
def test_what_has_no_correction_is_refused(kind: str, name: str) -> None:
    assert shown(kind)[name].get("blockers"), shown(kind)[name]
