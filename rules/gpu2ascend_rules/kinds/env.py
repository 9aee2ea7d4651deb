"""Files that set environment variables, one in a line: ``.env``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..limits.checkpoints import checkpoint
from .kind import Kind, KindFile
from .shell.places import Use, Variable, Word

_LINE = re.compile(
    rb"^[ \t]*(?P<export>export[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*(?P<value>[^\r\n]*)", re.M
)
_READ = re.compile(rb"\$(?:\{(?P<braced>[A-Za-z_]\w*)|(?P<bare>[A-Za-z_]\w*))")
_COMMENT = re.compile(rb"[ \t]+#.*$")


class EnvFile(KindFile):
    """One version of one such file. A program that is given it need not know quotes, nor comments behind a
    value."""

    def read_places(self) -> Iterator[Variable]:
        for match in _LINE.finditer(self.data):
            checkpoint()
            name, start = match["name"].decode(), match.start("name")
            raw = _COMMENT.sub(b"", match["value"]).rstrip()
            at = match.start("value")
            yield Variable(start, match.end("name"), name, Use.PREFIX, _value(raw, at))
            for read in _READ.finditer(raw) if not raw.startswith(b"'") else ():
                group = "braced" if read["braced"] is not None else "bare"
                first, last = at + read.start(group), at + read.end(group)
                yield Variable(first, last, read[group].decode(), Use.READ)

    def line_below_comment(self, line: int) -> int:
        """A comment has a line to itself."""
        return line


def _value(raw: bytes, start: int) -> Word:
    text = raw.decode("utf-8", "surrogatepass")
    is_quoted = len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]
    inner = text[1:-1] if is_quoted else text
    is_known = "$" not in text and "\\" not in text
    return Word(start, start + len(raw), inner if is_known else None, text)


KIND = Kind(
    name="env",
    file=EnvFile,
    places=(Variable,),
    patterns=(".env", ".env.*", "*.env"),
    languages=("dotenv",),
    is_private=True,
)
