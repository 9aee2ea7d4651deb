"""Work orders as a prompt: a text that an agent can act on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...texts.catalogue import Texts
from ...texts.escaping import code_span
from ..paths import shown
from .document import Handover, section


def prompt_lines(handover: Handover, directory: Path, texts: Texts) -> Iterator[str]:
    """What is to be done in a project, and by which rules."""
    yield texts(
        "handover.prompt.task",
        version=handover.version,
        hardware=handover.hardware.value,
        directory=code_span(shown(directory)),
    )
    for order in handover.orders:
        yield ""
        yield from section(order, texts)
    yield ""
    yield texts("handover.prompt.rules")
