"""Public names: those of the real torch_npu of this version, no others.

The implementation is in private modules. A public module shows what of it the tables of names (the
product's own, made from the wheels of torch_npu) know for the version.
"""

import sys
from collections.abc import Callable, Mapping
from types import ModuleType

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.hardware import Hardware

from ._version import VERSION

_FACTS = Facts.load(VERSION, Hardware.A2)


class NotInStandIn(NotImplementedError):
    """The real torch_npu has the name, the stand-in does not: the test proves nothing, so it must fail."""


def exists(name: str) -> bool:
    """Whether the real torch_npu of this version has a fully qualified name."""
    return _FACTS.npu_name_exists(name)


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
        if exists(qualified):
            raise NotInStandIn(f"the stand-in does not have {qualified}, which torch_npu {VERSION} has")
        raise AttributeError(f"module '{module_name}' has no attribute '{name}'")

    module.__getattr__ = missing
