"""What a kind of file is, and a file of one.

A kind is a module or a folder in this package that defines ``KIND``; nothing else registers it. The
engine, the reports and the editor features know kinds only by what is written here.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import ClassVar, NamedTuple, TypeVar

import attrs

from ..text.parts.embedded import EmbeddedPython, Room, may_embed_python, part_of
from ..text.parts.part import Part
from ..text.plain.text_file import TextFile

_F = TypeVar("_F", bound="KindFile")


class Place(NamedTuple):
    """A part of a file, by byte offsets; the end is exclusive. The places of kinds have these fields, too."""

    start: int
    end: int


class WholeText(NamedTuple):
    """A file as a whole, of any kind; rules are asked about it after all other places."""

    start: int
    end: int


@attrs.frozen(kw_only=True, slots=False, eq=False)
class Kind:
    """A sort of file beside Python."""

    name: str
    file: type[KindFile]
    """Parses a text of this kind."""
    places: tuple[type, ...]
    """The classes of what :meth:`KindFile.places` gives; rules ask for these. Several kinds may give the
    same: a container file has shell commands, too."""
    patterns: tuple[str, ...]
    """Names of files as a shell's patterns, in lower case; one with ``/`` is matched with the whole path or
    its end, else with the name alone."""
    languages: tuple[str, ...] = ()
    """How editors call the language, for a document without a telling name."""
    is_private: bool = False
    """Whether its files often hold secrets, so that a report shows no line beside those that change."""
    is_searched: bool = False
    """Whether a text is only searched for words of ASCII and never changed, so that its encoding is of no
    account."""
    claims: Callable[[str], bool] | None = None
    """Whether the begin of a file without a suffix shows that it is of this kind."""

    needs: Mapping[type, bytes] = attrs.field(factory=dict)
    """What a text must have, in lower case, to have places of a class; any text may have those of others."""

    @cached_property
    def _of_names(self) -> re.Pattern[str]:
        return _any_of([pattern for pattern in self.patterns if "/" not in pattern])

    @cached_property
    def _of_paths(self) -> re.Pattern[str]:
        paths = [pattern for pattern in self.patterns if "/" in pattern]
        return _any_of([*paths, *(f"*/{pattern}" for pattern in paths)])

    def has_name(self, path: str) -> bool:
        """Whether a path, with ``/``, shows that its file is of this kind."""
        lower = path.lower()
        if self._of_names.match(lower.rpartition("/")[2]) is not None:
            return True
        return self._of_paths.match(lower) is not None


class KindFile(TextFile):
    """One version of one file of a kind. A kind derives its own class from this."""

    def __init__(self, kind: Kind, text: str, path: str = "") -> None:
        super().__init__(text, path)
        self.kind = kind

    def renewed(self: _F, text: str) -> _F:
        """The last version is kept: fixes ask for it, then their caller, and it is parsed once."""
        last: _F | None = vars(self).get("_renewed")
        if last is None or last.text != text:
            last = vars(self)["_renewed"] = type(self)(self.kind, text, self.path)
        return last

    joins_lines: ClassVar[bool] = False
    """Whether a backslash at the end of a line joins it with the next."""

    offers_only: ClassVar[bool] = False
    """Whether whatever would be changed in it is only offered, because it is for other machines to read."""

    def read_places(self) -> Iterator[object]:
        """Find every place that a rule may ask for, in the order of the text: of the kind's classes."""
        raise NotImplementedError

    @cached_property
    def _read(self) -> tuple[object, ...]:
        return tuple(self.read_places())

    def places(self) -> Iterator[object]:
        """Every place that a rule may ask for, in the order of the text. The text is read once, however often
        rules ask."""
        return iter(self._read)

    def places_about(self, words: Iterable[bytes]) -> Iterator[object]:
        """The places, perhaps without values that hold none of the words, neither themselves nor in a key
        above them. The words are in lower case."""
        return self.places()

    def parts(self) -> Iterator[Part]:
        """The code of Python within its shell code."""
        if EmbeddedPython in self.kind.places and may_embed_python(self.data):
            for place in self.places():
                if isinstance(place, EmbeddedPython):
                    yield part_of(place, self.data, self.room_at(place.start))

    def room_at(self, start: int) -> Room:
        """What is asked of text that is written into the shell code at an offset."""
        return Room()

    def takes(self, start: int, end: int) -> bool:
        """Whether a fix may replace a span: not one that goes beyond what belongs together."""
        return True

    def comment_at(self, start: int, end: int) -> str | None:
        """A comment has a line to itself, unless the kind says otherwise."""
        first, last = self.lines.line_span(self.lines.line_of(start))
        line = self.slice(first, last)
        return line.strip() if line.lstrip().startswith("#") else None

    def line_for_comment(self, line: int) -> int:
        """None can be behind a backslash that joins lines."""
        while self.joins_lines:
            start, end = self.lines.line_span(line)
            if end >= len(self.data) or not self.data[start:end].rstrip(b"\r\n").endswith(b"\\"):
                break
            line += 1
        return line

    @property
    def has_syntax_error(self) -> bool:
        """Whether some part could not be parsed. No place lies in such a part."""
        return False

    @property
    def is_broken(self) -> bool:
        """Whether it says something that may matter and could not be parsed as a whole, and is no template
        of such a file: then nothing of it was examined."""
        return False


def _any_of(patterns: list[str]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(pattern) for pattern in patterns) or r"(?!)")
