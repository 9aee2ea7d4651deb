"""Names of ``torch.cuda`` that become those of ``torch.npu``; what the NPU lacks remains CUDA's."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any


def copy_names(
    names: Iterable[str], prefix: str, source: ModuleType, target: ModuleType, refuse: Callable[[str], None]
) -> None:
    """Put the functions and classes of a module of torch_npu into one of torch.

    Args:
        names: the qualified names that the release has.
        prefix: the qualified name of the module.
        source: the simulated module.
        target: the module of torch.
        refuse: raises the error for a qualified name that is not simulated.
    """
    for name in names:
        module, _, last = name.rpartition(".")
        if module != prefix or last.startswith("_"):
            continue
        if last in vars(source):
            value = vars(source)[last]
            if callable(value):
                setattr(target, last, value)
        elif callable(getattr(target, last, None)):
            setattr(target, last, _refusing(name, refuse))


def _refusing(name: str, refuse: Callable[[str], None]) -> Callable[..., Any]:
    def refused(*args: Any, **kwargs: Any) -> None:
        refuse(name)

    return refused
