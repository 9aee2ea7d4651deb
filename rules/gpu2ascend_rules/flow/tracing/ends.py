"""What the tracer records on the way of a word: uses, places that show what it is, names that keep it."""

from __future__ import annotations

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.syntax import field
from .. import templates
from ..subject import PlaceKind, Subject
from ..verdicts import Role
from .values import End, EndKind, Meeting, Met, Value

_ROLES = {EndKind.TAKES: Role.CONSUMED, EndKind.REFUSES: Role.FOREIGN, EndKind.UNKNOWN: Role.UNKNOWN}
_NOTHING_MET = Met()


class Recorder:
    """Keeps the ends of the words of one subject, and the comparisons that they come to."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.ends: dict[End, None] = {}
        self.meetings: dict[Meeting, None] = {}

    def end(
        self, kind: EndKind, value: Value, node: Node, met: Met = _NOTHING_MET, library: str = ""
    ) -> None:
        """Record a use, with the words that the value meets there, or the library that refuses it."""
        role = self.subject.named if kind is EndKind.NAMED else _ROLES.get(kind, Role.NEUTRAL)
        self._record(kind, value, role, node, met, library, proof=role is not Role.UNKNOWN)

    def seen(
        self, value: Value, role: Role, node: Node | None = None, *, proof: bool = True, library: str = ""
    ) -> None:
        """Record what a place that is no use shows of a word."""
        self._record(EndKind.SEEN, value, role, node, _NOTHING_MET, library, proof=proof)

    def at(self, value: Value, place: PlaceKind, node: Node | None = None, library: str = "") -> None:
        """Record what a word counts as at a place that proves nothing."""
        role = self.subject.otherwise_at(place)
        if place is PlaceKind.INDEX:
            self.spelled(value)
        self.seen(
            value,
            role,
            node if role is not Role.SHOWN else None,
            proof=role is not Role.UNKNOWN,
            library=library,
        )

    def open_end(self, value: Value, node: Node) -> None:
        """Record that a word goes where it cannot be followed; what that shows of it is recorded apart."""
        self._put(EndKind.UNKNOWN, value, Role.NEUTRAL, None, place=node)

    def _record(
        self,
        kind: EndKind,
        value: Value,
        role: Role,
        node: Node | None,
        met: Met,
        library: str,
        *,
        proof: bool,
    ) -> None:
        place = node if node is not None else value.node
        if value.display is not None:
            role, node, proof = self._among_others(value, role, node, proof=proof)
        if role is Role.UNKNOWN and node is None:
            node = parent_of(value.node)
        self._put(kind, value, role, node, met=met, library=library, proof=proof, place=place)

    def _among_others(
        self, value: Value, role: Role, node: Node | None, *, proof: bool
    ) -> tuple[Role, Node | None, bool]:
        """What a word of a list is that goes the same way as the others in it."""
        others = self._others(value)
        if role is Role.UNKNOWN and not all(map(self.subject.beside, others)):
            return Role.SHOWN, None, True
        if role is Role.CONSUMED and not value.access and self.is_crowded(value):
            asked = value.file.source.names.name_of(field(node, "function") or value.node)
            return Role.MEMBER, value.display, asked in self.subject.for_each
        return role, node, proof

    def _others(self, value: Value) -> list[str]:
        """The other texts of the list in which a word was written."""
        display = value.display
        items = display.named_children if display is not None else []
        texts = [
            templates.template_of(item) for item in items if item.type in ("string", "concatenated_string")
        ]
        return [text for text in texts if text != value.text]

    def is_crowded(self, value: Value) -> bool:
        """Whether the list of a word has the subject's alternatives already."""
        return any(map(self.subject.rival, self._others(value)))

    def is_mixed(self, value: Value) -> bool:
        """Whether the list of a word also holds texts that cannot be of the subject."""
        return not all(map(self.subject.beside, self._others(value)))

    def is_one_of_its_kind(self, value: Value) -> bool:
        """Whether a word was written in a list of nothing but such texts, so that any item may be it."""
        items = value.display.named_children if value.display is not None else []
        texts = [templates.template_of(item) for item in items if item.type != "comment"]
        return bool(texts) and all(map(self.subject.beside, texts)) and templates.UNKNOWN_PART not in texts

    def meet(self, value: Value, comparison: Node) -> None:
        """Record that a value is compared with whatever else comes there."""
        if value.is_certain:
            calls = tuple(call.key for call in value.calls)
            self.meetings[Meeting(value.file.path, comparison.start_byte, calls)] = None

    def called(self, value: Value, place: Node, *names: str, is_shared: bool) -> None:
        """Record that a word is kept under some names."""
        subject = self.subject
        if value.is_entry or (not value.access and value.display is not None and self.is_mixed(value)):
            return
        if not any(map(subject.names, names)):
            may_be = subject.proves(value.text) or (is_shared and any(map(subject.may_name, names)))
            self._put(EndKind.KEPT, value, Role.NEUTRAL, None, is_shared=may_be)
        elif value.is_boxed and subject.named_list is not subject.named:
            self._put(EndKind.CALLED, value, subject.named_list, value.node, proof=False, is_shared=is_shared)
        else:
            self._put(EndKind.CALLED, value, subject.named, None, is_shared=is_shared, place=place)

    def called_entry(self, value: Value, role: Role, holder: Node) -> None:
        """Record that a word is kept under a key which is a name of the subject."""
        proof = role is not Role.UNKNOWN
        node = None if proof else parent_of(value.node)
        self._put(EndKind.CALLED, value, role, node, proof=proof, is_shared=True, place=holder)

    def add_alternative(self, value: Value, place: Node) -> None:
        """Record that another text of the subject is beside a word, which decides where nothing else does."""
        met = Met(is_choice=True)
        self._put(EndKind.CALLED, value, Role.CONSUMED, None, met=met, is_shared=True, place=place)

    def spelled(self, value: Value) -> None:
        """Record that a word is a key, or has become a part of another text, where that may be a name."""
        if self.subject.sample in value.text.lower() and not value.access:
            self._put(EndKind.SPELLED, value, Role.NEUTRAL, value.node, text=value.text)

    def chosen(self, value: Value) -> None:
        """Record that a word is one of the values that an option takes."""
        spoils = not self.subject.spoilers.isdisjoint(self._others(value))
        met = Met(is_choice=True)
        self._put(EndKind.SEEN, value, Role.OPTION, value.node, met=met, is_shared=spoils)

    def _put(
        self,
        kind: EndKind,
        value: Value,
        role: Role,
        node: Node | None,
        *,
        met: Met = _NOTHING_MET,
        library: str = "",
        proof: bool = True,
        is_shared: bool = False,
        place: Node | None = None,
        text: str = "",
    ) -> None:
        start = (place or node or value.node).start_byte
        certain = value.is_certain
        end = End(kind, value.file.path, start, *met, certain, library, role, node, proof, is_shared, text)
        self.ends[end] = None
