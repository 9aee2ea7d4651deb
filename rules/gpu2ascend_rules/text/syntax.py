"""Questions about one place in a tree-sitter tree: chains, calls, arguments, enclosing constructs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tree_sitter import Node

from ..limits.checkpoints import checkpoint
from ..limits.parents import parent_of
from ..limits.walks import NAME_LIMITS

COMPREHENSION_TYPES = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
OWN_SCOPES = ("function_definition", "class_definition", "lambda")
"""What has names of its own; the bodies of functions do not run where they are."""
STATEMENT_SUFFIXES = ("_statement", "_definition", "_clause")
LOOPS = frozenset({"for_statement", "while_statement"})
_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})
_GIVING = frozenset({"assignment", "augmented_assignment", "for_statement", "for_in_clause"})
LEAVES = frozenset({"return_statement", "raise_statement", "continue_statement", "break_statement"})
"""Statements behind which a block does not go on."""


def text_of(node: Node | None) -> str:
    """The text of a node; empty without a node."""
    raw = node.text if node is not None else None
    return raw.decode("utf-8", "surrogatepass") if raw is not None else ""


def same(left: Node | None, right: Node | None) -> bool:
    """Whether two handles are the same node. tree-sitter makes a new handle at each look-up."""
    return left is not None and right is not None and left.id == right.id


def encloses(outer: Node, inner: Node) -> bool:
    """Whether a node of the same text lies within another, or is it."""
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def shortened(node: Node) -> str:
    """The text of an expression, as far as a message shows it."""
    text = text_of(node)
    return text if len(text) <= 40 and "\n" not in text else f"{text.splitlines()[0][:37]}..."


def field(node: Node | None, name: str) -> Node | None:
    """A child by its field name; None without a node."""
    return node.child_by_field_name(name) if node is not None else None


def first_of(node: Node | None) -> list[Node]:
    """The first named child, if there is one: without a list of all, of which there may be very many."""
    first = node.named_child(0) if node is not None and node.named_child_count else None
    return [first] if first is not None else []


def operator_of(node: Node | None) -> str:
    """The text of the operator of an expression or an assignment; empty for what has none."""
    operator = field(node, "operator")
    return text_of(operator)


def is_field(node: Node, name: str) -> bool:
    """Whether ``node`` is its parent's child of that field name."""
    parent = parent_of(node)
    return parent is not None and same(parent.child_by_field_name(name), node)


def is_assigned(node: Node) -> bool:
    """Whether a statement gives ``node`` a value: ``x = 1``, ``x, y = 1, 2``, ``x += 1``, ``for x in xs``."""
    parent = parent_of(node)
    while parent is not None and parent.type in _PATTERNS:
        node, parent = parent, parent_of(parent)
    return parent is not None and parent.type in _GIVING and same(parent.child_by_field_name("left"), node)


def value_given(node: Node) -> Node | None:
    """What an assignment gives ``node``: ``1`` for ``x`` in ``x, y = 1, 2``; None for a part of one value."""
    parent = parent_of(node)
    if parent is None or parent.type not in _PATTERNS:
        return field(parent, "right") if is_assigned(node) else None
    right = field(parent_of(parent), "right")
    values = parts_of(right) if right is not None and right.type in ("expression_list", "tuple") else []
    targets = parts_of(parent)
    place = next((at for at, one in enumerate(targets) if same(one, node)), -1)
    return values[place] if place >= 0 and len(values) == len(targets) else None


def ancestors(node: Node) -> Iterator[Node]:
    """The parents of a node, nearest first."""
    parent = parent_of(node)
    while parent is not None:
        checkpoint()
        yield parent
        parent = parent_of(parent)


def enclosing(node: Node, *types: str) -> Node | None:
    """The nearest ancestor of one of the types."""
    return next((parent for parent in ancestors(node) if parent.type in types), None)


def attributes_behind(expression: Node) -> tuple[Node, tuple[str, ...]]:
    """The longest dotted expression that begins with another one, and the names behind that."""
    names: list[str] = []
    node, parent = expression, parent_of(expression)
    while parent is not None and parent.type == "attribute" and parent.start_byte == expression.start_byte:
        names.append(text_of(field(parent, "attribute")))
        node, parent = parent, parent_of(parent)
    return node, tuple(names)


def start_of(node: Node) -> int:
    """Where a node begins; by which nodes in text order are bisected."""
    return node.start_byte


class Within:
    """The places that lie in one of some nodes, which are given in text order and may nest."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._outermost: list[Node] = []
        for node in nodes:
            if not self._outermost or node.start_byte >= self._outermost[-1].end_byte:
                self._outermost.append(node)

    def __bool__(self) -> bool:
        return bool(self._outermost)

    def __contains__(self, offset: int) -> bool:
        index = bisect_right(self._outermost, offset, key=start_of)
        return index > 0 and offset < self._outermost[index - 1].end_byte


_BETWEEN = frozenset({"comment", "line_continuation"})
"""Nodes that are between the parts of another one."""


def parts_of(node: Node) -> list[Node]:
    """What a node is made of, without comments: both arms of ``a if test else b`` with the test between."""
    return [child for child in node.named_children if child.type not in _BETWEEN]


def leaves_block(block: Node | None) -> bool:
    """Whether a block ends in ``return``, ``raise``, ``continue`` or ``break``."""
    statements = block.named_children if block is not None else []
    return bool(statements) and statements[-1].type in LEAVES


def enclosing_statement(node: Node) -> Node:
    """The smallest statement that holds the node; the module when there is none."""
    last = node
    for parent in (node, *ancestors(node)):
        if parent.type.endswith(STATEMENT_SUFFIXES):
            return parent
        last = parent
    return last


def is_base_class(node: Node) -> bool:
    """Whether an expression is what a class derives from."""
    holder = parent_of(node)
    owner = parent_of(holder)
    return (
        owner is not None and owner.type == "class_definition" and same(field(owner, "superclasses"), holder)
    )


def without_parentheses(node: Node) -> Node:
    """The expression inside any number of parentheses."""
    while node.type == "parenthesized_expression":
        inner = next((child for child in node.named_children if child.type != "comment"), None)
        if inner is None:
            return node
        node = inner
    return node


def outermost(node: Node, *types: str) -> Node:
    """What a node is part of through parents of some types alone; itself where its parent is of none."""
    parent = parent_of(node)
    while parent is not None and parent.type in types:
        node, parent = parent, parent_of(parent)
    return node


def outside_parentheses(node: Node) -> Node:
    """The outermost parenthesized expression that holds nothing but the node."""
    return outermost(node, "parenthesized_expression")


class Chain(NamedTuple):
    """A dotted expression ``root.a.b``: its identifier, its attribute names and each prefix's node."""

    root: Node
    attributes: tuple[str, ...]
    nodes: tuple[Node, ...]
    """``nodes[0]`` is the root, ``nodes[i]`` the expression up to the i-th attribute."""

    @property
    def node(self) -> Node:
        """The whole dotted expression."""
        return self.nodes[-1]


def chain_from_root(identifier: Node) -> Chain:
    """The longest dotted expression that begins at an identifier."""
    checkpoint()
    nodes: list[Node] = [identifier]
    start, parent = identifier.start_byte, parent_of(identifier)
    # An attribute expression begins where its object does, and its name is further on.
    while parent is not None and parent.type == "attribute" and parent.start_byte == start:
        nodes.append(parent)
        parent = parent_of(parent)
    if len(nodes) == 1:
        return Chain(identifier, (), (identifier,))
    written = text_of(nodes[-1])
    attributes = written.split(".")[1:]
    if len(attributes) != len(nodes) - 1 or not written.replace(".", "").isidentifier():
        attributes = [_attribute_name(node) for node in nodes[1:]]  # comments and spaces around its dots
    return Chain(identifier, tuple(attributes), tuple(nodes))


def _attribute_name(node: Node) -> str:
    name = node.child_by_field_name("attribute")
    return text_of(name)


def _has_too_many_dots(expression: Node) -> bool:
    """Whether an expression is too long a chain, found without going along it; by far most are too short."""
    if expression.end_byte - expression.start_byte <= 2 * NAME_LIMITS.dots:
        return False
    return (expression.text or b"").count(b".") > NAME_LIMITS.dots


def chain_of(expression: Node) -> Chain | None:
    """An expression as a dotted chain, when it is nothing but identifiers and not too many dots."""
    checkpoint()
    if _has_too_many_dots(expression):
        return None
    nodes: list[Node] = []
    attributes: list[str] = []
    current = expression
    while current.type == "attribute":
        name, below = current.child_by_field_name("attribute"), current.child_by_field_name("object")
        if name is None or below is None:
            return None
        nodes.append(current)
        attributes.append(text_of(name))
        current = below
    if current.type != "identifier":
        return None
    return Chain(current, tuple(reversed(attributes)), (current, *reversed(nodes)))


class Argument(NamedTuple):
    """One argument of a call."""

    node: Node
    """The argument as written, ``key=value`` for a keyword."""
    value: Node
    keyword: str | None = None
    position: int | None = None
    """Index among the positional arguments; ``None`` for keywords and for unpackings."""


class Arguments(NamedTuple):
    """The arguments of a call, as far as they can be read off the text."""

    items: tuple[Argument, ...]
    unpacked: bool
    """Whether ``*args`` or ``**kwargs`` may hold more."""

    def keyword(self, name: str) -> Argument | None:
        """The argument given by that name."""
        return next((item for item in self.items if item.keyword == name), None)

    def at(self, position: int) -> Argument | None:
        """The positional argument at an index."""
        return next((item for item in self.items if item.position == position), None)

    def get(self, name: str, position: int) -> Argument | None:
        """The argument of a parameter that may be given by name or by position."""
        return self.keyword(name) or self.at(position)

    @property
    def positional(self) -> tuple[Argument, ...]:
        """The positional arguments whose position is known, in order."""
        return tuple(item for item in self.items if item.position is not None)

    @property
    def unnamed(self) -> tuple[Argument, ...]:
        """The arguments without a keyword, in order: those behind ``*args``, too."""
        return tuple(item for item in self.items if item.keyword is None)


def arguments_of(call: Node) -> Arguments:
    """The arguments of a call node."""
    items: list[Argument] = []
    unpacked = False
    position: int | None = 0
    holder = call.child_by_field_name("arguments")
    children = holder.named_children if holder is not None else []
    if holder is not None and holder.type == "generator_expression":
        return Arguments((Argument(holder, holder, None, 0),), False)
    for child in children:
        if child.type in ("comment", "ERROR"):
            continue
        if child.type == "keyword_argument":
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is not None and value is not None:
                items.append(Argument(child, value, text_of(name), None))
        elif child.type in ("list_splat", "dictionary_splat"):
            unpacked = True
            if child.type == "list_splat":
                position = None
        else:
            items.append(Argument(child, child, None, position))
            position = position + 1 if position is not None else None
    return Arguments(tuple(items), unpacked)


def target_of(value: Node) -> Node | None:
    """What an assignment gives a value to: ``x`` of ``x = value``; None for a value of anything else."""
    parent = parent_of(value)
    return field(parent, "left") if parent is not None and parent.type == "assignment" else None


def called_on(call: Node | None) -> Node | None:
    """What a method is called on: ``x`` of ``x.step()``; None for a call of anything else."""
    return field(field(call, "function"), "object")


def call_with(argument: Node | None) -> Node | None:
    """The call that has a node as its positional argument, whatever that is."""
    holder = parent_of(argument)
    return parent_of(holder) if holder is not None and holder.type == "argument_list" else None


def call_of(function: Node | None) -> Node | None:
    """The call whose callee is this expression."""
    parent = parent_of(function)
    is_callee = parent is not None and parent.type == "call" and same(field(parent, "function"), function)
    return parent if is_callee else None


def last_name(call: Node) -> str:
    """The last name of what a call calls: ``add_argument`` in ``parser.add_argument()``; else nothing."""
    function = call.child_by_field_name("function")
    return last_name_of(function) if function is not None else ""


def last_name_of(function: Node) -> str:
    """The last name of an expression: ``add_argument`` of ``parser.add_argument``; else nothing."""
    name = function.child_by_field_name("attribute") if function.type == "attribute" else function
    return text_of(name) if name is not None and name.type == "identifier" else ""


class Passed(NamedTuple):
    """Where an expression is passed: the call and the argument that holds it."""

    call: Node
    argument: Argument


def passed_to(expression: Node) -> Passed | None:
    """The call that an expression is directly an argument of."""
    outer = outside_parentheses(expression)
    holder = parent_of(outer)
    if holder is not None and holder.type == "keyword_argument":
        holder = parent_of(holder)
    if holder is None or holder.type != "argument_list":
        return None
    call = parent_of(holder)
    if call is None or call.type != "call":
        return None
    for argument in arguments_of(call).items:
        if argument.value.start_byte <= expression.start_byte and (
            expression.end_byte <= argument.value.end_byte
        ):
            return Passed(call, argument)
    return None


def is_type_test(name: Node) -> bool:
    """Whether a name is a class that ``isinstance`` or ``issubclass`` asks for, alone or among others."""
    outer = outside_parentheses(name)
    parent = parent_of(outer)
    while parent is not None and parent.type in ("tuple", "parenthesized_expression", "binary_operator"):
        outer, parent = parent, parent_of(parent)
    call = parent_of(parent) if parent is not None and parent.type == "argument_list" else None
    if call is None or last_name(call) not in ("isinstance", "issubclass"):
        return False
    asked = arguments_of(call).at(1)
    return asked is not None and asked.node.start_byte == outer.start_byte
