"""What mixed precision makes of loops that differ from a usual one in a statement: what is not as of that.

The loops are some of those of ``test_variations``; what becomes of each neighbour is in ``goldens``.
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
from tests.golden import agrees, difference, unusual, with_arguments
from tests.rules.codemods.neighbours import turned_each, without_each

HERE = Path(__file__).parent
AMP = "torch_npu.npu.amp"
CHANGES: dict[str, tuple[str, range, Callable[[str], str]]] = {
    "enabled": ("loops", range(3), lambda text: with_amp(text, "model", Precision(AMP)).text),
    "transplanted": ("scaled", range(2), lambda text: transplanted(text, "model").text),
    "from-apex": ("scaled", range(6, 10), lambda text: native_amp(text, "model", AMP)),
}


def outcome(text: str, change: Callable[[str], str]) -> Iterator[str]:
    """What becomes of each neighbour that does not become of the loop itself."""
    usual = changed(text, change)
    for neighbour in (*without_each(text, outermost=True), *turned_each(text)):
        yield f"# {neighbour.difference}"
        yield from unusual(changed(neighbour.text, change), usual)


def changed(text: str, change: Callable[[str], str]) -> list[str]:
    """The changed lines, or the reason why there are none."""
    try:
        return [line for line in difference(text, change(text), "") if line[0] != "@"]
    except Declined as declined:
        return [f"declined: {with_arguments(declined.reason)}"]


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_what_becomes_of_each_loop_that_nearly_is_a_usual_one(name: str) -> None:
    sample, chosen, change = CHANGES[name]
    texts = re.split(r"\n\n(?=import torch\n)", (HERE / "samples" / f"{sample}.txt").read_text("utf-8"))
    lines = [line for number in chosen for line in outcome(f"{texts[number].rstrip()}\n", change)]
    agrees(HERE / "goldens" / f"nearly-{name}.txt", "".join(f"{line}\n" for line in lines))
