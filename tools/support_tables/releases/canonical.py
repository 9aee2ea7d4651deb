"""Several names of one object: where it is defined, where packages hand it on, and what the lists call it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from .history import minor_of
from .release import Release

_PREFERRED = frozenset({"torch.amp.GradScaler"})
"""Names of objects that no list has, by which the rules know them."""
_SPELLED_BY_RULES = (
    "torch.cuda.",
    "torch.backends.",
    "torch.amp.",
    "torch.cpu.",
    "torch.autocast_mode.",
    "torch.version.",
)


def canonical_rows(releases: Sequence[Release], documented: Collection[str]) -> Iterator[list[str]]:
    """Each further name of a function or class, with the name by which programs should know it.

    That is the one that the support lists have, else the shortest of a package that holds its module.
    """
    found: dict[str, str] = {}
    for release in sorted(releases, key=minor_of):
        for origin, names in _groups(release):
            public = _public(names, origin, documented)
            if public is not None:
                found.update((name, public) for name in names if _is_further(name, public, documented))
    outlived = _outlived(found, releases)
    yield from ([name, found[name]] for name in sorted(found.keys() - outlived))


def _outlived(found: Mapping[str, str], releases: Sequence[Release]) -> set[str]:
    """The names that some release has after the name by which they would be known is gone: they are names of
    their own, as ``torch.autograd.Variable`` is, which once was ``torch.jit.Variable`` too."""
    newest = max(releases, key=minor_of)
    return {name for name, public in found.items() if name in newest.names and public not in newest.names}


def _is_further(name: str, public: str, documented: Collection[str]) -> bool:
    return name != public and name not in documented and not name.startswith(_SPELLED_BY_RULES)


def _groups(release: Release) -> Iterator[tuple[str, list[str]]]:
    """The names of each object that has several, with that of its definition."""
    by_origin: dict[str, list[str]] = {}
    for name, entry in release.names.items():
        origin = release.names.get(entry.origin)
        is_module = entry.is_module or (origin is not None and origin.is_module)
        if entry.is_own and not is_module and _is_handed_on(name, entry.origin, release):
            by_origin.setdefault(entry.origin, []).append(name)
    yield from ((origin, names) for origin, names in by_origin.items() if len(names) > 1)


def _is_handed_on(name: str, origin: str, release: Release) -> bool:
    """Whether a name is where an object is defined, or what a package offers."""
    return name == origin or (release.is_package(name.rpartition(".")[0]) and "._" not in name)


def _public(names: Sequence[str], origin: str, documented: Collection[str]) -> str | None:
    listed = [name for name in names if name in documented or name in _PREFERRED]
    offered = listed or [name for name in names if "._" not in name]
    return min(offered, key=lambda name: _rank(name, origin)) if offered else None


def _rank(name: str, origin: str) -> tuple[bool, int, int, str]:
    """What hands an object on first of all: a package that holds its module, and the shortest name."""
    module = name.rpartition(".")[0]
    return not origin.startswith(f"{module}."), name.count("."), len(name), name
