"""What takes a model that one process alone uses gets the model itself, for its wrapper would wait."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

IMPORTS = """
import mlflow, safetensors.torch, thop, torchinfo
"""


@pytest.mark.parametrize(
    "call",
    [
        "writer.add_graph({}, x)",
        "safetensors.torch.save_model({}, name)",
        "torch.onnx.export({}, x, name)",
        "torchinfo.summary({}, (1, 2))",
        "thop.profile({}, inputs=(x,))",
        "mlflow.pytorch.log_model({}, name)",
    ],
)
def test_what_takes_a_model_gets_it_without_its_wrapper(call: str) -> None:
    text = converted(script(body=f"        {call.format('model')}\n", before=IMPORTS)).text
    assert f" {call.format('unwrap_model(model)')}\n" in text


@pytest.mark.parametrize(
    ("lines", "is_said"),
    [
        ("s = model.generate(x)", True),
        ("model.eval()\n        s = model.generate(x)", False),
        ("model.eval()\n        model.train()\n        s = model.generate(x)", True),
        ("model.save_pretrained(name)", False),
    ],
)
def test_only_a_method_that_may_have_gradients_is_said(lines: str, is_said: bool) -> None:
    assert ("NPU425.method" in converted(script(body=f"        {lines}\n")).left) is is_said
