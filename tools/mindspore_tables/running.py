"""A sample run with torch, its translation run with MindSpore, and whether both give the same."""

from __future__ import annotations

import enum
import importlib.util
import re
import types
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import mindspore
import numpy as np
import torch
from mindspore import Tensor, mint, nn, ops

from gpu2ascend_mindspore.helpers import MINDSPORE
from gpu2ascend_rules.similar.assemble import assemble, stand_ins

from .samples import tensors
from .text_modules import module_of

mindspore.runtime.launch_blocking()
_ABSOLUTE, _RELATIVE = 1e-4, 1e-3


class Agreement(enum.Enum):
    """How two results compare."""

    EQUAL = "equal"
    INDEX_TYPE = "int32 indices"
    """Equal, but integers are of 32 bits where torch has 64."""
    DIFFERS = "differs"
    RAISES = "raises"
    """MindSpore raises, or the text is none of its expressions."""
    NOT_RUN = "not run"
    """torch raises."""


class Outcome:
    """What came of a sample."""

    def __init__(self, agreement: Agreement, detail: str = "") -> None:
        self.agreement, self.detail = agreement, detail


RANDOM = ("~",)
"""Stands for the inputs of a sample that draws random numbers: shape and type of the result are compared."""


def of_torch(expression: str, inputs: tuple[str, ...]) -> Any:
    """The result of a sample, and the layer that it makes, if it makes one.
    Raises Exception: whatever torch raises."""
    names = names_of_torch()
    torch.manual_seed(0)
    value = eval(expression, names)
    if not inputs or inputs == RANDOM:
        return value, None
    value.train()
    return value(*(names[one] for one in inputs)), value


def names_of_torch() -> dict[str, Any]:
    """What a sample may name."""
    arrays = tensors()
    names: dict[str, Any] = {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
    names |= {f"{name}_ARRAY": array for name, array in arrays.items()}
    return names | {"torch": torch, "F": torch.nn.functional, "nn": torch.nn, "einops": _einops()}


def of_mindspore(expression: str, inputs: tuple[str, ...], layer: Any) -> Any:
    """The result of a translated sample; a layer gets the weights of torch's.
    Raises Exception: whatever MindSpore raises."""
    names = names_of_mindspore()
    value = eval(expression, names)
    if not inputs or inputs == RANDOM:
        return value
    if isinstance(value, nn.Cell):  # and not a function that stands for a layer without weights
        value.set_train(True)
        copy_weights(layer, value)
    return value(*(names[one] for one in inputs))


def of_mindspore_compiled(expression: str, inputs: tuple[str, ...], layer: Any) -> Any:
    """The same, computed by a graph. The function is written to a file: the compiler reads it there.
    Raises Exception: whatever MindSpore raises."""
    names = names_of_mindspore()
    given = tuple(dict.fromkeys(inputs)) or tuple(
        name for name in tensors() if re.search(rf"\b{name}\b", expression)
    )
    body = f"layer({', '.join(inputs)})" if inputs else expression
    module = module_of("compiled_case", f"def case({', '.join(given)}):\n    return {body}\n")
    vars(module).update({name: value for name, value in names.items() if name not in given})
    if inputs:
        module.layer = eval(expression, names)  # type: ignore[attr-defined]
        if isinstance(vars(module)["layer"], nn.Cell):
            copy_weights(layer, vars(module)["layer"].set_train(True))
    return mindspore.jit(vars(module)["case"])(*(names[one] for one in given))


def names_of_mindspore() -> dict[str, Any]:
    """What a translated sample may name."""
    arrays = tensors()
    names: dict[str, Any] = {name: Tensor(array.copy()) for name, array in arrays.items()}
    names |= {f"{name}_ARRAY": array for name, array in arrays.items()}
    names |= {
        "ms": mindspore,
        "mindspore": mindspore,
        "ops": ops,
        "nn": nn,
        "mint": mint,
        "Tensor": Tensor,
        "np": np,
        "partial": partial,
        "like_torch": _helpers(),
    }
    return names | {"Normal": mindspore.common.initializer.Normal}


@cache
def _einops() -> Any:
    """The library, where it is installed: it is needed only to compare what stands for it."""
    if importlib.util.find_spec("einops") is None:
        return None
    importlib.import_module("einops.layers.torch")
    return importlib.import_module("einops")


@cache
def _helpers() -> types.ModuleType:
    """All functions that converted code may call in the helper file, as one module."""
    functions = [part for api, part in stand_ins(MINDSPORE).items() if not api.startswith("torchvision.")]
    return module_of("like_torch", assemble(functions))


def copy_weights(layer: Any, cell: Any) -> None:
    """Give a cell the weights of a layer, in their order.
    Raises ValueError: they are not as many, or of other sizes."""
    named = {name: one.detach().numpy() for name, one in layer.named_parameters()}
    ours = cell.trainable_params()
    if {one.name for one in ours} == set(named):
        theirs = [named[one.name] for one in ours]
    else:
        theirs = list(named.values())
    if len(theirs) != len(ours):
        raise ValueError(f"{len(theirs)} parameters and {len(ours)}")
    for array, parameter in zip(theirs, ours, strict=True):
        parameter.set_data(Tensor(array.reshape(parameter.shape)))


def agreement(theirs: Any, ours: Any, *, random: bool = False) -> Outcome:
    """How the result of MindSpore compares with that of torch."""
    if random:
        theirs, ours = (np.zeros(one.shape, one.numpy().dtype) for one in (theirs, ours))
    left, right = list(_flat(theirs)), list(_flat(ours))
    if len(left) != len(right):
        return Outcome(Agreement.DIFFERS, f"{len(left)} values and {len(right)}")
    worst = Outcome(Agreement.EQUAL)
    for one, other in zip(left, right, strict=True):
        outcome = _compare(one, other)
        if outcome.agreement is Agreement.DIFFERS:
            return outcome
        worst = outcome if outcome.agreement is not Agreement.EQUAL else worst
    return worst


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield value.detach().resolve_conj().resolve_neg().numpy()
    elif isinstance(value, Tensor):
        yield value.asnumpy()
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _flat(one)
    elif value is not None:
        yield value


def _compare(one: Any, other: Any) -> Outcome:
    if not isinstance(one, np.ndarray) and not isinstance(other, np.ndarray):
        same = _name(one) == _name(other) or _is_same_number(one, other)
        return Outcome(Agreement.EQUAL if same else Agreement.DIFFERS, "" if same else f"{one} and {other}")
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return Outcome(Agreement.DIFFERS, f"{type(one).__name__} and {type(other).__name__}")
    if one.shape != other.shape:
        return Outcome(Agreement.DIFFERS, f"shape {one.shape} and {other.shape}")
    equal = np.allclose(
        one.astype(np.complex128), other.astype(np.complex128), atol=_ABSOLUTE, rtol=_RELATIVE, equal_nan=True
    )
    if not equal:
        return Outcome(Agreement.DIFFERS, "values")
    if one.dtype == other.dtype:
        return Outcome(Agreement.EQUAL)
    if (one.dtype, other.dtype) == (np.dtype(np.int64), np.dtype(np.int32)):
        return Outcome(Agreement.INDEX_TYPE)
    return Outcome(Agreement.DIFFERS, f"{one.dtype} and {other.dtype}")


def _is_same_number(one: Any, other: Any) -> bool:
    if type(one) is not type(other) or not isinstance(one, (int, float)):
        return False
    return bool(abs(one - other) <= _ABSOLUTE * max(1.0, abs(one)))


def _name(value: Any) -> str:
    return str(value).removeprefix("torch.").lower().removesuffix("_")


def drain() -> None:
    """Take up errors of kernels that were started before."""
    for _ in range(4):
        try:
            (Tensor(np.ones(2, np.float32)) * 2).asnumpy()
            return
        except Exception:
            continue
