"""The table of what stands for torch's APIs in MindSpore."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..data import load_tsv
from ..model.finding import Message
from .entry import Entry, read_entry

_TABLE = "mindspore_apis"
_NO_TARGET = "none"


@cache
def entries() -> Mapping[str, tuple[Entry, ...]]:
    """The entries by API; none for an API without a counterpart that gives the same results."""
    found: dict[str, tuple[Entry, ...]] = {}
    for row in load_tsv(_TABLE):
        known = found.setdefault(row["api"], ())
        if row["target"] != _NO_TARGET:
            found[row["api"]] = (*known, read_entry(row))
    return found


def explained(name: str) -> tuple[Message, ...]:
    """What is said of an API by its qualified name; nothing where it is none of torch."""
    if not name.startswith("torch."):
        return ()
    found = entries().get(name, ())
    if not found:
        return (Message.of("mindspore.none", api=name),)
    said = []
    for row in load_tsv(_TABLE):
        if row["api"] == name:
            form = "renamed" if row["parameters"] in ("-", "name") else "verified"
            if form == "verified" and row["verified"] != "yes":
                form = "unverified"
            said.append(
                Message.of(f"mindspore.{form}", api=name, parameters=row["parameters"], target=row["target"])
            )
    return tuple(said)
