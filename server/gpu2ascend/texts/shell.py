"""Commands that a person copies from a terminal or a page, or that a script holds.

A name of a project is any text: a command that has it must come back from the shell as the same words, and no
character of it may act on the reader's screen. A word with such characters is written in POSIX's ``$'...'``.
"""

from __future__ import annotations

import os
import re
import shlex
import sys

from gpu2ascend_rules.messages.visible import visible

Word = str | os.PathLike[str]
"""A text as it is, or a path, which the program must not take for an option."""

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'"}
_TAKEN = re.compile(r"`|(?<=##)\[")
"""What other readers of a command take for a sign: Markdown, and the log of a CI job."""


def command_line(*words: Word) -> str:
    """The words as the shell of this system takes them."""
    if sys.platform == "win32":
        import subprocess

        return subprocess.list2cmdline(map(_plain, words))
    return shell_line(*words)


def shell_line(*words: Word) -> str:
    """The words as a POSIX shell takes them: that of the machine with NPUs runs Linux."""
    return " ".join(map(shell_word, words))


def shell_word(word: Word) -> str:
    """A word as a POSIX shell takes it, on one line, in characters that are seen."""
    text = _plain(word)
    if visible(text) == text and _TAKEN.search(text) is None:
        return shlex.quote(text)
    taken = {match.start() for match in _TAKEN.finditer(text)}
    return "$'" + "".join(_escaped(sign, place in taken) for place, sign in enumerate(text)) + "'"


def _plain(word: Word) -> str:
    if isinstance(word, str):
        return word
    path = os.fspath(word)
    return f".{os.sep if sys.platform == 'win32' else '/'}{path}" if path.startswith("-") else path


def _escaped(sign: str, is_taken: bool) -> str:
    if sign in _NAMED:
        return _NAMED[sign]
    if not is_taken and visible(sign) == sign:
        return sign
    is_byte = "\udc80" <= sign <= "\udcff"
    return "".join(
        f"\\{byte:03o}" for byte in sign.encode("utf-8", "surrogateescape" if is_byte else "surrogatepass")
    )
