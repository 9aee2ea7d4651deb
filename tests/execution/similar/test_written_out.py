"""What takes the place of written-out arithmetic computes the original code, by the NPU's operators too.

The operators are those of the simulated torch_npu, in plain PyTorch; expected is the code of the user.
"""

from __future__ import annotations

import importlib
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpu2ascend_rules.fixing import apply_fixes  # noqa: E402
from gpu2ascend_rules.options.options import options_from  # noqa: E402
from gpu2ascend_rules.text.source_file import SourceFile  # noqa: E402
from tests.execution.similar.compare import random_tensor  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

FUSED = "gpu2ascend_simulator.fused"
SHAPES = {
    "masked_softmax": ((2, 3, 32, 64), (2, 3, 32, 64), (2, 3, 32, 64)),
    "group_norm_silu": ((2, 8, 5), (8,), (8,)),
    "attention": ((2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8)),
    "cross_entropy": ((6, 9), (6,), (6,)),
    "rms_norm": ((2, 3, 8), (1,), (1,)),
    "swiglu": ((2, 3, 8), (1,), (1,)),
}
WRITTEN = {
    "masked_softmax": "torch.softmax(a.masked_fill(b > 0.5, float('-inf')), dim=-1)",
    "group_norm_silu": "F.silu(F.group_norm(a, 4, b, c, 1e-4))",
    "attention": "torch.softmax(a @ b.transpose(-2, -1) * 0.3, dim=-1) @ c",
    "cross_entropy": "F.cross_entropy(a, (c > 0).long())",
    "rms_norm": "a * torch.rsqrt(a.square().mean(-1, keepdim=True) + 1e-5)",
    "swiglu": "F.silu(g) * h",
}
OPERATORS = {
    "masked_softmax": "npu_scaled_masked_softmax",
    "group_norm_silu": "npu_group_norm_silu",
    "attention": "npu_fusion_attention",
    "cross_entropy": "npu_cross_entropy_loss",
    "rms_norm": "npu_rms_norm",
    "swiglu": "npu_swiglu",
}
SECOND_FORMS = {
    "attention": "torch.matmul(torch.softmax(torch.matmul(a, b.mT) / 3.0, dim=-1), c)",
    "rms_norm": "a * torch.rsqrt(torch.mean(a ** 2, dim=-1, keepdim=True) + 1e-5)",
}


def program(expression: str) -> str:
    return (
        "import torch\nimport torch.nn.functional as F\ndef compute(a, b, c):\n"
        f"    g, h = torch.chunk(a, 2, dim=-1)\n    return {expression}\n"
        "def train(loss):\n    loss.backward()\n"
    )


def run(text: str, tensors: tuple[Any, ...], similar: ModuleType | None = None) -> tuple[Any, Any]:
    """The result of ``compute``, and the gradient of its first argument."""
    scope: dict[str, Any] = {}
    code = text.replace("from ascend_function import similar_api\n", "")
    exec(compile(code, "program.py", "exec"), scope)
    scope["similar_api"] = similar
    tensors = tuple(tensor.detach().clone().requires_grad_() for tensor in tensors)
    result = scope["compute"](*tensors)
    result.square().sum().backward()
    return result.detach(), tensors[0].grad


@pytest.fixture
def operators(similar: ModuleType, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The simulated operators for tensors that pass for ones on an NPU; gives the names of those called."""
    called: list[str] = []
    modules = [
        importlib.import_module(f"{FUSED}.{name}") for name in ("activations", "attention", "moving", "norms")
    ]
    found = {name: getattr(module, name) for module in modules for name in module.__all__}
    for module in modules:
        monkeypatch.setattr(module, "require_npu", lambda *_: None)

    def operator_for(name: str, tensor: Any) -> Any:
        called.append(name)
        return found[name]

    monkeypatch.setattr(similar, "torch_npu", SimpleNamespace(**found))
    monkeypatch.setattr(similar, "_operator_for", operator_for)
    return called


def migrated(text: str) -> str:
    options = options_from({"version": "2.8.0", "unsafe_fixes": True, "advice": False})
    return apply_fixes(SourceFile(text, "a.py"), options).text


def inputs(name: str) -> tuple[Any, ...]:
    return tuple(random_tensor(shape, torch.float32, seed) for seed, shape in enumerate(SHAPES[name]))


@pytest.mark.parametrize("name", WRITTEN)
def test_on_the_cpu_it_is_the_original(name: str, similar: ModuleType) -> None:
    text = program(WRITTEN[name])
    new = migrated(text)
    assert f"similar_api.{name}(" in new
    for made, expected in zip(run(new, inputs(name), similar), run(text, inputs(name)), strict=True):
        torch.testing.assert_close(made, expected)


@pytest.mark.parametrize("name", WRITTEN)
def test_on_an_npu_the_operator_computes_the_original(
    name: str, similar: ModuleType, operators: list[str]
) -> None:
    text = program(WRITTEN[name])
    made = run(migrated(text), inputs(name), similar)
    assert operators == [OPERATORS[name]]
    for value, expected in zip(made, run(text, inputs(name)), strict=True):
        torch.testing.assert_close(value, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", SECOND_FORMS)
def test_other_ways_to_write_it(name: str, similar: ModuleType, operators: list[str]) -> None:
    text = program(SECOND_FORMS[name])
    made = run(migrated(text), inputs(name), similar)
    assert operators == [OPERATORS[name]]
    for value, expected in zip(made, run(text, inputs(name)), strict=True):
        torch.testing.assert_close(value, expected, rtol=1e-4, atol=1e-5)


REFUSED = {
    "masked_softmax of odd sizes": ("masked_softmax", ((2, 3, 5, 7), (2, 3, 5, 7), (1,))),
    "masked_softmax of three dimensions": ("masked_softmax", ((3, 32, 32), (3, 32, 32), (1,))),
    "attention of three dimensions": ("attention", ((3, 5, 8), (3, 7, 8), (3, 7, 8))),
    "attention of unlike heads": ("attention", ((2, 3, 5, 8), (2, 1, 7, 8), (2, 1, 7, 8))),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_an_operator_does_not_take_is_the_formula(
    case: str, similar: ModuleType, operators: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name, shapes = REFUSED[case]
    for module in ("activations", "attention"):
        place = importlib.import_module(f"{FUSED}.{module}")
        monkeypatch.setattr(place, "require_npu", _must_not_be_called)
    tensors = tuple(random_tensor(shape, torch.float32, seed) for seed, shape in enumerate(shapes))
    text = program(WRITTEN[name])
    for made, expected in zip(run(migrated(text), tensors, similar), run(text, tensors), strict=True):
        torch.testing.assert_close(made, expected, equal_nan=True)  # rows without any score


def _must_not_be_called(*_: object) -> None:
    raise AssertionError("the operator was called")


def test_attention_without_gradients_is_the_formula(
    similar: ModuleType, operators: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = importlib.import_module(f"{FUSED}.attention")
    monkeypatch.setattr(place, "require_npu", _must_not_be_called)
    a, b, c = inputs("attention")
    with torch.no_grad():
        torch.testing.assert_close(similar.attention(a, b, c, 0.3), torch.softmax(a @ b.mT * 0.3, -1) @ c)
    with pytest.raises(AssertionError, match="operator was called"):
        similar.attention(a, b, c, 0.3)


def test_group_norm_without_weights_is_the_formula(similar: ModuleType, operators: list[str]) -> None:
    x = inputs("group_norm_silu")[0]
    functional = torch.nn.functional
    expected = functional.silu(functional.group_norm(x, 4))
    torch.testing.assert_close(similar.group_norm_silu(x, 4), expected)


STEPS = """
import torch
import torch.nn.functional as F

class Attention(torch.nn.Module):
    def __init__(self, share):
        super().__init__()
        self.drop = torch.nn.Dropout(share)

    def forward(self, a, b, c, mask):
        att = (a @ b.transpose(-2, -1)) * 0.3
        att = att.masked_fill(mask == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        att = self.drop(att)
        return att @ c

def compute(a, b, c):
    torch.manual_seed(0)
    return Attention(SHARE)(a, b, c, torch.ones(a.shape[2], b.shape[2]).tril())
"""


def test_steps_with_a_mask_are_the_operator(similar: ModuleType, operators: list[str]) -> None:
    text = STEPS.replace("SHARE", "0.0")
    made = run(migrated(text), inputs("attention"), similar)
    assert operators == [OPERATORS["attention"]]
    for value, expected in zip(made, run(text, inputs("attention")), strict=True):
        torch.testing.assert_close(value, expected, rtol=1e-4, atol=1e-5)


def test_steps_with_dropout_draw_the_same_on_the_cpu(similar: ModuleType) -> None:
    text = STEPS.replace("SHARE", "0.5")
    new = migrated(text)
    assert "dropout=self.drop.p if self.drop.training else 0.0" in new
    for made, expected in zip(
        run(new, inputs("attention"), similar), run(text, inputs("attention")), strict=True
    ):
        torch.testing.assert_close(made, expected)


def test_dropout_is_asked_of_the_operator(similar: ModuleType, operators: list[str]) -> None:
    text = STEPS.replace("SHARE", "0.5")
    dropped, _ = run(migrated(text), inputs("attention"), similar)
    kept, _ = run(migrated(STEPS.replace("SHARE", "0.0")), inputs("attention"), similar)
    assert operators == [OPERATORS["attention"]] * 2
    assert not torch.allclose(dropped, kept)


def test_a_mask_of_other_sizes_is_the_formula(
    similar: ModuleType, operators: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = importlib.import_module(f"{FUSED}.attention")
    monkeypatch.setattr(place, "require_npu", _must_not_be_called)
    a, b, c = inputs("attention")
    row = torch.zeros(1, 1, 1, b.shape[2], dtype=torch.bool)
    row[..., -1] = True
    made = similar.attention(a.requires_grad_(), b, c, 0.3, mask=row)
    expected = torch.softmax((a @ b.mT * 0.3).masked_fill(row, float("-inf")), -1) @ c
    torch.testing.assert_close(made, expected)
