"""Objects of the protocol as JSON and back; JSON that was made in advance."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, NamedTuple

import cattrs
from lsprotocol import converters
from pygls.protocol import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage


class Encoded(NamedTuple):
    """JSON as text: a large answer is made so in a thread or process, and only sent in the event loop."""

    text: str


def encoded(value: object) -> Encoded:
    """An object of the protocol as JSON. Takes long for a large one; may run in any thread or process."""
    return Encoded(json.dumps(_converter().unstructure(value)))


def raw_converter() -> cattrs.Converter:
    """A converter that leaves messages which the specification does not know as the plain data they are.

    That of pygls makes named tuples of them, and loses every key that is no identifier. It also collects
    all that is wrong with a message, by code that takes half as long again to make; the first error will do.
    """
    converter = converters.get_converter(cattrs.Converter(detailed_validation=False))

    def as_it_is(data: dict[str, Any], kind: type[Any]) -> Any:
        return kind(**{key: value for key, value in data.items() if key in _FIELDS[kind]})

    for kind in _FIELDS:
        converter.register_structure_hook(kind, as_it_is)
    return converter


def what_is_wrong(data: dict[str, Any], kind: type[Any]) -> str:
    """Why plain data is no object of a class of the protocol, with the place in it; empty if it is one."""
    thorough = converters.get_converter(cattrs.Converter(detailed_validation=True))
    try:
        thorough.structure(data, kind)
    except Exception as error:
        return "; ".join(map(_as_sent, cattrs.transform_error(error, path="message")))
    return ""


def _as_sent(problem: str) -> str:
    """A problem with the names of its place as the client writes them."""
    text, at, place = problem.rpartition(" @ ")
    return f"{text}{at}{_UNDERSCORE.sub(lambda match: match[1].upper(), place)}"


_UNDERSCORE = re.compile("_([a-z])")
_converter = cache(raw_converter)

_FIELDS: dict[type[Any], frozenset[str]] = {
    kind: frozenset(field.name for field in kind.__attrs_attrs__)
    for kind in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage)
}
