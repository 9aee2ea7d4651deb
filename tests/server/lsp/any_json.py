"""JSON in the place of a message: of any kind, and with the fields of a message of any type."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from lsprotocol import types

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    2**70,
    "",
    "x",
    "\ud800\0",
    [],
    [1, {}],
    {},
    {"a": [None]},
)
_ENDS_THE_SESSION = (types.EXIT, types.SHUTDOWN)
METHODS = sorted(
    {*types.METHOD_TO_TYPES, "gpu2ascend/migrate", "gpu2ascend/verify", "$/other", "none", ""}
    - {*_ENDS_THE_SESSION}
)
_URIS = ("file:///p/a.py", "untitled:a", "file:///\0", "http://[", "\ud800", "")
_KEYS = (
    *(
        "textDocument",
        "uri",
        "position",
        "line",
        "character",
        "range",
        "start",
        "end",
        "contentChanges",
        "text",
    ),
    *(
        "id",
        "token",
        "value",
        "command",
        "arguments",
        "options",
        "settings",
        "event",
        "added",
        "removed",
        "type",
    ),
    *(
        "version",
        "languageId",
        "changes",
        "context",
        "diagnostics",
        "data",
        "notebookDocument",
        "cells",
        "name",
    ),
)
_LEAVES = st.sampled_from((*ODD_VALUES, *_URIS)) | st.integers() | st.text(max_size=8)
VALUES: st.SearchStrategy[Any] = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)


def messages() -> st.SearchStrategy[bytes]:
    """Bodies of messages: JSON of any kind, objects with some fields of a message, and lists of those."""
    objects = st.fixed_dictionaries(
        {},
        optional={
            "jsonrpc": st.just("2.0") | st.just("2.0") | VALUES,
            "id": st.sampled_from((1, 2, "a")) | VALUES,
            "method": st.sampled_from(METHODS) | st.sampled_from(METHODS) | VALUES.filter(_goes_on),
            "params": VALUES,
            "result": VALUES,
            "error": st.just({"code": 1, "message": "x"}) | VALUES,
        },
    )
    return (objects | objects | objects | st.lists(objects, max_size=3) | VALUES).map(
        lambda value: json.dumps(value).encode()
    )


def _goes_on(method: object) -> bool:
    return method not in _ENDS_THE_SESSION
