"""Public names: those of the real torch_npu of this version, no others.

The implementation is in private modules. A public module shows what of it the tables of names (the
product's own, made from the wheels of torch_npu) know for the release.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType

from ._version import FACTS, RELEASE

_NAMES = frozenset(FACTS["names"])
_OTHER_SPELLING = "torch.npu"


class NotSimulated(NotImplementedError):
    """The real torch_npu has the name, the simulated one does not: the run proves nothing from here on."""


def exists(name: str) -> bool:
    """Whether the real torch_npu of this release has a fully qualified name."""
    if name == _OTHER_SPELLING or name.startswith(f"{_OTHER_SPELLING}."):
        name = f"torch_npu.npu{name.removeprefix(_OTHER_SPELLING)}"
    return name in _NAMES


def explain_missing(name: str) -> None:
    """Say it where only the simulation lacks a name.

    Raises:
        NotSimulated: the release has the name.
    """
    if exists(name):
        raise NotSimulated(f"the simulated torch_npu does not have {name}, which torch_npu {RELEASE} has")


def public_names(source: ModuleType) -> list[str]:
    """What a private module offers."""
    return list(getattr(source, "__all__", ()))


def publish(
    module_name: str,
    *sources: ModuleType,
    keep: tuple[str, ...] = (),
    variables: Mapping[str, Callable[[], object]] | None = None,
) -> None:
    """Makes a module show what the version has of ``sources``, and explain what is missing.

    Args:
        keep: names already in the module that stay, whatever the tables know (submodules).
        variables: names whose value changes, and how to get it.
    """
    module = sys.modules[module_name]
    for name in [name for name in vars(module) if not name.startswith("_") and name not in keep]:
        delattr(module, name)
    for source in sources:
        for name in public_names(source):
            if name.startswith("_") or exists(f"{module_name}.{name}"):
                setattr(module, name, getattr(source, name))

    def missing(name: str) -> object:
        if variables and name in variables:
            return variables[name]()
        qualified = f"{module_name}.{name}"
        explain_missing(qualified)
        raise AttributeError(f"module '{module_name}' has no attribute '{name}'")

    vars(module)["__getattr__"] = missing


class _MissingModules:
    """Says of a module that the release has, and the simulation lacks, which of the two it is."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Never find anything.

        Raises:
            NotSimulated: the release has the module.
        """
        if name.startswith("torch_npu."):
            explain_missing(name)


def explain_missing_modules() -> None:
    """The same for ``import torch_npu.contrib.transfer_to_npu``, which asks for no attribute."""
    sys.meta_path.append(_MissingModules)
