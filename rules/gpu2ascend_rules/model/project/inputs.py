"""What a program is given and what other files say of it: plain data."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Asked(enum.Enum):
    """What is asked about a place of a file."""

    GIVEN = "given"
    """What calls give for the parameter whose name begins there."""
    RETURNED = "returned"
    """What the project's function gives that the call beginning there calls."""
    USED = "used"
    """What becomes of the value of the expression there."""


class Found(enum.Enum):
    """What is found; several where it is several things."""

    NUMBER = "number"
    """A number."""
    DEVICE = "device"
    """A device or its name; of a value that is used: torch takes a device there."""
    UNKNOWN = "unknown"
    """Something of which nothing is known, or something else."""
    LEFT = "left"
    """Of a parameter: a call leaves it to its default, or may."""


class NumberQuestion(NamedTuple):
    """A question about a place."""

    asked: Asked
    path: str
    start: int
    end: int
    """Byte offsets."""


Numbers = frozenset[Found]
NO_NUMBERS: Numbers = frozenset()


class ServedProgram(NamedTuple):
    """A program of which an option takes the NPU's word."""

    paths: frozenset[str]
    """The modules that it consists of, as far as they were found."""
    starts_with: tuple[str, ...]
    """What its command line needs for the NPU: ``--device npu``, ``--dist_backend hccl``."""
    path: str
    """The module in which the first of these options is declared."""
    start: int
    """Where the declaration begins, in bytes."""
    has_cuda: bool
    """Whether an option of it takes CUDA's word, too, which a migration leaves."""


class OptionInput(NamedTuple):
    """An option of a command line."""

    path: str
    """Of the file that declares it."""
    start: int
    """Where the call that declares it begins, in bytes."""


class SettingInput(NamedTuple):
    """A key of a configuration."""

    path: str
    """Of the configuration; for an override on a command line any path with its suffix."""
    keys: tuple[str, ...]
    """From the outermost one on."""


class VariableInput(NamedTuple):
    """An environment variable."""

    name: str


Input = OptionInput | SettingInput | VariableInput
