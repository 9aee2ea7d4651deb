"""The programs of the projects that were looked at last, from which those of their next states go on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

from .program import Program

_MOST = 2
"""Programs that are kept, each with the trees of the files that its words lead through."""


class KeptPrograms:
    """A program by what it is of: the project, the version and the hardware. For one thread."""

    def __init__(self) -> None:
        self._programs: OrderedDict[Hashable, Program] = OrderedDict()

    def pop(self, key: Hashable) -> Program | None:
        """That of an earlier state, which nobody else goes on from."""
        return self._programs.pop(key, None)

    def put(self, key: Hashable, program: Program) -> None:
        """Keep one, and few others."""
        self._programs[key] = program
        while len(self._programs) > _MOST:
            self._programs.popitem(last=False)

    def __len__(self) -> int:
        return len(self._programs)
