"""The usual ways to train, given mixed precision or another kind of it: each changed line, or why it is left.

The ways are in ``samples``, with empty lines between them; what becomes of them is in ``goldens``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.codemods.amp.enable import Precision, with_amp
from gpu2ascend_rules.codemods.amp.from_apex import native_amp
from gpu2ascend_rules.codemods.amp.module import Declined
from gpu2ascend_rules.codemods.amp.to_apex.transplant import transplanted
from tests.golden import agrees, difference, with_arguments

SAMPLES, GOLDENS = (Path(__file__).with_name(name) for name in ("samples", "goldens"))
AMP = "torch_npu.npu.amp"
CHANGES: dict[str, tuple[str, Callable[[str], str]]] = {
    "enabled": ("loops", lambda text: with_amp(text, "model", Precision(AMP)).text),
    "enabled-given": (
        "loops",
        lambda text: with_amp(text, "model", Precision(AMP, "dtype=half", "2.0")).text,
    ),
    "transplanted": ("scaled", lambda text: transplanted(text, "model").text),
    "from-apex": ("scaled", lambda text: native_amp(text, "model", AMP)),
}


def outcome(text: str, change: Callable[[str], str]) -> Iterator[str]:
    """The changed lines, or the reason."""
    try:
        made = change(text)
    except Declined as declined:
        yield f"declined: {with_arguments(declined.reason)}"
    else:
        yield from (line for line in difference(text, made, "train.py") if line[0] != "@")


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_what_becomes_of_each_way_to_train(name: str) -> None:
    sample, change = CHANGES[name]
    texts = re.split(r"\n\n(?=import torch\n)", (SAMPLES / f"{sample}.txt").read_text(encoding="utf-8"))
    lines = (
        line
        for number, text in enumerate(texts)
        for line in (f"# way {number}", *outcome(f"{text.rstrip()}\n", change))
    )
    agrees(GOLDENS / f"{name}.txt", "".join(f"{line}\n" for line in lines))
