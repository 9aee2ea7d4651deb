"""Whether a rule could find anything in a file, judged by its words: where not, the file needs no tree.

Six files in ten that import PyTorch use nothing of it that a rule has anything to say about. What is asked
here is what :mod:`..scan` asks of the tree, and is answered with "perhaps" wherever the words do not decide:
whatever the tree shows is among what the words say (:mod:`.meanings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from ...facts import Facts, SupportStatus
from ...facts.names.long_names import beginning_of
from ...facts.releases.canonical import public_name
from ...facts.releases.history import lacking
from ...facts.statuses import ABSENT, LISTED_ROOT
from ...inference.reexports import reexport_view
from ...text.source_file import SourceFile
from ..context import Context
from ..dispatch import Bound, Dispatch
from ..outline.disguises import may_be_disguised
from ..outline.needs import Need
from ..outline.written import Words, places_of, words_of
from ..scan import mask_writes
from ..support_listed import longest_listed
from .imported import Imported, UnclearError
from .meanings import Meanings

_ASSIGNS = re.compile(rb"(?:[\s\\]|#[^\n]*\n)*=(?!=)")


class Outlook(NamedTuple):
    """What is to be looked for in the tree of a file."""

    has_events: bool
    """Whether there may be a place that a handler wants and can make something of."""
    wanted_words: Mapping[str, frozenset[bytes]] | None = MappingProxyType({})
    """What follows the names of the file, and a dot, in the words that handlers may want; None if only the
    tree shows it."""
    needs: Mapping[Need, bool] = MappingProxyType({})
    """What the file was found to have, or not to have, of what handlers need."""


def outlook(context: Context, dispatch: Dispatch) -> Outlook:
    """What a file may have for the handlers of rules."""
    possible = _Possible(context, dispatch)
    try:
        meanings = Meanings(context.source, dispatch.roots, reexport_view(context.project))
        wanted_words = meanings.wanted(possible.is_wanted)
    except UnclearError:
        return Outlook(True, None, context.needs)
    has_events = bool(wanted_words) or possible.has_others(meanings.imports)
    return Outlook(has_events, wanted_words, context.needs)


class _Possible:
    """The questions about one file."""

    def __init__(self, context: Context, dispatch: Dispatch) -> None:
        self._context = context
        self._dispatch = dispatch
        self._source: SourceFile = context.source
        self._words: Words = words_of(context.source)

    def has_others(self, imports: Iterable[Imported]) -> bool:
        """Whether there may be another event than a use of a name."""
        return (
            any(map(self._is_wanted_import, imports))
            or self._has_strings()
            or self._has_members()
            or self._has_keywords()
            or self._has_definitions()
            or self._has_mask_writes()
            or self._has_disguises()
        )

    def _has_mask_writes(self) -> bool:
        handlers = self._dispatch.mask_writes
        return self._can_use(handlers) and any(True for _ in mask_writes(self._source.data))

    def _has_disguises(self) -> bool:
        return self._can_use(self._dispatch.disguises) and may_be_disguised(self._source.data)

    def _has_strings(self) -> bool:
        data = self._source.data
        found = [word for word in _shortest(self._dispatch) if word in data]
        return any(
            text.encode() in data and self._can_use(handlers)
            for text, handlers in self._dispatch.strings.items()
            if any(word in text.encode() for word in found)
        )

    def _has_members(self) -> bool:
        members = self._dispatch.members
        present = self._source.attribute_names & _encoded(self._dispatch)
        if any(self._can_use(members[name.decode()]) for name in present):
            return True
        return any(
            self._can_use(handlers) and self._context.support_listed_members(status)
            for status, handlers in self._dispatch.support_listed_members.items()
        )

    def _has_keywords(self) -> bool:
        data = self._source.data
        for name, handlers in self._dispatch.keywords.items():
            word = name.encode()
            is_wanted = word in self._words and self._can_use(handlers)
            if is_wanted and any(_ASSIGNS.match(data, at + len(word)) for at in places_of(data, word)):
                return True
        return False

    def _has_definitions(self) -> bool:
        return any(
            name.encode() in self._words and self._can_use(handlers)
            for name, handlers in self._dispatch.definitions.items()
        )

    def _is_wanted_import(self, item: Imported) -> bool:
        extensions = self._dispatch.extension_imports
        if extensions and self._can_use(extensions) and self._context.may_be_extension(item.imported):
            return True
        if item.imported.partition(".")[0] not in self._dispatch.roots:
            return False
        spelled = {item.imported, public_name(item.imported)}
        wanting = [bound for name in spelled for bound, _ in self._dispatch.imports.match(name)]
        if self._dispatch.absent_imports and self._context.lacks(item.imported):
            wanting += self._dispatch.absent_imports
        return self._can_use(wanting)

    def is_wanted(self, name: str) -> bool:
        """Whether a handler wants a dotted name, or what it begins with: a tree may end it sooner."""
        options = self._context.options
        statuses = (options.restricted_apis, options.unknown_apis)
        handlers = _wanting(name, self._dispatch, self._context.facts, *statuses)
        return bool(handlers) and self._can_use(handlers)

    def _can_use(self, handlers: Iterable[Bound]) -> bool:
        """Whether the file and the options have what one of the handlers needs."""
        return any(
            self._context.has(bound.needs)
            and (
                not bound.rule.only_with_option or getattr(self._context.options, bound.rule.only_with_option)
            )
            for bound in handlers
        )


@cache
def _encoded(dispatch: Dispatch) -> frozenset[bytes]:
    """The names of members that handlers want."""
    return frozenset(name.encode() for name in dispatch.members)


@cache
def _shortest(dispatch: Dispatch) -> Sequence[bytes]:
    """The texts of which one stands in every literal that a handler wants."""
    shortest: list[bytes] = []
    for word in sorted((word.encode() for word in dispatch.strings), key=len):
        if not any(known in word for known in shortest):
            shortest.append(word)
    return tuple(shortest)


@lru_cache(maxsize=8192)
def _wanting(
    name: str, dispatch: Dispatch, facts: Facts, restricted_apis: bool, unknown_apis: bool
) -> tuple[Bound, ...]:
    """The handlers that may want a dotted name, or what it begins with."""
    if not name.startswith(f"{LISTED_ROOT}."):
        return tuple(bound for bound, _ in dispatch.names.match(name))
    found = [bound for bound, _ in dispatch.names.match(name)]
    if lacking(name, facts.version) is not None:
        found += dispatch.support_listed_names.get(ABSENT, ())
    public = public_name(name)
    if public != name:
        found += _wanting(public, dispatch, facts, restricted_apis, unknown_apis)
    if unknown_apis:
        found += dispatch.support_listed_names.get(SupportStatus.UNKNOWN.value, ())
    name = beginning_of(name)
    while name.startswith(f"{LISTED_ROOT}."):
        known = longest_listed(name, facts)
        if known is not None and (restricted_apis or known.status != SupportStatus.RESTRICTED.value):
            found += dispatch.support_listed_names.get(known.status, ())
        name = name.rpartition(".")[0]
    return tuple(found)
