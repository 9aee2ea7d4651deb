"""A learner and its callbacks, in several files: the model has many names, and methods are called by name."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import Converted, converted

ENTRY = """
import torch
from data import loader
from learner import Learner
from callbacks import Log, Save, Stop

def main():
    model = torch.nn.Linear(2, 1)
    Learner(model, loader(), [Log(), Save(), Stop(0.3)]).fit(8)

if __name__ == "__main__":
    main()
"""
DATA = """
from torch.utils.data import DataLoader
def loader():
    return DataLoader(data, 4)
"""
LEARNER = """
import torch
from callbacks import StopTraining

class Learner:
    def __init__(self, model, train_dl, callbacks=()):
        self.model = model.cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.train_dl = train_dl
        self.callbacks = list(callbacks)

    def __call__(self, name):
        for callback in self.callbacks:
            CALL

    def fit(self, epochs):
        try:
            for self.epoch in range(epochs):
                for x in self.train_dl:
                    self.loss = self.model(x.cuda()).mean()
                    if self.model.training:
                        self.loss.backward()
                        self.optimizer.step()
                    self("after_batch")
                self("after_epoch")
        except StopTraining:
            pass
"""
CALLBACKS = """
import torch

class StopTraining(Exception):
    pass

class Log:
    def after_batch(self, learner):
        self.total = getattr(self, "total", 0.0)
        self.total += learner.loss.item()

    def after_epoch(self, learner):
        self.mean = self.total / len(learner.train_dl)

class Save:
    def after_epoch(self, learner):
        torch.save(learner.model.state_dict(), "best.pt")

class Stop:
    def __init__(self, target):
        self.target = target

    def after_batch(self, learner):
        if learner.loss.item() < self.target:
            raise StopTraining()
"""


@pytest.fixture(
    params=["getattr(callback, name, lambda learner: None)(self)", "getattr(callback, name)(self)"]
)
def learned(request: pytest.FixtureRequest) -> Converted:
    learner = LEARNER.replace("CALL", request.param)
    return converted(ENTRY, data=DATA, learner=learner, callbacks=CALLBACKS)


def test_a_checkpoint_that_a_callback_saves_is_of_the_model_itself(learned: Converted) -> None:
    assert "torch.save(unwrap_model(learner.model).state_dict()" in learned.files["callbacks.py"]


def test_what_one_method_adds_up_and_another_divides_is_the_mean_of_all(learned: Converted) -> None:
    text = learned.files["callbacks.py"]
    assert "self.mean = mean_over_processes(self.total / len(learner.train_dl))" in text


def test_an_exception_that_ends_the_training_is_raised_by_all(learned: Converted) -> None:
    assert "if agreed(learner.loss.item() < self.target):" in learned.files["callbacks.py"]
    assert learned.said["callbacks.py"] == ["NPU427.figures"]


def test_an_exception_that_nobody_catches_is_no_decision() -> None:
    learner = LEARNER.replace("except StopTraining", "except OSError").replace(
        "CALL", "callback.after_batch(self)"
    )
    done = converted(ENTRY, data=DATA, learner=learner, callbacks=CALLBACKS)
    text = done.files["callbacks.py"]
    assert "is_main_process" in text and "agreed(" not in text


def test_nothing_is_agreed_on_in_each_step_that_is_the_same_everywhere(learned: Converted) -> None:
    text = learned.files["learner.py"]
    assert "sampler.set_epoch(" in text and "agreed(" not in text


def test_the_epoch_may_be_counted_in_an_attribute(learned: Converted) -> None:
    assert "self.train_dl.sampler.set_epoch(self.epoch)" in learned.files["learner.py"]
