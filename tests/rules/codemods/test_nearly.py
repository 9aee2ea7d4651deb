"""What becomes of programs that nearly are the samples of the codemods, as fingerprints in ``nearly``.

Beside the goldens of the folders, in which a program lacks a statement or has two in the other order, these
lack an argument, have an unknown value, or compare otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from gpu2ascend_rules.codemods.amp.module import Declined
from gpu2ascend_rules.codemods.distributed import ModelNotFoundError
from tests import fingerprints
from tests.fingerprints import Outcome
from tests.golden import difference, told
from tests.rules.codemods.amp.test_neighbours import CHANGES
from tests.rules.codemods.distributed import conversion as distributed
from tests.rules.codemods.distributed.test_neighbours import MODELS
from tests.rules.codemods.distributed.test_variations import PLAIN, SUBJECTS, Variation
from tests.rules.codemods.mindspore import converting as mindspore
from tests.rules.codemods.mindspore.test_neighbours import GRAPH
from tests.rules.codemods.mindspore.test_variations import HEAD, PIECES
from tests.rules.nearly import Near, nearly, parsed

HERE = Path(__file__).parent
FINGERPRINTS = HERE / "nearly"
STEPS = {
    "images": 4,
    "wgan": 3,
    "policy": 3,
    "fine_tuning": 3,
    "steps": 3,
    "parallel": 1,
    "layers": 1,
    "values": 1,
}
"""Of a long program, each n-th of those that nearly are it; of others each second: together two minutes."""
WAYS: dict[str, tuple[str, dict[str, object]]] = {
    "mixed": ("mixed", {}),
    "wgan": ("wgan", {}),
    "policy": ("scripts/policy", {}),
    "fine_tuning": ("scripts/fine_tuning", {}),
    "parallel": ("parallel", {"distributed": True}),
    "trainer-graph": ("trainer", GRAPH),
}
"""Samples for MindSpore and their options, by the name of the file."""


def lines_of_a_loop(text: str, change: Callable[[str], str]) -> Iterator[str]:
    """What mixed precision makes of a loop, or why not."""
    try:
        made = change(text)
    except Declined as declined:
        yield f"declined: {told(declined.reason)}"
    else:
        assert parsed(made) is not None, made
        yield from difference(text, made, "")


def lines_of_several_processes(text: str, model: str) -> Iterator[str]:
    """What a program becomes for several processes, and what is left."""
    try:
        made = distributed.converted(text, model)
    except ModelNotFoundError as error:
        yield f"no model: {error.name}"
    else:
        assert parsed(made.text) is not None, made.text
        yield from (f"left: {item}" for item in made.left)
        yield from difference(text, made.text, "")


def lines_of_mindspore(text: str, options: dict[str, object]) -> Iterator[str]:
    """What a program becomes for MindSpore, or why it stays as it is."""
    made = mindspore.converted(text, **options)
    if made.blockers:
        yield from sorted(f"{reason}: {place}" for place, reason in made.blockers.items())
    else:
        assert parsed(made.text) is not None, made.text
        yield from (f"needs: {part}" for part in sorted(made.parts))
        yield from difference(text, made.text, "")


def some(text: str, name: str = "") -> Iterator[Near]:
    """Some of the programs that nearly are one."""
    return islice(nearly(text), 0, None, STEPS.get(name, 2))


def outcome(name: str, text: str, lines: Iterator[str]) -> Outcome:
    """What becomes of a program; its first words are what keeps it as it is."""
    whole = tuple(lines)
    kept = re.match(r"declined: \S+|no model|\w+(?=: )", whole[0]) if whole else None
    return Outcome(name, text, kept[0] if kept else "", whole)


@pytest.mark.parametrize("name", CHANGES)
def test_mixed_precision(name: str) -> None:
    sample, chosen, change = CHANGES[name]
    loops = re.split(r"\n\n(?=import torch\n)", (HERE / "amp/samples" / f"{sample}.txt").read_text("utf-8"))
    outcomes = (
        outcome(f"{number}.{near.name}", near.text, lines_of_a_loop(near.text, change))
        for number in chosen
        for near in some(f"{loops[number].rstrip()}\n")
    )
    fingerprints.agree(FINGERPRINTS / f"amp-{name}.txt", outcomes)


@pytest.mark.parametrize("sample", MODELS)
def test_several_processes(sample: str) -> None:
    text = (HERE / "distributed/samples" / f"{sample}.txt").read_text(encoding="utf-8")
    outcomes = (
        outcome(near.name, near.text, lines_of_several_processes(near.text, MODELS[sample]))
        for near in some(text, sample)
    )
    fingerprints.agree(FINGERPRINTS / f"distributed-{sample}.txt", outcomes)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_parts_of_a_training_in_several_processes(subject: str) -> None:
    def outcomes() -> Iterator[Outcome]:
        for number, variation in enumerate(SUBJECTS[subject]):
            for place, code in variation.parts.items():
                for near in some(f"{code}\n") if code != PLAIN.get(place) else ():
                    text = Variation({**variation.parts, place: near.text.rstrip("\n")}).text
                    if parsed(text) is not None:
                        name = f"{number}.{place}.{near.name}"
                        yield outcome(name, text, lines_of_several_processes(text, "model"))

    fingerprints.agree(FINGERPRINTS / f"distributed-parts-{subject}.txt", outcomes())


@pytest.mark.parametrize("name", WAYS)
def test_programs_for_mindspore(name: str) -> None:
    sample, options = WAYS[name]
    text = (HERE / "mindspore/samples" / f"{sample}.txt").read_text(encoding="utf-8")
    outcomes = (
        outcome(near.name, near.text, lines_of_mindspore(near.text, options)) for near in some(text, name)
    )
    fingerprints.agree(FINGERPRINTS / f"mindspore-{name}.txt", outcomes)


@pytest.mark.parametrize("path", PIECES, ids=lambda path: path.stem)
def test_pieces_for_mindspore(path: Path) -> None:
    def outcomes() -> Iterator[Outcome]:
        for number, piece in enumerate(path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")):
            for near in some(f"{piece}\n", path.stem):
                text = HEAD + near.text
                yield outcome(f"{number}.{near.name}", text, lines_of_mindspore(text, {}))

    fingerprints.agree(FINGERPRINTS / f"mindspore-pieces-{path.stem}.txt", outcomes())
