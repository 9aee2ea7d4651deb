"""What else than a tensor may have a tensor's methods."""

from __future__ import annotations

import importlib
import inspect
import sys

import pytest

from gpu2ascend_mindspore.conversion.values.libraries import methods_of_libraries
from gpu2ascend_mindspore.data import load_tsv
from gpu2ascend_rules.inference.tensor_like import (
    GIVES_ARRAYS,
    OF_ARRAYS,
    OF_POSITIONS,
    ONLY_OF_TENSORS,
    tensor_like,
)

CLASS = "class Interval:\n    def {method}(self{more}):\n        return self\n"


@pytest.mark.parametrize("name", ["exp", "softmax", "mean", "transpose"])
def test_a_method_of_a_class_is_found(name: str) -> None:
    assert tensor_like(CLASS.format(method=name, more=", dim").encode()) == (name,)


@pytest.mark.parametrize(
    "text",
    ["def exp(x):\n    return x\n", CLASS.format(method="forward_exp", more=""), "x.exp(self)\n"],
    ids=["a function", "another name", "a call"],
)
def test_what_defines_no_such_method_is_not(text: str) -> None:
    assert tensor_like(text.encode()) == ()


def module(*lines: str) -> bytes:
    body = "\n".join(f"        {line}" if line else "" for line in lines)
    return f"class Net(nn.Module):\n    def forward(self, x):\n{body}\n\n    def other(self):\n".encode()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (module("return np.sort(x)") + b"        pass\n", (GIVES_ARRAYS,)),
        (module("y = x", "", "return x.numpy()") + b"        pass\n", (GIVES_ARRAYS,)),
        (
            b"class A:\n    def forward(\n        self, x\n    ):\n        return np.sort(x)\n",
            (GIVES_ARRAYS,),
        ),
        (module("return x") + b"        return np.sort(x)\n", ()),
        (b"import numpy as np\n" + module("return x") + b"        pass\n", ()),
        (b"def forward(x):\n    return np.sort(x)\n", ()),
    ],
    ids=[
        "in its forward",
        "behind an empty line",
        "behind several lines of parameters",
        "in another method",
        "imported alone",
        "in a function",
    ],
)
def test_a_module_may_give_arrays_where_its_forward_works_with_them(
    data: bytes, expected: tuple[str, ...]
) -> None:
    assert tensor_like(data) == expected


@pytest.mark.parametrize(
    ("roots", "method", "may_have"),
    [
        (["os", "numpy", "torch", "torchvision"], "exp", False),
        (["decimal"], "exp", True),
        (["pandas"], "pow", True),
        (["pandas"], "exp", False),
        (["os", "no_such_library"], "*", True),
        (["os"], "*", False),
    ],
)
def test_methods_of_libraries(roots: list[str], method: str, may_have: bool) -> None:
    assert (method in methods_of_libraries(roots)) == may_have


def test_the_table_has_methods_of_tensors_in_order() -> None:
    rows = load_tsv("methods_of_libraries")
    assert [row["library"] for row in rows] == sorted(row["library"] for row in rows)
    for row in rows:
        methods = row["methods"].split()
        assert methods == sorted(methods)
        assert set(methods) <= ONLY_OF_TENSORS | OF_ARRAYS | OF_POSITIONS


@pytest.mark.parametrize("root", ["argparse", "collections", "decimal", "io", "mmap", "re", "weakref"])
def test_the_table_says_of_a_module_of_python_what_its_classes_have(root: str) -> None:
    public = [
        value for name, value in vars(importlib.import_module(root)).items() if not name.startswith("_")
    ]
    classes = [
        one for one in public if inspect.isclass(one) and one.__module__.lstrip("_") in (root, "builtins")
    ]
    assert root in sys.stdlib_module_names and classes
    has = {name for name in ONLY_OF_TENSORS for one in classes if callable(getattr(one, name, None))}
    assert has <= methods_of_libraries([root])
    assert all(any(hasattr(one, name) for one in classes) for name in methods_of_libraries([root]))
