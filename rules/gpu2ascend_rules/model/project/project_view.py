"""What a rule may ask about the other files of the project.

The rules package does no input or output: the server, which runs the rules on a project, implements this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from .cuda_view import CUDA_UNKNOWN, CudaView
from .decisions import NO_DECISIONS, FileDecisions, Outcome
from .inputs import NO_NUMBERS, Input, NumberQuestion, Numbers, ServedProgram


class ProgramView(Protocol):
    """What becomes of the words that the files of a project share: of a file on its own, nothing is known."""

    def decisions(self, path: str, options: Any) -> FileDecisions:
        """What the program decides about the words of one of its files, under some options."""
        return NO_DECISIONS

    def moved_options(self, options: Any) -> Mapping[str, frozenset[str]]:
        """The words that inputs of the project's programs no longer take, by the names of
        :attr:`.decisions.ProjectDecisions.options`."""
        return {}

    def outcome_of_input(self, given: Input, value: str, options: Any) -> Outcome | None:
        """What becomes of a value that a program is given; None where no code shows it."""
        return None

    def numbers(self, question: NumberQuestion, options: Any) -> Numbers:
        """What the calls of other files say about a number that may mean a device."""
        return NO_NUMBERS

    @property
    def serves_npu(self) -> bool:
        """Whether a program of the project has an option that takes the NPU's word already."""
        return False

    def served_program(self, path: str) -> ServedProgram | None:
        """The program that a Python file is part of, if one of its options takes the NPU's word already."""
        return None


class NoProgram(ProgramView):
    """A file on its own, about whose words no other file decides."""


NO_PROGRAM: ProgramView = NoProgram()


class ProjectView(Protocol):
    """The other files of the project, as far as rules need them.

    The answers here are those of a view that knows no more than the file itself.
    """

    @property
    def is_complete(self) -> bool:
        """Whether it knows all files of the project; else what it does not know of may exist all the same."""

    @property
    def program(self) -> ProgramView:
        """What becomes of the words of its files."""

    @property
    def cuda(self) -> CudaView:
        """What its modules need of CUDA."""

    def has_module(self, importer_path: str, module: str) -> bool:
        """Whether ``module`` (relative ones with leading dots) is a file or package of the project."""
        return module.startswith(".")

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        """The path and the text of the project's file that ``module`` is, as one of its files sees it."""
        return None

    def path_of_module(self, importer_path: str, module: str) -> str | None:
        """The path of that file alone, which costs no look into it."""
        found = self.find_module(importer_path, module)
        return found[0] if found is not None else None

    def defines_method(self, name: str) -> frozenset[str]:
        """Qualified names of the project's classes, torch modules aside, that define such a method."""
        return frozenset()

    @property
    def imported_names(self) -> frozenset[str]:
        """What the project's files import from each other, as far as is known.

        ``module.name`` by the last part of a module's name, ``module.*``, also of some libraries that are
        imported as a whole, ``.name`` for attributes, and ``=name`` for what they set on ``torch.cuda``.
        """

    @property
    def tensor_like(self) -> frozenset[str]:
        """The methods of tensors that the project's classes define, torch modules too, as far as is known.

        See ``gpu2ascend_rules.inference.tensor_like``.
        """

    @property
    def default_types(self) -> frozenset[str]:
        """The default tensor types that the project's files set, as far as is known.

        ``cuda.HalfTensor``, ``FloatTensor``; ``dtype`` where a file sets the default dtype by itself, and
        ``device`` where one sets the default device to another than the CPU.
        """

    def main_framework(self, path: str) -> str:
        """The framework, by its top-level module, that most Python files near a path import: those in or
        below the nearest directory above it that has any. Empty where none is known."""
        return ""

    def names_in(self, directory: str) -> tuple[str, ...]:
        """The names of the files that lie in a directory of the project, sorted; empty if it has none."""
        return ()

    def text_at(self, path: str) -> str | None:
        """The text of the project's file at a path; None if there is none, or it cannot be read."""
        return None

    def is_in_folder(self, module: str) -> bool:
        """Whether a module lies in any of the project's folders, which scripts put on their path."""
        return False

    def may_import(self, module: str) -> bool:
        """Whether a file of the project may import a library of containers, by its top-level module.

        See ``receivers.moves``.
        """
        return False

    def declared_in(self, option: str) -> tuple[str, ...]:
        """The paths of the files that declare an option of the command line, such as ``--device``, to a
        parser, or as the field of a dataclass, or that read an environment variable, such as ``$DEVICE``;
        sorted, as far as is known."""
        return ()

    @property
    def read_settings(self) -> frozenset[str]:
        """What the project's files read from configurations and use, as far as is known.

        ``device:run.place`` where a device is made of the value of a key, below others as far as the code
        shows, ``backend:dist.kind`` where it chooses a back end, ``accelerator:trainer.kind`` where it is
        given a trainer of Lightning, ``fields:files`` where the fields of
        dataclasses are filled from files; ``saved:args,model`` where a file saves them in a checkpoint with
        these items.
        """

    @property
    def setup_scripts(self) -> tuple[str, ...]:
        """The paths of the setup scripts that may build extensions for CUDA, sorted, as far as is known."""

    def may_need_cuda(self, module: str) -> bool:
        """Whether a module, given by the last part of its name, may have code that needs CUDA."""
        return False


class Standalone(ProjectView):
    """A file on its own."""

    is_complete = True
    imported_names: frozenset[str] = frozenset()
    tensor_like: frozenset[str] = frozenset()
    default_types: frozenset[str] = frozenset()
    read_settings: frozenset[str] = frozenset()
    setup_scripts: tuple[str, ...] = ()
    program: ProgramView = NO_PROGRAM
    cuda: CudaView = CUDA_UNKNOWN


STANDALONE: ProjectView = Standalone()


def decisions_about(data: bytes, path: str, project: ProjectView, options: Any) -> FileDecisions:
    """What the program decides about a text of a file, which may be newer than the one that a project knows.

    About words on the lines that were edited since then nothing is decided.
    """
    decided = project.program.decisions(path, options)
    if not decided.words or decided.is_about(data):
        return decided
    text = project.text_at(path)
    before = text.encode("utf-8", "surrogatepass") if text is not None else b""
    return decided.moved(before, data) if decided.is_about(before) else NO_DECISIONS


def may_define_method(project: ProjectView, name: str) -> bool:
    """Whether some class of the project, torch modules aside, defines such a method, as far as is known."""
    return not project.is_complete or bool(project.defines_method(name))
