"""Images of torchvision: nothing is written for them, and the place says what to write by hand.

A dataset of MindSpore is no sequence of samples, has labels of another type and other folders; its transforms
give arrays, and other results on arrays than on images of PIL.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from ....data import load_tsv
from ....engine.scan import scan_names
from ..evidence import Evidence
from ..use import Reason, Use, refused

_LIBRARY = frozenset({"torchvision"})


@cache
def _by_hand() -> Mapping[str, str]:
    return {row["api"]: row["text"] for row in load_tsv("mindspore_vision")}


def uses_of_vision(evidence: Evidence) -> Iterator[Use]:
    """The datasets and transforms of torchvision that a file uses."""
    for ref in scan_names(evidence.source, _LIBRARY):
        text = _by_hand().get(ref.name)
        if text is not None:
            yield refused(ref.name, ref.call or ref.node, Reason.VISION, text)
