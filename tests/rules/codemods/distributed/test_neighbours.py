"""What becomes of programs that lack one statement of a sample, when they are made distributed.

The samples are programs as people write them; what becomes of each neighbour, beside what becomes of the
sample itself, is in ``goldens``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.codemods.distributed import ModelNotFoundError
from tests.golden import agrees, difference
from tests.rules.codemods.distributed.conversion import Converted, converted
from tests.rules.codemods.neighbours import Neighbour, without_each

HERE = Path(__file__).parent
MODELS = {"images": "model", "trainer": "self.model"}


def outcome(neighbour: Neighbour, usual: Converted, model: str) -> Iterator[str]:
    """What differs from the sample made distributed, and what is left to a person here or there alone."""
    yield f"# {neighbour.difference}"
    try:
        made = converted(neighbour.text, model)
    except ModelNotFoundError as error:
        yield f"no model: {error.name}"
        return
    yield from (line for line in difference(usual.text, made.text, "") if line[0] != "@")
    yield from (f"left: {item}" for item in _more(made.left, usual.left))
    yield from (f"not left: {item}" for item in _more(usual.left, made.left))


def _more(items: list[str], others: list[str]) -> list[str]:
    """Those that the others do not have so often."""
    return sorted((Counter(items) - Counter(others)).elements())


@pytest.mark.one_in(3)
@pytest.mark.slow
@pytest.mark.parametrize("sample", MODELS)
def test_what_becomes_of_each_program_that_nearly_is_the_sample(sample: str) -> None:
    text = (HERE / "samples" / f"{sample}.txt").read_text(encoding="utf-8")
    usual = converted(text, MODELS[sample])
    lines = [line for neighbour in without_each(text) for line in outcome(neighbour, usual, MODELS[sample])]
    agrees(HERE / "goldens" / f"nearly-{sample}.txt", "".join(f"{line}\n" for line in lines))
