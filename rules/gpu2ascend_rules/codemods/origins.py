"""Where a value comes from: through variables, parameters, attributes, return values and dictionaries.

The answers are the expressions that make a value, such as the call of ``DataLoader`` behind the
``train_loader`` that a function was given. What cannot be followed is an origin itself. It is the walk of
:mod:`gpu2ascend_rules.inference.walk`, read as a set of places and with the files of a program behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..inference.walk.reading import Reading, Walk, Way
from ..inference.walk.walker import Walker
from ..limits.parents import parent_of, parent_type
from ..limits.walks import PROGRAM_WALK_LIMITS
from ..text.scopes import Binding
from ..text.source_file import SourceFile
from ..text.syntax import arguments_of, enclosing, field, last_name, target_of, text_of, without_parentheses
from .passing import Passing
from .program import Place, Program, callee_name

_KEEP = frozenset({"to", "cuda", "npu", "cpu", "half", "float", "double", "bfloat16", "train", "eval",
                   "requires_grad_"})  # fmt: skip
ITERABLES = frozenset({"enumerate", "iter", "zip", "list", "tuple", "next", "reversed", "itertools.islice",
                        "itertools.cycle", "itertools.chain", "tqdm.tqdm", "tqdm.auto.tqdm",
                        "tqdm.notebook.tqdm", "tqdm.std.tqdm", "rich.progress.track"})  # fmt: skip
_DRAWN_FROM: dict[str, tuple[int, ...]] = {"items": (1,), "values": ()}
"""Where a loop has the elements of a dictionary, by the method that it goes through."""
_DICTIONARIES = frozenset({"dict", "OrderedDict", "defaultdict"})

Stop = Callable[[Place], bool]


class Origins:
    """Follows values backwards through a program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def of(self, expression: Place, stop: Stop | None = None) -> list[Place]:
        """The expressions that a value comes from; where ``stop`` holds on the way, that place is one."""
        others = _ProgramOrigins(self._program, stop)
        walker = Walker(expression.file, _Places(), limits=PROGRAM_WALK_LIMITS, others=others)
        found = walker.of(expression.node)
        walker.forget()
        return list(found.places)

    def of_batches(self, iterable: Place) -> list[Place]:
        """The origins of what a loop draws its items from, inside ``enumerate``, ``tqdm`` and the like."""
        return [origin for inner in self.iterables(iterable) for origin in self.of(inner)]

    def iterables(self, iterable: Place) -> Iterator[Place]:
        """What is gone through by ``for x in <iterable>``: ``loader`` in ``enumerate(tqdm(loader))``."""
        inner = self.gone_through(iterable)
        if inner is None:
            yield Place(iterable.file, without_parentheses(iterable.node))
        for item in inner or ():
            yield from self.iterables(item)

    def gone_through(self, iterable: Place) -> list[Place] | None:
        """What ``enumerate`` and the like are given; None for what is gone through by itself."""
        call = Place(iterable.file, without_parentheses(iterable.node))
        is_own = call.node.type != "call" or self._program.callee(call) is not None
        function = field(call.node, "function")
        is_method = text_of(field(function, "attribute")) in self._program.methods
        if is_own or is_method or callee_name(call).endswith("DataLoader"):
            return None
        is_function = function is not None and function.type == "identifier" and text_of(function) != "tqdm"
        if is_function and callee_name(call) not in ITERABLES:
            return None
        arguments = (item for item in arguments_of(call.node).items if item.keyword in (None, "iterable"))
        return [*(Place(iterable.file, argument.value) for argument in arguments), *self._unpacked(call)]

    def _unpacked(self, call: Place) -> Iterator[Place]:
        """What is in the lists that a call unpacks: ``zip(*loaders)``."""
        arguments = field(call.node, "arguments")
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "list_splat":
                yield from _listed(_Found(tuple(self.of(Place(call.file, child.named_children[0])))))


class _Found(NamedTuple):
    """Where a value comes from."""

    places: tuple[Place, ...] = ()


class _Places(Reading[_Found]):
    """The expressions that make a value."""

    unknown = _Found()
    pending = _Found()
    ways = frozenset({Way.DEFAULTS, Way.OPERANDS})
    guesses = True

    def joined(self, values: Iterator[_Found]) -> _Found:
        found: dict[tuple[str, int], Place] = {}
        result = self.unknown
        for value in values:
            if value is not self.unknown:
                result = self.pending
            for place in value.places:
                found.setdefault(place.key, place)
        return _Found(tuple(found.values())) if found else result

    def dead_end(self, node: Node, walk: Walk[_Found]) -> _Found:
        return _Found((Place(walk.source, node),))

    def method(self, receiver: Node, name: str, walk: Walk[_Found], depth: int) -> _Found | None:
        return walk.of(receiver, depth) if name in _KEEP else None

    def applied(self, function: Node, walk: Walk[_Found], depth: int) -> _Found | None:
        """What ``enumerate``, ``tqdm`` and the like go through."""
        call = parent_of(function)
        if call is None or callee_name(Place(walk.source, call)) not in ITERABLES:
            return None
        return self.joined(walk.of(argument.value, depth) for argument in arguments_of(call).positional)

    def item(self, holder: _Found, node: Node, walk: Walk[_Found], depth: int) -> _Found | None:
        """What a dictionary has under a key; under any, where the key is no literal."""
        key = field(node, "subscript")
        if key is None:
            return None
        return self.joined(walk.at(place, depth) for place in _elements(holder, key, walk, depth))

    def yielded(
        self, iterable: Node, place: tuple[int, ...], binding: Binding, walk: Walk[_Found], depth: int
    ) -> _Found | None:
        """What a loop draws from a dictionary or from what is listed, also side by side with others."""
        beside = arguments_of(iterable).positional if last_name(iterable) == "zip" else ()
        if place and place[0] < len(beside):
            iterable, place = beside[place[0]].value, place[1:]
        function = field(iterable, "function")
        receiver, method = field(function, "object"), text_of(field(function, "attribute"))
        if receiver is not None and method in _DRAWN_FROM:
            if place[: len(_DRAWN_FROM[method])] != _DRAWN_FROM[method]:
                return None
            place = place[len(_DRAWN_FROM[method]) :]
            elements = _elements(walk.of(receiver, depth), None, walk, depth)
        else:
            elements = _listed(walk.of(iterable, depth))
        found = (_part(element, place) for element in elements)
        return self.joined(walk.at(part, depth) for part in found if part is not None)


def _listed(holder: _Found) -> Iterator[Place]:
    """What is in a list or a tuple, or is given to a function that takes ``*args``."""
    for origin in holder.places:
        if origin.node.type in ("list", "tuple", "argument_list"):
            named = ("keyword_argument", "dictionary_splat")
            elements = (child for child in origin.node.named_children if child.type not in named)
            yield from (Place(origin.file, element) for element in elements)
        elif origin.node.type in ("list_comprehension", "generator_expression"):
            body = field(origin.node, "body")
            yield from [Place(origin.file, body)] if body is not None else []


def _part(element: Place, place: tuple[int, ...]) -> Place | None:
    """What a part of a loop's target gets of an element."""
    node = element.node
    for index in place:
        if node.type not in ("list", "tuple") or index >= len(node.named_children):
            return None
        node = node.named_children[index]
    return Place(element.file, node)


def _elements(holder: _Found, key: Node | None, walk: Walk[_Found], depth: int) -> Iterator[Place]:
    """What a dictionary has under a key, or under any."""
    for origin in holder.places:
        yield from _filled_in(origin, key)
        yield from _given_by_name(origin, key, walk, depth)
        for pair in origin.node.named_children if origin.node.type == "dictionary" else ():
            own, element = field(pair, "key"), field(pair, "value")
            if element is not None and own is not None and _may_be_same(own, key):
                yield Place(origin.file, element)
        if origin.node.type == "dictionary_comprehension":
            body = field(origin.node, "body")
            element = field(body, "value")
            if element is not None:
                yield Place(origin.file, element)


def _given_by_name(origin: Place, key: Node | None, walk: Walk[_Found], depth: int) -> Iterator[Place]:
    """What ``dict(model=net)`` holds, or a function that takes ``**parts``."""
    is_call = origin.node.type == "call" and _makes_dictionary(origin)
    given = field(origin.node, "arguments") if is_call else origin.node
    for item in given.named_children if given is not None and given.type == "argument_list" else ():
        name, value = field(item, "name"), field(item, "value")
        if item.type == "dictionary_splat":
            inner = walk.at(Place(origin.file, item.named_children[0]), depth)
            yield from _elements(inner, key, walk, depth)
        elif name is not None and value is not None and _may_be_same(name, key):
            yield Place(origin.file, value)


def _assigned_to(origin: Place) -> Node | None:
    """The variable or attribute that an assignment gives a value."""
    left = target_of(origin.node)
    return left if left is not None and left.type in ("identifier", "attribute") else None


def _makes_dictionary(origin: Place) -> bool:
    if origin.node.type == "call":
        return callee_name(origin).rpartition(".")[2] in _DICTIONARIES
    return origin.node.type == "dictionary"


def _filled_in(origin: Place, key: Node | None) -> Iterator[Place]:
    """What is put into a dictionary after it is made: ``loaders[split] = DataLoader(…)``."""
    left = _assigned_to(origin) if _makes_dictionary(origin) else None
    if left is None:
        return
    is_attribute = left.type == "attribute"
    name = field(left, "attribute") if is_attribute else left
    kind = "class_definition" if is_attribute else "function_definition"
    scope = enclosing(left, kind)
    for use in origin.file.identifiers(text_of(name or left)):
        held = (parent_of(use) if is_attribute else None) or use
        item = parent_of(held)
        value = _put_under(item, key) if item is not None and field(item, "value") == held else None
        if value is not None and text_of(held) == text_of(left) and enclosing(held, kind) == scope:
            yield Place(origin.file, value)


def _put_under(item: Node, key: Node | None) -> Node | None:
    """What an assignment to an item puts there, if the item may be that of a key."""
    put, own = parent_of(item), field(item, "subscript") if item.type == "subscript" else None
    if put is None or own is None or put.type != "assignment" or field(put, "left") != item:
        return None
    return field(put, "right") if _may_be_same(own, key) else None


def _may_be_same(own: Node, key: Node | None) -> bool:
    """Whether two keys may be equal: not two literals that are not."""
    literals = ("string", "integer", "identifier" if parent_type(own) == "keyword_argument" else "")
    if key is None or own.type not in literals or key.type not in literals:
        return True
    return text_of(own).strip("'\"") == text_of(key).strip("'\"")


class _ProgramOrigins(Passing[_Found]):
    """How a program passes values on, for one question."""

    def __init__(self, program: Program, stop: Stop | None) -> None:
        super().__init__(program)
        self._stop = stop

    def settled(self, source: SourceFile, node: Node) -> _Found | None:
        place = Place(source, node)
        return _Found((place,)) if self._stop is not None and self._stop(place) else None

    def places_of(self, found: _Found) -> tuple[Place, ...]:
        return found.places
