"""Errors that say what an array should have been: the assumption is mended, and the script starts again."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cache

from .. import rows
from .arrays import MORE_SAMPLES, Array, Assumed, Site, most_axes

_TOO_LONG = re.compile(r"\d{8,}")
"""Numbers that are no size of an array."""
_BATCHES, _LONGEST = 16, 10_000_000
"""Batches that an array of one axis is long enough for, and the most that it has."""
_MOST_NEEDED = 8
"""Axes that an error may ask for."""


def refined(text: str, assumed: Assumed) -> str | None:
    """Mend what was assumed, by the text of the error that a script ended with; says how, or nothing."""
    sites, text = assumed.sites(), _TOO_LONG.sub("", text)
    matching = [(kind, found) for kind, pattern in _errors() if (found := pattern.search(text))]
    said = (_MEND[kind](assumed, sites, found, text) for kind, found in matching)
    kinds = {kind for kind, _ in matching}
    mended = next(filter(None, said), None)
    return mended or (_another_rank(assumed, sites, text, "pair" in kinds) if kinds else None)


@cache
def _errors() -> list[tuple[str, re.Pattern[str]]]:
    return [(kind, re.compile(text, re.DOTALL)) for kind, text in rows("errors.tsv")]


def _size(assumed: Assumed, sites: list[Site], found: re.Match[str], kind: str) -> str | None:
    """One of two sizes is an assumed one: it becomes the other."""
    first, second = int(found[1]), int(found[2])
    for got, wanted in sorted(((first, second), (second, first)), reverse=True):
        is_open = any(wanted in _open_sizes(array) for site in sites for array in site.arrays.values())
        changed = [site for site in sites if _replace(site, got, wanted, kind, is_open)]
        for site in changed:
            assumed.save(site)
        if changed:
            return f"size {got} becomes {wanted} (read at {', '.join(site.where for site in changed)})"
    return None


def _open_sizes(array: Array) -> set[int]:
    return {size for size, free in zip(array.sizes, array.assumed, strict=True) if free}


def _replace(site: Site, got: int, wanted: int, kind: str, is_open: bool) -> bool:
    """Change a size; where the other one is assumed as well, they are one from then on. Where several arrays
    have it and two tensors differ, the first array stays: the other is compared with what is made of it."""
    sharing = [array for array in site.arrays.values() if got in _open_sizes(array)]
    for array in sharing[1:] if kind == "pair" and len(sharing) > 1 else sharing:
        for axis, size in enumerate(array.sizes):
            if size == got and array.assumed[axis]:
                array.sizes[axis], array.assumed[axis] = wanted, is_open
                array.keeps_last |= kind != "channels" and axis == len(array.sizes) - 1
    return bool(sharing)


def _axes(assumed: Assumed, sites: list[Site], found: re.Match[str], text: str) -> str | None:
    """Arrays have another number of axes: those of which the error names a size, else the last ones."""
    groups = found.groupdict()
    have = int(groups["have"])
    need = int(groups["need"]) if "need" in groups else int(groups["last"]) + 1
    if need > _MOST_NEEDED:
        return None

    def is_near(array: Array) -> bool:  # without the axis of samples, or with it
        return not array.is_exact and len(array.sizes) - have in (0, 1)

    chosen = _first(sites, lambda one: is_near(one) and _names(text, one)) or _first(sites, is_near)
    return None if chosen is None else _resized(assumed, *chosen, need - have)


def _another_rank(assumed: Assumed, sites: list[Site], text: str, compares: bool) -> str | None:
    """An axis more, where nothing shows how many there are: of an array of which an error names a size, or
    which still differs from what it is compared with, although its last axis is known."""

    def is_open(array: Array) -> bool:
        return not array.is_exact and not most_axes(array)

    chosen = _first(sites, lambda one: is_open(one) and _names(text, one))
    if chosen is None and compares:
        chosen = _first(sites, lambda one: is_open(one) and one.keeps_last)
    return None if chosen is None else _resized(assumed, *chosen, 1)


def _more(assumed: Assumed, sites: list[Site]) -> str | None:
    """More samples, where those that were assumed leave nothing for a batch or a part of the data."""
    found = [(site, array) for site in sites for array in site.arrays.values() if array.has_few]
    for site, array in found:
        array.sizes[0] = MORE_SAMPLES
        assumed.save(site)
    return f"{MORE_SAMPLES} samples" if found else None


def _longer(assumed: Assumed, sites: list[Site], found: re.Match[str]) -> str | None:
    """An array of one axis, of which a part is too short for a batch, has enough for some."""
    size = _BATCHES * math.prod(map(int, found[1].split(",")))
    chosen = _first(sites, lambda one: one.has_few and len(one.sizes) == 1)
    if chosen is None or not int(found[2]) < size <= _LONGEST:
        return None
    for array in chosen[1]:
        array.sizes[0] = size
    assumed.save(chosen[0])
    return f"{size} samples (read at {chosen[0].where})"


def _type(assumed: Assumed, sites: list[Site], is_whole: bool) -> str | None:
    """Arrays that are called classes, and others of one axis, hold numbers of the other kind."""
    chosen = _first(sites, lambda one: one.is_whole != is_whole and (one.is_whole or len(one.sizes) == 1))
    if chosen is None:
        return None
    site, arrays = chosen
    for array in arrays:
        array.is_whole = is_whole
    assumed.save(site)
    return f"{'integers' if is_whole else 'real numbers'} (read at {site.where})"


def _first(sites: list[Site], is_one: Callable[[Array], bool]) -> tuple[Site, list[Array]] | None:
    """Of the last line that reads such arrays, these."""
    found = ((site, [array for array in site.arrays.values() if is_one(array)]) for site in sites)
    return next((chosen for chosen in found if chosen[1]), None)


def _resized(assumed: Assumed, site: Site, arrays: list[Array], more: int) -> str:
    for array in arrays:
        assumed.resize(site, array, max(len(array.sizes) + more, 1))
    assumed.save(site)
    return f"{len(arrays[0].sizes)} axes (read at {site.where})"


def _names(text: str, array: Array) -> bool:
    """Whether an error names a size that was assumed of an array, beside the number of samples."""
    numbers = set(map(int, re.findall(r"(?<![\w.])\d{2,3}(?![\w.])", text)))
    return any(size in numbers for size, free in zip(array.sizes[1:], array.assumed[1:], strict=True) if free)


_MEND: dict[str, Callable[[Assumed, list[Site], re.Match[str], str], str | None]] = {
    "channels": lambda assumed, sites, found, _: _size(assumed, sites, found, "channels"),
    "features": lambda assumed, sites, found, _: _size(assumed, sites, found, "features"),
    "pair": lambda assumed, sites, found, _: _size(assumed, sites, found, "pair"),
    "axes": _axes,
    "long": lambda assumed, sites, found, _: _longer(assumed, sites, found),
    "few": lambda assumed, sites, _, __: _more(assumed, sites),
    "shape": lambda _, __, ___, ____: None,
    "whole": lambda assumed, sites, _, __: _type(assumed, sites, is_whole=True),
    "real": lambda assumed, sites, _, __: _type(assumed, sites, is_whole=False),
}
