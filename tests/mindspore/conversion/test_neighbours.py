"""What becomes of programs that differ from a sample in one statement: how they are converted, or why not.

The samples are those of ``test_programs``; what becomes of each neighbour, beside what becomes of the sample
itself, is in ``goldens``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden import agrees, difference
from tests.mindspore.conversion.converting import converted
from tests.rules.codemods.neighbours import Neighbour, turned_each, without_each

HERE = Path(__file__).parent
SAMPLES = (
    "accumulation",
    "losses",
    "mixed",
    "penalty",
    "scaled",
    "tagger",
    "wgan",
    "scripts/fine_tuning",
    "scripts/gradients",
    "scripts/multitask",
    "scripts/one_cycle",
    "scripts/partial_load",
    "scripts/policy",
    "scripts/schedules",
)
GRAPH = {"target": "mindspore", "graph": True}
WAYS: dict[str, tuple[str, dict[str, object]]] = {
    **{sample.rpartition("/")[2]: (sample, {}) for sample in SAMPLES},
    "parallel": ("parallel", {"distributed": True}),
    "trainer-graph": ("trainer", GRAPH),
}
"""The sample and the options by the name of the golden file."""


def outcome(neighbour: Neighbour, usual: str, options: dict[str, object]) -> Iterator[str]:
    """What differs from the converted sample, or what keeps the program as it is."""
    yield f"# {neighbour.difference}"
    made = converted(neighbour.text, **options)
    if made.blockers:
        yield from sorted(
            f"{reason}: {' '.join(text.split())[:80]}" for text, reason in made.blockers.items()
        )
    else:
        yield from (line for line in difference(usual, made.text, "") if line[0] != "@")


@pytest.mark.slow
@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", WAYS)
def test_what_becomes_of_each_program_that_nearly_is_the_sample(name: str) -> None:
    sample, options = WAYS[name]
    text = (HERE / "samples" / f"{sample}.txt").read_text(encoding="utf-8")
    usual = converted(text, **options).text
    neighbours = (*without_each(text), *turned_each(text))
    lines = [line for neighbour in neighbours for line in outcome(neighbour, usual, options)]
    agrees(HERE / "goldens" / f"{name}.txt", "".join(f"{line}\n" for line in lines))
