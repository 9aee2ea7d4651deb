"""The work orders of a migration, in its output: MIGRATION.md, and the same as JSON for agents."""

from __future__ import annotations

from pathlib import Path

from ...texts.catalogue import Texts
from ...texts.escaping import json_text
from ..errors import writing
from ..manifest.marker import ORDERS_NAME
from .document import Handover, markdown_lines, work_orders


def write_handover(directory: Path, name: str, handover: Handover, texts: Texts) -> tuple[str, ...]:
    """Write both documents into an output that is being built; gives their paths there.

    Args:
        name: Of the document for people.

    Raises:
        OutputError: they cannot be written.
    """
    orders = directory / ORDERS_NAME
    documents = {
        directory / name: "\n".join(markdown_lines(handover, texts)),
        orders: json_text(work_orders(handover, texts)),
    }
    with writing(directory):
        orders.parent.mkdir(exist_ok=True)
        for path, text in documents.items():
            with path.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                file.write(f"{text}\n")
    return name, orders.parent.name, ORDERS_NAME
