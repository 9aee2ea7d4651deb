"""Stub modules of torch, by which an inference knows PyTorch's classes whether torch is installed or not.

They state what :mod:`..inference.classes.torch_classes` knows: which functions and methods give a tensor,
which classes there are and what they derive from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..facts import Facts
from ..inference.classes.torch_classes import (
    DATA_LOADER,
    MODULE,
    TENSOR,
    bases_of,
    instance_made_by,
    is_class,
    kept_by_modules,
    result_of_call,
    tensor_functions,
    tensor_methods,
)

_ALSO_KNOWN_AS = {
    "torch.nn.modules.module.Module": MODULE,
    "torch.nn.modules.Module": MODULE,
    "torch.utils.data.dataloader.DataLoader": DATA_LOADER,
}
_OPERATORS = ("add", "sub", "mul", "truediv", "matmul", "pow", "mod", "radd", "rsub", "rmul", "neg")
_ALWAYS = (TENSOR, MODULE, "torch.nn.Parameter", "torch.optim.Optimizer", DATA_LOADER)


def stub_modules(facts: Facts) -> Iterator[tuple[str, str]]:
    """The modules of a stub package of torch: the name and the text of each."""
    modules: dict[str, list[str]] = {"torch": []}
    classes = sorted({*_ALWAYS, *_listed_classes(facts)})
    for name in (*classes, *_ALSO_KNOWN_AS):
        _module_of(name, modules)
    for name in classes:
        modules[name.rpartition(".")[0]].append(_class(name, classes))
    for name, target in _ALSO_KNOWN_AS.items():
        modules[name.rpartition(".")[0]].append(_alias(name, target))
    for name in sorted(tensor_functions()):
        module, _, function = name.rpartition(".")
        _module_of(name, modules)
        modules[module].append(f"def {function}(*args, **kwargs) -> torch.Tensor: ...")
    for module, lines in modules.items():
        yield module, "\n".join(("import torch", *_submodules(module, modules), *lines, ""))


def _listed_classes(facts: Facts) -> Iterator[str]:
    for name in facts.listed_names("torch."):
        owner, _, last = name.rpartition(".")
        if is_class(name) and instance_made_by(name) == name and not is_class(owner) and last.isidentifier():
            yield name


def _module_of(name: str, modules: dict[str, list[str]]) -> None:
    """Make sure of the module that holds a name, and of those around it."""
    module = name.rpartition(".")[0]
    while module and module not in modules:
        modules[module] = []
        module = module.rpartition(".")[0]


def _submodules(module: str, modules: Iterable[str]) -> Iterator[str]:
    for other in sorted(modules):
        parent, _, last = other.rpartition(".")
        if parent == module:
            yield f"from {module} import {last} as {last}"


def _class(name: str, classes: Iterable[str]) -> str:
    base = next((item for item in bases_of(name)[1:] if item in classes), None)
    head = f"class {name.rpartition('.')[2]}({base or 'object'}):"
    return "\n".join((head, "    ...", *(f"    {line}" for line in _members(name))))


def _members(name: str) -> Iterator[str]:
    if name == TENSOR:
        for method in sorted(tensor_methods()):
            yield f"def {method}(self, *args, **kwargs) -> torch.Tensor: ..."
        yield "def __getitem__(self, index) -> torch.Tensor: ..."
        for operator in _OPERATORS:
            yield f"def __{operator}__(self, *other) -> torch.Tensor: ..."
    elif name == MODULE:
        for method in sorted(kept_by_modules()):
            yield f"def {method}(self, *args, **kwargs): return self"
    if result_of_call(name) is not None:
        yield "def __call__(self, *args, **kwargs) -> torch.Tensor: ..."


def _alias(name: str, target: str) -> str:
    module, _, last = target.rpartition(".")
    return f"from {module} import {last} as {name.rpartition('.')[2]}"
