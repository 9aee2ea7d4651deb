"""The options as a JSON schema (draft-07), of which forms, settings and a client's types are made.

Beside what the standard defines, a property has ``group`` (see :class:`OptionGroup`), ``dependsOn`` (options
with the values without which it has no effect), ``noEffectWith`` (options with the values with which it has
none), ``control`` (what the text names) and ``flags``. Validators pass over keywords that they do not know.
"""

from __future__ import annotations

import enum
import re
from typing import Any

from ..messages import catalogue
from ..model.finding import LEVELS
from ..model.versions import Version
from ..targets.registry import all_targets
from ..targets.target import Target
from .option_info import OptionGroup, OptionInfo
from .options import MigrationOptions, option_infos
from .spelling import camel_case

DRAFT = "http://json-schema.org/draft-07/schema#"

Schema = dict[str, Any]

_DEFAULT_SAID = re.compile(r" \(default: [^()]*\)|（默认[^（）]+）")
"""What help for a command line says of a default. A form and a list of settings show the value itself."""

_SPECIAL: dict[str, Schema] = {
    "severities": {
        "type": "object",
        "additionalProperties": {"type": "string", "enum": list(LEVELS)},
        "default": {},
    }
}
"""Entries ``pattern=level`` are what a command line can spell; JSON has objects."""


def option_properties(language: str = "en") -> dict[str, Schema]:
    """The schema of every option by its JSON name, in the order of their definition.
    Raises ValueError: there are no texts in that language."""
    defaults = MigrationOptions()
    properties = {}
    for name, info in option_infos().items():
        type_of = _SPECIAL.get(name) or _type_of(info, getattr(defaults, name))
        texts = described(info, language)
        if type_of.get("default"):
            texts["description"] = _DEFAULT_SAID.sub("", texts["description"])
        properties[camel_case(name)] = {**type_of, **texts, **_no_effect_with(name)}
    return properties


def _no_effect_with(name: str) -> Schema:
    """The targets, and the ways of reaching one, that have nothing for an option."""
    targets = [target.name for target in all_targets() if not target.has_option(name)]
    ways = [option for target in all_targets() for option, way in target.ways if not way.has_option(name)]
    others: dict[str, list[str | bool]] = {"target": [*targets]} if targets else {}
    others |= {camel_case(option): [True] for option in ways}
    return {"noEffectWith": others} if others else {}


def option_values(options: MigrationOptions) -> dict[str, Any]:
    """Options as the JSON object of which they could be read again."""
    values = {name: _plain(getattr(options, name)) for name in option_infos()}
    values["severities"] = dict(entry.split("=") for entry in options.severities)
    return {camel_case(name): value for name, value in values.items()}


def _plain(value: object) -> object:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Target):
        return value.name
    if isinstance(value, Version):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def object_schema(properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    """The schema of an object with these properties and no others."""
    return {
        "$schema": DRAFT,
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def group_titles(language: str = "en") -> list[dict[str, str]]:
    """The groups of the options, with their headings, in the order of a form."""
    texts = catalogue(language)
    return [{"id": group.value, "title": texts[f"option.group.{group.value}"]} for group in OptionGroup]


def described(info: OptionInfo, language: str) -> Schema:
    """What a property's schema says whatever its type is."""
    texts = catalogue(language)
    schema: Schema = {
        "title": texts[info.title_id],
        "description": texts[info.help_id],
        "group": info.group.value,
    }
    if info.depends_on:
        schema["dependsOn"] = {camel_case(name): value for name, value in info.depends_on}
    if info.control is not None:
        schema["control"] = info.control.value
    if not info.of_migration:
        schema["ofMigration"] = False
    if info.guide is not None:
        schema["guide"] = info.guide
    if info.flags:
        schema["flags"] = list(info.flags)
    return schema


def _type_of(info: OptionInfo, default: object) -> Schema:
    """Types follow from defaults, as they do where values are read."""
    if isinstance(default, bool):
        return {"type": "boolean", "default": default}
    if isinstance(default, int):
        return {"type": "integer", "minimum": 1, "default": default}
    if isinstance(default, tuple) and not isinstance(default, Version):
        items: Schema = {"type": "string", **({"enum": list(info.choices)} if info.choices else {})}
        return {"type": "array", "items": items, "default": list(default)}
    if default is None:
        values: Schema = {"enum": [None, *info.choices]} if info.choices else {}
        return {"type": ["string", "null"], **values, "default": None}
    plain = _plain(default)
    choices: Schema = {"enum": list(info.choices)} if info.choices else {}
    return {"type": "string", **choices, "default": plain}
