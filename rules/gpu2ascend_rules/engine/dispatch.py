"""From the registered rules to the handlers that each event must call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from ..facts.releases.canonical import public_name
from ..facts.statuses import LISTED_ROOT
from ..model.codes import matched_length
from ..model.versions import Version
from ..targets.registry import DEFAULT
from ..targets.target import Target
from ..text.parsed_text import ParsedText
from ..text.plain.words import words_in
from .events import Need
from .outlines import Outline, Want
from .rule import Event, Handler, Rule

_KEPT_ANSWERS = 10_000


class Bound:
    """A handler of a rule and the pattern that it asked for. The rule is imported when the handler is."""

    def __init__(self, outline: Outline, want: Want) -> None:
        self.outline = outline
        self.pattern = want.pattern
        self.key = outline.code, want.handler
        """The same for the same handler."""
        self._want = want

    @cached_property
    def handler(self) -> Handler:
        """What is to be called."""
        return self.outline.handler(self._want)[0]

    @cached_property
    def needs(self) -> Need:
        """What a file must have, or the handler finds nothing."""
        needs = self._want.needs
        return needs if needs is not None else self.outline.handler(self._want)[1]


class Words(dict[str, list[Bound]]):
    """Handlers by the word that they want."""

    @cached_property
    def _places(self) -> Mapping[bytes, int]:
        return {name.encode(): place for place, name in enumerate(self)}

    @cached_property
    def _encoded(self) -> frozenset[bytes]:
        return frozenset(self._places)

    @cached_property
    def _names(self) -> Sequence[str]:
        return tuple(self)

    def among(self, words: frozenset[bytes]) -> list[str]:
        """Those that are among the words of a text, in the order in which they were added."""
        return [self._names[place] for place in sorted(map(self._places.__getitem__, self._encoded & words))]

    @cached_property
    def _longest_words(self) -> Sequence[bytes]:
        """The longest word within each; one that is no word at all is sought as it is."""
        return [max(words_in(word), key=len, default=b"") for word in self._places]

    def held_by(self, source: ParsedText) -> list[str]:
        """Those that stand anywhere in a text, also within other words, in the same order."""
        words, text = source.vocabulary, source.data
        return [
            self._names[place]
            for (word, place), longest in zip(self._places.items(), self._longest_words, strict=True)
            if longest in words and (longest == word or word in text)
        ]


class NamePatterns:
    """Handlers by the dotted name that they want, exactly or anywhere below it."""

    def __init__(self) -> None:
        self._exact: dict[str, list[Bound]] = {}
        self._below: dict[str, list[Bound]] = {}
        self._known: dict[str, tuple[tuple[Bound, int], ...]] = {}

    def add(self, bound: Bound) -> None:
        """Register a handler under its pattern."""
        name = bound.pattern.removesuffix(".**")
        kind = self._exact if name == bound.pattern else self._below
        for spelled in dict.fromkeys((name, public_name(name))):
            handlers = kind.setdefault(spelled, [])
            if all(other.key != bound.key for other in handlers):
                handlers.append(bound)
        self._known.clear()

    @property
    def roots(self) -> frozenset[str]:
        """The first components of all patterns."""
        return frozenset(name.partition(".")[0] for name in (*self._exact, *self._below))

    def match(self, name: str) -> tuple[tuple[Bound, int], ...]:
        """Each handler that wants the dotted name, with the number of components that it matches.

        An exact pattern matches a longer name by its prefix; a pattern for all below matches the
        whole name, and the module of the pattern itself too. Files use the same few names over and over, so
        answers are kept.
        """
        found = self._known.get(name)
        if found is None:
            if len(self._known) >= _KEPT_ANSWERS:
                self._known.clear()
            found = self._known[name] = tuple(self._matches(name.split(".")))
        return found

    def _matches(self, parts: Sequence[str]) -> Iterator[tuple[Bound, int]]:
        name = ""
        total = len(parts)
        for count, part in enumerate(parts, 1):
            name = f"{name}.{part}" if name else part
            for bound in self._exact.get(name, ()):
                yield bound, count
            for bound in self._below.get(name, ()):
                yield bound, total


class Dispatch:
    """The handlers of a set of rules, by event."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self.names = NamePatterns()
        self.imports = NamePatterns()
        self.absent_imports: list[Bound] = []
        self.extension_imports: list[Bound] = []
        self.last_names = Words()
        self.members = Words()
        self.mask_writes: list[Bound] = []
        self.disguises: list[Bound] = []
        self.counts: list[Bound] = []
        self.strings = Words()
        self.keywords = Words()
        self.definitions = Words()
        self.support_listed_members: dict[str, list[Bound]] = {}
        self.support_listed_names: dict[str, list[Bound]] = {}
        for outline in outlines:
            for want in outline.wants:
                self._add(want.event, Bound(outline, want))
        listed_roots = frozenset({LISTED_ROOT}) if self.support_listed_names else frozenset()
        self.roots = self.names.roots | self.imports.roots | listed_roots

    def _add(self, event: Event, bound: Bound) -> None:
        if event is Event.NAME:
            self.names.add(bound)
        elif event is Event.IMPORT:
            self.imports.add(bound)
        elif event is Event.ABSENT_IMPORT:
            self.absent_imports.append(bound)
        elif event is Event.EXTENSION_IMPORT:
            self.extension_imports.append(bound)
        elif event is Event.MASK_WRITE:
            self.mask_writes.append(bound)
        elif event is Event.DISGUISE:
            self.disguises.append(bound)
        elif event is Event.COUNT:
            self.counts.append(bound)
        else:
            table = {
                Event.LAST_NAME: self.last_names,
                Event.MEMBER: self.members,
                Event.STRING: self.strings,
                Event.KEYWORD: self.keywords,
                Event.DEFINITION: self.definitions,
                Event.SUPPORT_LISTED_MEMBER: self.support_listed_members,
                Event.SUPPORT_LISTED_NAME: self.support_listed_names,
            }[event]
            table.setdefault(bound.pattern, []).append(bound)


@lru_cache(maxsize=32)
def dispatch_for(
    target: Target, version: Version, select: tuple[str, ...], ignore: tuple[str, ...]
) -> Dispatch:
    """The dispatch of the rules of a target that hold for a version and are chosen by ``select`` and
    ``ignore``."""
    from .registry import outlines_for

    running = (item for item in outlines_for(target) if target.runs(item.code))
    return Dispatch(item for item in running if item.holds_for(version) and is_chosen(item, select, ignore))


def is_chosen(rule: Rule | Outline, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    """Whether a rule is selected and not ignored; both name codes, prefixes of codes, or rule names.

    Of two that match, the longer one decides, as a reader would expect of ``--ignore NPU2 --select NPU201``.
    """

    def specificity(patterns: tuple[str, ...]) -> int:
        return max((_named(pattern, rule) for pattern in patterns), default=-1)

    selected, ignored = specificity(select) if select else 0, specificity(ignore)
    return selected >= 0 and (ignored < 0 or selected > ignored)


def chosen_codes(target: Target, select: tuple[str, ...], ignore: tuple[str, ...]) -> frozenset[str]:
    """The codes of the rules that a target may run, and of steps, that are selected and not ignored.

    Those of the other targets of this package are among them, as far as a pattern may mean them all.
    """
    from .registry import outlines_for, steps

    known: tuple[Rule | Outline, ...] = (*outlines_for(target), *steps())
    return frozenset(rule.code for rule in known if is_chosen(rule, select, ignore))


def names_a_rule(pattern: str) -> bool:
    """Whether any rule, or step of a codemod, has that code, a code that begins so, or that name."""
    from .registry import all_rules, outlines_for, steps

    here = any(_named(pattern, outline) >= 0 for outline in outlines_for(DEFAULT))
    return here or any(_named(pattern, rule) >= 0 for rules in (steps, all_rules) for rule in rules())


def _named(pattern: str, rule: Rule | Outline) -> int:
    return len(pattern) if rule.name == pattern else matched_length(pattern, rule.code)
