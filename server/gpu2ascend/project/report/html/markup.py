"""HTML that cannot hold what is not meant to be there.

A text becomes HTML in this module alone. :func:`element` escapes every child and every value of an attribute
that is not :class:`Html` already, so that no name or line of a project can be markup, whoever forgot what.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ....texts.escaping import html_text

_EMPTY = frozenset({"col", "input", "meta", "rect"})
"""Elements without an end."""
_PARTS = re.compile(r"(?<=[/._:])(?=[^/._:])")
"""Where a path may be broken."""
_CODE = re.compile(r"(`{1,2})([^`]+)\1")


class Html(str):
    """Text that is HTML."""

    __slots__ = ()


Child = str | None
Attribute = str | int | bool | None


def element(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """An element.

    Args:
        name: Of the element.
        children: Texts, which are escaped, and HTML, which stays; ``None`` is passed over.
        attributes: By name with ``_`` for ``-``; a last ``_`` keeps a name from being a keyword. ``None`` and
            ``False`` are passed over, ``True`` is an attribute without a value.
    """
    start = name + "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{start}/>" if name in _EMPTY else f"<{start}>{joined(children)}</{name}>")


def joined(children: Iterable[Child], between: str = "") -> Html:
    """Texts and HTML, one after the other, as HTML."""
    return Html(escaped(between).join(escaped(child) for child in children if child is not None))


def escaped(text: str) -> Html:
    """A text as HTML; HTML as it is."""
    return text if isinstance(text, Html) else Html(html_text(text))


def with_code(text: str) -> Html:
    """A message: words in backquotes are code, and all else is text."""
    pieces: list[Child] = []
    end = 0
    for match in _CODE.finditer(text):
        pieces += [text[end : match.start()], code(match[2])]
        end = match.end()
    return joined([*pieces, text[end:]])


def code(text: str) -> Html:
    """Something to be typed or found in a file, which no translator of a browser should touch."""
    return element("code", text, translate="no")


def path_code(text: str) -> Html:
    """A path or a name with dots as code, which may be broken where its parts end."""
    pieces = _PARTS.split(text)
    return element("code", joined(pieces, Html("<wbr>")), translate="no")


def listed(items: Iterable[Child], **attributes: Attribute) -> Html:
    """A list of points."""
    return element("ul", *(element("li", item) for item in items), **attributes)


@lru_cache(maxsize=1024, typed=True)
def _attribute(key: str, value: Attribute) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{escaped(str(value))}"'
