"""What a rule may ask about the program that the files of a project make up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .decisions import NO_DECISIONS, FileDecisions, Outcome
from .inputs import Input
from .numbers import NO_NUMBERS, NumberQuestion, Numbers
from .served import ServedProgram


class ProgramView(Protocol):
    """What becomes of the words that the files of a project share."""

    def decisions(self, path: str, options: Any) -> FileDecisions:
        """What the program decides about the words of one of its files, under some options."""

    def moved_options(self, options: Any) -> Mapping[str, frozenset[str]]:
        """The words that inputs of the project's programs no longer take, by the names of
        :attr:`.decisions.ProjectDecisions.options`."""

    def outcome_of_input(self, given: Input, value: str, options: Any) -> Outcome | None:
        """What becomes of a value that a program is given; None where no code shows it."""

    def numbers(self, question: NumberQuestion, options: Any) -> Numbers:
        """What the calls of other files say about a number that may stand for a device."""

    @property
    def serves_npu(self) -> bool:
        """Whether a program of the project has an option that takes the NPU's word already."""

    def served_program(self, path: str) -> ServedProgram | None:
        """The program that a Python file is part of, if one of its options takes the NPU's word already."""


class NoProgram:
    """A file on its own, about whose words no other file decides."""

    serves_npu = False

    def decisions(self, path: str, options: Any) -> FileDecisions:
        return NO_DECISIONS

    def moved_options(self, options: Any) -> Mapping[str, frozenset[str]]:
        return {}

    def outcome_of_input(self, given: Input, value: str, options: Any) -> Outcome | None:
        return None

    def numbers(self, question: NumberQuestion, options: Any) -> Numbers:
        return NO_NUMBERS

    def served_program(self, path: str) -> ServedProgram | None:
        return None


NO_PROGRAM: ProgramView = NoProgram()
