"""Reading one requirement as PEP 508 has it, with its places."""

from __future__ import annotations

import re

from .places import Requirement, Style

_SHAPE = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)[ \t]*(?:\[(?P<extras>[^\]]*)\])?[ \t]*"
    r"(?:(?P<url>@[ \t]*\S+)|(?P<versions>[(<>=!~][^;#]*?))?[ \t]*(?:;[ \t]*(?P<marker>.*?))?[ \t]*$",
    re.ASCII,
)
_NAMES_OF_CONDA = {"pyg": "torch-geometric", "pytorch": "torch", "pytorch-gpu": "torch"}
CONDA_ENTRY = re.compile(
    r"(?:[\w./-]+::)?(?P<name>[A-Za-z_][\w.-]*)[ \t]*(?P<versions>(?:[=<>!~][^$]*)?)$", re.ASCII
)
"""An entry of a list of conda's, which may name the channel and, behind a second ``=``, the build."""
_REPOSITORY = re.compile(
    r"git\+\w+://[^\s#]+?/(?P<name>[\w.-]+?)(?:\.git)?/?(?:@[^\s#]*)?(?:#(?:\S*?\begg=(?P<egg>[\w.-]+))?\S*)?$",
    re.ASCII,
)
"""A package that is built from a repository; without ``egg=`` it is called like that, as a rule."""
_ARCHIVE = re.compile(r"https?://[^\s#]+/(?P<name>[A-Za-z0-9][\w.]*)-\d[^\s/#]*\.whl(?:#\S*)?$", re.ASCII)
"""A wheel by its address, whose name begins with that of the package."""


def read_requirement(text: str, start: int = 0) -> Requirement | None:
    """The entry that a text is, which begins at an offset; None where it is no requirement."""
    from packaging.requirements import InvalidRequirement
    from packaging.requirements import Requirement as Parsed
    from packaging.utils import canonicalize_name

    address = _REPOSITORY.match(text) or _ARCHIVE.match(text)
    if address is not None:
        end = start + len(text.encode("utf-8", "surrogatepass"))
        name = canonicalize_name(address.groupdict().get("egg") or address["name"])
        return Requirement(start, end, name, end, (), _of_wheel(text), (end, end), is_url=True)
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
    return Requirement(
        start,
        start + len(text.encode("utf-8", "surrogatepass")),
        canonicalize_name(parsed.name),
        start + in_bytes[0],
        tuple(sorted(parsed.extras)),
        match["versions"] or _of_wheel(parsed.url or ""),
        (start + in_bytes[1], start + in_bytes[2]),
        (match["marker"] or "").strip(),
        is_url=parsed.url is not None,
    )


def _of_wheel(url: str) -> str:
    """The release that the name of a wheel gives, as a list would ask for it."""
    from packaging.utils import InvalidWheelFilename, parse_wheel_filename

    name = re.sub("%2b", "+", url.partition("#")[0].rpartition("/")[2], flags=re.IGNORECASE)
    try:
        return f"=={parse_wheel_filename(name)[1]}"
    except InvalidWheelFilename:
        return ""


def named_by(match: re.Match[str], start: int, end: int, style: Style) -> Requirement:
    """The entry of which a match, from an offset on, has the ``name`` and the ``versions``."""
    name = re.sub(r"[-_.]+", "-", match["name"].lower()) if style is Style.PIP else _of_conda(match["name"])
    at = (start + match.start("versions"), start + match.end("versions"))
    return Requirement(start, end, name, start + match.end("name"), (), match["versions"], at, style=style)


def _of_conda(name: str) -> str:
    """The name of a package in the package index. What conda installs is reported only."""
    name = name.lower().replace("_", "-")
    return _NAMES_OF_CONDA.get(name, name)
