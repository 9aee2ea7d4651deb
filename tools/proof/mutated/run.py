"""Making files by number, and asking of each what must hold of it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS
from gpu2ascend_rules.options.options import options_from

from .invariants import Verdict, verdict
from .mutations import Mutated, mutated
from .sources import Sources

_TARGETS = ("torch_npu",) * 6 + ("accelerator",) * 2 + ("mindspore",)
_FLAGS = ("unsafe_fixes", "replace_unsupported", "specify_device", "unknown_apis", "restricted_apis", "auto")


class Examined(NamedTuple):
    """A file that was made and examined."""

    seed: int
    file: Mutated
    options: dict[str, object]
    verdict: Verdict


def run(given: Sources, seeds: Iterable[int]) -> Iterator[Examined]:
    """The files with these numbers, each with what does not hold of it."""
    for seed in seeds:
        chance = random.Random(seed)
        file = mutated(given, chance)
        values = _values(chance)
        yield Examined(seed, file, values, verdict(file.path, file.data, options_from(values)))


def _values(chance: random.Random) -> dict[str, object]:
    """Options by chance: the newest version most often, few flags at once."""
    values: dict[str, object] = {"target": chance.choice(_TARGETS)}
    versions = [str(version) for version in SUPPORTED_VERSIONS]
    values["version"] = chance.choice(versions) if chance.random() < 0.5 else "2.8.0"
    for flag in _FLAGS:
        if chance.random() < 0.3:
            values[flag] = True
    return values
