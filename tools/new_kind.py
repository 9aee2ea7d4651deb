"""The skeleton of a kind of file: ``make kind NAME=procfile PATTERNS=procfile,*.procfile``.

Writes a folder below ``kinds/`` whose places are the lines of a file, and a test. The skeleton runs; a rule
about its lines begins with ``make rule ... KIND=procfile``.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.kinds.registry import all_kinds

from .new_rule import ROOT, RefusedError

_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_INIT = '''"""{title} files."""

from __future__ import annotations

from ..kind import Kind
from .places import Line
from .{name}_file import {title}File

KIND = Kind(name="{name}", file={title}File, places=(Line,), patterns=({patterns}))
'''
_PLACES = '''"""What rules are shown of a {title} file."""

from __future__ import annotations

from typing import NamedTuple


class Line(NamedTuple):
    """A line that is not empty and no comment."""

    start: int
    end: int
    text: str
'''
_FILE = '''"""A {title} file as a file of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...limits.checkpoints import checkpoint
from ..kind import KindFile
from .places import Line

_LINE = re.compile(rb"^[ \\t]*(?P<text>[^#\\s][^\\r\\n]*)", re.MULTILINE)


class {title}File(KindFile):
    """One version of one such file."""

    def read_places(self) -> Iterator[Line]:
        for match in _LINE.finditer(self.data):
            checkpoint()
            raw = match["text"].rstrip()
            start = match.start("text")
            yield Line(start, start + len(raw), raw.decode("utf-8", "replace"))
'''
_TEST = '''"""{title} files: which they are, and what rules are shown of them."""

from __future__ import annotations

from gpu2ascend_rules.kinds.{name}.places import Line
from gpu2ascend_rules.kinds.registry import kind_file, kind_of

EXAMPLE = "{example}"


def test_the_name_shows_the_kind() -> None:
    found = kind_of(EXAMPLE)
    assert found is not None and found.name == "{name}"


def test_comments_and_empty_lines_are_no_places() -> None:
    file = kind_file(EXAMPLE, "# a comment\\n\\n  one é  \\r\\ntwo\\n")
    assert file is not None
    assert list(file.places()) == [Line(15, 21, "one é"), Line(25, 28, "two")]
'''


class NewKind(NamedTuple):
    """What distinguishes one kind from another."""

    name: str
    patterns: tuple[str, ...]

    @property
    def example(self) -> str:
        """A file name that the first pattern matches."""
        return self.patterns[0].replace("*", "a")


def checked(name: str, patterns: str) -> NewKind:
    """A kind that may be added.

    Args:
        patterns: Names of files as a shell's patterns, separated by commas.

    Raises:
        RefusedError: the name is malformed or taken, or the files are of another kind already.
    """
    if not _NAME.fullmatch(name):
        raise RefusedError(f"NAME={name} is not lower-case words joined by underscores")
    if name in {kind.name for kind in all_kinds()}:
        raise RefusedError(f"{name} is the name of a kind")
    kind = NewKind(name, tuple(part for part in patterns.lower().split(",") if part))
    if not kind.patterns:
        raise RefusedError("PATTERNS names no files; write for example PATTERNS=procfile,*.procfile")
    for other in all_kinds():
        if other.has_name(kind.example):
            raise RefusedError(f"{kind.example} is a file of the kind {other.name}")
    return kind


def write(kind: NewKind, root: Path = ROOT) -> list[Path]:
    """Write the skeleton and its test into a checkout.

    Returns:
        The files that a person goes on with.

    Raises:
        RefusedError: the folder exists already.
    """
    folder = root / "rules/gpu2ascend_rules/kinds" / kind.name
    if folder.exists():
        raise RefusedError(f"{folder.relative_to(root).as_posix()} exists")
    words = {
        "name": kind.name,
        "title": "".join(word.capitalize() for word in kind.name.split("_")),
        "patterns": ", ".join(f'"{pattern}"' for pattern in kind.patterns) + "," * (len(kind.patterns) == 1),
        "example": kind.example,
    }
    texts = {
        folder / "__init__.py": _INIT,
        folder / "places.py": _PLACES,
        folder / f"{kind.name}_file.py": _FILE,
        root / "tests/rules/kinds" / kind.name / f"test_{kind.name}_file.py": _TEST,
    }
    for path, text in texts.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.format(**words), encoding="utf-8", newline="\n")
    return list(texts)


def main(arguments: list[str] | None = None) -> int:
    """Write the skeleton that the command line asks for; 2 with the reason where it cannot be."""
    parser = argparse.ArgumentParser(prog="python -m tools.new_kind", description=__doc__)
    parser.add_argument("name")
    parser.add_argument("patterns")
    given = parser.parse_args(arguments)
    try:
        written = write(checked(given.name, given.patterns))
    except RefusedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
