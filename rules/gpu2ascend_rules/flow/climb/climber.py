"""From a text upwards through the expressions that keep it, to the place where it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tree_sitter import Node

from ...limits.checkpoints import checkpoint
from ...limits.parents import parent_of
from ...limits.walks import CLIMB_LIMITS
from ...text.syntax import (
    COMPREHENSION_TYPES,
    enclosing,
    field,
    is_field,
    operator_of,
    parts_of,
    same,
    text_of,
)
from .. import templates
from .options import option_before
from .parts import Flow, Step, Value
from .subject import PlaceKind
from .verdicts import CONSUMED, NEUTRAL, SHOWN, UNKNOWN, Role, Verdict, strongest

_CHOICES = frozenset({"conditional_expression", "boolean_operator", "parenthesized_expression"})
_DISPLAYS = frozenset({"list", "tuple", "set", "expression_list"})
_CONDITIONS = frozenset({"if_statement", "while_statement", "elif_clause", "if_clause", "not_operator"})
_MESSAGES = frozenset({"raise_statement", "expression_statement", "print_statement"})
_KEEPS_TEXT = frozenset({"lower", "strip", "rstrip", "lstrip", "casefold", "expandtabs"})


class Climber:
    """Climbs; what is beyond one expression it asks the other parts of the flow."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._subject = flow.subject
        steps: dict[str, Callable[[Value, Node], Step]] = {
            "parenthesized_expression": Value.moved,
            "await": Value.moved,
            "conditional_expression": self._conditional,
            "boolean_operator": self._either,
            "named_expression": self._named,
            "concatenated_string": self._concatenated,
            "binary_operator": self._binary,
            "interpolation": self._interpolation,
            "attribute": self._attribute,
            "subscript": self._subscript,
            "call": lambda value, call: NEUTRAL,
            "keyword_argument": self._keyword,
            "argument_list": self._positional,
            "list_splat": self._splat,
            "pair": flow.dictionaries.pair,
            "comparison_operator": flow.comparisons.operand,
            "case_pattern": flow.comparisons.case,
            "union_pattern": flow.comparisons.case,
            "assignment": flow.variables.assigned,
            "augmented_assignment": flow.variables.augmented,
            "default_parameter": flow.variables.default,
            "typed_default_parameter": flow.variables.default,
            "return_statement": flow.variables.returned,
            "for_statement": flow.variables.iterated,
            "for_in_clause": flow.variables.iterated,
            "lambda": self._lambda,
            "type": self._annotation,
            "assert_statement": self._assertion,
        }
        steps.update(dict.fromkeys(_DISPLAYS, self._element))
        steps.update(dict.fromkeys(COMPREHENSION_TYPES, self._comprehension))
        steps.update(dict.fromkeys(_CONDITIONS, lambda value, parent: NEUTRAL))
        steps.update(dict.fromkeys(_MESSAGES, lambda value, parent: SHOWN))
        self._steps = steps
        self._above: dict[tuple[int, bool], Node] = {}
        """Where the way ends that leads through choices alone, which is the same for every text."""

    def climb(self, value: Value) -> Verdict:
        """The role of a value, by where its expression ends up."""
        passed: list[tuple[int, bool]] = []
        while True:
            checkpoint()
            parent = parent_of(value.node)
            step = self._steps.get(parent.type) if parent is not None else None
            if step is None or parent is None:
                self._remember(passed, value.node)
                return self._subject.at(PlaceKind.ELSEWHERE)
            key = (value.node.id, value.boxed)
            if key in self._above:
                value = value.moved(self._above[key])
                continue
            reached = step(value, parent)
            if isinstance(reached, Verdict) or parent.type not in _CHOICES:
                self._remember(passed, value.node)
                passed = []
            else:
                passed.append(key)
            if isinstance(reached, Verdict):
                is_lost = reached.role is Role.UNKNOWN and reached.node is None
                return reached._replace(node=parent) if is_lost else reached
            if not self._subject.may_become(reached.text):
                return SHOWN
            value = reached

    def _remember(self, passed: list[tuple[int, bool]], node: Node) -> None:
        """Let other texts go from the nodes on the way straight to where the way through choices ended."""
        self._above.update(dict.fromkeys(passed, node))

    # -- expressions that keep the value -----------------------------------------------------------

    def _conditional(self, value: Value, parent: Node) -> Step:
        parts = parts_of(parent)
        if len(parts) != 3 or same(parts[1], value.node):
            return NEUTRAL
        other = parts[2] if same(parts[0], value.node) else parts[0]
        if not self._may_stand_beside(other) or self._subject.handled(other, self._flow.ctx):
            return SHOWN
        if templates.plain_text(other) not in self._subject.siblings:
            return value.moved(parent)
        verdict = self.climb(value.moved(parent))
        return CONSUMED if verdict.role is Role.UNKNOWN else verdict

    def _either(self, value: Value, parent: Node) -> Step:
        others = [part for part in parent.named_children if not same(part, value.node)]
        proves = self._subject.alternative_proves and not value.boxed
        if proves and any(self._flow.comparisons.is_named(other) for other in others):
            return CONSUMED
        return value.moved(parent) if all(self._may_stand_beside(other) for other in others) else SHOWN

    def _may_stand_beside(self, other: Node) -> bool:
        """Whether an alternative to a text of the subject could be one too."""
        text = templates.plain_text(other)
        return text is None or self._subject.beside(text) or self._subject.is_text(text)

    def _named(self, value: Value, parent: Node) -> Step:
        name = field(parent, "name")
        if name is None or same(name, value.node):
            return NEUTRAL
        return strongest((self._flow.variables.bound(value, name), self.climb(value.moved(parent))))

    def _lambda(self, value: Value, parent: Node) -> Step:
        return value.moved(parent) if is_field(value.node, "body") else UNKNOWN

    # -- texts made of parts -----------------------------------------------------------------------

    def _concatenated(self, value: Value, parent: Node) -> Step:
        if parent.named_child_count > CLIMB_LIMITS.items:
            return SHOWN
        if self._subject.part_counts:
            return value.moved(parent)
        text = templates.concatenated(parent, value.node, value.text)
        return value._replace(node=parent, text=text) if text is not None else SHOWN

    def _binary(self, value: Value, parent: Node) -> Step:
        if self._subject.part_counts:
            return value.moved(parent)
        if value.boxed:
            return self._binary_of_list(value, parent)
        text = templates.combined(parent, value.node, value.text)
        return value._replace(node=parent, text=text) if text is not None else SHOWN

    def _binary_of_list(self, value: Value, parent: Node) -> Step:
        symbol = operator_of(parent)
        if symbol == "%" and value.node.type == "tuple":
            return self._percent_argument(value, parent)
        return value.moved(parent) if symbol in ("+", "*", "|") else UNKNOWN

    def _percent_argument(self, value: Value, parent: Node) -> Step:
        """``'%s:%d' % ('cuda', i)``: the element that holds the text is the field of its position."""
        left = field(parent, "left")
        texts = [templates.template_of(item) for item in value.node.named_children]
        if left is None or value.text not in texts:
            return SHOWN
        text = templates.percent_filled(templates.template_of(left), texts.index(value.text), value.text)
        return Value(parent, text)

    def _interpolation(self, value: Value, parent: Node) -> Step:
        string = parent_of(parent)
        if string is None or string.type != "string":
            return SHOWN
        if self._subject.part_counts:
            return value.moved(string)
        if value.boxed:
            return SHOWN

        def filled(interpolation: Node) -> str:
            return value.text if same(interpolation, parent) else templates.UNKNOWN_PART

        return value._replace(node=string, text=templates.string_template(string, filled))

    def _attribute(self, value: Value, parent: Node) -> Step:
        name = field(parent, "attribute")
        call = parent_of(parent)
        if name is not None and text_of(name) == "value":  # of a member of an enumeration
            return value.moved(parent)
        if name is None or call is None or call.type != "call":
            return NEUTRAL
        method = text_of(name)
        if method in self._subject.keeps:
            return value.moved(call)
        if method in _KEEPS_TEXT or (method == "format" and not value.boxed):
            return value.moved(call)
        return NEUTRAL

    # -- lists -------------------------------------------------------------------------------------

    def _element(self, value: Value, parent: Node) -> Step:
        if parent.named_child_count > CLIMB_LIMITS.items:
            return SHOWN
        if value.boxed:
            return value.moved(parent) if self._subject.part_counts else UNKNOWN
        option = None if self._subject.part_counts else option_before(value.node)
        if option is not None and self._subject.option_values_apart:
            return SHOWN
        if option is not None and self._subject.names(option):
            return UNKNOWN
        target = _unpacked_target(value.node, parent)
        if target is not None:
            return self._flow.variables.stored(value, target)
        others = tuple(
            templates.template_of(item)
            for item in parent.named_children
            if item.type in ("string", "concatenated_string") and not same(item, value.node)
        )
        return Value(parent, value.text, boxed=True, others=others)

    def _comprehension(self, value: Value, parent: Node) -> Step:
        if not is_field(value.node, "body"):
            return UNKNOWN
        return value.moved(parent)._replace(boxed=True)

    def _splat(self, value: Value, parent: Node) -> Step:
        if self._subject.part_counts:
            return value.moved(parent)
        return UNKNOWN if value.boxed else NEUTRAL

    def _subscript(self, value: Value, parent: Node) -> Step:
        if not is_field(value.node, "value"):
            return self._generic(value, parent)
        if not value.boxed:
            return NEUTRAL
        if any(child.type == "slice" for child in parent.named_children):
            return value.moved(parent)
        return SHOWN if value.is_mixed(self._subject) else value.unboxed(parent)

    def _generic(self, value: Value, parent: Node) -> Step:
        """``Literal['cuda', 'cpu']`` as an expression; any other subscript is a key."""
        subscripted = field(parent, "value")
        name = text_of(subscripted).rpartition(".")[2] if subscripted is not None else ""
        if name == "Literal":
            return self._of_annotation(parent)
        if subscripted is not None and self._subject.holder(subscripted, self._flow.ctx):
            return Verdict(Role.CONSUMED, parent)
        return self._subject.at(PlaceKind.INDEX)

    # -- annotations and statements ----------------------------------------------------------------

    def _annotation(self, value: Value, parent: Node) -> Step:
        generic = parent_of(parent_of(parent)) if parent_of(parent) is not None else None
        if generic is None or generic.type != "generic_type":
            return SHOWN
        if not text_of(generic).startswith(("Literal[", "typing.Literal[", "t.Literal[")):
            return SHOWN
        return self._of_annotation(generic)

    def _of_annotation(self, generic: Node) -> Verdict:
        holder = enclosing(
            generic, "assignment", "typed_parameter", "typed_default_parameter", "type_alias_statement"
        )
        if holder is None:
            return self._subject.at(PlaceKind.LITERAL)._replace(node=generic)
        name = field(holder, "left") or field(holder, "name") or holder.named_children[0]
        # A type of nothing but devices is one, whatever it is called: its defaults change, too.
        named = self._subject.names(text_of(name).rpartition(".")[2]) or (
            self._subject.keys_tell(templates.texts_in(generic)) is Role.KEY
        )
        return self._subject.at(PlaceKind.NAMED_LITERAL if named else PlaceKind.LITERAL)._replace(
            node=generic
        )

    def _assertion(self, value: Value, parent: Node) -> Step:
        return NEUTRAL if same(parent.named_children[0], value.node) else SHOWN

    # -- calls -------------------------------------------------------------------------------------

    def _keyword(self, value: Value, parent: Node) -> Step:
        name, holder = field(parent, "name"), parent_of(parent)
        call = parent_of(holder) if holder is not None else None
        if name is None or call is None or call.type != "call":
            return self._subject.at(PlaceKind.KEYWORD)  # of a class statement
        return self._flow.calls.keyword(value, call, text_of(name))

    def _positional(self, value: Value, parent: Node) -> Step:
        call = parent_of(parent)
        if call is None or call.type != "call":
            return self._subject.at(PlaceKind.ELSEWHERE)
        if parent.named_child_count > CLIMB_LIMITS.items:
            return self._subject.at(PlaceKind.ARGUMENT)
        arguments = parts_of(parent)
        for position, argument in enumerate(arguments):
            if same(argument, value.node):
                return self._flow.calls.positional(value, call, position)
            if argument.type == "list_splat":
                return self._flow.calls.unplaced(value, call)
        return self._subject.at(PlaceKind.ARGUMENT)


def _unpacked_target(element: Node, display: Node) -> Node | None:
    """The target of ``a, b = 'cuda', 1`` that an element of the right side is assigned to."""
    statement = parent_of(display)
    if statement is None or statement.type != "assignment" or not is_field(display, "right"):
        return None
    targets = field(statement, "left")
    if targets is None or targets.type not in ("pattern_list", "tuple_pattern", "list_pattern"):
        return None
    for target, item in _paired(targets, display):
        if same(item, element):
            return target
    return None


def _paired(targets: Node, display: Node) -> Iterator[tuple[Node, Node]]:
    yield from zip(targets.named_children, display.named_children, strict=False)
