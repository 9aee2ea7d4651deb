"""What a file of PyTorch becomes for MindSpore."""

from __future__ import annotations

from typing import NamedTuple

from gpu2ascend_mindspore.conversion.conversion import Conversion
from gpu2ascend_mindspore.conversion.use import Reason
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile


class Converted(NamedTuple):
    """A text after its conversion, and what prevents that."""

    text: str
    blockers: dict[str, str]
    """The reason by the text of the place."""
    parts: frozenset[str]
    """The parts of the helper file that it uses."""


def converted(text: str, **options: object) -> Converted:
    """A text after its conversion; unchanged where something prevents it."""
    source = SourceFile(text, "module.py")
    chosen = options_from(options, MigrationOptions(version="2.8.0"))
    with Context(source, chosen) as context:
        conversion = context.shared(Conversion)
        data = source.data
        for edit in sorted(conversion.edits, reverse=True):
            data = data[: edit.start] + edit.text.encode() + data[edit.end :]
        blockers = {
            source.data[use.start : use.end].decode(): use.reason.value
            for use in conversion.blockers
            if use.reason is not None
        }
    return Converted(data.decode(), blockers, conversion.parts)


def is_refused_step(answer: Converted) -> bool:
    """Whether a training step is refused, and why is said of it."""
    return any(one.startswith(Reason.STEP.value) for one in answer.blockers.values())
