"""Python within shell code: what ``python -c`` gets, here-documents that Python reads or that are modules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tree_sitter import Node

from ....text.parts.embedded import EmbeddedPython
from ....text.plain.python_files import MODULE_SUFFIXES
from ..nodes import text_of
from ..pieces import pieces_of_here_document, pieces_of_listed, pieces_of_word
from ..places import Word
from .nested import here_document

_PYTHON = re.compile(r"(?:i?python|pypy)w?[\d.]*(?:\.exe)?", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::?[-=]([^}]*))?\})")
_NAMED_PYTHON = re.compile(
    r"(?:\w*_)?py(?:thon)?[\d_]*(?:bin|cmd|command|exe|exec|executable|interp|interpreter)?", re.IGNORECASE
)
_LOOKED_UP = re.compile(r"\$\((?:which|command -v|type -p)\s+(?:python|pypy)[\d.]*\)")
_RUNS_CODE = re.compile(r"-[A-Za-z]*c")
_WITH_VALUE = frozenset({"-X", "-W", "--check-hash-based-pycs"})
_READS_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0"})
_PRINT_ONLY = frozenset({"echo", "printf", "grep", "egrep", "sed", "awk"})
_IN_BACKQUOTES = "\\`$"


def codes_of(
    words: Sequence[Word], node: Node, over: Mapping[int, Node], *, is_list: bool
) -> Iterator[EmbeddedPython]:
    """The code that a command gives to Python as an argument, or as a here-string.

    Args:
        over: The parents of the nodes around this one, by id.
    """
    code = _code_among(words) or _here_string(words, node)
    if code is None:
        return
    raw = code.raw.encode("utf-8", "replace")
    if len(raw) != code.end - code.start:
        return
    is_within = _is_in_backquotes(node, over)
    if is_within and b"\\" in raw:
        return  # the shell takes the escapes away twice
    pieces = pieces_of_listed(raw, code.start) if is_list else pieces_of_word(raw, code.start)
    if pieces and any(piece.text for piece in pieces):
        forbidden = _IN_BACKQUOTES if is_within else ""
        yield EmbeddedPython(pieces[0].start, pieces[-1].end, tuple(pieces), forbidden=forbidden)


def here_documents(
    node: Node, command: Sequence[Word], piped: Sequence[Word], over: Mapping[int, Node]
) -> Iterator[EmbeddedPython]:
    """A here-document, if Python reads it or if it is written into a module.

    Args:
        node: Of the grammar's type ``heredoc_redirect``.
        command: The words of the command that it is given to.
        piped: Those of the command that gets what this one prints.
        over: The parents of the nodes around this one, by id.
    """
    span = here_document(node) if _takes_python(node, command, piped, over) else None
    if span is None or _is_in_backquotes(node, over):
        return
    start, end, expands = span
    data = (node.text or b"")[start - node.start_byte : end - node.start_byte]
    pieces = pieces_of_here_document(data, start, expands=expands)
    strips_tabs = (node.text or b"").startswith(b"<<-")
    yield EmbeddedPython(start, end, tuple(pieces), strips_tabs)


def _takes_python(
    node: Node, command: Sequence[Word], piped: Sequence[Word], over: Mapping[int, Node]
) -> bool:
    if _reads_code(command):
        return True
    program = (command[0].text or "").rpartition("/")[2] if command else ""
    if program == "cat":
        return _reads_code(piped) or any(map(_is_module, files_of(node, over)))
    return program == "tee" and any(_is_module(word.text or "") for word in command[1:])


def _is_module(path: str) -> bool:
    return path.lower().endswith(MODULE_SUFFIXES)


def files_of(node: Node, over: Mapping[int, Node]) -> Iterator[str]:
    """The files that a command with a here-document writes to."""
    for holder in (node, over.get(node.id)):
        for child in holder.children if holder is not None else ():
            if child.type == "file_redirect" and text_of(child).startswith((">", "1>")):
                place = child.child_by_field_name("destination")
                yield text_of(place).strip("\"'") if place is not None else ""


def _code_among(words: Sequence[Word]) -> Word | None:
    """The argument that is code: behind ``-c``."""
    for index in _pythons(words):
        at = _behind_options(words, index)
        if at is not None and at + 1 < len(words) and _RUNS_CODE.fullmatch(words[at].text or ""):
            return words[at + 1]
    return None


def _here_string(words: Sequence[Word], node: Node) -> Word | None:
    """The code behind ``<<<``."""
    given = next((child for child in node.children if child.type == "herestring_redirect"), None)
    if given is None or not given.named_children or not _reads_code(words):
        return None
    word = given.named_children[-1]
    return Word(word.start_byte, word.end_byte, None, text_of(word))


def _reads_code(words: Sequence[Word]) -> bool:
    """Whether a command starts a Python that reads its code from what it is given."""
    for index in _pythons(words):
        at = _behind_options(words, index)
        if at is None or words[at].text in _READS_INPUT:
            return True
    return False


def _pythons(words: Sequence[Word]) -> Iterator[int]:
    """Where a command may name Python: behind ``sudo``, ``srun`` and the like, too."""
    if words and (words[0].text or "").rpartition("/")[2] not in _PRINT_ONLY:
        yield from (index for index, word in enumerate(words) if _is_python(word))


def _behind_options(words: Sequence[Word], index: int) -> int | None:
    """The first word behind Python that is ``-c``, ``-m``, or none of its options; ``None`` without one."""
    index += 1
    while index < len(words):
        text = words[index].text
        if text is None and words[index].raw.startswith("$"):
            index += 1  # options in a variable
        elif text is None or not text.startswith("-") or text == "-" or re.fullmatch(r"-[A-Za-z]*[cm]", text):
            return index
        else:
            index += 2 if text in _WITH_VALUE else 1
    return None


def _is_python(word: Word) -> bool:
    """Whether a word names Python: as it is, by the last part of a path, or by a variable of that name."""
    if "y" not in word.raw and "Y" not in word.raw:
        return False
    if word.text is not None:
        return _PYTHON.fullmatch(word.text.rpartition("/")[2]) is not None
    raw = word.raw.strip("\"'")
    variable = _VARIABLE.fullmatch(raw)
    if variable is None:
        return bool(_LOOKED_UP.fullmatch(raw) or _PYTHON.fullmatch(raw.rpartition("/")[2]))
    default = (variable[3] or "").rpartition("/")[2]
    return bool(_NAMED_PYTHON.fullmatch(variable[1] or variable[2]) or _PYTHON.fullmatch(default))


def _is_in_backquotes(node: Node, over: Mapping[int, Node]) -> bool:
    above = over.get(node.id)
    while above is not None:
        if above.type == "command_substitution" and text_of(above.children[0]) == "`":
            return True
        above = over.get(above.id)
    return False
