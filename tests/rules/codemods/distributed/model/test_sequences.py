"""A model that is used as a sequence is so past its wrapper, which has no items, no length and no order."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, errors, script

USES = {
    "an item": ("size = model[0].weight.shape", "size = unwrap_model(model)[0].weight.shape"),
    "the last item": ("last = model[-1]", "last = unwrap_model(model)[-1]"),
    "some items": ("head = model[:2]", "head = unwrap_model(model)[:2]"),
    "the number of them": ("count = len(model)", "count = len(unwrap_model(model))"),
    "a loop": (
        "for layer in model:\n            note(layer)",
        "for layer in unwrap_model(model):\n            note(layer)",
    ),
    "a loop that counts": (
        "for i, layer in enumerate(model):\n            note(layer)",
        "for i, layer in enumerate(unwrap_model(model)):\n            note(layer)",
    ),
    "a comprehension": ("names = [type(l) for l in model]", "names = [type(l) for l in unwrap_model(model)]"),
    "another model of the items": (
        "head = nn.Sequential(*model)",
        "head = nn.Sequential(*unwrap_model(model))",
    ),
    "an item that is replaced": ("model[0] = head", "unwrap_model(model)[0] = head"),
    "an item that goes": ("del model[0]", "del unwrap_model(model)[0]"),
}


@pytest.mark.parametrize(("given", "made"), USES.values(), ids=USES)
def test_a_sequence_is_the_model_itself(given: str, made: str) -> None:
    assert f"        {made}\n" in converted(script(body=f"        {given}\n")).text


@pytest.mark.parametrize("given", ["y = sizes[0]", "y = len(loader)", "y = model(x)[0]"])
def test_other_sequences_stay(given: str) -> None:
    assert f"        {given}\n" in converted(script(body=f"        {given}\n")).text


def test_a_sequence_before_the_model_is_wrapped_stays() -> None:
    text = script().replace(
        "nn.Linear(2, 1).cuda()", "nn.Sequential(nn.Linear(2, 1))\n    model[0].reset()\n"
    )
    assert (
        "    model[0].reset()\n" in converted(text.replace("reset()\n", "reset()\n    model.cuda()\n")).text
    )


def test_a_loss_of_the_items_is_an_error() -> None:
    step = "(model(x.cuda()) - y.cuda()).pow(2).mean()"
    assert "NPU425.method" in errors(script().replace(step, "model[0](x.cuda()).pow(2).mean()"))
    loop = "x\n            for layer in model:\n                loss = layer(loss)"
    assert "NPU425.method" in errors(script().replace(step, loop))
    assert "NPU425.method" not in errors(script(body="        print(model[0].weight)\n"))


def test_what_may_be_trained_of_the_items_is_said() -> None:
    def left(lines: str) -> list[str]:
        return converted(script(body=f"        {lines}\n")).left

    assert "NPU425.method" in left("y = model[0](x)")
    assert "NPU425.method" in left("for layer in model:\n            x = layer(x)")
    assert "NPU425.method" not in left("with torch.no_grad():\n            y = model[0](x)")
    assert "NPU425.method" not in left("for layer in model:\n            note(layer)")
