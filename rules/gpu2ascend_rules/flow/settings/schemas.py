"""What a value of a configuration is: by the code that reads it, and by the library whose key it has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ...data import load_tsv
from ...engine.places.context import PlaceContext
from ...kinds.settings import Setting
from ...kinds.shell.places import Word
from ...model.project.decisions import Outcome
from ...model.project.inputs import SettingInput
from ..command_line.old_words import old_words_of
from ..command_line.options import Fate, fate_of, fate_of_field
from ..command_line.programs import python_at
from ..words import is_backend_text

_OF_SWEEPS = frozenset({"[]", "value", "values"})


def is_read_as(subject: str, place: Setting, ctx: PlaceContext) -> bool:
    """Whether code of the project makes a device, or chooses a back end, of the value of such a key.

    The code's way to the value and the file's must agree as far as both are known: the code may begin below
    the top (``run = cfg.run``), and the file may be put below a key of another.
    """
    names = [key for key in place.keys if key != "[]"]
    given = SettingInput(ctx.file.path, tuple(names))
    outcome = ctx.project.program.outcome_of_input(given, place.value, ctx.options) if names else None
    if outcome is not None:
        return outcome is Outcome.MOVES
    return is_read_by_key(subject, place, ctx)


def is_read_by_key(subject: str, place: Setting, ctx: PlaceContext) -> bool:
    """The same by the keys alone, for a subject that the program does not follow."""
    names = [key for key in place.keys if key != "[]"]
    for setting in ctx.project.read_settings:
        known, _, keys = setting.partition(":")
        wanted = keys.split(".")
        shorter = min(len(wanted), len(names))
        if known == subject and shorter and names[-shorter:] == wanted[-shorter:]:
            return True
    return False


def is_of_served_program(place: Setting, ctx: PlaceContext) -> bool:
    """Whether a value stays because the program that reads it serves the NPU already."""
    names = tuple(key for key in place.keys if key != "[]")
    if not names or not ctx.project.program.serves_npu:
        return False
    given = SettingInput(ctx.file.path, names)
    return ctx.project.program.outcome_of_input(given, place.value, ctx.options) is Outcome.STAYS


def is_listed_with(value: str, place: Setting, ctx: PlaceContext) -> bool:
    """Whether the list that a value is of has another value, too: both are served already."""
    return value in _listed_with(place, ctx)


def is_listed_among_others(place: Setting, ctx: PlaceContext) -> bool:
    """Whether the list that a value is of has others, none of which is a device: languages, libraries."""
    others = [item for item in _listed_with(place, ctx) if item != place.value]
    return bool(others) and not any(map(is_backend_text, others))


def _listed_with(place: Setting, ctx: PlaceContext) -> list[str]:
    """The values of the list that a value is of."""
    if place.keys[-1:] != ("[]",):
        return []
    every = ctx.once("settings", lambda: [item for item in ctx.file.places() if isinstance(item, Setting)])
    return [item.value for item in every if item.keys == place.keys]


def is_old_word(place: Setting, ctx: PlaceContext) -> bool:
    """Whether a value follows an option, or is that of a variable, which no longer takes it."""
    return any(place.start <= word.start < place.end for word in old_words_of(ctx))


def fate_as_field(place: Setting, ctx: PlaceContext) -> Fate:
    """What becomes of a value that fills the field of a dataclass, where the project fills any from files."""
    if "parameters" in place.keys:
        return _fate_in_sweep(place, ctx)
    if "fields:files" not in ctx.project.read_settings:
        return Fate(is_known=False)
    return fate_of_field(place.key, place.value, ctx)


def _fate_in_sweep(place: Setting, ctx: PlaceContext) -> Fate:
    """What becomes of a value that a sweep gives an option of the program that it names."""
    name = next((key for key in reversed(place.keys) if key not in _OF_SWEEPS), "")
    values = (item.value for item in ctx.file.places() if isinstance(item, Setting) and item.key == "program")
    script = next(values, "")
    program = python_at(Word(0, 0, script, script), ctx.project, ctx.file.path)
    flags = (f"--{name}", f"--{name.replace('_', '-')}") if program is not None else ()
    fates = (fate_of(program, flag, place.value, ctx) for flag in flags if program is not None)
    return next((fate for fate in fates if fate.is_known), Fate(is_known=False))


def is_known_as(subject: str, place: Setting, ctx: PlaceContext) -> bool:
    """Whether a library's table of keys says so."""
    return any(
        row["subject"] == subject and _ends_with(place, row["keys"]) and _is_beside(row["beside"], ctx)
        for row in load_tsv("setting_schemas")
    )


def need_of(place: Setting, ctx: PlaceContext) -> Mapping[str, str] | None:
    """The row of setting_needs.tsv for what a library takes and the NPU lacks; None where nothing is said."""
    needs = _needs_by_key()
    if place.key not in needs and needs.keys().isdisjoint(place.keys):
        return None
    of_keys = {number: row for key in (place.key, *place.keys) for number, row in needs.get(key, ())}
    for _, row in sorted(of_keys.items()):
        if _ends_with(place, row["keys"]) and re.fullmatch(row["value"] or ".*", place.value, re.I | re.S):
            unless = row["unless"]
            if _is_beside(row["beside"], ctx) and (not unless or unless not in _all_keys(ctx)):
                return row
    return None


@cache
def _needs_by_key() -> Mapping[str, tuple[tuple[int, Mapping[str, str]], ...]]:
    """The rows, with their numbers, by the key that a setting must have: the last, or the one above any."""
    found: dict[str, list[tuple[int, Mapping[str, str]]]] = {}
    for number, row in enumerate(load_tsv("setting_needs")):
        wanted = row["keys"].split(".")
        found.setdefault(wanted[0] if wanted[-1] == "*" else wanted[-1], []).append((number, row))
    return {key: tuple(rows) for key, rows in found.items()}


def is_foreign_place(ctx: PlaceContext) -> bool:
    """Whether most code near the file works with another framework than torch."""
    return ctx.project.main_framework(ctx.file.path) not in ("", "torch")


def _ends_with(place: Setting, keys: str) -> bool:
    """Whether the way to a value ends in these keys; lists are left out."""
    names = [key for key in place.keys if key != "[]"]
    wanted = keys.split(".")
    if wanted[-1] == "*":
        return wanted[0] in names[:-1]
    return names[-len(wanted) :] == wanted


def _is_beside(keys: str, ctx: PlaceContext) -> bool:
    return not keys or not frozenset(keys[0] for keys in _ways(ctx) if keys).isdisjoint(keys.split("|"))


def _all_keys(ctx: PlaceContext) -> frozenset[str]:
    return frozenset(key for keys in _ways(ctx) for key in keys)


def _ways(ctx: PlaceContext) -> tuple[tuple[str, ...], ...]:
    """The keys of every value of the file."""

    def ways() -> tuple[tuple[str, ...], ...]:
        return tuple(place.keys for place in ctx.file.places() if isinstance(place, Setting))

    return ctx.once("ways", ways)
