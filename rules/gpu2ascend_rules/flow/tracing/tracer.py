"""From a word to everything that uses it: the one way forward through the expressions of a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from tree_sitter import Node

from ...limits.checkpoints import checkpoint
from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS, PROGRAM_LIMITS
from ...text.syntax import COMPREHENSION_TYPES, field, is_field, operator_of, parts_of, same, text_of
from .. import templates
from ..libraries import is_foreign_file
from ..names.definition import FUNCTION, Definition
from ..names.definitions import Definitions
from ..names.files import Files, ProgramFile
from ..names.uses import Uses
from ..subject import PlaceKind, Subject
from ..verdicts import Role
from .calls.arguments import Calls
from .calls.declarations import option_before
from .calls.started import Started
from .counts import Counts
from .ends import Recorder
from .entries import environment
from .entries.config_files import Loads
from .parts import IsNamed
from .stores import Stores
from .tests import Tests
from .texts import Texts
from .values import ITEM, Followed, Value

Steps = Iterator[Value]

_KEEPS = ("parenthesized_expression", "await", "type_conversion")
_KEPT_BY_DISPLAYS = ("list", "tuple", "set", "expression_list")
_ONLY_ASKED = frozenset(
    {"if_statement", "while_statement", "elif_clause", "if_clause", "not_operator", "call", "case_pattern",
     "union_pattern", "del_statement"}
)  # fmt: skip
"""Where a value is used without going on: its truth is asked, or nothing happens with it."""
_SHOWS = frozenset({"raise_statement", "expression_statement", "print_statement"})


class Tracer(Recorder):
    """Follows words of one subject; see :meth:`follow`."""

    def __init__(
        self, subject: Subject, files: Files, definitions: Definitions, uses: Uses, is_named: IsNamed
    ) -> None:
        super().__init__(subject)
        self.files = files
        self.definitions = definitions
        self.uses = uses
        self.is_named = is_named
        self.stores: Stores = Stores(self)
        self.calls: Calls = Calls(self)
        self.tests: Tests = Tests(self)
        self.counts: Counts = Counts(self)
        self.started: Started = Started(self)

    # -- ways through a program ------------------------------------------------------------------------

    def follow(self, origin: Value) -> Followed:
        """The uses of a word, and the files that its way leads through."""
        return self._follow([origin])

    def follow_option(self, file: ProgramFile, declaration: Node) -> Followed:
        """The uses of a value that the option of a declaration is given."""
        given = Value(file, declaration, text=self.subject.sample)
        return self._follow(self.calls.given_to_option(given, declaration))

    def follow_argument(self, called: Definition, way: tuple[str, ...]) -> Followed:
        """The uses of a value given by keyword to a function or class, below the other keys of the way."""
        return self._follow(self._given(called.file, called, way))

    def _given(self, file: ProgramFile, called: Definition, way: tuple[str, ...]) -> Steps:
        given = Value(file, called.node, way[1:], text=self.subject.sample)
        return self.calls.entered(given, called, way[0], None)

    def follow_setting(self, loads: Loads, keys: tuple[str, ...]) -> Followed:
        """The uses of the value that configurations have under some keys, or in a list there, as a file reads
        them."""
        ways = (keys, (*keys, ITEM))
        called = (Value(loads.file, call, way) for call in loads.calls for way in ways)
        held = ((Value(loads.file, name, way), name) for name in loads.names for way in ways)
        read = (read for value, name in held for read in self.reads(value, name))
        return self._follow(chain(called, read, self._filled(loads, keys)))

    def _filled(self, loads: Loads, keys: tuple[str, ...]) -> Steps:
        """The arguments of classes that a library makes of what configurations have under a key."""
        for key, expression in loads.filled:
            found = self.definitions.of(loads.file, expression)
            if found is not None and len(keys) > 1 and keys[0] == key:
                yield from self._given(loads.file, found, keys[1:])

    def follow_parameter(self, file: ProgramFile, name: Node) -> Followed:
        """The uses of a value that the parameter of a name is given."""
        return self._follow(self.reads(Value(file, name, is_certain=True), name))

    def follow_variable(self, file: ProgramFile, name: str) -> Followed:
        """The uses of the value that an environment variable has, as a file reads it."""
        declared = (Value(file, it.node, text=self.subject.sample) for it in environment.options(file, name))
        options = (read for given in declared for read in self.calls.given_to_option(given, given.node))
        return self._follow(chain(environment.read(file, name), options))

    def _follow(self, origins: Iterable[Value]) -> Followed:
        self.ends, self.meetings = {}, {}
        seen: set[tuple[object, ...]] = set()
        paths: set[str] = set()
        waiting: list[Value] = []
        arrivals: list[Value] = []
        before: Value | None = None
        new = origins
        while True:
            checkpoint()
            for after in new:
                if before is None and not after.text:
                    after = after._replace(text=self._text_of(after.node))
                if after.key not in seen and len(seen) < PROGRAM_LIMITS.steps and self.goes_on(after):
                    seen.add(after.key)
                    if before is None or after.arrives_from(before):
                        arrivals.append(after)
                    paths.add(after.file.path)
                    waiting.append(after)
            if not waiting:
                return Followed(frozenset(self.ends), frozenset(paths), tuple(self.meetings), tuple(arrivals))
            before = waiting.pop()
            new = self._with_options(before)

    def _with_options(self, value: Value) -> Steps:
        """Where a value goes, and the options that it is given to where it becomes a part of a command."""
        for after in self.step(value):
            yield after
            if after.text != value.text and not after.access:
                yield from self.started.of_text(value, after)

    def _text_of(self, node: Node) -> str:
        text = templates.string_template(node) if node.type == "string" else ""
        return text if self.subject.is_text(text) else self.subject.sample

    def goes_on(self, value: Value) -> bool:
        """Whether a text that was put together may still be of the subject; one that is not is recorded."""
        if not value.text or self.subject.may_become(value.text):
            return True
        self.spelled(value)
        return False

    def step(self, value: Value) -> Iterable[Value]:
        """Where a value goes from an expression, its ends recorded."""
        parent = parent_of(value.node)
        step = _STEPS.get(parent.type) if parent is not None else None
        if step is None or parent is None:
            self.at(value, PlaceKind.ELSEWHERE, parent)
            return ()
        return step(self, value, parent)

    # -- names ------------------------------------------------------------------------------------------

    def reads(self, value: Value, name: Node) -> Steps:
        """The reads of a variable that now holds a value."""
        if not value.access and self.subject.handled(name, value.file.ctx):
            self.seen(value, Role.SHOWN)
            return
        scope = value.file.source.names.scope_of(name)
        is_shared = scope.type != FUNCTION and scope.type != "lambda"
        self.called(value, name, text_of(name), is_shared=is_shared)
        uses = [use for use in self.uses.of_variable(value.file, name) if not same(use[1], name)]
        if not uses and is_shared and not value.is_entry:
            self.seen(value, Role.UNKNOWN, proof=False)
        for file, use, is_certain in uses:
            yield value.read_at(use, file, is_certain=is_certain)

    def is_foreign(self, file: ProgramFile) -> bool:
        """Whether a file works with another framework than torch, and that decides for the subject."""
        return self.subject.of_torch and is_foreign_file(file.ctx)

    # -- expressions that keep the value -----------------------------------------------------------

    def _keeps(self, value: Value, parent: Node) -> Steps:
        yield value.at(parent)

    def _nothing(self, value: Value, parent: Node) -> Steps:
        return iter(())

    def _showing(self, value: Value, parent: Node) -> Steps:
        self.seen(value, Role.SHOWN)
        return iter(())

    def _asserted(self, value: Value, parent: Node) -> Steps:
        if not same(parent.named_children[0], value.node):
            self.seen(value, Role.SHOWN)
        return iter(())

    def _arm(self, value: Value, parent: Node) -> Steps:
        parts = parts_of(parent)
        if len(parts) != 3 or same(parts[1], value.node):
            return
        other = parts[2] if same(parts[0], value.node) else parts[0]
        if self.subject.handled(other, value.file.ctx):
            self.seen(value, Role.SHOWN)
            return
        if not self._may_stand_beside(other):
            value = self._beside_another(value, parent)
        if templates.plain_text(other) in self.subject.siblings:
            self.add_alternative(value, parent)
        yield value.at(parent)

    def _either(self, value: Value, parent: Node) -> Steps:
        others = [part for part in parent.named_children if not same(part, value.node)]
        proves = self.subject.alternative_proves and not value.access
        if proves and any(self.is_named(value.file, other) for other in others):
            self.seen(value, Role.CONSUMED)
        if not all(map(self._may_stand_beside, others)):
            value = self._beside_another(value, parent)
        yield value.at(parent)

    def _beside_another(self, value: Value, choice: Node) -> Value:
        """A word whose alternative is nothing of the subject: only what takes both shows that it is."""
        self.seen(value, Role.SHOWN)
        return value._replace(display=choice)

    def _may_stand_beside(self, other: Node) -> bool:
        """Whether an alternative to a text of the subject could be one too."""
        text = templates.plain_text(other)
        return text is None or self.subject.beside(text) or self.subject.is_text(text)

    # -- texts made of parts -----------------------------------------------------------------------

    def made(self, value: Value, node: Node) -> Steps:
        """The value as a part of the text that an expression makes of it."""
        if self.subject.part_counts or not value.text:
            yield value.at(node)
            return
        part = value.part
        if part is None:
            return
        text = Texts(value.file.source, part, value.text).of(node)
        yield value._replace(node=node, access=(), display=None, text=text, is_read=False)

    def _joined(self, value: Value, parent: Node) -> Steps:
        """Adjacent literals, and what an expression is in a formatted text."""
        whole = parent_of(parent) if parent.type == "interpolation" else parent
        is_data = parent.named_child_count > FORWARD_LIMITS.items
        if whole is None or is_data or (value.access and not self.subject.part_counts):
            self.seen(value, Role.SHOWN)
            return iter(())
        return self.made(value, whole)

    def _sum(self, value: Value, parent: Node) -> Steps:
        operator = operator_of(parent)
        if not value.access or self.subject.part_counts or (operator == "%" and value.node.type == "tuple"):
            yield from self.made(value, parent)
        elif operator in ("+", "|", "*"):
            access = (ITEM, *value.access[1:]) if value.has_items else value.access
            yield value._replace(node=parent, access=access)
        else:
            self.seen(value, Role.UNKNOWN, proof=False)

    # -- containers --------------------------------------------------------------------------------

    def _element(self, value: Value, parent: Node) -> Steps:
        """An item of a display; its place counts, for it may be unpacked."""
        if parent.named_child_count > FORWARD_LIMITS.items:
            self.seen(value, Role.SHOWN)
            return
        held = value if value.access else value._replace(display=parent)
        if not value.access and not self.subject.part_counts:
            given = list(self.started.of_element(value, parent))
            if given:
                yield from given
                return
            option = option_before(value.node)
            if option is not None and self.subject.option_values_apart:
                self.seen(value, Role.SHOWN)
                return
            if option is not None and self.subject.names(option):
                self.seen(value, Role.UNKNOWN, proof=False)
                return
        key = ITEM
        if parent.type != "set":
            items = [item for item in parent.named_children if item.type != "comment"]
            key = f"[{next(index for index, item in enumerate(items) if same(item, value.node))}]"
        yield held.within(key, parent)

    def _comprehension(self, value: Value, parent: Node) -> Steps:
        if is_field(value.node, "body"):
            yield value.within(ITEM, parent)
        else:
            self.seen(value, Role.UNKNOWN, proof=False)

    # -- parts of objects --------------------------------------------------------------------------

    def _attribute(self, value: Value, parent: Node) -> Steps:
        name = field(parent, "attribute")
        if name is None or not is_field(value.node, "object"):
            return
        text = text_of(name)
        taken = value.taken(text, parent)
        if taken is not None:
            yield taken
        elif not value.access and (
            text == "value" or (text in ("type", "name") and (value.is_kept or not value.text))
        ):
            yield value.at(parent)._replace(text=value.text or self.subject.sample)
        else:
            yield from self.calls.method(value, parent, text)

    def _subscript(self, value: Value, parent: Node) -> Steps:
        if is_field(value.node, "value"):
            yield from self.stores.item(value, parent)
        elif not value.access and value.text:
            self.tests.looked_up(value, parent)


_Step = Callable[[Tracer, Value, Node], Iterable[Value]]
_STEPS: dict[str, _Step] = {
    **dict.fromkeys(_ONLY_ASKED, Tracer._nothing),
    **dict.fromkeys(_KEEPS, Tracer._keeps),
    **dict.fromkeys(_KEPT_BY_DISPLAYS, Tracer._element),
    **dict.fromkeys(COMPREHENSION_TYPES, Tracer._comprehension),
    **dict.fromkeys(_SHOWS, Tracer._showing),
    "conditional_expression": Tracer._arm,
    "boolean_operator": Tracer._either,
    "concatenated_string": Tracer._joined,
    "interpolation": Tracer._joined,
    "binary_operator": Tracer._sum,
    "named_expression": lambda tracer, value, parent: tracer.stores.walrus(value, parent),
    "attribute": Tracer._attribute,
    "subscript": Tracer._subscript,
    "keyword_argument": lambda tracer, value, parent: tracer.calls.keyword(value, parent),
    "argument_list": lambda tracer, value, parent: tracer.calls.positional(value, parent),
    "list_splat": lambda tracer, value, parent: tracer.calls.unpacked(value, parent),
    "dictionary_splat": lambda tracer, value, parent: tracer.calls.unpacked_by_name(value, parent),
    "pair": lambda tracer, value, parent: tracer.stores.pair(value, parent),
    "comparison_operator": lambda tracer, value, parent: tracer.tests.compared(value, parent),
    "match_statement": lambda tracer, value, parent: tracer.tests.matched(value, parent),
    "case_pattern": lambda tracer, value, parent: tracer.tests.case(value, parent),
    "union_pattern": lambda tracer, value, parent: tracer.tests.case(value, parent),
    "type": lambda tracer, value, parent: tracer.tests.annotation(value, parent),
    "assert_statement": Tracer._asserted,
    "assignment": lambda tracer, value, parent: tracer.stores.assigned(value, parent),
    "augmented_assignment": lambda tracer, value, parent: tracer.stores.augmented(value, parent),
    "default_parameter": lambda tracer, value, parent: tracer.stores.default(value, parent),
    "typed_default_parameter": lambda tracer, value, parent: tracer.stores.default(value, parent),
    "return_statement": lambda tracer, value, parent: tracer.stores.returned(value, parent),
    "yield": lambda tracer, value, parent: tracer.stores.yielded(value, parent),
    "for_statement": lambda tracer, value, parent: tracer.stores.iterated(value, parent),
    "for_in_clause": lambda tracer, value, parent: tracer.stores.iterated(value, parent),
    "lambda": lambda tracer, value, parent: tracer.stores.given_by_lambda(value, parent),
}
"""The steps by the kind of the expression around a value."""
