"""What a rule may ask about what the modules of a project need of CUDA."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Protocol


class CudaView(Protocol):
    """The code of a project that needs CUDA, and the ways around it that the NPU takes.

    The answers here are those of a file on its own.
    """

    def names_needing_cuda(self, importer_path: str, module: str, options: Any) -> frozenset[str]:
        """What a module of the project has that needs CUDA, by name; see ``flow.guards.needing.needs``."""
        return frozenset()

    def compiled_names(
        self, importer_path: str, module: str, options: Any, *, returned: bool = False
    ) -> frozenset[str]:
        """The names of a module of the project that hold what it compiles for CUDA; or else those of its
        functions that return it."""
        return frozenset()

    def answer_on_npu(self, importer_path: str, module: str, name: str, options: Any) -> bool | None:
        """What a name of a module holds or returns on the NPU; see ``flow.guards.npu_answers``."""
        return None

    def is_used_on_npu(self, path: str, name: str, options: Any, *, by_default: bool = False) -> bool | None:
        """Whether another file uses a name on a way that the NPU takes, see ``flow.guards.fallbacks``;
        None where no other file uses it. Without a name, whether one needs the import of the module.

        Args:
            by_default: Takes, where no setting is changed.
        """
        return None

    def has_programs(self) -> bool:
        """Whether files of the project are there to be run: what nobody uses is not for others."""
        return False

    def is_named(self, path: str, name: str) -> bool:
        """Whether another file names a name of a module in other ways than by importing it: as a text, or in
        a configuration."""
        return False

    def is_extension_needed(self, module: str, options: Any) -> bool | None:
        """Whether a file comes to an extension of the project where no setting is changed; None where none
        imports it."""
        return None

    def given_values(self, name: str, callee: str = "", place: int = 0) -> frozenset[str]:
        """What the files of the project give a setting; see ``flow.guards.settings``. Of more than two values
        it is any two.

        Args:
            callee: The function or class of which it is a parameter, or the method, behind a dot.
            place: That of the parameter.
        """
        return frozenset({"?"})  # what other files give it is not known

    def needs_given_to(self, path: str, options: Any) -> Iterable[Any]:
        """What other files give the functions of one that needs CUDA; see ``flow.guards.needing.given``."""
        return ()

    def is_dispatched(
        self, importer_path: str, module: str, given: Any, options: Any, *, on_npu: bool = False
    ) -> bool:
        """Whether a function of a module calls what it is given only where it has chosen it; ``on_npu`` asks
        whether the NPU takes the other way."""
        return False

    def registered_needs(self, keys: Collection[str], options: Any) -> frozenset[Any]:
        """Those of some keys under which the project registers what needs CUDA; see
        ``flow.guards.needing.registries``."""
        return frozenset()

    def is_named_on_npu(self, key: str, options: Any) -> bool | None:
        """Whether a file names what is registered on a way that the NPU takes; None where no file does."""
        return None

    def guards_elsewhere(self, path: str, name: str, options: Any) -> Iterable[Any]:
        """What tests in other files decide over that use a variable of a module; see
        ``flow.guards.cuda_guards``."""
        return ()


class CudaUnknown(CudaView):
    """What a file on its own shows of it."""


CUDA_UNKNOWN: CudaView = CudaUnknown()
