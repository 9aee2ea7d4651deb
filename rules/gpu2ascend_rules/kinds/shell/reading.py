"""From the tree of shell code to the places that rules are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from .nodes import descendants, text_of
from .places import Command, Directive, Use, Variable, Word

_DIRECTIVE = re.compile(r"#(SBATCH|PBS|BSUB|\$)[ \t]+")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SETTING = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_ESCAPED = re.compile(r"\\(.)", re.S)
_READS_INTO = frozenset({"read", "mapfile", "readarray", "printenv", "getopts"})
_SETTERS = frozenset({"env", "export", "declare", "typeset", "local", "readonly", "sudo", "setenv"})


def places_of(root: Node) -> Iterator[Variable | Command | Directive]:
    """Every place of a tree, in the order of the text."""
    for node, parent in descendants(root):
        if node.type == "variable_name":
            yield _variable(node, parent)
        elif node.type == "command":
            yield from _command(node, parent)
        elif node.type == "comment":
            yield from _directive(node)
        elif node.type == "unary_expression":
            yield from _tested(node)


def word_of(node: Node) -> Word:
    """A node that is a word."""
    raw = text_of(node)
    return Word(node.start_byte, node.end_byte, _literal(node, raw), raw)


def _literal(node: Node, raw: str) -> str | None:
    if node.type in ("word", "number", "test_operator", "regex", "extglob_pattern"):
        return _ESCAPED.sub(r"\1", raw)
    if node.type == "raw_string":
        return raw[1:-1]
    if node.type == "string":
        is_literal = all(child.type == "string_content" for child in node.named_children)
        return re.sub(r'\\([\\"$`])', r"\1", raw[1:-1]) if is_literal and raw.endswith('"') else None
    if node.type in ("concatenation", "command_name"):
        parts = [_literal(child, text_of(child)) for child in node.named_children]
        return "".join(part for part in parts if part is not None) if parts and None not in parts else None
    return None


def _variable(node: Node, parent: Node | None) -> Variable:
    name, use, value = text_of(node), Use.READ, None
    if parent is not None and parent.type == "subscript":
        parent = parent.parent
    if parent is not None and parent.type == "variable_assignment" and _is_name_of(node, parent):
        holder = parent.parent
        use = Use.PREFIX if holder is not None and holder.type == "command" else Use.SET
        given = parent.child_by_field_name("value")
        value = word_of(given) if given is not None else None
    elif parent is not None and parent.type in ("declaration_command", "unset_command"):
        use = Use.NAME
    return Variable(node.start_byte, node.end_byte, name, use, value)


def _is_name_of(node: Node, assignment: Node) -> bool:
    name = assignment.child_by_field_name("name")
    return name is not None and name.start_byte <= node.start_byte and node.end_byte <= name.end_byte


def _command(node: Node, parent: Node | None) -> Iterator[Variable | Command]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    words = (word_of(name), *map(word_of, node.children_by_field_name("argument")))
    yield Command(name.start_byte, words[-1].end, words, _is_captured(node, parent))
    yield from _named_by(words)


def _is_captured(node: Node, parent: Node | None) -> bool:
    """Whether other code reads what a command prints."""
    if parent is not None and parent.type == "redirected_statement":
        node, parent = parent, parent.parent
    if parent is not None and parent.type == "pipeline":
        if parent.named_children[-1] != node:
            return True
        node, parent = parent, parent.parent
    while parent is not None:
        if parent.type in ("command_substitution", "process_substitution"):
            return True
        if parent.type not in ("pipeline", "list", "redirected_statement", "negated_command"):
            return False
        parent = parent.parent
    return False


def _named_by(words: tuple[Word, ...]) -> Iterator[Variable]:
    """The variables that the arguments of a command name: ``env A=1 program``, ``read A``, ``unset A``."""
    program = (words[0].text or "").rpartition("/")[2]
    if program in _READS_INTO:
        for word in words[1:]:
            if word.is_plain and _NAME.fullmatch(word.raw):
                yield Variable(word.start, word.end, word.raw, Use.NAME)
    if program not in _SETTERS:
        return
    for word in words[1:]:
        setting = _SETTING.match(word.raw)
        if setting is not None:
            start = word.start
            value = None
            if word.is_plain:
                value = Word(
                    start + setting.end(), word.end, word.raw[setting.end() :], word.raw[setting.end() :]
                )
            yield Variable(start, start + len(setting[1]), setting[1], Use.PREFIX, value)
        elif not word.raw.startswith("-"):
            return


def _tested(node: Node) -> Iterator[Variable]:
    """``[[ -v A ]]``."""
    operator = node.child_by_field_name("operator")
    if operator is None or text_of(operator) != "-v":
        return
    for child in node.named_children:
        if child.type == "word" and _NAME.fullmatch(text_of(child)):
            yield Variable(child.start_byte, child.end_byte, text_of(child), Use.NAME)


def _directive(node: Node) -> Iterator[Directive]:
    text = text_of(node)
    match = _DIRECTIVE.match(text)
    if match is not None:
        start = node.start_byte + len(match[0].encode())
        yield Directive(node.start_byte, node.end_byte, match[1], text[match.end() :], start)
