"""The programs that differ in one point from an example of a rule or from a sample, with their options.

``python -m tests.rules.near_programs`` prints them as JSON, one a line, for ``make compare``; a program of
the same name is the same program for whoever examines it. ``test_near_programs`` says what holds for each.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import attrs

from gpu2ascend_rules.custom.reading.reader import read_rules
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Rule
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.mindspore.conversion.test_neighbours import GRAPH
from tests.mindspore.conversion.test_variations import HEAD, PIECES
from tests.pieces import codes
from tests.rules.catalog import test_variations as catalog
from tests.rules.codemods.amp.test_neighbours import CHANGES
from tests.rules.codemods.distributed.test_neighbours import MODELS
from tests.rules.codemods.distributed.test_variations import PLAIN, SUBJECTS, Variation
from tests.rules.flow import test_variations as flow
from tests.rules.nearly import Near, nearly, nearly_lines, parsed

_CODEMODS = Path(__file__).with_name("codemods")
_CONVERSION = Path(__file__).parents[1] / "mindspore" / "conversion"
_ENTRY = "train.py"
_USUAL: dict[str, object] = {"version": "2.8.0", "unsafe_fixes": True}
_MINDSPORE: dict[str, object] = {**_USUAL, "target": "mindspore"}
_AMP: dict[str, dict[str, object]] = {
    "enabled": {"enable_amp": True},
    "transplanted": {"amp_transplant": True},
    "from-apex": {},
}
"""The options of each conversion of mixed precision."""
_FOR_MINDSPORE: dict[str, tuple[str, dict[str, object]]] = {
    "mixed": ("mixed", {}),
    "wgan": ("wgan", {}),
    "policy": ("scripts/policy", {}),
    "fine_tuning": ("scripts/fine_tuning", {}),
    "parallel": ("parallel", {"distributed": True}),
    "trainer-graph": ("trainer", GRAPH),
}
"""Samples for MindSpore and their options, by name."""


class Program(NamedTuple):
    """A program, and what it is examined with."""

    name: str
    """Unique in its group."""
    text: str
    path: str
    settings: Mapping[str, object]
    """The options as plain data."""
    rules: str = ""
    """The user's rule file."""
    migrates: bool = False
    """It is converted as a whole, which only a migration does."""

    @property
    def options(self) -> MigrationOptions:
        """What the settings and the rule file mean."""
        custom = read_rules(self.rules) if self.rules else ()
        return attrs.evolve(options_from(self.settings), custom=custom)


def groups() -> dict[str, Callable[[], Iterator[Program]]]:
    """Makes the programs of each rule, by its code, and of each sample, by its folder and name."""
    return {
        **{rule.code: partial(_of_rule, rule) for rule in all_rules()},
        **{f"catalog/{room}": partial(_of_room, room) for room in catalog.ROOMS},
        **{f"flow/{subject}": partial(_of_subject, subject) for subject in flow.SUBJECTS},
        **{f"amp/{name}": partial(_of_loops, name) for name in CHANGES},
        **{f"distributed/{name}": partial(_of_training, name) for name in MODELS},
        **{f"distributed/{name}": partial(_of_parts, name) for name in SUBJECTS},
        **{f"mindspore/{name}": partial(_for_mindspore, name) for name in _FOR_MINDSPORE},
        **{f"mindspore/pieces-{path.stem}": partial(_of_pieces, path) for path in PIECES},
    }


def some(group: str, share: float = 1.0, seed: int = 0) -> Iterator[Program]:
    """A share of the programs of a group, from 0 to 1; another seed chooses others."""
    for program in groups()[group]():
        digest = hashlib.sha256(f"{seed} {group} {program.name}".encode()).digest()
        if int.from_bytes(digest[:4], "big") < share * 2**32:
            yield program


def _of_rule(rule: Rule) -> Iterator[Program]:
    for number, example in enumerate(rule.examples):
        settings = {"version": example.version, "unsafe_fixes": True, **dict(example.settings)}
        is_python = isinstance(text_file(example.before, example.path), SourceFile)
        for near in (nearly if is_python else nearly_lines)(example.before):
            yield Program(f"{number}.{near.name}", near.text, example.path, settings, example.rules)
        for version in SUPPORTED_VERSIONS:
            chosen = {**settings, "version": str(version)}
            yield Program(f"{number}.{version}", example.before, example.path, chosen, example.rules)


def _of_room(room: str) -> Iterator[Program]:
    for number, piece in enumerate(catalog.pieces(room)):
        for near in (nearly if piece.is_python else nearly_lines)(piece.code):
            yield Program(f"{number}.{near.name}", piece.head + near.text, piece.path, piece.settings)


def _of_subject(subject: str) -> Iterator[Program]:
    for number, code in enumerate(codes(flow.SAMPLES / f"{subject}.txt")):
        for near in nearly(f"{code}\n"):
            yield Program(f"{number}.{near.name}", flow.HEAD + near.text, _ENTRY, _USUAL)


def _of_loops(name: str) -> Iterator[Program]:
    sample, chosen, _ = CHANGES[name]
    loops = re.split(r"\n\n(?=import torch\n)", _text(_CODEMODS / "amp/samples" / f"{sample}.txt"))
    for number in chosen:
        for near in nearly(f"{loops[number].rstrip()}\n"):
            yield Program(f"{number}.{near.name}", near.text, _ENTRY, {**_USUAL, **_AMP[name]})


def _of_training(sample: str) -> Iterator[Program]:
    for near in nearly(_text(_CODEMODS / "distributed/samples" / f"{sample}.txt")):
        yield _in_several_processes(near, MODELS[sample])


def _of_parts(subject: str) -> Iterator[Program]:
    for number, variation in enumerate(SUBJECTS[subject]):
        for place, code in variation.parts.items():
            for near in nearly(f"{code}\n") if code != PLAIN.get(place) else ():
                text = Variation({**variation.parts, place: near.text.rstrip("\n")}).text
                if parsed(text) is not None:
                    yield _in_several_processes(Near(f"{number}.{place}.{near.name}", text), "model")


def _in_several_processes(near: Near, model: str) -> Program:
    settings = {**_USUAL, "distributed": True, "main_file": _ENTRY, "target_model": model}
    return Program(near.name, near.text, _ENTRY, settings, migrates=True)


def _for_mindspore(name: str) -> Iterator[Program]:
    sample, options = _FOR_MINDSPORE[name]
    for near in nearly(_text(_CONVERSION / "samples" / f"{sample}.txt")):
        yield Program(near.name, near.text, _ENTRY, {**_MINDSPORE, **options})


def _of_pieces(path: Path) -> Iterator[Program]:
    for number, piece in enumerate(codes(path)):
        for near in nearly(f"{piece}\n"):
            yield Program(f"{number}.{near.name}", HEAD + near.text, _ENTRY, _MINDSPORE)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main() -> None:
    """Print programs as JSON, each with its group."""
    parser = argparse.ArgumentParser(prog="python -m tests.rules.near_programs", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="which part of them, from 0 to 1")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    parser.add_argument("--group", help="only those of a rule, by its code, or of a sample")
    given = parser.parse_args()
    for group in groups():
        if given.group in (None, group):
            for program in some(group, given.share, given.seed):
                print(json.dumps({"group": group, **program._asdict()}))


if __name__ == "__main__":
    main()
