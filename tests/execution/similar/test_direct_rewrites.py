"""Calls of apex that are rewritten without an adapter.

The operator gets, given or by default, what apex would have used; layers compute what those of apex compute.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpu2ascend_rules.fixing import apply_fixes  # noqa: E402
from gpu2ascend_rules.options.options import options_from  # noqa: E402
from gpu2ascend_rules.text.source_file import SourceFile  # noqa: E402
from tests.execution.similar.double import Double  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.execution]

BETAS = (0.9, 0.999)


def apex_adam(  # type: ignore[no-untyped-def]
    params, lr=1e-3, bias_correction=True, betas=BETAS, eps=1e-8, adam_w_mode=True, weight_decay=0.0,
    amsgrad=False, set_grad_none=True, capturable=False, master_weights=False,
):  # fmt: skip
    """The signature of NVIDIA/apex, apex/optimizers/fused_adam.py."""


def apex_sgd(  # type: ignore[no-untyped-def]
    params, lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, wd_after_momentum=False,
    materialize_master_grads=True, set_grad_none=False,
):  # fmt: skip
    """The signature of NVIDIA/apex, apex/optimizers/fused_sgd.py."""


def npu_adam(  # type: ignore[no-untyped-def]
    params, lr=1e-3, betas=BETAS, eps=1e-8, weight_decay=0, amsgrad=False
):  # fmt: skip
    """The signature of Ascend/pytorch, torch_npu/optim/npu_fused_adam.py."""


def npu_adamw(  # type: ignore[no-untyped-def]
    params, lr=1e-3, betas=BETAS, eps=1e-8, weight_decay=1e-2, amsgrad=False
):  # fmt: skip
    """The signature of Ascend/pytorch, torch_npu/optim/npu_fused_adamw.py."""


def npu_sgd(  # type: ignore[no-untyped-def]
    params, lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False
):  # fmt: skip
    """The signature of Ascend/pytorch, torch_npu/optim/npu_fused_sgd.py."""


APEX = {"FusedAdam": apex_adam, "FusedSGD": apex_sgd}
NPU = {"NpuFusedAdam": npu_adam, "NpuFusedAdamW": npu_adamw, "NpuFusedSGD": npu_sgd}
SWITCHES = {
    "bias_correction", "adam_w_mode", "set_grad_none", "capturable", "master_weights", "wd_after_momentum",
    "materialize_master_grads",
}  # fmt: skip
"""What torch_npu's optimizers have no argument for: the rewrite settles it."""


def rewritten(code: str) -> str:
    options = options_from({"version": "2.8.0", "unsafe_fixes": True})
    text = apply_fixes(SourceFile(code), options).text
    assert "apex" not in text and "similar_api" not in text
    return text


def run(text: str, monkeypatch: pytest.MonkeyPatch, **values: object) -> tuple[Any, Double]:
    """The value of ``y`` after the text has run, and the double that was torch_npu meanwhile."""
    double = Double()
    monkeypatch.setitem(sys.modules, "torch_npu", double)  # type: ignore[arg-type]
    namespace: dict[str, Any] = {"torch": torch, **values}
    exec(text, namespace)
    return namespace["y"], double


def effective(signature: Callable[..., Any], call: str, name: str) -> dict[str, Any]:
    """Every argument of a call by name, with the defaults of what is not given."""
    return dict(eval(call, {name: lambda *given, **named: bound(signature, given, named), "p": "p"}))


def bound(signature: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    arguments = inspect.signature(signature).bind(*given, **named)
    arguments.apply_defaults()
    return arguments.arguments


@pytest.mark.parametrize(
    ("call", "target"),
    [
        ("FusedAdam(p)", "NpuFusedAdam"),
        ("FusedAdam(p, 0.1, betas=(0.8, 0.9), eps=1e-6, set_grad_none=True)", "NpuFusedAdam"),
        ("FusedAdam(params=p, lr=0.1, weight_decay=0.0, amsgrad=False)", "NpuFusedAdam"),
        ("FusedAdam(p, weight_decay=0.1, bias_correction=True, adam_w_mode=False)", "NpuFusedAdam"),
        ("FusedAdam(p, 0.1, weight_decay=0.1, capturable=False, master_weights=False)", "NpuFusedAdamW"),
        ("FusedSGD(p, 0.1)", "NpuFusedSGD"),
        ("FusedSGD(p, 0.1, 0.9, 0.0, 0.01, True, set_grad_none=False)", "NpuFusedSGD"),
        ("FusedSGD(p, lr=0.1, dampening=0.5, momentum=0.9, wd_after_momentum=False)", "NpuFusedSGD"),
    ],
)
def test_optimizers_get_what_apex_would_have_used(
    call: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = call.partition("(")[0]
    wanted = effective(APEX[name], call, name)
    _, double = run(rewritten(f"from apex.optimizers import {name}\ny = {call}\n"), monkeypatch, p="p")
    made, given, named = double.last
    used = bound(NPU[target], given, named)
    assert made == target
    assert used == {key: value for key, value in wanted.items() if key not in SWITCHES}


def test_the_norm_as_a_function_gets_its_weight_and_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = torch.randn(3, 4), torch.randn(4)
    head = "from apex.normalization import fused_rms_norm_affine as f\n"
    for call, named in (("f(x, w, w.shape, 1e-3)", {"epsilon": 1e-3}), ("f(x, w, w.shape)", {})):
        y, double = run(rewritten(f"{head}y = {call}\n"), monkeypatch, x=x, w=w)
        name, positional, given = double.last
        assert (name, given) == ("npu_rms_norm", {"epsilon": 1e-6} | named)  # 1e-6: apex's default, too
        assert positional[0] is x and positional[1] is w
        expected = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + given["epsilon"]) * w
        torch.testing.assert_close(y, expected)


@pytest.mark.parametrize(
    ("name", "arguments", "eps", "affine"),
    [
        ("FusedLayerNorm", "4", 1e-5, True),
        ("FusedLayerNorm", "(3, 4), 1e-3, False", 1e-3, False),
        ("FusedLayerNorm", "4, eps=1e-3, memory_efficient=True", 1e-3, True),
        ("MixedFusedLayerNorm", "4", 1e-5, True),
        ("FusedRMSNorm", "4", 1e-5, True),
        ("FusedRMSNorm", "4, elementwise_affine=False", 1e-5, False),
        ("FusedRMSNorm", "(3, 4), 1e-3, memory_efficient=True", 1e-3, True),
        ("MixedFusedRMSNorm", "4", 1e-5, True),
    ],
)
def test_layers_compute_what_apex_computes(
    name: str, arguments: str, eps: float, affine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = rewritten(f"import torch\nfrom apex.normalization import {name}\ny = {name}({arguments})\n")
    layer, _ = run(text, monkeypatch)
    x = torch.randn(2, 3, 4)
    dims = (-2, -1) if arguments.startswith("(") else (-1,)
    centred = x if "RMS" in name else x - x.mean(dims, keepdim=True)
    expected = centred * torch.rsqrt(centred.pow(2).mean(dims, keepdim=True) + eps)
    torch.testing.assert_close(layer(x), expected)
    kinds = () if not affine else ("weight",) if "RMS" in name else ("weight", "bias")
    assert {key: value.shape for key, value in layer.state_dict().items()} == {
        key: x.shape[len(x.shape) - len(dims) :] for key in kinds
    }


@pytest.mark.parametrize(
    ("call", "eps", "affine"),
    [
        ("norms.fused_layer_norm(x, (4,))", 1e-6, False),
        ("norms.fused_layer_norm(x, normalized_shape=(4,), eps=1e-3)", 1e-3, False),
        ("norms.fused_layer_norm_affine(x, bias=b, weight=w, normalized_shape=(4,))", 1e-6, True),
        ("norms.fused_layer_norm_affine(x, normalized_shape=(4,), weight=w, bias=b, eps=1e-3)", 1e-3, True),
        ("norms.fused_rms_norm(x, (4,), 1e-3)", 1e-3, False),
    ],
)  # fmt: skip
def test_functions_compute_what_apex_computes(
    call: str, eps: float, affine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, w, b = torch.randn(2, 3, 4), torch.randn(4), torch.randn(4)
    y, _ = run(
        rewritten(f"import torch\nimport apex.normalization.fused_layer_norm as norms\ny = {call}\n"),
        monkeypatch,
        x=x,
        w=w,
        b=b,
    )
    centred = x if "rms_norm" in call else x - x.mean(-1, keepdim=True)
    expected = centred * torch.rsqrt(centred.pow(2).mean(-1, keepdim=True) + eps)
    torch.testing.assert_close(y, expected * w + b if affine else expected)


def test_the_norm_of_flash_attention_gets_its_three_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    x, w = torch.randn(3, 4), torch.randn(4)
    for call in ("f(x, w, 1e-3)", "f(epsilon=1e-3, weight=w, x=x)"):
        code = f"from flash_attn.ops.rms_norm import rms_norm as f\ny = {call}\n"
        y, double = run(rewritten(code), monkeypatch, x=x, w=w)
        name, positional, named = double.last
        assert (name, named) == ("npu_rms_norm", {"epsilon": 1e-3})
        assert positional[0] is x and positional[1] is w
        torch.testing.assert_close(y, x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-3) * w)


def test_the_masked_softmax_kernel_gets_its_three_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Any, ...]] = []
    kernel = SimpleNamespace(npu_scaled_masked_softmax=lambda *given: seen.append(given))
    code = "import scaled_masked_softmax_cuda\ny = scaled_masked_softmax_cuda.forward(x, mask, scale)\n"
    options = options_from({"version": "2.8.0", "unsafe_fixes": True})
    text = apply_fixes(SourceFile("import torch\n" + code), options).text
    text = text.replace("import scaled_masked_softmax_cuda\n", "").replace("import torch_npu\n", "")
    exec(text, {"torch_npu": kernel, "x": "x", "mask": "mask", "scale": "scale"})
    assert seen == [("x", "mask", "scale", False)]
