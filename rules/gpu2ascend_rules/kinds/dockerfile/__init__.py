"""Container files: what ``docker build`` and its likes read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from ...text.parts.embedded import EmbeddedPython, Room
from ...text.parts.part import moved
from ..kind import Kind, KindFile
from ..packages.places import Index, Requirement
from ..shell.places import SHELL_NEEDS, Command, Directive, ShellPlace, Unread, Use, Variable, Word
from ..shell.reading import places_of
from ..shell.script import parsed
from .instructions import Instruction, instructions
from .places import BaseImage

_LIST = re.compile(rb'[\s\\`]*\[(?:[\s\\`,]*"(?:[^"\\\r\n]|\\.)*")*[\s\\`,]*\]\s*$')
_TEXT = re.compile(rb'"((?:[^"\\\r\n]|\\.)*)"')
_SCRIPT = re.compile(
    rb"[ \t]*<<(?P<dash>-?)[ \t]*([\"']?)(?P<mark>[A-Za-z_]\w*)\2[ \t]*\r?\n(?P<body>.*?)"
    rb"(?=^[ \t]*(?P=mark)[ \t]*\r?$)",
    re.S | re.M,
)
_OTHER_PROGRAM = re.compile(rb"#!(?![^\n]*\b(?:ba|da|k|z)?sh\b)")
_UNSAFE_IN_SINGLE = (b"'", b"\\")
_IMAGE = re.compile(rb"(?:--\w+=\S+\s+|[\s\\`])*([^\s\\`#]+)")
_REFERENCE = re.compile(r"\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))")
_DEFAULT = re.compile(rb"(\w+)=(\"[^\"]*\"|'[^']*'|[^\s\\]+)")
_SETTING = re.compile(rb"([A-Za-z_]\w*)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?:[^\s\\]|\\[^\r\n])*)")
_OLD_SETTING = re.compile(rb"([A-Za-z_]\w*)[ \t]+([^\r\n]*[^\s\\])")
_DIRECTIVES = re.compile(rb"(?:[ \t]*#[ \t]*(?:syntax|escape|check)[ \t]*=[^\n]*(?:\n|\Z))*", re.I)
_SHELL = ("RUN", "CMD", "ENTRYPOINT")
_FLAGS = re.compile(rb"(?:--\w[\w-]*(?:=\S+)?[ \t]+)*")


def exec_form(code: bytes) -> bytes | None:
    """The words of a list, as shell code; None for what is no list of words."""
    if _LIST.match(code) is None:
        return None
    done = bytearray(b" " * len(code))
    for match in _TEXT.finditer(code):
        done[match.start() : match.end()] = _quoted(match)
    return bytes(done)


def here_document(code: bytes) -> bytes | None:
    """The script that is put in; None where there is none, or another program than a shell reads it."""
    match = _SCRIPT.match(code)
    if match is None or _OTHER_PROGRAM.match(match["body"]) is not None:
        return None
    start, end = match.span("body")
    return _blank(code[:start]) + code[start:end] + _blank(code[end:])


def _quoted(match: re.Match[bytes]) -> bytes:
    is_literal = not any(mark in match[1] for mark in _UNSAFE_IN_SINGLE)
    return b"'" + match[1] + b"'" if is_literal else match[0]


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", text)


class Dockerfile(KindFile):
    """One version of one container file."""

    @staticmethod
    def as_read(raw: bytes) -> bytes:
        """The builder ends lines at an LF."""
        return raw

    @property
    def head_end(self) -> int:
        """The directives for the builder count only as the first lines."""
        head = _DIRECTIVES.match(self.data)
        return head.end() if head is not None else 0

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """Its instructions."""
        return tuple(instructions(self.data))

    def line_below_comment(self, line: int) -> int:
        """A comment has a line to itself: above the instruction, however many lines it goes on."""
        start, end = self.lines.line_span(line)
        for item in self.instructions:
            if item.start < end and start < item.end:
                return self.lines.line_of(item.start)
        return line

    def room_at(self, start: int) -> Room:
        """A line that ends ends the instruction, but for a script that is put in."""
        last = bisect_right(self.instructions, start, key=lambda item: item.start) - 1
        has_script = last >= 0 and self._puts_in_script(self.instructions[last])
        return Room(forbidden="" if has_script else "\r\n")

    def _puts_in_script(self, item: Instruction) -> bool:
        return self.once(("script", item.start), lambda: b"<<" in item.code)

    def read_places(self) -> Iterator[BaseImage | ShellPlace]:
        yield from sorted(self._places(), key=lambda place: place.start)

    def _places(self) -> Iterator[BaseImage | ShellPlace]:
        defaults: dict[str, tuple[int, int, str]] = {}
        for item in self.instructions:
            if item.name == "ARG":
                defaults.update(_defaults(item))
            elif item.name == "FROM":
                yield from _base(item, defaults)
            elif item.name == "ENV":
                yield from _settings(item)
            elif item.name in _SHELL:
                yield from _shell(item)


def _defaults(item: Instruction) -> Iterator[tuple[str, tuple[int, int, str]]]:
    for match in _DEFAULT.finditer(item.code):
        value = match[2].decode("utf-8", "surrogatepass")
        quotes = 1 if value[:1] in "\"'" else 0
        span = item.start + match.start(2) + quotes, item.start + match.end(2) - quotes
        yield match[1].decode(), (*span, value.strip("\"'"))


def _base(item: Instruction, defaults: dict[str, tuple[int, int, str]]) -> Iterator[BaseImage]:
    match = _IMAGE.match(item.code)
    if match is None:
        return
    name = match[1].decode("utf-8", "surrogatepass")
    reference = _REFERENCE.fullmatch(name)
    known = defaults.get(reference[1] or reference[3]) if reference is not None else None
    if known is not None:
        yield BaseImage(*known)
    else:
        written = _REFERENCE.sub(lambda found: _value(found, defaults), name)
        yield BaseImage(item.start + match.start(1), item.start + match.end(1), written)


def _value(reference: re.Match[str], defaults: dict[str, tuple[int, int, str]]) -> str:
    """What replaces a variable in the name of an image; itself where nothing is known of it."""
    known = defaults.get(reference[1] or reference[3])
    return known[2] if known is not None else reference[2] or reference[0]


def _settings(item: Instruction) -> Iterator[Variable]:
    """``ENV A=1 B=2``, and the old ``ENV A 1``."""
    old = _OLD_SETTING.match(item.code)
    matches = [old] if old is not None else list(_SETTING.finditer(item.code))
    for match in matches:
        raw = match[2].decode("utf-8", "surrogatepass")
        text = None if "$" in raw else raw.strip("\"'")
        value = Word(item.start + match.start(2), item.start + match.end(2), text, raw)
        start, end = item.start + match.start(1), item.start + match.end(1)
        yield Variable(start, end, match[1].decode(), Use.SET, value)


def _shell(item: Instruction) -> Iterator[ShellPlace]:
    """The places of an instruction's shell code, in whichever of the forms it is written."""
    flags = _FLAGS.match(item.code)
    skipped = flags.end() if flags is not None else 0
    code = item.code[skipped:]
    listed = exec_form(code)
    script = here_document(code)
    if script is None and code.lstrip().startswith(b"<<"):
        return
    code = listed or script or code
    for place in places_of(parsed(code).root_node, parsed, is_list=listed is not None):
        if not isinstance(place, Unread | Directive):
            yield moved(place, item.start + skipped)


KIND = Kind(
    name="dockerfile",
    file=Dockerfile,
    places=(BaseImage, Command, Variable, Requirement, Index, EmbeddedPython),
    needs=SHELL_NEEDS,
    patterns=(
        *("dockerfile", "dockerfile.*", "dockerfile-*", "*.dockerfile", "*-dockerfile"),
        *("containerfile", "containerfile.*", "*.containerfile"),
    ),
    languages=("dockerfile",),
)
