"""What a message of JSON-RPC is, before anything is made of its parameters: any JSON can come in its place.

pygls looks ids and methods up in tables and takes a message by the fields that it happens to have. A value
that no table can hold, or a message with the fields of another kind, would end the session or be left
without an answer.
"""

from __future__ import annotations

import json
from enum import Enum, auto
from typing import Any, NamedTuple

from lsprotocol import types

from .announcement import FEATURES

_VERSION = "2.0"
_NOTIFICATIONS = frozenset(method for method, row in types.METHOD_TO_TYPES.items() if row[1] is None)
_REQUESTS = frozenset({*types.METHOD_TO_TYPES, *FEATURES}) - _NOTIFICATIONS
_EXCERPT = 80


class Kind(Enum):
    """What becomes of a message."""

    REQUEST = auto()
    """It gets an answer."""
    NOTIFICATION = auto()
    RESPONSE = auto()
    """It ends the wait for an answer, if something waits for one with its id."""
    REFUSED = auto()
    """It is answered by an error."""
    IGNORED = auto()
    """It asks for nothing and answers nothing; the log names it."""


class Shape(NamedTuple):
    """A message as far as JSON-RPC defines it."""

    kind: Kind
    data: dict[str, Any]
    """Its fields; without an error that is null in a response that has a result."""
    number: int | str | None = None
    """Its id; None if it has none that can be repeated in an answer."""
    code: int = types.ErrorCodes.InvalidRequest
    """The code of the error, for a message that is refused."""
    reason: str = ""
    """What is wrong with a message that is refused or ignored."""


def shape_of(body: bytes) -> Shape:
    """What the body of a message is. Any bytes have a shape."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        return Shape(Kind.REFUSED, {}, None, types.ErrorCodes.ParseError, str(error))
    if not isinstance(data, dict):
        what = "a batch, which the protocol does not have" if isinstance(data, list) else "no object"
        return Shape(Kind.REFUSED, {}, None, reason=f"the message is {what}")
    number = data.get("id")
    is_number = isinstance(number, (int, str)) and not isinstance(number, bool)
    if not is_number:
        number = None
    if data.get("jsonrpc") != _VERSION:
        return Shape(Kind.REFUSED, data, number, reason=f'"jsonrpc" is not "{_VERSION}"')
    if "method" not in data:
        return _response(data, number)
    method = data["method"]
    if not isinstance(method, str):
        return Shape(Kind.REFUSED, data, number, reason='"method" is not a string')
    if "id" not in data:
        return _notification(data, method)
    if not is_number:
        return Shape(Kind.REFUSED, data, None, reason='"id" is not an integer or a string')
    return _request(data, method, number)


def _request(data: dict[str, Any], method: str, number: Any) -> Shape:
    if method in _NOTIFICATIONS:
        return Shape(Kind.REFUSED, data, number, reason=f"{method} is a notification and has no id")
    if _are_parameters(data):
        return Shape(Kind.REQUEST, data, number)
    code = types.ErrorCodes.InvalidParams
    return Shape(Kind.REFUSED, data, number, code, '"params" is not an object or an array')


def _notification(data: dict[str, Any], method: str) -> Shape:
    if method in _REQUESTS:
        return Shape(Kind.IGNORED, data, reason=f"{method} is a request and needs an id")
    if _are_parameters(data):
        return Shape(Kind.NOTIFICATION, data)
    return Shape(Kind.IGNORED, data, reason='"params" is not an object or an array')


def _response(data: dict[str, Any], number: int | str | None) -> Shape:
    if number is None:
        return Shape(Kind.IGNORED, data, reason='a message without "method" and without an id')
    if data.get("error") is None and "result" in data:
        data = {key: value for key, value in data.items() if key != "error"}
    return Shape(Kind.RESPONSE, data, number)


def _are_parameters(data: dict[str, Any]) -> bool:
    return isinstance(data.get("params"), (dict, list, type(None)))


def method_of(shape: Shape) -> str:
    """The method as the log names it, however long the client's name for it is."""
    method = shape.data.get("method")
    return method[:_EXCERPT] if isinstance(method, str) else "?"
