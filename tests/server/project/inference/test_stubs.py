"""The stubs of torch say which classes there are and what they derive from, for jedi to follow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpu2ascend.project.inference.stubs import write_stubs
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stubs")
    write_stubs(folder, Facts.load(Version(2, 8), Hardware.A2))
    return folder / "torch-stubs"


def bases(stubs: Path, module: str, name: str) -> list[str]:
    """What a class derives from, as written."""
    text = stubs.joinpath(*module.split("."), "__init__.pyi").read_text(encoding="utf-8")
    (found,) = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == name]
    return [ast.unparse(base) for base in found.bases]


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        pytest.param("nn", "Linear", ["torch.nn.Module"], id="a layer"),
        pytest.param("optim", "SGD", ["torch.optim.Optimizer"], id="an optimizer"),
        pytest.param("nn", "Parameter", ["torch.Tensor"], id="a parameter"),
        pytest.param("nn", "Module", ["object"], id="what derives from nothing of torch"),
    ],
)
def test_a_class_derives_from_what_it_does_in_torch(
    module: str, name: str, expected: list[str], stubs: Path
) -> None:
    assert bases(stubs, module, name) == expected


def methods(stubs: Path, module: str, name: str) -> dict[str, str]:
    """What the methods of a class give, as written, by name."""
    text = stubs.joinpath(*module.split("."), "__init__.pyi").read_text(encoding="utf-8")
    (found,) = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef) and node.name == name]
    defined = (node for node in found.body if isinstance(node, ast.FunctionDef))
    return {node.name: ast.unparse(node.returns) if node.returns else "" for node in defined}


OPERATORS = "add sub mul truediv matmul pow mod radd rsub rmul neg getitem"


@pytest.mark.parametrize("operator", OPERATORS.split())
def test_what_is_computed_of_a_tensor_is_one(stubs: Path, operator: str) -> None:
    assert methods(stubs, ".", "Tensor")[f"__{operator}__"] == "torch.Tensor"


@pytest.mark.parametrize("name", ["view", "sum", "to", "cuda"])
def test_so_is_what_its_methods_give(stubs: Path, name: str) -> None:
    assert methods(stubs, ".", "Tensor")[name] == "torch.Tensor"


KEPT = ("to", "cuda", "cpu", "half", "train", "eval")


@pytest.mark.parametrize("name", KEPT)
def test_a_module_has_what_gives_the_module_itself(stubs: Path, name: str) -> None:
    text = (stubs / "nn" / "__init__.pyi").read_text(encoding="utf-8")
    (module,) = [node for node in ast.parse(text).body if getattr(node, "name", "") == "Module"]
    (method,) = [item for item in ast.walk(module) if getattr(item, "name", "") == name]
    assert isinstance(method, ast.FunctionDef) and ast.unparse(method.body) == "return self"


@pytest.mark.parametrize(("module", "name"), [("optim", "SGD"), ("nn", "Linear"), (".", "Generator")])
def test_other_classes_have_no_method_of_a_module_of_their_own(stubs: Path, module: str, name: str) -> None:
    assert methods(stubs, "nn", "Module").keys() >= set(KEPT)
    assert methods(stubs, module, name).keys().isdisjoint(KEPT)
