"""From the places of a file to the findings of the rules that ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from ...kinds.kind import Kind, KindFile, WholeText
from ...limits.checkpoints import checkpoint
from ...model.defects import failed_rule
from ...model.finding import Applicability, Finding
from ...model.project.project_view import ProjectView
from ...model.versions import Version
from ...options.options import MigrationOptions
from ...targets.registry import DEFAULT
from ...targets.target import Target
from ...text.parts.embedded import EmbeddedPython, may_embed_python
from ..dispatch import is_chosen
from ..outlines import Outline, place_name
from ..prefilter import may_concern, shortest
from ..rule import Handler
from .context import PlaceContext

_Handlers = dict[type, list[tuple[Outline, Handler]]]
_MOST_KNOWN = 256


class _Chosen(NamedTuple):
    """The rules that hold for a version and are chosen, of those for a kind."""

    handlers: dict[type, list[tuple[Outline, int]]]
    """By what they want, each by its number in the rule."""
    words: Mapping[bytes, Set[Outline]]
    """Which rules a word in the text may concern."""
    known: dict[tuple[bytes, ...], _Handlers]
    """The handlers, by the words of a text."""

    def words_in(self, data: bytes) -> tuple[bytes, ...]:
        """Those of the words that a text has."""
        lower = data.lower()
        return tuple(word for word in self.words if word in lower)

    def concerned(self, words: tuple[bytes, ...]) -> _Handlers:
        """The handlers of the rules that words in a text may concern, which are imported now. Most files of
        a project have the same few."""
        known = self.known.get(words)
        if known is None:
            rules = {rule for word in words for rule in self.words[word]}
            found = {
                place: [(rule, rule.place_handler(number)) for rule, number in some if rule in rules]
                for place, some in self.handlers.items()
            }
            known = {place: some for place, some in found.items() if some}
            if len(self.known) >= _MOST_KNOWN:
                self.known.clear()
            self.known[words] = known
        return known


def place_findings(
    file: KindFile,
    options: MigrationOptions,
    project: ProjectView,
    on_error: Callable[[str, Exception], None] | None = None,
    of_parts: Iterable[Finding] = (),
) -> Iterator[Finding]:
    """What the rules find in a file, in the order of the text.

    Args:
        of_parts: What is found in its parts, which rules that search the whole text leave out.

    Raises:
        OptionError: the options choose no version.
    """
    context = PlaceContext(file, options, project)
    if not may_concern_kind(file.kind, file.data, options.route):
        return
    chosen = _chosen(file.kind, options.route, context.version, options.select, options.ignore)
    words = chosen.words_in(file.data)
    handlers = chosen.concerned(words)
    if not handlers:
        return
    context.reported += ((finding.start, finding.end) for finding in of_parts)
    for place in chain(file.places_about(words), (WholeText(0, len(file.data)),)):
        checkpoint()
        for rule, handler in handlers.get(type(place), ()):
            try:
                for finding in offered(handler(place, context), file):
                    context.reported.append((finding.start, finding.end))
                    yield finding
            except Exception as error:
                if on_error is None:
                    raise
                on_error(rule.code, error)
                start, end = getattr(place, "start", 0), getattr(place, "end", 0)
                yield failed_rule(rule.code, start, end, error)


def offered(findings: Iterable[Finding], file: KindFile) -> Iterator[Finding]:
    """Findings, with fixes that are only offered where a file is to be changed by hand."""
    for finding in findings:
        if finding.fix is not None and not all(
            file.takes(edit.start, edit.end) for edit in finding.fix.plan.edits
        ):
            finding = finding._replace(fix=None)
        if file.offers_only and finding.fix is not None:
            fix = finding.fix._replace(applicability=Applicability.UNSAFE)
            finding = finding._replace(fix=fix)
        yield finding


def may_concern_kind(kind: Kind, data: bytes, target: Target = DEFAULT) -> bool:
    """Whether some rule may find something in a file of a kind with these bytes: plain searches, no parse."""
    lower = data.lower()
    if EmbeddedPython in kind.places and may_embed_python(data) and may_concern(data, target):
        return True
    return any(need in lower and any(word in lower for word in words) for need, words in _words(kind, target))


@lru_cache(maxsize=64)
def _words(kind: Kind, target: Target) -> tuple[tuple[bytes, tuple[bytes, ...]], ...]:
    """What a file must have of at least one, beside what the kind needs for such places."""
    found: dict[bytes, set[str]] = {}
    for rule in _place_rules(target):
        for place in (*kind.places, WholeText):
            if place_name(place) in rule.places:
                found.setdefault(kind.needs.get(place, b""), set()).update(rule.words)
    return tuple((need, tuple(shortest(words))) for need, words in sorted(found.items()))


@lru_cache(maxsize=256)
def _chosen(
    kind: Kind, target: Target, version: Version, select: tuple[str, ...], ignore: tuple[str, ...]
) -> _Chosen:
    """The target's rules for a kind that hold for a version and are chosen."""
    handlers: dict[type, list[tuple[Outline, int]]] = {}
    words: dict[bytes, set[Outline]] = {}
    places = {place_name(place): place for place in (*kind.places, WholeText)}
    for rule in _place_rules(target):
        if target.owns(rule.code) and rule.holds_for(version) and is_chosen(rule, select, ignore):
            for number, name in enumerate(rule.places):
                if name in places:
                    handlers.setdefault(places[name], []).append((rule, number))
                    for word in rule.words:
                        words.setdefault(word.encode(), set()).add(rule)
    return _Chosen(handlers, words, {})


@lru_cache(maxsize=8)
def _place_rules(target: Target) -> tuple[Outline, ...]:
    from ..registry import outlines_for

    return tuple(outline for outline in outlines_for(target) if outline.places)
