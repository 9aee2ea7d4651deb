"""What pip says: why it cannot install something, and what it would download."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from gpu2ascend_rules.model.finding import Message

from ...project.paths import shown, size_text

_MAJOR = re.compile(r"\d+")
_BOUND = re.compile(r"<\d+")
_NETWORK = re.compile(
    r"name resolution|getaddrinfo failed|Name or service not known|nodename nor servname|ProxyError"
    r"|Failed to establish a new connection|Connection(?:Error|Refused| refused| timed out)"
    r"|Network is unreachable|Read timed out|ConnectTimeout"
)
_SPACE = re.compile(r"No space left on device|Errno 28\b")
_MISSING = re.compile(r"No matching distribution found for (?P<name>[^\n]+)")
_ASKED_BY = re.compile(r"satisfies the requirement \S+ \(from (?!versions:)(?P<name>[\w.-]+)")
"""The package that asks for the one that there is not."""
_NO_VERSION = "(from versions: none)"
_CONFLICT = re.compile(r"Cannot install (?P<names>[^\n]+?) because these package versions have conflict")
_BUILD = re.compile(
    r"(?:Failed to build|Failed building wheel for|Could not build wheels for) '?(?P<name>[\w.-]+)|"
    r"(?:Getting requirements to build wheel|Preparing metadata \([^)]*\)|python setup\.py \w+|"
    r"installing build dependencies[^\n]*) did not run successfully",
    re.IGNORECASE,
)
_COLLECTED = re.compile(r"^Collecting (?P<name>[\w.-]+)", re.MULTILINE)
_SAID = re.compile(
    r"^\s*(?P<text>(?:[A-Z]\w*Error|fatal error|error(?!: subprocess-exited))\b[^\n]*)", re.MULTILINE
)
_LARGE = 50_000_000
"""Bytes from which a file is named before it is downloaded."""
_LONGEST = 300

SIZES = """
import concurrent.futures, json, os, ssl, sys, urllib.request
urls = json.load(open(sys.argv[1]))
context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or None)
def size(url):
    if url.startswith("file:"):
        return os.path.getsize(urllib.request.url2pathname(urllib.parse.urlparse(url).path))
    try:
        request = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(request, timeout=10, context=context) as answer:
            return int(answer.headers.get("Content-Length") or 0)
    except (OSError, ValueError):
        return 0
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    print(json.dumps(list(pool.map(size, urls))))
"""
"""Asks how large files are, by their addresses; 0 where it is unknown."""

REACHES = """
import socket, subprocess, sys, urllib.parse, urllib.request
pip = subprocess.run([sys.executable, "-I", "-m", "pip", "config", "list"], capture_output=True, text=True)
if not urllib.request.getproxies() and ".proxy=" not in pip.stdout:
    address = urllib.parse.urlsplit(sys.argv[1])
    socket.create_connection((address.hostname, address.port or 443), timeout=10).close()
"""
"""Fails where nothing answers at an address; behind a proxy only pip can know it."""


class Problem(NamedTuple):
    """Why pip does not install what it was asked for."""

    kind: str
    """``network``, ``space``, ``missing``, ``conflict``, ``build`` or ``unknown``."""
    packages: tuple[str, ...]
    """As package indexes compare names."""
    said: str
    """The package with its versions, or the end of what pip printed."""

    @property
    def message(self) -> Message:
        """The problem in one sentence."""
        return Message.of(f"verify.pip.{self.kind}", said=shown(self.said[:_LONGEST]))


class File(NamedTuple):
    """What would be installed."""

    name: str
    version: str
    url: str
    is_of_index: bool


def problem_of(text: str, last: str) -> Problem:
    """The problem that an output of pip shows.

    Args:
        last: The end of the output, which says it where nothing else does.
    """
    is_cut_off = _NETWORK.search(text) is not None  # from one of the indexes, not always from all
    if _SPACE.search(text):
        return Problem("space", (), last)
    conflict = _CONFLICT.search(text)
    if conflict is not None:
        names = re.split(r",\s*| and ", conflict["names"])
        return Problem("conflict", tuple(filter(None, map(_name, names))), conflict["names"])
    missing = _MISSING.search(text)
    if is_cut_off and (missing is None or _NO_VERSION in text):
        return Problem("network", (), last)
    if missing is not None:
        asked_by = _ASKED_BY.search(text)
        needed = [missing["name"], *([asked_by["name"]] if asked_by is not None else [])]
        return Problem("missing", tuple(filter(None, map(_name, needed))), missing["name"].strip())
    build = _BUILD.search(text)
    if build is not None:
        collected = [match["name"] for match in _COLLECTED.finditer(text[: build.start()])]
        name = build["name"] or (collected[-1] if collected else "")
        errors = [match["text"] for match in _SAID.finditer(text)]
        return Problem("build", (str(canonicalize_name(name)),), f"{name}: {errors[0] if errors else last}")
    return Problem("unknown", (), last)


def _name(text: str) -> str:
    match = re.match(r"[\w.-]+", text.strip())
    return str(canonicalize_name(match[0])) if match is not None else ""


def relaxed(
    specifiers: Sequence[str], packages: Sequence[str], kept: int, named: Sequence[str] | None = None
) -> tuple[str, ...] | None:
    """The specifiers with other releases of some packages: first of the same major number, as code for
    one seldom runs with the next, then any; None where that changes none.

    Args:
        kept: So many at the beginning stay as they are.
        named: Those of which there is none of that major number; by default all of the packages.
    """
    given = packages if named is None else named
    made = (*specifiers[:kept], *(_without_version(item, packages, given) for item in specifiers[kept:]))
    return made if made != tuple(specifiers) else None


def without(specifiers: Sequence[str], packages: Sequence[str], kept: int) -> tuple[str, ...]:
    """The specifiers but for those of some packages; so many at the beginning stay in any case."""
    return (*specifiers[:kept], *(item for item in specifiers[kept:] if _name(item) not in packages))


def _without_version(specifier: str, packages: Sequence[str], named: Sequence[str]) -> str:
    try:
        parsed = Requirement(specifier)
    except InvalidRequirement:
        return specifier
    if parsed.url is not None or canonicalize_name(parsed.name) not in packages:
        return specifier
    if _BOUND.fullmatch(str(parsed.specifier)) and canonicalize_name(parsed.name) not in named:
        return specifier
    pinned = (one.version for one in parsed.specifier if one.operator in ("==", "~=", "<="))
    major = next((int(found[0]) for found in map(_MAJOR.match, pinned) if found is not None), None)
    parsed.specifier = SpecifierSet(f"<{major + 1}" if major is not None else "")
    return str(parsed)


def is_place(specifier: str) -> bool:
    """Whether a specifier names a file, a repository or an address, which only it can say again."""
    try:
        return Requirement(specifier).url is not None
    except InvalidRequirement:
        return True


def files_of(report: Path) -> tuple[File, ...]:
    """What a report of pip names; nothing if it cannot be read."""
    try:
        content = json.loads(report.read_text(encoding="utf-8"))
        return tuple(_file(item) for item in content["install"])
    except (OSError, ValueError, KeyError, TypeError):
        return ()


def _file(item: Mapping[str, Mapping[str, str]]) -> File:
    metadata = item["metadata"]
    return File(
        metadata["name"], metadata["version"], item["download_info"]["url"], not item.get("is_direct")
    )


def download_message(files: Sequence[File], sizes: Sequence[int]) -> Message:
    """How much will be downloaded, and the largest files."""
    pairs = sorted(zip(sizes, files, strict=True), reverse=True)
    large = [f"{file.name} {file.version} {size_text(size)}" for size, file in pairs if size >= _LARGE]
    return Message.of(
        "verify.downloads", count=len(files), size=size_text(sum(sizes)), large=shown(", ".join(large) or "-")
    )
