"""Which releases have a name, from the first that is known to the last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property

from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS

from .release import ROOT, TENSOR, Found, Release

Minor = tuple[int, int]
_OF_PROGRAMS_SINCE = (1, 13)
"""Private modules that are newer are internals of the compiler; what older ones had, programs import."""
_NEVER = re.compile(
    r"torch\.(_C|_VF|ops|classes|return_types|version|cuda|backends|_meta_registrations|_utils_internal"
    r"|_torch_docs|_tensor_docs|_appdirs|onnx\.(symbolic\w*|_\w*)|utils\.(hipify|tensorboard\.summary))\b"
)
"""Native, made at run time, or used by nobody else; ``torch.cuda`` and ``torch.backends`` have own rules."""
_COMPOSED = re.compile(r"torch\.(sparse\.)?(Bool|Byte|Char|Short|Int|Long|Half|Float|Double|BFloat16)Tensor")
"""The types of tensors, whose names native code composes: neither texts nor the library hold them."""
_SUPPORTED = frozenset(version[:2] for version in SUPPORTED_VERSIONS)


def minor_of(release: Release) -> Minor:
    """The major and minor number of a release."""
    major, minor, *_ = release.version.split(".")
    return int(major), int(minor)


class History:
    """The names of several releases."""

    def __init__(self, releases: Sequence[Release]) -> None:
        """``releases`` holds one release of each minor version, in any order."""
        self._releases = {minor_of(release): release for release in sorted(releases, key=minor_of)}
        self._minors_with = cache(self._find_minors)

    def rows(self) -> Iterator[list[str]]:
        """Each name that some supported version lacks, unless it lacks what holds the name as well.

        With the releases that have it (:func:`written`); ``name()`` is what can be called, where other
        releases have a module of that name.
        """
        for name in sorted(self._candidates):
            lacking = self._lacking(name)
            if lacking and not lacking <= self._lacking(name.rpartition(".")[0]):
                yield [name, written(self._minors_with(name), tuple(self._releases))]
        for name in sorted(self._gone_before()):
            oldest = next(iter(self._releases))
            yield [name, f"-{oldest[0]}.{oldest[1]}"]
        for name in sorted(self._sometimes_called()):
            called = [
                minor for minor, release in self._releases.items() if not _is_module(release.names, name)
            ]
            yield [f"{name}()", written(called, tuple(self._releases))]

    @cached_property
    def _candidates(self) -> frozenset[str]:
        found: set[str] = set()
        for release in self._releases.values():
            found.update(name for name, entry in release.names.items() if entry.is_own)
        return frozenset(name for name in found if self._is_of_programs(name))

    def _is_of_programs(self, name: str) -> bool:
        """Whether programs may use a name: a public one, or a private one that a public module defines."""
        if _NEVER.match(name) or _COMPOSED.fullmatch(name):
            return False
        parts = name.split(".")
        private = [place for place, part in enumerate(parts) if part.startswith("_")]
        if any(part.startswith("__") for part in parts) or len(private) > 1:
            return False
        if not private:
            return self._is_offered(name)
        if private[0] == 1 and len(parts) <= 3:
            return (len(parts) == 2 and self._is_module_somewhere(name)) or self._is_old(parts)
        is_of_tensors = name.startswith(f"{TENSOR}.")
        return private[0] == len(parts) - 1 and not is_of_tensors and self._is_defined_there(name)

    def _is_old(self, parts: Sequence[str]) -> bool:
        module = ".".join(parts[:2])
        minors = [minor for minor, release in self._releases.items() if _is_module(release.names, module)]
        return bool(minors) and minors[0] <= _OF_PROGRAMS_SINCE and self._is_defined_there(".".join(parts))

    def _is_module_somewhere(self, name: str) -> bool:
        return any(_is_module(release.names, name) for release in self._releases.values())

    def _is_defined_there(self, name: str) -> bool:
        return any(
            entry.origin == name
            for release in self._releases.values()
            if (entry := release.names.get(name)) is not None
        )

    def _is_offered(self, name: str) -> bool:
        """Whether a module defines a name, or is a package that hands it on."""
        module = name.rpartition(".")[0]
        return self._is_defined_there(name) or any(
            name in release.names and release.is_package(module) for release in self._releases.values()
        )

    def _lacking(self, name: str) -> frozenset[Minor]:
        """The supported versions that lack a name."""
        return _SUPPORTED - frozenset(self._minors_with(name))

    def _find_minors(self, name: str) -> list[Minor]:
        """The releases that show a name, and supported ones whose native code may have it."""
        is_native = name in self._native
        return [
            minor
            for minor, release in self._releases.items()
            if name in release.names
            or (is_native and minor in _SUPPORTED and _may_have(release, name))
            or release.may_make(name)
            or (release.may_be_native(name) and name not in self._never_native)
        ]

    @cached_property
    def _never_native(self) -> frozenset[str]:
        """What a release has as a module, or as a function of Python: that was not native before."""
        names = (release.names.items() for release in self._releases.values())
        return frozenset(
            name for items in names for name, entry in items if entry.is_function or entry.is_module
        )

    @cached_property
    def _native(self) -> frozenset[str]:
        return frozenset().union(*(release.native for release in self._releases.values()))

    def _gone_before(self) -> frozenset[str]:
        """What only raises from the oldest release on that is known."""
        first, *later = self._releases.values()
        found = [name for name in first.raising if not any(name in release.names for release in later)]
        return frozenset(found)

    def _sometimes_called(self) -> Iterator[str]:
        for name in self._candidates:
            kinds = {
                _is_module(release.names, name)
                for release in self._releases.values()
                if name in release.names and (name in release.native or _is_module(release.names, name))
            }
            if len(kinds) == 2:
                yield name


def _may_have(release: Release, name: str) -> bool:
    """Whether the native code of a release may have a name that its stubs leave out."""
    owner, _, last = name.rpartition(".")
    return name not in release.raising and owner in (ROOT, TENSOR) and release.may_have(last)


def _is_module(names: Mapping[str, Found], name: str) -> bool:
    entry = names.get(name)
    return entry is not None and entry.is_module


def written(having: Iterable[Minor], known: Sequence[Minor]) -> str:
    """Runs of releases, each with its first and the next that lacks the name again: ``-2.0`` is all before
    2.0, ``2.3-`` all from 2.3 on, ``1.5-1.8,2.1-`` two runs."""
    present = set(having)
    runs: list[list[Minor]] = []
    for place, minor in enumerate(known):
        if minor in present:
            if place and known[place - 1] in present:
                runs[-1].append(minor)
            else:
                runs.append([minor])
    return ",".join(_run(run, known) for run in runs)


def _run(run: Sequence[Minor], known: Sequence[Minor]) -> str:
    following = known[known.index(run[-1]) + 1 :]
    first = "" if run[0] == known[0] else f"{run[0][0]}.{run[0][1]}"
    return f"{first}-" + (f"{following[0][0]}.{following[0][1]}" if following else "")
