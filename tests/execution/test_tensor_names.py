"""The names that are said to give a tensor, or to be a tensor's, held against the installed PyTorch."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest

from gpu2ascend_rules.facts.releases.history import lacking
from gpu2ascend_rules.inference.classes.torch_classes import tensor_functions, tensor_members, tensor_methods
from gpu2ascend_rules.model.versions import choose_version

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.execution, pytest.mark.slow]
NEWER = frozenset({"torch.nn.functional.linear_cross_entropy"})
"""Functions that the oldest torch of the simulated device does not have."""
STUBS = Path(torch.__file__).parent / "_C"


def returned(file: str, owner: str | None = None) -> dict[str, set[str]]:
    """What each function of a stub file, or of a class in it, is annotated to return; all overloads."""
    body = ast.parse((STUBS / file).read_text(encoding="utf-8")).body
    if owner is not None:
        body = next(node for node in body if isinstance(node, ast.ClassDef) and node.name == owner).body
    found: dict[str, set[str]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            found.setdefault(node.name, set()).add(ast.unparse(node.returns))
    return found


def test_functions_exist_and_give_one_tensor() -> None:
    stubbed = returned("_VariableFunctions.pyi")
    for name in tensor_functions():
        parts = name.split(".")[1:]
        if name in NEWER and lacking(name, choose_version(torch.__version__).version):
            continue
        assert callable(functools.reduce(getattr, parts, torch)), name
        if len(parts) == 1:
            assert stubbed.get(parts[0], {"Tensor"}) == {"Tensor"}, name


def test_methods_give_one_tensor() -> None:
    stubbed = returned("__init__.pyi", "TensorBase")
    wrong = {name for name in tensor_methods() if stubbed.get(name, {"Tensor"}) != {"Tensor"}}
    assert wrong == set()


def test_every_public_member_of_a_tensor_is_known() -> None:
    assert {name for name in dir(torch.Tensor) if not name.startswith("_")} <= tensor_members()
