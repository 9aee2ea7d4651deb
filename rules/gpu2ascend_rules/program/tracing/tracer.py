"""From a word to everything that uses it: the one way forward through the files of a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from tree_sitter import Node

from ...flow.climb.subject import Subject
from ...flow.templates import string_template, template_of
from ...limits.checkpoints import checkpoint
from ...limits.parents import parent_of
from ...limits.walks import PROGRAM_LIMITS
from ...text.syntax import COMPREHENSION_TYPES, field, is_field, operator_of, parts_of, same, text_of
from ..files import ProgramFile, ProgramFiles
from ..names.definitions import Definitions
from ..names.uses import Uses
from ..values import ITEM, End, EndKind, Followed, Meeting, Met, Value
from . import environment
from .calls import Calls
from .config_files import injected, loaded
from .stores import Stores
from .tests import Tests

Steps = Iterator[Value]

_KEEPS = ("parenthesized_expression", "await", "concatenated_string", "type_conversion", "interpolation")
_KEPT_BY_DISPLAYS = ("list", "tuple", "set", "expression_list")
_USED_ONLY = frozenset(
    {
        "if_statement", "while_statement", "elif_clause", "if_clause", "not_operator", "assert_statement",
        "expression_statement", "raise_statement", "del_statement", "unary_operator", "with_item",
        "format_specifier", "slice", "except_clause", "decorator",
    }
)  # fmt: skip
"""Where a value is used without going on: its truth is asked, or nothing happens with it."""
_PART = r"(?:\w|\{\})+"
_IS_WORD = re.compile(f"{_PART}(?::{_PART})?(?:,{_PART}:{_PART})*")
"""A formatted text that is still a word, or a list of back ends by device."""


class Tracer:
    """Follows words of one subject; see :meth:`follow`."""

    def __init__(self, subject: Subject, files: ProgramFiles, definitions: Definitions, uses: Uses) -> None:
        self.subject = subject
        self.files = files
        self.definitions = definitions
        self.uses = uses
        self.ends: dict[End, None] = {}
        self._meetings: dict[Meeting, None] = {}
        self.stores = Stores(self)
        self._calls = Calls(self)
        self.tests = Tests(self)
        self._steps: dict[str, Callable[[Value, Node], Iterable[Value]]] = {
            "conditional_expression": self._arm,
            "boolean_operator": self._keeps,
            "binary_operator": self._sum,
            "named_expression": self.stores.walrus,
            "attribute": self._attribute,
            "subscript": self._subscript,
            "call": self._called,
            "keyword_argument": self._calls.keyword,
            "argument_list": self._calls.positional,
            "list_splat": self._calls.unpacked,
            "dictionary_splat": self._calls.unpacked_by_name,
            "pair": self.stores.pair,
            "comparison_operator": self.tests.compared,
            "match_statement": self.tests.matched,
            "case_pattern": self._nothing,
            "assignment": self.stores.assigned,
            "augmented_assignment": self.stores.augmented,
            "default_parameter": self.stores.default,
            "typed_default_parameter": self.stores.default,
            "return_statement": self.stores.returned,
            "yield": self.stores.yielded,
            "for_statement": self.stores.iterated,
            "for_in_clause": self.stores.iterated,
            "lambda": self.stores.given_by_lambda,
        }
        self._steps.update(dict.fromkeys(_KEEPS, self._keeps))
        self._steps.update(dict.fromkeys(_KEPT_BY_DISPLAYS, self._element))
        self._steps.update(dict.fromkeys(COMPREHENSION_TYPES, self._comprehension))
        self._steps.update(dict.fromkeys(_USED_ONLY, self._nothing))

    def follow(self, origin: Value) -> Followed:
        """The uses of a word, and the files that its way leads through."""
        return self._follow([origin])

    def follow_option(self, file: ProgramFile, declaration: Node) -> Followed:
        """The uses of a value that the option of a declaration is given."""
        return self._follow(self._calls.given_to_option(Value(file, declaration), declaration))

    def follow_setting(self, file: ProgramFile, suffix: str, keys: tuple[str, ...]) -> Followed:
        """The uses of the value that configurations have under some keys, as a file reads them."""
        given = (value for held, name in injected(file, suffix, keys) for value in self.reads(held, name))
        return self._follow(chain(loaded(file, suffix, keys), given))

    def follow_variable(self, file: ProgramFile, name: str) -> Followed:
        """The uses of the value that an environment variable has, as a file reads it."""
        return self._follow(environment.read(file, name))

    def _follow(self, origins: Iterable[Value]) -> Followed:
        self.ends, self._meetings = {}, {}
        seen: set[tuple[object, ...]] = set()
        paths: set[str] = set()
        waiting: list[Value] = []
        arrivals: list[Value] = []
        before: Value | None = None
        new = origins
        while True:
            checkpoint()
            for after in new:
                if after.key not in seen and len(seen) < PROGRAM_LIMITS.steps:
                    seen.add(after.key)
                    if before is None or after.arrives_from(before):
                        arrivals.append(after)
                    paths.add(after.file.path)
                    waiting.append(after)
            if not waiting:
                return Followed(
                    frozenset(self.ends), frozenset(paths), tuple(self._meetings), tuple(arrivals)
                )
            before = waiting.pop()
            new = self._step(before)

    def end(
        self,
        kind: EndKind,
        value: Value,
        node: Node,
        met: Met = Met(),  # noqa: B008 - a constant
        library: str = "",
    ) -> None:
        """Record a use, with the words that the value meets there, or the library that refuses it."""
        self.ends[End(kind, value.file.path, node.start_byte, *met, value.is_certain, library)] = None

    def meet(self, value: Value, comparison: Node) -> None:
        """Record that a value is compared with whatever else comes there."""
        if value.is_certain:
            calls = tuple(call.key for call in value.calls)
            self._meetings[Meeting(value.file.path, comparison.start_byte, calls)] = None

    def reads(self, value: Value, name: Node) -> Steps:
        """The reads of a variable that now holds a value."""
        self.called(value, name, text_of(name))
        for file, use, is_certain in self.uses.of_variable(value.file, name):
            yield value.read_at(use, file, is_certain=is_certain)

    def called(self, value: Value, place: Node, name: str) -> None:
        """Record that a word is held under a name, where that is one of the subject."""
        if not value.access and self.subject.names(name):
            self.end(EndKind.CALLED, value, place)

    def _step(self, value: Value) -> Iterable[Value]:
        parent = parent_of(value.node)
        step = self._steps.get(parent.type) if parent is not None else None
        return step(value, parent) if step is not None and parent is not None else ()

    # -- expressions that keep the value -----------------------------------------------------------

    def _keeps(self, value: Value, parent: Node) -> Steps:
        if parent.type == "interpolation":
            string = parent_of(parent)
            if string is not None and string.type == "string" and _IS_WORD.fullmatch(string_template(string)):
                yield value.at(string)
            return
        yield value.at(parent)

    def _nothing(self, value: Value, parent: Node) -> Steps:
        return iter(())

    def _arm(self, value: Value, parent: Node) -> Steps:
        parts = parts_of(parent)
        if len(parts) == 3 and not same(parts[1], value.node):
            yield value.at(parent)

    def _sum(self, value: Value, parent: Node) -> Steps:
        operator, is_left = operator_of(parent), is_field(value.node, "left")
        if value.access:
            if operator in ("+", "|", "*"):
                yield value.at(parent)
        elif operator == "%" or (operator == "+" and (is_left or _follows_device(parent))):
            yield value.at(parent)

    def _element(self, value: Value, parent: Node) -> Steps:
        """An item of a display; its place counts, for it may be unpacked."""
        if parent.type == "set":
            yield value.within(ITEM, parent)
            return
        items = [item for item in parent.named_children if item.type != "comment"]
        place = next(index for index, item in enumerate(items) if same(item, value.node))
        yield value.within(f"[{place}]", parent)

    def _comprehension(self, value: Value, parent: Node) -> Steps:
        if is_field(value.node, "body"):
            yield value.within(ITEM, parent)

    def _attribute(self, value: Value, parent: Node) -> Steps:
        name = field(parent, "attribute")
        if name is None or not is_field(value.node, "object"):
            return
        text = text_of(name)
        taken = value.taken(text, parent)
        if taken is not None:
            yield taken
        elif not value.access and text in ("value", "type", "name"):
            yield value.at(parent)._replace(is_text=True)
        else:
            yield from self._calls.method(value, parent, text)

    def _subscript(self, value: Value, parent: Node) -> Steps:
        if not is_field(value.node, "value"):
            if not value.access and value.is_text:
                self.tests.looked_up(value, parent)
            return
        yield from self.stores.item(value, parent)

    def _called(self, value: Value, parent: Node) -> Steps:
        """The word names what is called, as ``getattr`` gives it: nothing is known of that."""
        return iter(())


def _follows_device(total: Node) -> bool:
    """Whether the right side of a sum is the back end of a device: ``device + ':' + backend``."""
    left = field(total, "left")
    return left is not None and template_of(left).endswith(":")
