"""Which keys a rule file has: the one definition that its reader and its JSON schema are made from."""

from __future__ import annotations

from typing import Any, NamedTuple

TOP = "rules"


class Key(NamedTuple):
    """A key of a rule."""

    kind: type
    """``str``, ``int``, ``bool`` or ``list`` (of texts)."""
    description: str
    is_required: bool = False
    may_be_empty: bool = False


_FUNCTION = "With dots: the function's full name, however the file imports it. Without: the last part of it."

KINDS: dict[str, dict[str, Key]] = {
    "ArgsModifyRule": {
        "func_name": Key(str, f"The function whose calls change. {_FUNCTION}", is_required=True),
        "arg_idx": Key(int, "Which positional argument, from 0. Either this or arg_keyword."),
        "arg_keyword": Key(str, "Which keyword argument. Either this or arg_idx."),
        "arg_new": Key(
            str,
            "The new argument, an expression; an empty text deletes it.",
            is_required=True,
            may_be_empty=True,
        ),
        "white_list": Key(
            list, "Regular expressions: an argument in whose text one of them is found stays as it is."
        ),
    },
    "FuncNameModifyRule": {
        "old_name": Key(str, f"The function to be replaced. {_FUNCTION}", is_required=True),
        "new_name": Key(
            str,
            "The new name. With dots: a full name, and its module is imported. Without: in the same place.",
            is_required=True,
        ),
    },
    "ModuleNameModifyRule": {
        "old_name": Key(str, "The module to be replaced.", is_required=True),
        "new_name": Key(
            str, "The new module. With dots: its full name. Without: below the same parent.", is_required=True
        ),
        "parent_module": Key(str, "The full name of the package that the module is in.", may_be_empty=True),
    },
    "PatternRule": {
        "pattern": Key(
            str,
            "An expression with at least one name; $x is any expression, $*rest further arguments.",
            is_required=True,
        ),
        "replace": Key(str, "The expression to write instead. Without it, the rule only reports."),
        "message": Key(str, "The message about each place."),
        "safe": Key(bool, "false: a migration makes the change only with --unsafe. Default: true."),
    },
    "UnsupportedApiRule": {
        "name": Key(str, "The full name of a function, class or module to be reported.", is_required=True),
        "message": Key(str, "The message about each use.", may_be_empty=True),
    },
}
"""The rule types by name, each with its keys."""

_TYPES = {str: "string", int: "integer", bool: "boolean", list: "array"}


def json_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of rule files."""
    kinds = {name: {"type": "array", "items": _rule(name, keys)} for name, keys in KINDS.items()}
    rules = {"type": "object", "properties": kinds, "additionalProperties": False}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of one's own for gpu2ascend",
        "type": "object",
        "properties": {"$schema": {"type": "string"}, TOP: rules},
        "required": [TOP],
        "additionalProperties": False,
    }


def _rule(name: str, keys: dict[str, Key]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "type": "object",
        "properties": {key: _property(info) for key, info in keys.items()},
        "required": [key for key, info in keys.items() if info.is_required],
        "additionalProperties": False,
    }
    if name == "ArgsModifyRule":
        described["oneOf"] = [{"required": ["arg_idx"]}, {"required": ["arg_keyword"]}]
    if name == "PatternRule":
        described["anyOf"] = [{"required": ["replace"]}, {"required": ["message"]}]
    return described


def _property(info: Key) -> dict[str, Any]:
    described: dict[str, Any] = {"type": _TYPES[info.kind], "description": info.description}
    if info.kind is str and not info.may_be_empty:
        described["minLength"] = 1
    if info.kind is int:
        described["minimum"] = 0
    if info.kind is list:
        described["items"] = {"type": "string", "format": "regex"}
    return described
