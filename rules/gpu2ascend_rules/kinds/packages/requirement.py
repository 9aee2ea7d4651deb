"""Reading one requirement as PEP 508 has it, with its places."""

from __future__ import annotations

import re
from typing import NamedTuple

from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Parsed
from packaging.utils import canonicalize_name

_SHAPE = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)[ \t]*(?:\[(?P<extras>[^\]]*)\])?[ \t]*"
    r"(?:(?P<url>@[ \t]*\S+)|(?P<versions>[(<>=!~][^;#]*?))?[ \t]*(?:;[ \t]*(?P<marker>.*?))?[ \t]*$",
    re.ASCII,
)


_REPOSITORY = re.compile(
    r"git\+\w+://[^\s#]+?/(?P<name>[\w.-]+?)(?:\.git)?/?(?:@[^\s#]*)?(?:#(?:\S*?\begg=(?P<egg>[\w.-]+))?\S*)?$",
    re.ASCII,
)
"""A package that is built from a repository; without ``egg=`` it is called like that, as a rule."""


class Written(NamedTuple):
    """A requirement, and where its parts are, counted in bytes from its beginning."""

    name: str
    name_end: int
    extras: tuple[str, ...]
    versions: str
    versions_at: tuple[int, int]
    marker: str
    is_url: bool


def read_requirement(text: str) -> Written | None:
    """What a text asks for; None where it is no requirement."""
    repository = _REPOSITORY.match(text)
    if repository is not None:
        end = len(text.encode())
        name = canonicalize_name(repository["egg"] or repository["name"])
        return Written(name, end, (), "", (end, end), "", is_url=True)
    match = _SHAPE.match(text)
    if match is None:
        return None
    try:
        parsed = Parsed(text.strip())
    except InvalidRequirement:
        return None
    end = match.end("extras") + 1 if match["extras"] is not None else match.end("name")
    at = match.span("versions") if match["versions"] is not None else (end, end)
    in_bytes = [len(text[:offset].encode()) for offset in (match.end("name"), *at)]
    return Written(
        canonicalize_name(parsed.name),
        in_bytes[0],
        tuple(sorted(parsed.extras)),
        match["versions"] or "",
        (in_bytes[1], in_bytes[2]),
        (match["marker"] or "").strip(),
        parsed.url is not None,
    )
