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


TRAINER = """
import torch
from torch import nn
from torch.utils.data import DataLoader

class Base:
    def save(self, path):
        SAVE

class Trainer(Base):
    def __init__(self):
        MADE
        parameters = [*self.first.parameters(), *self.second.parameters()]
        self.opt = torch.optim.SGD(parameters, lr=0.1)

    def fit(self):
        for x in DataLoader(data, 4):
            self.opt.zero_grad()
            (self.first(x).mean() + self.second(x).mean()).backward()
            self.opt.step()

trainer = Trainer()
trainer.fit()
trainer.save("a.pt")
"""
APART = "self.first, self.second = nn.Linear(2, 2).cuda(), nn.Linear(2, 2).cuda()"


@pytest.mark.parametrize(
    "model", ["self.first", "getattr(self, name)", 'getattr(self, "fir" + name)', 'getattr(self, f"{name}t")']
)
def test_a_base_class_saves_what_its_heir_makes(model: str) -> None:
    save = f"torch.save({model}.state_dict(), path)"
    done = converted(TRAINER.replace("SAVE", save).replace("MADE", APART), model="self.first,self.second")
    assert f"torch.save(unwrap_model({model}).state_dict(), path)" in done.text and not done.left


@pytest.mark.parametrize("model", ["self.other", 'getattr(self, "other_" + name)', "getattr(self.opt, name)"])
def test_what_has_another_name_is_left_alone(model: str) -> None:
    save = f"torch.save({model}.state_dict(), path)"
    done = converted(TRAINER.replace("SAVE", save).replace("MADE", APART), model="self.first,self.second")
    assert f"torch.save({model}.state_dict(), path)" in done.text


@pytest.mark.parametrize(
    "made",
    [
        APART,
        "self.first, self.second = (nn.Linear(2, 2).cuda() for _ in range(2))",
        "self.first, self.second = build(), build()",
    ],
)
def test_models_that_one_statement_makes_are_two(made: str) -> None:
    build = "def build():\n    return nn.Linear(2, 2).cuda()\n\nclass Base"
    text = TRAINER.replace("SAVE", "pass").replace("MADE", made).replace("class Base", build)
    done = converted(text, model="self.first,self.second").text
    assert (
        "self.first = DistributedDataParallel(" in done and "self.second = DistributedDataParallel(" in done
    )


PARTS = """
def save(path, **parts):
    torch.save({name: part.state_dict() for name, part in parts.items()}, path)

def load(path, *parts):
    for part, state in zip(parts, torch.load(path).values()):
        part.load_state_dict(state)
"""


@pytest.mark.parametrize("given", ["model=model, optimizer=optimizer", "**dict(model=model)"])
def test_the_state_of_parts_that_a_function_is_given_by_name_is_that_of_the_model(given: str) -> None:
    text = converted(script(body=f"        save('a.pt', {given})\n", before=PARTS)).text
    assert "{name: unwrap_model(part).state_dict() for name, part in parts.items()}" in text


def test_the_state_of_the_rest_of_the_arguments_is_that_of_the_model() -> None:
    text = converted(script(body="        load('a.pt', model)\n", before=PARTS)).text
    assert "        unwrap_model(part).load_state_dict(state)\n" in text


def test_the_state_of_an_item_of_a_dictionary_is_that_of_the_model() -> None:
    lines = ("parts = {'net': model, 'other': optimizer}", "torch.save(parts['net'].state_dict(), 'a.pt')")
    text = converted(script(body="".join(f"        {line}\n" for line in lines))).text
    assert "torch.save(unwrap_model(parts['net']).state_dict(), 'a.pt')" in text


@pytest.mark.parametrize(
    ("asked", "is_unwrapped"), [("nn.Linear", True), ("(list, tuple)", False), ("(list, nn.Module)", True)]
)
def test_a_model_is_itself_where_it_is_asked_for_its_class(asked: str, is_unwrapped: bool) -> None:
    text = converted(script(body=f"        several = isinstance(model, {asked})\n")).text
    assert (f"isinstance(unwrap_model(model), {asked})" in text) is is_unwrapped
