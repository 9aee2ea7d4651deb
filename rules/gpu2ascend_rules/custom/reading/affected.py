"""What an analysis of a library found: the vendor's two tables, and the document of ``analyze --json``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from ...model.custom_rule import RulePosition, UnsupportedApiRule
from ...model.finding import Message

FULL_COLUMN = "3rd-party API"
"""Of the table with a row for each function of the library."""
AFFECTED_COLUMN, TORCH_COLUMN = "Affected 3rd-party API", "Torch API"
"""Of the table with a row for each API of PyTorch: many names in one cell, one a line."""
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_SEPARATORS = re.compile(r"[\s,;]+")
_CALLED_BY_NAME = "forward"
_OF_CLASS = (_CALLED_BY_NAME, "__init__", "__call__")
"""Methods that run whenever an object of the class is used."""


class AffectedFileError(ValueError):
    """A file is not the analysis of a library."""

    def __init__(self, reason: Message) -> None:
        self.reason = reason
        super().__init__(reason)


def read_affected(text: str) -> tuple[UnsupportedApiRule, ...]:
    """The APIs that a file calls affected, each once, as rules that report them.

    A method that runs with every object makes its class one, too.

    Raises:
        AffectedFileError: it is neither of the tables, nor the document of an analysis.
    """
    rows = _of_document(text) if text.lstrip().startswith("{") else _of_table(text)
    found: dict[str, UnsupportedApiRule] = {}
    for name, line, why in rows:
        for api in _apis(name):
            found.setdefault(api, UnsupportedApiRule(RulePosition(line, 1), api, why))
    return tuple(found.values())


def _apis(name: str) -> tuple[str, ...]:
    owner, _, last = name.rpartition(".")
    if not owner or last not in _OF_CLASS:
        return (name,)
    return (name, owner) if last == _CALLED_BY_NAME else (owner,)


def _of_table(text: str) -> Iterator[tuple[str, int, str]]:
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    columns = reader.fieldnames or ()
    column = next((name for name in (FULL_COLUMN, AFFECTED_COLUMN) if name in columns), None)
    if column is None:
        wanted = f"{FULL_COLUMN}, {AFFECTED_COLUMN}"
        raise AffectedFileError(Message.of("affected.no-column", columns=wanted))
    try:
        for row in reader:
            why = row.get(TORCH_COLUMN) or row.get("Message") or ""
            why = "" if why == "NA" else why
            for name in _SEPARATORS.split(row[column] or ""):
                if _NAME.fullmatch(name):
                    yield name, reader.line_num, why
    except csv.Error as error:
        raise AffectedFileError(Message.of("affected.no-table", reason=str(error))) from error


def _of_document(text: str) -> Iterator[tuple[str, int, str]]:
    try:
        document: Any = json.loads(text)
        affected = document["third_party"]["affected"]
        for item in affected:
            why = ", ".join(dict.fromkeys(str(reached["api"]) for reached in item["reaches"]))
            for name in item["names"]:
                yield str(name), 1, why
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise AffectedFileError(Message.of("affected.no-document")) from error
