"""The options that a script declares to its command line: their names, found by pattern."""

from __future__ import annotations

import re

_DECLARATION = re.compile(
    rb"(?:\.add_argument|\b(?:click|typer)\.(?:option|Option)|@option)\s*\(\s*"
    rb"((?:[rRbBuU]{0,2}(?:\"[^\"\n]*\"|'[^'\n]*')\s*,?\s*(?:#[^\n]*\n\s*)?)+)"
)
"""``parser.add_argument("-d", "--device", ...)`` and click's decorators: the call and its strings."""
_STRING = re.compile(rb"\"([^\"\n]*)\"|'([^'\n]*)'")
_OPTION = re.compile(rb"--?[A-Za-z][\w-]*")


def declared_options(data: bytes) -> tuple[str, ...]:
    """The option strings that a file declares, each once, in order; positional arguments aside."""
    if b"add_argument" not in data and b"ption(" not in data:
        return ()
    found: dict[str, None] = {}
    for declaration in _DECLARATION.findall(data):
        for quoted in _STRING.findall(declaration):
            for text in (quoted[0] or quoted[1]).split(b"/"):  # click: "--shout/--no-shout"
                if _OPTION.fullmatch(text.strip()):
                    found[text.strip().decode("ascii", "replace")] = None
    return tuple(found)
