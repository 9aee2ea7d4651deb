"""The values of a configuration that could not be parsed: it is broken, or a template."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .places import Unread

_VALUE = re.compile(
    rb"""(?<![^\s:=\[\{,"'])(?P<value>(?:cuda(?::\d+)?|nccl|multi_gpu)(?=[ \t]*(?:["',\]\}#\r\n]|$))"""
    rb"""|nvidia\.com/gpu(?=["']?[ \t]*:))""",
    re.M,
)
"""A device, back end or launcher that is a whole value, with what may follow it, or a resource of pods."""
_OF_TEMPLATES = re.compile(
    rb"\{\{|\{%|\$\{|<%|@\w{1,60}@|%\(\w{1,60}\)s|^[ \t]*//|/\*|,[ \t\r\n]{0,200}[}\]]", re.M
)
"""What fills a template in; and in JSON, comments and last commas, which its dialects allow."""


def is_broken_text(data: bytes) -> bool:
    """Whether a file that could not be parsed names a device or back end, and is no template or dialect."""
    return any(True for _ in unread(data)) and not is_template(data)


def is_template(data: bytes) -> bool:
    """Whether something fills the text in before it is read, or it is of a dialect."""
    return _OF_TEMPLATES.search(data) is not None


def unread(data: bytes) -> Iterator[Unread]:
    """The first device, back end or launcher of a file that could not be parsed."""
    match = _VALUE.search(data.lower())
    if match is not None:
        yield Unread(match.start("value"), match.end("value"), match["value"].decode())
