"""Patterns with metavariables: ``foo($x, device=$d)`` against the expressions of a file.

``$x`` means any one expression, the same each time; ``$*rest`` all further arguments of a call;
``dim:=-1`` is an argument for the parameter ``dim``, given by its position or by its name. A
dotted name of the pattern is compared with what the file's name means, other text with the syntax:
layout, quotes and the order of keyword arguments do not matter.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from ..limits.below import nodes_in
from ..limits.parents import parent_of
from ..model.custom_rule import last_part
from ..model.finding import Message
from ..text.names import Certainty, absolute_name
from ..text.source_file import SourceFile
from ..text.syntax import chain_of, field, parts_of, text_of, without_parentheses
from .expressions import is_expression

_VARIABLE = re.compile(r"\$(\*?)([A-Za-z_]\w*)")
_ONE, _REST = "_any_one_expression_", "_any_more_arguments_"
_PLACEHOLDER = re.compile(f"({_ONE}|{_REST})(\\w+)")
_STRINGS = frozenset({"string", "concatenated_string"})


class PatternError(ValueError):
    """A pattern or a replacement cannot be used."""

    def __init__(self, reason: Message) -> None:
        self.reason = reason
        super().__init__(reason)


class Form(NamedTuple):
    """A pattern or a replacement, parsed: its metavariables are identifiers with a prefix."""

    source: SourceFile
    node: Node
    variables: frozenset[str]
    word: str
    """The name that shows fastest where the pattern may match; of a replacement nothing."""


class Variable(NamedTuple):
    """A metavariable in a form."""

    name: str
    is_rest: bool


def variable_of(node: Node) -> Variable | None:
    """The metavariable that a node of a form is."""
    if node.type == "identifier":
        text, is_rest = text_of(node).removeprefix(_ONE), False
    elif node.type == "list_splat":
        text, is_rest = text_of(node).removeprefix(f"*{_REST}"), True
    else:
        return None
    return Variable(text, is_rest) if len(text) < len(text_of(node)) else None


@lru_cache(maxsize=1024)
def parse_pattern(text: str) -> Form:
    """A pattern.
    Raises PatternError: it is no expression, has no name of its own, or a metavariable where none can be."""
    form = form_of(text)
    word = _word(form.node)
    if not word:
        raise PatternError(Message.of("custom.pattern-nameless", value=text))
    return form._replace(word=word)


@lru_cache(maxsize=1024)
def parse_replacement(text: str, pattern: Form) -> Form:
    """What is to be written instead of a pattern.
    Raises PatternError: it is no expression, or has a metavariable that the pattern does not have."""
    form = form_of(text)
    unknown = sorted(form.variables - pattern.variables)
    if unknown:
        raise PatternError(Message.of("custom.unbound", name=unknown[0], value=text))
    return form


def form_of(text: str) -> Form:
    """A text with metavariables, parsed.
    Raises PatternError: it is no expression, or has a metavariable where none can be."""
    stripped = text.strip()
    if _PLACEHOLDER.search(stripped):
        raise PatternError(Message.of("custom.not-pattern", value=text))
    code = _VARIABLE.sub(lambda match: (f"*{_REST}" if match[1] else _ONE) + match[2], stripped)
    source = SourceFile(code)
    statements = parts_of(source.root)
    if not is_expression(code) or source.has_syntax_error or len(statements) != 1:
        raise PatternError(Message.of("custom.not-pattern", value=text))
    node = statements[0].named_children[0] if statements[0].type == "expression_statement" else statements[0]
    return Form(source, node, _variables_of(node, text), "")


def _variables_of(node: Node, text: str) -> frozenset[str]:
    """The names of the metavariables of a pattern. Raises PatternError: one is where none can be."""
    variables: dict[str, bool] = {}
    for child in nodes_in(node):
        if child.type in _STRINGS and _PLACEHOLDER.search(text_of(child)):
            raise PatternError(Message.of("custom.variable-in-text", value=text))
        variable = variable_of(child)
        if variable is None:
            continue
        if variables.setdefault(variable.name, variable.is_rest) != variable.is_rest:
            raise PatternError(Message.of("custom.not-pattern", value=text))
        if variable.is_rest and not _is_last_argument(child):
            raise PatternError(Message.of("custom.rest-place", name=variable.name))
        parent = parent_of(child)
        if not variable.is_rest and parent is not None and _is_plain_name(child, parent):
            raise PatternError(Message.of("custom.variable-as-name", name=variable.name))
    return frozenset(variables)


def _is_plain_name(child: Node, parent: Node) -> bool:
    """Whether an identifier is the name of an attribute, of a keyword argument, or of a parameter."""
    if parent.type == "attribute":
        return child.start_byte != parent.start_byte
    if parent.type == "keyword_argument":
        return child.start_byte == parent.start_byte
    return parent.type in ("lambda_parameters", "for_in_clause", "default_parameter")


def _is_last_argument(node: Node) -> bool:
    """Whether nothing but keyword arguments follows among the arguments of a call."""
    holder = parent_of(node)
    if holder is None or holder.type != "argument_list":
        return False
    after = [child for child in holder.named_children if child.start_byte > node.start_byte]
    return all(child.type == "keyword_argument" for child in after)


def _word(node: Node) -> str:
    """The last part of what the pattern calls, or else the last part of some name in it."""
    if node.type == "call":
        function = field(node, "function")
        if function is not None:
            name = field(function, "attribute") if function.type == "attribute" else function
            if name is not None and name.type == "identifier" and variable_of(name) is None:
                return text_of(name)
    for child in nodes_in(node):
        parent = parent_of(child)
        is_keyword = (
            parent is not None and parent.type == "keyword_argument" and _is_plain_name(child, parent)
        )
        if child.type == "attribute" and (name := field(child, "attribute")) is not None:
            return text_of(name)
        if child.type == "identifier" and variable_of(child) is None and not is_keyword:
            return text_of(child)
    return ""


class Match:
    """One try to match a pattern with an expression of a file."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source
        self.nodes: dict[str, tuple[Node, ...]] = {}
        """What each metavariable means; one node, but for ``$*rest``."""
        self.is_certain = True

    def fits(self, form: Node, node: Node) -> bool:
        """Whether a part of the pattern matches an expression."""
        variable = variable_of(form)
        if variable is not None:
            return self._bind(variable.name, (node,))
        form, node = without_parentheses(form), without_parentheses(node)
        chain = chain_of(form)
        if chain is not None and variable_of(chain.root) is None:
            return self._same_name(text_of(form).replace(" ", ""), node)
        if form.type != node.type:
            return False
        if form.type in _STRINGS:
            return _same_text(text_of(form), text_of(node))
        if form.type == "call":
            return self._same_call(form, node)
        if form.type == "attribute":
            return self._same_attribute(form, node)
        return self._same_children(form, node)

    def _bind(self, name: str, nodes: tuple[Node, ...]) -> bool:
        known = self.nodes.setdefault(name, nodes)
        return [text_of(node) for node in known] == [text_of(node) for node in nodes]

    def _same_name(self, name: str, node: Node) -> bool:
        if chain_of(node) is None:
            return False
        found = self._source.names.qualified_name(node)
        if found is None:
            return "." not in name and node.type == "identifier" and text_of(node) == name
        qualified = absolute_name(found.qualified_name, self._source.path)
        if "." in name:
            is_same = qualified == name
        else:
            is_known = found.binding is not None or node.type == "identifier"
            is_same = is_known and last_part(qualified) == name
        self.is_certain &= not is_same or found.certainty is not Certainty.AMBIGUOUS
        return is_same

    def _same_attribute(self, form: Node, node: Node) -> bool:
        own, other = field(form, "object"), field(node, "object")
        names = field(form, "attribute"), field(node, "attribute")
        if own is None or other is None or names[0] is None or names[1] is None:
            return False
        return text_of(names[0]) == text_of(names[1]) and self.fits(own, other)

    def _same_call(self, form: Node, node: Node) -> bool:
        functions = field(form, "function"), field(node, "function")
        holders = field(form, "arguments"), field(node, "arguments")
        if functions[0] is None or functions[1] is None or holders[0] is None or holders[1] is None:
            return False
        if not self.fits(functions[0], functions[1]):
            return False
        return self._same_arguments(_arguments(holders[0]), _arguments(holders[1]))

    def _same_arguments(self, wanted: list[Node], given: list[Node]) -> bool:
        left = list(given)
        rest: str | None = None
        for position, form in enumerate(item for item in wanted if item.type != "keyword_argument"):
            variable = variable_of(form)
            if variable is not None and variable.is_rest:
                rest = variable.name
                break
            name = text_of(form.named_children[0]) if form.type == "named_expression" else ""
            if not self._same_argument(form, _given(given, name, position), left):
                return False
        keywords = (item for item in wanted if item.type == "keyword_argument")
        if not all(
            self._same_argument(form, _given(left, _keyword(form) or "", -1), left) for form in keywords
        ):
            return False
        return self._bind(rest, tuple(left)) if rest is not None else not left

    def _same_argument(self, form: Node, node: Node | None, left: list[Node]) -> bool:
        """Whether an argument is as wanted; if so, ``left`` loses it."""
        if node is None or node not in left:
            return False
        left.remove(node)
        wanted = field(form, "value") if form.type in ("named_expression", "keyword_argument") else form
        value = field(node, "value") if node.type == "keyword_argument" else node
        return wanted is not None and value is not None and self.fits(wanted, value)

    def _same_children(self, form: Node, node: Node) -> bool:
        own = [child for child in form.children if child.type != "comment"]
        others = [child for child in node.children if child.type != "comment"]
        if not own and not others:
            return text_of(form) == text_of(node)
        if len(own) != len(others):
            return False
        return all(self.fits(left, right) for left, right in zip(own, others, strict=True))


_NOT_POSITIONAL = frozenset({"keyword_argument", "list_splat", "dictionary_splat"})


def _arguments(holder: Node) -> list[Node]:
    if holder.type == "generator_expression":
        return [holder]
    return parts_of(holder)


def _given(arguments: list[Node], name: str, position: int) -> Node | None:
    """The argument that a call gives by a name, or else by a position."""
    named = next((item for item in arguments if name and _keyword(item) == name), None)
    if named is not None or not 0 <= position < len(arguments):
        return named
    return arguments[position] if arguments[position].type not in _NOT_POSITIONAL else None


def _keyword(argument: Node) -> str | None:
    name = field(argument, "name") if argument.type == "keyword_argument" else None
    return text_of(name) if name is not None else None


def _same_text(one: str, other: str) -> bool:
    """Whether two string literals are the same, whatever their quotes."""
    try:
        return bool(ast.literal_eval(one) == ast.literal_eval(other))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return one == other
