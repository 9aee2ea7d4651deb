"""What a script is given from outside: the options that it declares and the environment variables that it
reads, by name, found by pattern. A variable has a ``$`` before its name.

Fields of dataclasses are among them: parsers such as transformers' ``HfArgumentParser`` make options of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_DECLARES = rb"\.add_argument|\b(?:click|typer)\.(?:option|Option)|@option"
_DECLARING = (b"add_argument", b"option(", b"Option(", b"configargparse")
_FLAG = re.compile(rb"\bDEFINE_(?:string|enum)\(\s*(?:\"(\w+)\"|'(\w+)')")
"""Of absl, which names a flag without hyphens."""
_FIRED = re.compile(rb"\b(?:Fire|typer\.run|tyro\.cli|defopt\.run)\(\s*(\w+)")
"""A function whose parameters a library fills from the command line."""
_FILLERS = (b"Fire(", b"typer.run", b"tyro.cli", b"defopt.run")
_PARAMETER = re.compile(rb"(?:^|,)\s*([A-Za-z]\w*)\s*(?=[:=,]|$)")
_ADDS = rb"\.add(?:_arg)?"
"""How configargparse has it, beside ``add_argument``."""
_BEHIND = re.compile(rb"^[ \t]*(\w+)[ \t]*=[ \t]*\w+\.add_argument[ \t]*(?:#|$)", re.M)
"""``add = parser.add_argument``."""
_STRINGS = rb"((?:[rRbBuU]{0,2}(?:\"[^\"\n]*\"|'[^'\n]*')\s*,?\s*(?:#[^\n]*\n\s*)?)+)"
"""The strings of ``parser.add_argument("-d", "--device", ...)`` and of click's decorators."""
_FIELD = re.compile(
    rb"^[ \t]+([A-Za-z_]\w{0,60})[ \t]*:[ \t]*(?:[\w.]{1,40}\[[ \t]*)?(?:str|Literal)\b", re.M
)
"""A field that holds a text: ``device: str``, ``device: Optional[str]``, ``device: Literal["cuda"]``."""
_STRING = re.compile(rb"\"([^\"\n]*)\"|'([^'\n]*)'")
_VARIABLE = re.compile(
    rb"\b(?:environ(?:\.\w+\(|\[)|getenv\(|env_?var\s*=\s*\[?)\s*(?:\"([A-Za-z_]\w*)\"|'([A-Za-z_]\w*)')"
)
_OPTION = re.compile(rb"--?[A-Za-z][\w.-]*")


def declared_options(data: bytes) -> tuple[str, ...]:
    """The option strings and variables of a file, each once, in order; positional arguments aside."""
    found: dict[str, None] = {}
    if b"env" in data:
        names = (double or single for double, single in _VARIABLE.findall(data))
        found.update((f"${name.decode('ascii', 'replace')}", None) for name in names)
    found.update((f"--{name.decode('ascii', 'replace')}", None) for name in _named(data))
    if any(word in data for word in _DECLARING):
        found.update((name, None) for name in _flags(data))
    return tuple(found)


def _named(data: bytes) -> Iterator[bytes]:
    """The options that are declared without their hyphens."""
    if b"dataclass" in data:
        yield from _FIELD.findall(data)
    if b"DEFINE_" in data:
        yield from (double or single for double, single in _FLAG.findall(data))
    for function in _FIRED.findall(data) if any(word in data for word in _FILLERS) else ():
        for given in re.findall(rb"\bdef " + function + rb"\(([^()]*)\)", data):
            yield from _PARAMETER.findall(given)


def _flags(data: bytes) -> Iterator[str]:
    """The flags of the calls that declare options."""
    adds = (_ADDS,) if b"configargparse" in data else ()
    behind = sorted({rb"\b" + name for name in _BEHIND.findall(data)})
    declares = rb"(?:" + b"|".join((_DECLARES, *adds, *behind)) + rb")\s*\(\s*"
    for declaration in re.findall(declares + _STRINGS, data):
        for quoted in _STRING.findall(declaration):
            for text in (quoted[0] or quoted[1]).split(b"/"):  # click: "--shout/--no-shout"
                if _OPTION.fullmatch(text.strip()):
                    yield text.strip().decode("ascii", "replace")
