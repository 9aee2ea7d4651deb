"""The shell code of a notebook as a file that rules for shell code look at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..kinds.kind import Kind, KindFile
from ..kinds.shell.places import SHELL_NEEDS, SHELL_PLACES, Command, ShellPlace, Use, Variable, Word
from ..kinds.shell.reading import places_of
from ..kinds.shell.script import parsed
from ..text.parts.part import moved
from .shell_parts import Form, ShellPart

_INTERPRETER = re.compile(rb"\{sys\.executable\}")
_INSERTED = re.compile(rb"\{[A-Za-z_][\w.\[\]'\"()]*\}")
_SETTING = re.compile(rb"([A-Za-z_]\w*)(?:(?:[ \t]*=[ \t]*|[ \t]+)(\S.*))?\Z", re.S)


class ShellOfNotebook(KindFile):
    """The shell code of a notebook's cells; other text is blank, so that offsets are those of the cells.

    Args:
        text: The cells, put together.
        parts: Where their shell code is.
    """

    def __init__(self, kind: Kind, text: str, path: str = "", parts: Sequence[ShellPart] = ()) -> None:
        super().__init__(kind, _but_for(text, parts), path)
        self._parts = tuple(parts)

    @staticmethod
    def as_read(raw: bytes) -> bytes:
        """A shell ends lines at an LF."""
        return raw

    def read_places(self) -> Iterator[ShellPlace]:
        for part in self._parts:
            code = self.data[part.start : part.end]
            found = _setting(code) if part.form is Form.VARIABLE else _places(code, part.form)
            yield from (moved(place, part.start) for place in found)


KIND = Kind(name="notebook", file=ShellOfNotebook, places=SHELL_PLACES, needs=SHELL_NEEDS, patterns=())


def _but_for(text: str, parts: Sequence[ShellPart]) -> str:
    data = text.encode("utf-8", "surrogatepass")
    shown = bytearray(re.sub(rb"[^\r\n]", b" ", data))
    for part in parts:
        shown[part.start : part.end] = data[part.start : part.end]
    return shown.decode("utf-8", "surrogatepass")


def _places(code: bytes, form: Form) -> Iterator[ShellPlace]:
    """The places of a part. IPython puts values of Python in braces, of which nothing is known."""
    for place in places_of(parsed(_without_values(code)).root_node, parsed):
        if isinstance(place, Command):
            words = tuple(_as_written(word, code) for word in place.words)
            if form is Form.RUN and place.start == 0:
                words = (words[0]._replace(text="python"), *words[1:])
            yield place._replace(words=words)
        elif isinstance(place, Variable) and place.value is not None:
            yield place._replace(value=_as_written(place.value, code))
        else:
            yield place


def _without_values(code: bytes) -> bytes:
    code = _INTERPRETER.sub(lambda match: b"python".ljust(len(match[0])), code)
    return _INSERTED.sub(lambda match: b"$".ljust(len(match[0]), b"_"), code)


def _as_written(word: Word, code: bytes) -> Word:
    return word._replace(raw=code[word.start : word.end].decode("utf-8", "replace"))


def _setting(code: bytes) -> Iterator[Variable]:
    match = _SETTING.match(code)
    if match is None:
        return
    raw = (match[2] or b"").decode("utf-8", "replace")
    value = None
    if raw:
        is_literal = not re.search(r"[${]", raw)
        value = Word(match.start(2), match.end(2), raw if is_literal else None, raw)
    use = Use.SET if value is not None else Use.READ
    yield Variable(match.start(1), match.end(1), match[1].decode(), use, value)
