"""Mixed precision: a region of ``autocast``, and a scaler of the loss."""

from __future__ import annotations

import pytest

from ..converting import converted

TEXT = """\
import torch
import torch.nn.functional as F
from torch.cuda.amp import GradScaler, autocast


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = GradScaler()
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        with autocast():
            out = model(x)
            loss = F.cross_entropy(out, y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
"""
LOOP = """\
    ms.amp.auto_mixed_precision(model, 'auto', dtype=ms.float16)
    for x, y in loader:
        def compute_loss():
            out = model(x)
            loss = ops.cross_entropy(out, y)
            return scaler.scale(loss)
        _, gradients = ms.value_and_grad(compute_loss, None, optimizer.parameters)()
        gradients = scaler.unscale(gradients)
        is_finite = ms.amp.all_finite(gradients)
        gradients = ops.clip_by_global_norm(gradients, 1.0)
        if is_finite:
            optimizer(gradients)
        scaler.adjust(is_finite)
"""


def test_the_model_computes_in_lower_precision_and_the_loss_is_scaled() -> None:
    text = converted(TEXT).text
    assert text.endswith(LOOP)
    assert "scaler = ms.amp.DynamicLossScaler(scale_value=2**16, scale_factor=2, scale_window=2000)\n" in text


def test_bfloat16_needs_no_scaler() -> None:
    text = TEXT.replace("autocast()", "torch.autocast('cuda', dtype=torch.bfloat16)").replace(
        "    scaler = GradScaler()\n", ""
    )
    text = text.replace("scaler.scale(loss).backward()", "loss.backward()").replace(
        "        scaler.unscale_(optimizer)\n", ""
    )
    text = text.replace("scaler.step(optimizer)", "optimizer.step()").replace("        scaler.update()\n", "")
    text = text.replace("from torch.cuda.amp import GradScaler, autocast\n", "")
    after = converted(text).text
    assert "ms.amp.auto_mixed_precision(model, 'auto', dtype=ms.bfloat16)\n" in after
    assert after.endswith(
        "gradients = ops.clip_by_global_norm(gradients, 1.0)\n        optimizer(gradients)\n"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        scaler.unscale_(optimizer)\n", ""),
        ("        scaler.update()\n", ""),
        ("GradScaler()", "GradScaler(init_scale=2.0)"),
        ("autocast()", "autocast(enabled=step > 3)"),
        ("autocast()", "torch.autocast('cpu')"),
        ("            loss = F", "            other.loss = 1\n            loss = F"),
        ("            out = model(x)", "            other(x)\n            out = model(x)"),
    ],
    ids=[
        "clipped while scaled",
        "never adjusted",
        "other scale",
        "perhaps",
        "processor",
        "more in the region",
        "another model in the region",
    ],
)
def test_other_forms_are_left(old: str, new: str) -> None:
    assert converted(TEXT).blockers == {}
    text = TEXT.replace(old, new, 1)
    assert converted(text).text == text


def test_a_batch_that_is_made_in_the_region_is_made_before_the_function() -> None:
    made = "            x = x.cuda()\n            z = x * 2  # twice\n            out = model(z)"
    text = converted(TEXT.replace("            out = model(x)", made)).text
    assert "\n        z = x * 2  # twice\n        def compute_loss():\n            out = model(z)\n" in text


UNSHOWN = """\
import torch
import torch.nn.functional as F
from torch.cuda.amp import autocast


def train(model, head, loader, params):
    optimizer = torch.optim.SGD(params, 0.1)
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        with autocast():
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
"""
SHOWN = UNSHOWN.replace("SGD(params", "SGD(model.parameters()")
SHOWN_OTHER = UNSHOWN.replace("SGD(params", "SGD(head.parameters()")


@pytest.mark.parametrize(
    ("text", "calls", "is_converted"),
    [
        pytest.param(UNSHOWN, "model(x)", True, id="the only one that is called"),
        pytest.param(UNSHOWN, "head(model(x))", False, id="one of two"),
        pytest.param(UNSHOWN, "F.relu(x)", False, id="none"),
        pytest.param(SHOWN, "model(x)", True, id="that of the optimizer"),
        pytest.param(SHOWN, "head(model(x))", True, id="that of the optimizer, beside another"),
        pytest.param(SHOWN_OTHER, "model(x)", False, id="that of the optimizer is not called"),
    ],
)
def test_the_model_of_a_region_is_the_optimizers_or_the_only_one(
    text: str, calls: str, is_converted: bool
) -> None:
    after = converted(text.replace("model(x)", calls)).text
    assert ("ms.amp.auto_mixed_precision(model, 'auto', dtype=ms.float16)\n" in after) is is_converted
    assert ("with autocast():" in after) is not is_converted


def test_a_region_that_a_variable_turns_on_has_the_model_take_part_then() -> None:
    text = converted(TEXT.replace("autocast()", "autocast(enabled=flag)", 1)).text
    assert "    if flag:\n        ms.amp.auto_mixed_precision(model, 'auto', dtype=ms.float16)\n" in text


def test_one_that_is_turned_on_in_the_loop_is_left() -> None:
    text = TEXT.replace("autocast()", "autocast(enabled=flag)", 1)
    text = text.replace(
        "        optimizer.zero_grad()\n", "        flag = x.sum() > 0\n        optimizer.zero_grad()\n", 1
    )
    assert converted(text).text == text
