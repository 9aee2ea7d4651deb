"""Models as plain data for programs, by the names of their fields."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import attrs

from gpu2ascend_rules.model.finding import Message

from .catalogue import Texts


def plain_data(value: object, texts: Texts | None = None) -> Any:
    """A value as JSON has it: messages as texts, which need a language.

    NaN and infinity, for which JSON has no word, are None.
    """
    if isinstance(value, Message):
        return texts.of(value) if texts is not None else value.id
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    kind: Any = type(value)
    if attrs.has(kind):
        value = {field.name: getattr(value, field.name) for field in attrs.fields(kind)}
    if isinstance(value, Mapping):
        return {name: plain_data(item, texts) for name, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain_data(item, texts) for item in value]
    return value
