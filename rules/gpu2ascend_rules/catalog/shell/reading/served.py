"""Whether the programs that a script starts serve the NPU already: then its settings for CUDA stay."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator

from ....engine.places.context import PlaceContext
from ....kinds.shell.places import Command
from .summaries import program_at, programs_of, summary_of

_DEVICE = re.compile(r"cuda|nccl", re.I)


class Starts(enum.Enum):
    """What a script starts, of the project's programs."""

    SERVED = "served"
    """Programs that serve the NPU, and no others."""
    BOTH = "both"
    OTHERS = "others"
    """None of them, as far as is seen."""


def starts(ctx: PlaceContext) -> Starts:
    """What the commands of the file start."""
    return ctx.once(Starts, lambda: _starts(ctx))


def _starts(ctx: PlaceContext) -> Starts:
    found = {serves(command, number, ctx) for number, command in enumerate(summary_of(ctx).commands)}
    if True not in found:
        return Starts.OTHERS
    return Starts.BOTH if False in found else Starts.SERVED


def serves(command: Command, number: int, ctx: PlaceContext) -> bool | None:
    """Whether a command starts a program that serves the NPU beside CUDA.

    None where it starts none that names a device. One that takes the NPU alone reads no settings for CUDA.

    Args:
        number: Which of the commands of the file's summary it is.
    """
    at = programs_of(ctx)[number]
    program = (
        program_at(command.words[at], ctx) if at is not None and ctx.project.program.serves_npu else None
    )
    if program is None:
        return None
    served = ctx.project.program.served_program(program[0])
    if served is not None and served.has_cuda:
        return True
    return False if _DEVICE.search(program[1]) is not None else None


def spans_served(ctx: PlaceContext) -> Iterator[tuple[int, int]]:
    """The commands of the file that start such a program."""
    for number, command in enumerate(summary_of(ctx).commands):
        if serves(command, number, ctx):
            yield command.start, command.end
