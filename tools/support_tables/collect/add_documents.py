"""Enter what the support pages of one PyTorch version say into its TSV file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version

from ..columns import SUPPORT_COLUMNS, support_file
from ..tsv import TsvError, read_rows, write_rows
from .documents import ApiEntry, entries
from .notes import restrictions

Row = dict[str, str]

_HARDWARE = ("a2", "a3", "dt950")
_DUPLICATING_PAGE = "Named-Tensors"
"""Prints APIs again that have a separate page."""


def add_documents(folder: Path, version: Version, pages: Path, source: str) -> int:
    """Enter the pages below a folder; the number of APIs that they answer for.

    Rows of other sources stay for APIs that the pages do not have. Where such a row disagrees with the
    pages about whether an API is supported, the new row names it as a conflict.

    Raises:
        TsvError: the pages have no API, so they are of another layout.
    """
    kinds = _known_kinds(folder)
    found: dict[str, Row] = {}
    for page in sorted(pages.rglob("*.md"), key=lambda path: (path.stem == _DUPLICATING_PAGE, path.name)):
        for entry in entries(page.read_text("utf-8")):
            found.setdefault(entry.api, _row(entry, source, kinds))
    if not found:
        raise TsvError(f"{pages}: no page has an API with an answer")
    answered = len(found)
    path = folder / support_file(version)
    others = [row for row in (read_rows(path) if path.exists() else []) if row["source"] != source]
    for row in others:
        new = found.get(row["api"])
        if new is None:
            found[row["api"]] = row
        elif (new["status"] == "unsupported") != (row["status"] == "unsupported"):
            said = f"{row['source']}={row['status']}"
            new["conflict"] = ";".join(filter(None, (new["conflict"], said, row["conflict"])))
    write_rows(path, SUPPORT_COLUMNS, (found[api] for api in sorted(found)))
    return answered


def _row(entry: ApiEntry, source: str, kinds: dict[str, str]) -> Row:
    limits = restrictions(entry.notes)
    notes = [f"train:{entry.marks['train']}"] if "train" in entry.marks else []
    row = {
        "api": entry.api,
        "kind": entry.kind or kinds.get(entry.api) or _guessed_kind(entry.api),
        "npu_name": entry.npu_name,
        "dtypes": limits.dtypes,
        "flags": limits.flags,
        "source": source,
        "hw_notes": ";".join(filter(None, (*notes, limits.hw_notes))),
        "tags": limits.tags,
        "conflict": "",
    }
    row.update({family: entry.marks.get(family, "") for family in _HARDWARE})
    row["status"] = _status(entry, limits.flags, limits.restricts)
    return row


def _status(entry: ApiEntry, flags: str, restricts: bool) -> str:
    if "yes" not in (mark for family, mark in entry.marks.items() if family in (*_HARDWARE, "all")):
        return "unsupported"
    if "cpu_fallback" in flags.split(","):
        return "fallback_cpu"
    return "restricted" if restricts else "supported"


def _known_kinds(folder: Path) -> dict[str, str]:
    """What other versions know an API to be; the newest decides."""
    return dict(_listed_kinds(folder))


def _listed_kinds(folder: Path) -> Iterator[tuple[str, str]]:
    for version in SUPPORTED_VERSIONS:
        path = folder / support_file(version)
        for row in read_rows(path) if path.exists() else ():
            if row["kind"] != "unknown":
                yield row["api"], row["kind"]


def _guessed_kind(api: str) -> str:
    """By the custom of names: classes begin with a capital letter, and what is below one is a method."""
    parent, _, name = api.rpartition(".")
    if parent.rpartition(".")[2][:1].isupper():
        return "method"
    return "class" if name[:1].isupper() else "function"
