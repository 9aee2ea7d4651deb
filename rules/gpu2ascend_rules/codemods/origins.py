"""Where a value comes from: through variables, parameters, attributes, return values and dictionaries.

The answers are the expressions that make a value, such as the call of ``DataLoader`` behind the
``train_loader`` that a function was given. What cannot be followed is an origin itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from ..text.scopes import Binding, BindingKind
from ..text.syntax import arguments_of, enclosing, field, text_of, without_parentheses
from .program import Place, Program, callee_name

MAX_DEPTH = 16
_KEEP = frozenset({"to", "cuda", "npu", "cpu", "half", "float", "double", "bfloat16", "train", "eval",
                   "requires_grad_"})  # fmt: skip
_ITERABLES = frozenset({"enumerate", "iter", "zip", "list", "tuple", "next", "reversed", "itertools.islice",
                        "itertools.cycle", "itertools.chain", "tqdm.tqdm", "tqdm.auto.tqdm",
                        "tqdm.notebook.tqdm", "tqdm.std.tqdm", "rich.progress.track"})  # fmt: skip

Stop = Callable[[Place], bool]


class Origins:
    """Follows values backwards through a program."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def of(self, expression: Place, stop: Stop | None = None) -> list[Place]:
        """The expressions that a value comes from; where ``stop`` holds on the way, that place is one."""
        found: dict[tuple[str, int], Place] = {}
        search = _OriginSearch(self._program, stop)
        for place in search.follow(expression, 0):
            found.setdefault(place.key, place)
        return list(found.values())

    def of_batches(self, iterable: Place) -> list[Place]:
        """The origins of what a loop draws its items from, inside ``enumerate``, ``tqdm`` and the like."""
        return [origin for inner in self.iterables(iterable) for origin in self.of(inner)]

    def iterables(self, iterable: Place) -> Iterator[Place]:
        """What is gone through by ``for x in <iterable>``: ``loader`` in ``enumerate(tqdm(loader))``."""
        node = without_parentheses(iterable.node)
        call = Place(iterable.file, node)
        is_own = node.type != "call" or self._program.callee(call) is not None
        if is_own or callee_name(call).endswith("DataLoader"):
            yield call
            return
        function = field(node, "function")
        is_function = function is not None and function.type == "identifier" and text_of(function) != "tqdm"
        if is_function and callee_name(call) not in _ITERABLES:
            yield call
            return
        for argument in arguments_of(node).items:
            if argument.keyword in (None, "iterable"):
                yield from self.iterables(Place(iterable.file, argument.value))


class _OriginSearch:
    """One question; no place is looked at twice."""

    def __init__(self, program: Program, stop: Stop | None) -> None:
        self._program = program
        self._stop = stop
        self._seen: set[tuple[str, int]] = set()

    def follow(self, place: Place, depth: int) -> Iterator[Place]:
        place = Place(place.file, without_parentheses(place.node))
        if self._stop is not None and self._stop(place):
            yield place
            return
        if place.key in self._seen:
            return
        self._seen.add(place.key)
        steps = list(self._steps(place, depth)) if depth < MAX_DEPTH else []
        if not steps:
            yield place
        for step in steps:
            yield from self.follow(step, depth + 1)

    def _steps(self, place: Place, depth: int) -> Iterator[Place]:
        node = place.node
        if node.type == "identifier":
            yield from self._variable(place)
        elif node.type == "attribute":
            yield from self._attribute(place, depth)
        elif node.type == "call":
            yield from self._call(place)
        elif node.type == "subscript":
            yield from self._subscript(place, depth)
        elif node.type == "conditional_expression":
            parts = [child for child in node.named_children if child.type != "comment"]
            yield from (Place(place.file, part) for part in (parts[0], parts[-1]))
        elif node.type == "boolean_operator":
            yield from (Place(place.file, child) for child in node.named_children)

    def _variable(self, place: Place) -> Iterator[Place]:
        name = text_of(place.node)
        for binding in place.file.names.bindings_in_scope(name, place.node):
            if binding.kind is BindingKind.ASSIGNMENT:
                yield from self._assigned(place, binding)
            elif binding.kind is BindingKind.PARAMETER:
                yield from self._passed(place, binding)
            elif binding.kind is BindingKind.IMPORT:
                found = self._program.global_binding(place.file, binding.target)
                if found is not None and found[1].value is not None:
                    yield Place(found[0], found[1].value)

    def _assigned(self, place: Place, binding: Binding) -> Iterator[Place]:
        if binding.value is not None:
            yield Place(place.file, binding.value)
            return
        left, right = field(binding.statement, "left"), field(binding.statement, "right")
        if left is None or right is None:
            return
        index = next(
            (i for i, item in enumerate(left.named_children) if item.start_byte == binding.node.start_byte),
            None,
        )
        if index is not None:
            yield from self._element(Place(place.file, right), index)

    def _element(self, value: Place, index: int, depth: int = 0) -> Iterator[Place]:
        """One of the values that are assigned together."""
        if depth > MAX_DEPTH:
            return
        node = without_parentheses(value.node)
        if node.type in ("expression_list", "tuple", "list"):
            if index < len(node.named_children):
                yield Place(value.file, node.named_children[index])
        elif node.type == "call":
            function = self._program.callee(Place(value.file, node))
            for returned in self._returned(function) if function is not None else ():
                yield from self._element(returned, index, depth + 1)
        elif node.type == "identifier":
            for step in self._variable(Place(value.file, node)):
                yield from self._element(step, index, depth + 1)

    def _returned(self, function: Place) -> Iterator[Place]:
        if function.node.type != "function_definition":
            return
        stack = [function.node]
        while stack:
            for child in stack.pop().named_children:
                if child.type == "return_statement" and child.named_children:
                    yield Place(function.file, child.named_children[0])
                elif child.type not in ("function_definition", "class_definition", "lambda"):
                    stack.append(child)

    def _passed(self, place: Place, binding: Binding) -> Iterator[Place]:
        """The arguments that calls in the program give for a parameter, and its default."""
        function = enclosing(binding.node, "function_definition", "lambda")
        if function is None or function.type == "lambda":
            return
        owner = Place(place.file, function)
        for call in self._program.calls_of(owner):
            argument = argument_for(owner, binding.name, call)
            if argument is not None:
                yield argument
        if binding.value is not None and binding.value.type != "none":
            yield Place(place.file, binding.value)

    def _attribute(self, place: Place, depth: int) -> Iterator[Place]:
        receiver, name = field(place.node, "object"), field(place.node, "attribute")
        if receiver is None or name is None:
            return
        owner = self._program.class_of(Place(place.file, receiver))
        if owner is None:
            for origin in self._owners(Place(place.file, receiver), depth):
                yield from self._assigned_attribute(origin, text_of(name))
        else:
            yield from self._assigned_attribute(owner, text_of(name))
        yield from self._set_from_outside(place)

    def _owners(self, receiver: Place, depth: int) -> Iterator[Place]:
        """The classes of what a parameter is given, or what a function returned."""
        for origin in self.follow(receiver, depth + 1):
            owner = self._program.class_of(origin)
            if owner is not None:
                yield owner

    def _assigned_attribute(self, owner: Place, name: str) -> Iterator[Place]:
        for item in self._program.family(owner):
            yield from assigned_to_self(self._program, item, name)
            method = self._program.method(item, name)
            if method is not None and _is_property(method.node):
                yield from self._returned(method)

    def _set_from_outside(self, place: Place) -> Iterator[Place]:
        """``trainer.model = …`` in the same file."""
        for assignment in self._program.nodes(place.file, "assignment"):
            left, right = field(assignment, "left"), field(assignment, "right")
            if left is None or right is None or left.type != "attribute":
                continue
            if not text_of(left).startswith("self.") and text_of(left) == place.text:
                yield Place(place.file, right)

    def _call(self, place: Place) -> Iterator[Place]:
        function = self._program.callee(place)
        if function is not None:
            yield from self._returned(function)
            return
        callee = field(place.node, "function")
        if callee is None:
            return
        if callee.type == "attribute":
            name, receiver = field(callee, "attribute"), field(callee, "object")
            if name is not None and receiver is not None and text_of(name) in _KEEP:
                yield Place(place.file, receiver)
        if callee_name(place) in _ITERABLES:
            for argument in arguments_of(place.node).positional:
                yield Place(place.file, argument.value)

    def _subscript(self, place: Place, depth: int) -> Iterator[Place]:
        value, key = field(place.node, "value"), field(place.node, "subscript")
        if value is None or key is None:
            return
        for origin in list(self.follow(Place(place.file, value), depth + 1)):
            for pair in origin.node.named_children if origin.node.type == "dictionary" else ():
                own, element = field(pair, "key"), field(pair, "value")
                is_it = own is not None and text_of(own).strip("'\"") == text_of(key).strip("'\"")
                if element is not None and (is_it or key.type not in ("string", "integer")):
                    yield Place(origin.file, element)
            if origin.node.type == "dictionary_comprehension":
                body = field(origin.node, "body")
                element = field(body, "value") if body is not None else None
                if element is not None:
                    yield Place(origin.file, element)


def argument_for(function: Place, parameter: str, call: Place) -> Place | None:
    """What a call gives for a parameter of the function that it calls."""
    names = parameter_names(function.node)
    arguments = arguments_of(call.node)
    keyword = arguments.keyword(parameter)
    if keyword is not None:
        return Place(call.file, keyword.value)
    if parameter not in names:
        return None
    position = names.index(parameter)
    if names[:1] in (["self"], ["cls"]) and enclosing(function.node, "class_definition") is not None:
        position -= 1
    argument = arguments.at(position) if position >= 0 else None
    return Place(call.file, argument.value) if argument is not None else None


def parameter_names(function: Node) -> list[str]:
    """The parameters of a function, by name."""
    listed = field(function, "parameters")
    names: list[str] = []
    for child in listed.named_children if listed is not None else ():
        if child.type == "identifier":
            names.append(text_of(child))
        elif child.type in ("default_parameter", "typed_default_parameter"):
            name = field(child, "name")
            names.append(text_of(name) if name is not None else "")
        elif child.type == "typed_parameter":
            names.append(text_of(child.named_children[0]))
        elif child.type not in ("comment", "positional_separator", "keyword_separator"):
            names.append("")
    return names


def parameter_default(function: Node, parameter: str) -> Node | None:
    """The default of a parameter."""
    listed = field(function, "parameters")
    for child in listed.named_children if listed is not None else ():
        name = (
            field(child, "name") if child.type in ("default_parameter", "typed_default_parameter") else None
        )
        if name is not None and text_of(name) == parameter:
            return field(child, "value")
    return None


def assigned_to_self(program: Program, owner: Place, name: str) -> Iterator[Place]:
    """What the methods of a class assign to ``self.<name>``."""
    for assignment in program.nodes(owner.file, "assignment"):
        left, right = field(assignment, "left"), field(assignment, "right")
        if left is None or right is None or enclosing(assignment, "class_definition") != owner.node:
            continue
        if left.type == "attribute" and text_of(left) == f"self.{name}":
            yield Place(owner.file, right)
        elif left.type in ("pattern_list", "tuple_pattern"):
            for index, item in enumerate(left.named_children):
                if text_of(item) == f"self.{name}":
                    yield from _OriginSearch(program, None)._element(Place(owner.file, right), index)


def _is_property(function: Node) -> bool:
    holder = function.parent
    return (
        holder is not None
        and holder.type == "decorated_definition"
        and any(
            text_of(child).endswith("property")
            for child in holder.named_children
            if child.type == "decorator"
        )
    )
