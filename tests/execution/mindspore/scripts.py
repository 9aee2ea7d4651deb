"""Runs a whole script beside what it is converted to, in one process.

``python -m tests.execution.mindspore.scripts NAME`` calls ``main`` of both texts, which make their own data
and models, and prints as JSON what both returned and the largest difference of the parameters. A model gets
its weights by their names when it is made, so that both begin with the same.
"""

from __future__ import annotations

import functools
import json
import os
import random
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .alike import PROGRAMS, _module, renamed
from .helper_files import provide

SCRIPTS = PROGRAMS / "scripts"
_CLASSES = {"Dense": "Linear", "SequentialCell": "Sequential", "CellList": "ModuleList"}
_AVERAGES = ("moving_mean", "moving_variance")
_NO_MODELS = ("optim", "amp", "wrap")
_NO_CLASSES = ("Loss", "Optimizer")


_fixed: dict[int, Any] = {}
"""Parameters that a layer of MindSpore never trains, and torch has not: of a norm without weights.

They stay alive, so that no parameter of a later script gets the ``id`` of one, and thus no weights."""


def _weights(name: str, shape: tuple[int, ...], owner: str) -> Any:
    source = np.random.RandomState(zlib.crc32(f"{owner}:{name}".encode()) % 2**31)
    values = np.asarray(source.randn(*shape), dtype="float32")
    if len(shape) > 1:
        return values / np.sqrt(np.prod(shape[1:]), dtype="float32")
    return np.asarray(np.float32(name.rpartition(".")[2] == "weight") + np.float32(0.1) * values)


def _fill_torch(module: Any, nudge: int = 0) -> None:
    """Fill a module; where a nudge numbers it, with weights that differ by one rounding error."""
    import torch

    with torch.no_grad():
        for name, one in module.named_parameters():
            values = _weights(name, tuple(one.shape), type(module).__name__)
            if nudge:
                signs = np.random.RandomState(nudge).choice((-1, 1), values.shape)
                values = np.asarray(values * (1 + 1e-7 * signs), dtype="float32")
            one.copy_(torch.from_numpy(values))


def _fill_mindspore(module: Any) -> None:
    import mindspore

    owner = type(module).__name__
    for name, one in module.parameters_and_names():
        if id(one) not in _fixed and not name.endswith(_AVERAGES):
            values = _weights(_name(name), tuple(one.shape), _CLASSES.get(owner, owner))
            one.set_data(mindspore.Tensor(values))


def _name(name: str) -> str:
    return renamed(name).lstrip(".")


def _classes(base: type) -> Iterator[type]:
    yield base
    for one in base.__subclasses__():
        yield from _classes(one)


def _watched(base: type, fill: Callable[[Any], None], made: list[Any]) -> dict[type, Any]:
    """Have each model that is part of no other filled and kept; what was before, by the class."""
    before: dict[type, Any] = {}
    depth = 0

    def watching(own: type, init: Any) -> Any:
        @functools.wraps(init)
        def made_with(self: Any, *arguments: Any, **keywords: Any) -> None:
            nonlocal depth
            depth += 1
            try:
                init(self, *arguments, **keywords)
            finally:
                depth -= 1
            if own.__module__.startswith("mindspore."):
                _fixed.update(
                    {id(one): one for one in vars(self)["_params"].values() if not one.requires_grad}
                )
            is_whole = type(self) is own or "__init__" not in vars(type(self))
            if not depth and is_whole and not _holds(self, made):
                fill(self)
                made.append(self)

        return made_with

    classes: set[type] = set(_classes(base))
    for one in classes:
        if _is_of_models(one) and "__init__" in vars(one):
            before[one] = vars(one)["__init__"]
            one.__init__ = watching(one, before[one])  # type: ignore[misc]
    return before


def _is_of_models(kind: type) -> bool:
    """Whether a class is one of models: of no loss, and no optimizer."""
    is_other = any(word in each.__name__ for each in kind.__mro__ for word in _NO_CLASSES)
    return not is_other and not any(part in kind.__module__ for part in _NO_MODELS)


def _holds(module: Any, made: list[Any]) -> bool:
    """Whether a module only holds models that were made before, as for one optimizer."""
    known = {id(one) for other in made for one in _parameters(other)}
    own = [id(one) for one in _parameters(module)]
    return bool(own) and known.issuperset(own)


def _parameters(module: Any) -> list[Any]:
    return list(module.parameters() if hasattr(module, "parameters") else module.get_parameters())


def _ran(name: str, text: str, base: type, fill: Callable[[Any], None]) -> tuple[Any, list[Any]]:
    """What ``main`` of a text returns, and the models that it made."""
    program = _module(name, text)
    made = [one for one in program.values() if isinstance(one, base) and _is_of_models(type(one))]
    for one in made:
        fill(one)
    before = _watched(base, fill, made)
    random.seed(0)
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            return program["main"](), made
        finally:
            os.chdir(here)
            for one, init in before.items():
                one.__init__ = init  # type: ignore[misc]


def _flat(value: Any) -> Iterator[Any]:
    """The numbers and texts of what a script returns, in order."""
    value = value.asnumpy() if hasattr(value, "asnumpy") else value
    value = value.detach().numpy() if hasattr(value, "detach") else value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _flat(one)
    elif isinstance(value, np.ndarray):
        yield from map(float, value.ravel())
    else:
        yield value if isinstance(value, str) else float(value)


def _difference(first: Any, second: Any) -> float:
    there = {_name(name): one.asnumpy() for name, one in second.parameters_and_names()}
    pairs = [(one.detach().numpy(), there[name]) for name, one in first.named_parameters() if name in there]
    assert len(pairs) + 1 >= sum(one.requires_grad for one in second.get_parameters())
    return max(
        (float(abs(one - other.reshape(one.shape)).max(initial=0)) for one, other in pairs), default=0.0
    )


def main() -> None:
    """Run the script that the first argument names."""
    warnings.simplefilter("ignore")
    import mindspore

    from tests.mindspore.conversion.converting import converted

    mindspore.runtime.launch_blocking()
    text = (SCRIPTS / f"{sys.argv[1]}.txt").read_text(encoding="utf-8")
    answer = converted(text)
    assert not answer.blockers, answer.blockers
    provide(answer.parts)
    expected, found, worst = compared(text, answer.text)
    print(json.dumps({"torch": expected, "mindspore": found, "parameters": worst}))


def compared(before: str, after: str) -> tuple[list[Any], list[Any], float]:
    """What ``main`` of two texts returns in both frameworks, and how far apart their parameters are."""
    import mindspore
    import torch

    torch.manual_seed(0)
    expected, firsts = _ran("before", before, torch.nn.Module, _fill_torch)
    found, seconds = _ran("after", after, mindspore.nn.Cell, _fill_mindspore)
    pairs = zip(_trained(firsts), _trained(seconds), strict=True)
    return [*_flat(expected)], [*_flat(found)], max(_difference(first, second) for first, second in pairs)


def moved(before: str, after: str, nudge: int) -> tuple[list[Any], float]:
    """How far the results and the parameters of torch move, of a text and its nudged one."""
    import torch

    torch.manual_seed(0)
    expected, firsts = _ran("before", before, torch.nn.Module, _fill_torch)
    found, seconds = _ran("after", after, torch.nn.Module, functools.partial(_fill_torch, nudge=nudge))
    pairs = (
        (one, other)
        for first, second in zip(_trained(firsts), _trained(seconds), strict=True)
        for one, other in zip(first.parameters(), second.parameters(), strict=True)
    )
    results = [abs(one - other) for one, other in zip(_flat(expected), _flat(found), strict=True)]
    return results, max((float((one - other).abs().max()) for one, other in pairs), default=0.0)


def _trained(models: list[Any]) -> list[Any]:
    """Those that have parameters."""
    return [one for one in models if _parameters(one)]


if __name__ == "__main__":
    main()
