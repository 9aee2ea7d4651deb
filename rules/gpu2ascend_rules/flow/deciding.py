"""How the ends that a word reaches come to one answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from .subject import PlaceKind, Subject
from .tracing.values import End, EndKind
from .verdicts import CONSUMED, SHOWN, SILENT, UNKNOWN, Role, Verdict, strongest

_NO_USES = frozenset({EndKind.CALLED, EndKind.KEPT, EndKind.COUNTED, EndKind.SPELLED})


def verdict_of(ends: Iterable[End], subject: Subject, is_foreign_file: Callable[[], bool]) -> Verdict:
    """What a word is used as that reaches these ends.

    Uses that are evidence decide; then a name of the subject does. What is used as text alone is none, unless
    other files may use it too.
    """
    found = list(ends)
    chosen = next((end for end in found if end.role is Role.OPTION and end.is_choice), None)
    if chosen is not None:
        found.remove(chosen)
        return _as_choice(chosen, verdict_of(found, subject, is_foreign_file))
    return _verdict_of_uses(found, subject, is_foreign_file)


def _verdict_of_uses(found: list[End], subject: Subject, is_foreign_file: Callable[[], bool]) -> Verdict:
    names = [end for end in found if end.kind is EndKind.CALLED and not end.is_choice]
    best, called = _best_use(found), strongest(end.verdict for end in names)
    if names and subject.name_first and best.role is not Role.FOREIGN:
        return called
    if best.role not in SILENT:
        return best
    if names:
        is_text = best.role is Role.SHOWN and not any(end.is_shared for end in names)
        return SHOWN if is_text or is_foreign_file() else called._replace(node=called.node or best.node)
    return _without_name(best, found, subject)


def _without_name(best: Verdict, found: list[End], subject: Subject) -> Verdict:
    """What a word is used as that no name of the subject keeps, and of which no use is evidence."""
    if best.role is Role.UNKNOWN and any(end.kind is EndKind.CALLED for end in found):
        return CONSUMED
    kept = [end for end in found if end.kind is EndKind.KEPT]
    if kept and subject.otherwise_at(PlaceKind.NAME) is Role.UNKNOWN:
        return best if best.role is Role.UNKNOWN else UNKNOWN
    if best.role is Role.NEUTRAL and any(end.is_shared for end in kept):
        return UNKNOWN
    return best


def _as_choice(chosen: End, used: Verdict) -> Verdict:
    """What one of the values that an option takes is, by what the option's value is used as."""
    is_used = used.role is Role.CONSUMED
    if used.role is Role.FOREIGN or (chosen.is_shared and not is_used):
        return SHOWN
    return Verdict(Role.OPTION, chosen.node, certain=is_used)


def foreign_ends(ends: Iterable[End]) -> Iterator[Verdict]:
    """Where a word reaches another framework."""
    return (end.verdict for end in ends if end.role is Role.FOREIGN)


def _best_use(found: Iterable[End]) -> Verdict:
    return strongest(end.verdict for end in found if end.kind not in _NO_USES)
