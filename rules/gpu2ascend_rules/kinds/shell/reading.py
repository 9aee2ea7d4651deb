"""From the tree of shell code to the places that rules are shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from tree_sitter import Node, Tree

from ...limits.below import with_parents
from ...text.parts.embedded import EmbeddedPython
from ...text.parts.part import moved
from .expansion import expanded
from .installs import installs_of
from .nodes import descendants, text_of
from .places import (
    Command,
    Directive,
    FileTest,
    Function,
    Loop,
    Redirection,
    ShellPlace,
    Unread,
    Use,
    Variable,
    Word,
)
from .within.embedded import codes_of, files_of, here_documents
from .within.nested import NestedCode, code_of, code_of_here_document, texts_run_by

_DIRECTIVE = re.compile(r"#(SBATCH|PBS|BSUB|\$)[ \t]+")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SETTING = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_ESCAPED_IN_STRING = re.compile(r'\\([\\"$`])')
_ESCAPED = re.compile(r"\\(.)", re.S)
_READS_INTO = frozenset({"read", "mapfile", "readarray", "printenv", "getopts"})
_SETTERS = frozenset({"env", "export", "declare", "typeset", "local", "readonly", "sudo", "setenv"})


_PASSES_ON = frozenset({"-x", "-e", "--env", "-genv", "--genv", "-u", "--unset"})
"""Options that name a variable for a command: of mpirun, docker, env."""
_PASSERS = frozenset(
    {"mpirun", "mpiexec", "orterun", "docker", "podman", "nerdctl", "env", "singularity", "apptainer"}
)
_BEFORE = frozenset({"nohup", "time", "exec", "command", "srun", "builtin"})
_IN_TESTS = frozenset({"unary_expression", "binary_expression", "parenthesized_expression"})
_ASK_FOR_FILES = frozenset(f"-{letter}" for letter in "bcdefghLprsSwx")
"""Operators of tests whose operand is a file."""
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_PASS_OUTPUT_ON = _SUBSTITUTIONS | {"pipeline", "list", "redirected_statement", "negated_command"}
"""Nodes whose parts print what the whole prints; of a pipe, and of a substitution, other code reads it."""
_REDIRECTS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_REPLACED = re.compile(r"[$`\\]")
Parse = Callable[[bytes], Tree]


def places_of(root: Node, parse: Parse, *, is_list: bool = False) -> Iterator[ShellPlace]:
    """Every place of a tree, in the order of the text; also of code that a shell within is given as a text,
    and of commands that run under another name.

    Args:
        parse: Makes the tree of such a text.
        is_list: Whether the words are in truth those of a list of texts.
    """
    found = list(_places(root, parse, is_list=is_list))
    more = [*expanded(found, lambda code: _inside(code, parse))]
    yield from sorted((*found, *more), key=lambda place: place.start) if more else found


def _places(root: Node, parse: Parse, *, is_list: bool = False) -> Iterator[ShellPlace]:
    over: dict[int, Node] = {}
    captured: set[int] = set()
    for node, parent, unread in descendants(root):
        if parent is not None:
            over[node.id] = parent
        if unread:
            yield Unread(node.start_byte, node.end_byte, text_of(node))
            continue
        kind = node.type
        if kind in _PASS_OUTPUT_ON:
            captured.update(_captured_in(node, kind, is_captured=node.id in captured))
        elif kind == "variable_name":
            yield _variable(node, over)
        elif kind == "command":
            yield from _command(node, parse, over, is_list=is_list, is_captured=node.id in captured)
        elif kind == "for_statement":
            yield from _loop(node)
        elif kind == "function_definition":
            yield from _function(node)
        elif kind in _REDIRECTS:
            yield from _redirection(node)
            if kind == "heredoc_redirect":
                yield from _here_document(node, parse, over)
        elif kind == "comment":
            yield from _directive(node)
        elif kind == "unary_expression":
            yield from _named_in_test(node)
        elif kind == "test_command":
            yield from _tested(_words_of_test(node))


def word_of(node: Node) -> Word:
    """A node that is a word."""
    raw = text_of(node)
    return Word(node.start_byte, node.end_byte, _literal(node, raw), raw)


def _literal(node: Node, raw: str) -> str | None:
    if node.type in ("word", "number", "test_operator", "regex", "extglob_pattern"):
        return _ESCAPED.sub(r"\1", raw) if "\\" in raw else raw
    if node.type == "raw_string":
        return raw[1:-1]
    if node.type == "string":
        is_literal = all(child.type == "string_content" for child in node.named_children)
        if not is_literal or not raw.endswith('"'):
            return None
        return _ESCAPED_IN_STRING.sub(r"\1", raw[1:-1]) if "\\" in raw else raw[1:-1]
    if node.type in ("concatenation", "command_name"):
        parts = [_literal(child, text_of(child)) for child in node.named_children]
        return "".join(part for part in parts if part is not None) if parts and None not in parts else None
    return None


def _variable(node: Node, over: Mapping[int, Node]) -> Variable:
    """Args:
    over: The parents of the nodes around this one.
    """
    name, use, value = text_of(node), Use.READ, None
    items: tuple[Word, ...] = ()
    is_added = False
    parent = over.get(node.id)
    if parent is not None and parent.type == "subscript":
        parent = over.get(parent.id)
    if parent is not None and parent.type == "variable_assignment" and _is_name_of(node, parent):
        holder = over.get(parent.id)
        use = Use.PREFIX if holder is not None and holder.type == "command" else Use.SET
        given = parent.child_by_field_name("value")
        is_added = any(child.type == "+=" for child in parent.children)
        value = word_of(given) if given is not None else None
        if given is not None and given.type == "array":
            items = tuple(map(word_of, given.named_children))
    elif parent is not None and parent.type in ("declaration_command", "unset_command"):
        use = Use.NAME
    return Variable(node.start_byte, node.end_byte, name, use, value, items, is_added)


def _is_name_of(node: Node, assignment: Node) -> bool:
    name = assignment.child_by_field_name("name")
    return name is not None and name.start_byte <= node.start_byte and node.end_byte <= name.end_byte


def _command(
    node: Node, parse: Parse, over: Mapping[int, Node], *, is_list: bool, is_captured: bool
) -> Iterator[ShellPlace]:
    name = node.child_by_field_name("name")
    if name is None:
        return
    words = _words_of(node)
    command = Command(name.start_byte, words[-1].end, words, is_captured, is_list)
    yield command
    if command.program == "test":
        yield from _tested(words)
    yield from installs_of(command)
    yield from codes_of(words, node, over, is_list=is_list)
    yield from _named_by(words)
    for code in filter(None, map(code_of, texts_run_by(words))):
        yield from _inside(code, parse)


def _words_of(node: Node | None) -> tuple[Word, ...]:
    """The words of a command, also of one that is redirected."""
    if node is not None and node.type == "redirected_statement":
        node = node.child_by_field_name("body")
    name = node.child_by_field_name("name") if node is not None and node.type == "command" else None
    if node is None or name is None:
        return ()
    return (word_of(name), *map(word_of, node.children_by_field_name("argument")))


def _piped_from(node: Node, over: Mapping[int, Node]) -> Node | None:
    """The command that gets what one with a here-document prints."""
    pipe = next((child for child in node.named_children if child.type == "pipeline"), None)
    parent = over.get(node.id)
    above = over.get(parent.id) if parent is not None else None
    if pipe is not None:
        return next((child for child in pipe.named_children if child.type != "comment"), None)
    return above.named_children[-1] if above is not None and above.type == "pipeline" else None


def _here_document(node: Node, parse: Parse, over: Mapping[int, Node]) -> Iterator[ShellPlace]:
    words = _words_of(over.get(node.id))
    yield from here_documents(node, words, _words_of(_piped_from(node, over)), over)
    code = code_of_here_document(node, words, list(files_of(node, over)))
    if code is not None:
        yield from _inside(code, parse)


def _inside(code: NestedCode, parse: Parse) -> Iterator[ShellPlace]:
    """The places of code within code."""
    for place in _places(parse(code.data).root_node, parse):
        is_outside = code.quote == '"' and isinstance(place, Variable) and place.use is Use.READ
        if isinstance(place, EmbeddedPython):
            yield moved(place, code.start).within(code.quote)
        elif not is_outside:  # what the outer shell replaces is a place of its own
            yield moved(place, code.start)


def _loop(node: Node) -> Iterator[Loop]:
    name = node.child_by_field_name("variable")
    words = tuple(map(word_of, node.children_by_field_name("value")))
    if name is not None and words:
        yield Loop(node.start_byte, node.end_byte, text_of(name), words)


def _captured_in(node: Node, kind: str, *, is_captured: bool) -> Iterator[int]:
    """The parts of a node whose output other code reads, by their ids.

    Args:
        kind: The type of the node.
        is_captured: Whether other code reads that of the whole.
    """
    parts = node.named_children
    is_read = is_captured or kind in _SUBSTITUTIONS
    return (part.id for part in (parts if is_read else parts[:-1] if kind == "pipeline" else ()))


def _function(node: Node) -> Iterator[Function]:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        yield Function(name.start_byte, name.end_byte, text_of(name), (body.start_byte, body.end_byte))


def _redirection(node: Node) -> Iterator[Redirection]:
    """A here-document is known where its mark has quotes, or where the shell replaces nothing in it."""
    parts = node.named_children
    if node.type == "heredoc_redirect":
        mark = next((part for part in parts if part.type == "heredoc_start"), None)
        body = next((part for part in parts if part.type == "heredoc_body"), None)
        if mark is None or body is None:
            return
        raw = text_of(body)
        is_known = text_of(mark)[:1] in "'\"\\" or not _REPLACED.search(raw)
        operator, word = "<<", Word(body.start_byte, body.end_byte, raw if is_known else None, raw)
    elif parts and parts[-1].type != "file_descriptor":
        word = word_of(parts[-1])
        operator = next((text_of(part) for part in node.children if not part.is_named), "")
    else:
        return
    yield Redirection(node.start_byte, node.end_byte, operator, word)


def _named_by(words: tuple[Word, ...]) -> Iterator[Variable]:
    """The variables that the arguments of a command name: ``env A=1 program``, ``read A``, ``unset A``."""
    start = 0
    while start < len(words) - 1 and words[start].text in _BEFORE:
        start += 1
    program, rest = (words[start].text or "").rpartition("/")[2], words[start + 1 :]
    if program in _READS_INTO:
        for word in rest:
            if word.is_plain and _NAME.fullmatch(word.raw):
                yield Variable(word.start, word.end, word.raw, Use.NAME)
    if any((word.text or "").rpartition("/")[2] in _PASSERS for word in words[: start + 1]):
        for option, word in pairwise(rest):
            if option.text in _PASSES_ON:
                yield from _setting(word, is_name=True)
    if program in _SETTERS:
        yield from _set_by(rest)


def _set_by(words: tuple[Word, ...]) -> Iterator[Variable]:
    """What the arguments before a program set: of ``env``, ``export``."""
    is_name = False
    for word in words:
        if not is_name and "=" not in word.raw and not word.raw.startswith("-"):
            return
        if not is_name:
            yield from _setting(word)
        is_name = word.text in _PASSES_ON


def _setting(word: Word, *, is_name: bool = False) -> Iterator[Variable]:
    """``A=1``, or with ``is_name`` also ``A``."""
    setting = _SETTING.match(word.raw)
    if setting is not None:
        given = word.raw[setting.end() :]
        value = Word(word.start + setting.end(), word.end, given, given) if word.is_plain else None
        yield Variable(word.start, word.start + len(setting[1]), setting[1], Use.PREFIX, value)
    elif is_name and word.is_plain and _NAME.fullmatch(word.raw):
        yield Variable(word.start, word.end, word.raw, Use.NAME)


def _words_of_test(node: Node) -> Iterator[Word]:
    """The operators and operands between ``[`` and ``]``, however the grammar nests them."""
    for part, _ in with_parents(node, lambda inner: inner.type in _IN_TESTS):
        if part.type not in _IN_TESTS:
            yield word_of(part)


def _tested(words: Iterable[Word]) -> Iterator[FileTest]:
    """The files that the words of a test ask for."""
    for operator, word in pairwise(words):
        if operator.raw in _ASK_FOR_FILES:
            yield FileTest(word.start, word.end, operator.raw, word)


def _named_in_test(node: Node) -> Iterator[Variable]:
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
