"""What becomes of the words of a project, decided once for each state of it."""

from __future__ import annotations

import contextvars
import copy
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress

from gpu2ascend_rules.hosting import KeptPrograms, Program, ServedPrograms
from gpu2ascend_rules.model.project.decisions import (
    NO_DECISIONS,
    NOTHING_DECIDED,
    FileDecisions,
    Outcome,
    ProjectDecisions,
)
from gpu2ascend_rules.model.project.inputs import (
    NO_NUMBERS,
    Input,
    NumberQuestion,
    Numbers,
    ServedProgram,
    SettingInput,
)
from gpu2ascend_rules.options.options import MigrationOptions

from ...files.excludes import Editable
from .deciding import Undecided, decide


class ProjectProgram:
    """The program of a project (``gpu2ascend_rules.model.project.project_view.ProgramView``).

    Decides outside of the context of the caller: neither the time limit of one file nor a caller that gives
    up ends what is of the whole project.
    """

    def __init__(self, project: Undecided, editable: Editable | None) -> None:
        self._project = project
        self._editable = editable
        self._programs: dict[object, Program] = {}
        self._inputs: dict[object, Outcome | None] = {}
        self._decided: dict[object, ProjectDecisions] = {}
        self._lock = threading.RLock()
        self._served: ServedPrograms | None = None

    def __getstate__(self) -> dict[str, object]:
        """Without the programs, whose trees stay in the process."""
        return {**self.__dict__, "_programs": {}, "_lock": None, "_served": None}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()

    def of(self, project: Undecided) -> ProjectProgram:
        """The program of another view of the same project, with the same decisions."""
        program = copy.copy(self)
        program._project = project
        return program

    def holding(
        self, units: Collection[int], options: MigrationOptions, project: Undecided
    ) -> ProjectProgram:
        """The program of a view in which the words of some units, by their numbers, may not be edited."""
        program = self.of(project)
        program._decided = {_key(options): self.decided(options).holding(units)}
        program._inputs = {}
        return program

    @property
    def serves_npu(self) -> bool:
        """Whether an option takes the NPU's word already, as far as the project is known."""
        return self._project.is_complete and bool(self._served_programs().all)

    def served_program(self, path: str) -> ServedProgram | None:
        """The program with such an option that a Python file is part of."""
        return self._served_programs().of(path) if self._project.is_complete else None

    def _served_programs(self) -> ServedPrograms:
        served = self._served_by_any()
        with self._lock:
            contextvars.Context().run(lambda: served.all)
        return served

    def _served_by_any(self) -> ServedPrograms:
        """What finds the programs that serve the NPU, which may not have begun."""
        with self._lock:
            if self._served is None:
                self._served = ServedPrograms(self._project.unnoted)
            return self._served

    def decisions(self, path: str, options: MigrationOptions) -> FileDecisions:
        """The decisions about the words of a file, as far as the project is known."""
        if not self._project.is_complete:
            return NO_DECISIONS
        return self.decided(options).files.get(path, NO_DECISIONS)

    def decided(self, options: MigrationOptions, kept: KeptPrograms | None = None) -> ProjectDecisions:
        """The decisions about the words of all files; before worker processes get the view.

        Args:
            kept: The programs of earlier states of the project, of which what has not changed is taken over,
                and to which that of this state is given.
        """
        if not _decides(options):
            return NOTHING_DECIDED
        key = _key(options)
        with self._lock:
            if key not in self._decided:
                self._decided[key] = contextvars.Context().run(self._decide, options, kept)
            return self._decided[key]

    def _decide(self, options: MigrationOptions, kept: KeptPrograms | None) -> ProjectDecisions:
        if kept is None:
            program = self._new_program(options)
            decided = decide(self._project, program, self._editable, options)
            self._know_settings(program, decided, options)
            return decided
        key = (self._project.root, _key(options))
        before = kept.pop(key)
        self._project.go_on_from(before.project if before is not None else None)
        program = Program(self._project, options, before, is_kept=True, served=self._served_by_any())
        decided = decide(self._project, program, self._editable, options)
        kept.put(key, program)
        return decided

    def _know_settings(self, program: Program, decided: ProjectDecisions, options: MigrationOptions) -> None:
        """Keep what becomes of the words in configurations: the program that has followed them goes."""
        with suppress(Exception):  # whoever asks about the file says what has failed
            for word in self._project.setting_words if options.route.owns("NPU201") else ():
                asked = (SettingInput(word.path, word.keys), word.value, _key(options))
                if asked not in self._inputs:
                    self._inputs[asked] = program.outcome_of_input(asked[0], word.value, decided)

    def is_decided_like(self, other: ProjectProgram) -> bool:
        """Whether another state of the project has the same decisions, as far as any were made in both."""
        keys = self._decided.keys() & other._decided.keys()
        return all(self._decided[key] == other._decided[key] for key in keys)

    def is_undecided(self, options: MigrationOptions) -> bool:
        """Whether to ask for the decisions would take long."""
        return self._project.is_complete and _decides(options) and _key(options) not in self._decided

    def adopt(self, decided: ProjectDecisions, options: MigrationOptions) -> None:
        """Take what the program of this very view has decided in another process."""
        with self._lock:
            self._decided.setdefault(_key(options), decided)

    def passes(self, path: str) -> bool:
        """Whether an edit of a file may change what was decided, as far as anything was."""
        return any(path in decided.paths for decided in self._decided.values())

    def moved_options(self, options: MigrationOptions) -> Mapping[str, frozenset[str]]:
        """The words that inputs no longer take, as far as the project is known."""
        is_written = self._project.is_complete and any(map(options.route.owns, ("NPU201", "ACC105")))
        return self.decided(options).options if is_written else {}

    def outcome_of_input(self, given: Input, value: str, options: MigrationOptions) -> Outcome | None:
        """What becomes of a value that an input is given, as far as the project is known."""
        if not (self._project.is_complete and options.route.owns("NPU201")):
            return None  # the words of the code stay
        asked = (given, value, _key(options))
        with self._lock:
            if asked not in self._inputs:
                ask, decided = self._program(options).outcome_of_input, self.decided(options)
                self._inputs[asked] = contextvars.Context().run(ask, given, value, decided)
            return self._inputs[asked]

    def numbers(self, question: NumberQuestion, options: MigrationOptions) -> Numbers:
        """What calls say about a number that may be an ordinal, as far as the project is known."""
        if not self._project.is_complete:
            return NO_NUMBERS
        return contextvars.Context().run(self._program(options).numbers, question)

    def _program(self, options: MigrationOptions) -> Program:
        key = _key(options)
        if key not in self._programs:
            self._programs[key] = self._new_program(options)
        return self._programs[key]

    def _new_program(self, options: MigrationOptions) -> Program:
        return Program(self._project, options, served=self._served_by_any())


def _decides(options: MigrationOptions) -> bool:
    """Whether a migration changes words of the code."""
    return any(map(options.route.owns, ("NPU201", "ACC105")))


def _key(options: MigrationOptions) -> object:
    """What of the options a decision depends on."""
    return options.require_version(), options.hardware, options.ignore, options.project_settings
