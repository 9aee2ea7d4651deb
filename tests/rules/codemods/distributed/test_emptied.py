"""A function that only wraps the model has nothing left, and goes with the statements that call it."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted


def after(
    body: str = "self.model = nn.DataParallel(self.model)",
    call: str = "self.spread()",
    bases: str = "",
    decorator: str = "",
) -> str:
    """A class after the rule, with a method of this body, and what calls it."""
    return converted(
        f"""\
import json, json.encoder
import torch
from torch import nn
from torch.utils.data import DataLoader
class Trainer{bases}:
    def __init__(self, several):
        self.model = nn.Linear(2, 1).cuda()
        if several:
            {call}
        self.loader = DataLoader(data, 4)
    {decorator}
    def spread(self):
        {body}
    def fit(self):
        for epoch in range(3):
            for x in self.loader:
                self.model(x.cuda()).mean().backward()
if __name__ == "__main__":
    Trainer(True).fit()
""",
        model="self.model",
    ).text


def test_it_goes_with_its_calls_and_their_conditions() -> None:
    assert "spread" not in after() and "several:" not in after()
    assert "spread" not in after(body='"""On all cards."""\n        self.model = nn.DataParallel(self.model)')


def test_it_stays_where_something_else_needs_it() -> None:
    assert "spread" in after(body="self.model = nn.DataParallel(self.model)\n        self.cards = 2")
    assert "spread" in after(call="done = self.spread()")
    assert "spread" in after(call="getattr(self, 'spread')()")
    assert "spread" in after(call="on_start(self.spread)")
    assert "spread" in after(call="self.spread(*load())")


def test_it_stays_where_nothing_is_seen_to_call_it() -> None:
    assert "def spread" in after(call="pass")
    assert "def spread" in after(call="getattr(self, 'spr' + 'ead')()")
    assert "def spread" in after(call="other.spread()")


@pytest.mark.parametrize(
    "call",
    [
        "getattr(self, 'on_' + name)()",
        "getattr(self, name)()",
        "getattr(self, f'{name}')",
        "globals()[name]()",
    ],
)
def test_it_stays_where_a_name_is_put_together(call: str) -> None:
    assert "def spread" in after(call=f"self.spread(); {call}")


@pytest.mark.parametrize("call", ["getattr(self, 'fit')", "getattr(json, name)()"])
def test_a_name_that_is_another_or_of_a_module_does_not_matter(call: str) -> None:
    assert "spread" not in after(call=f"self.spread(); {call}")


def test_only_bases_without_calls_of_their_own_let_it_go() -> None:
    assert "spread" not in after(bases="(object)")
    assert "spread" not in after(bases="()")
    assert "def spread" in after(bases="(json.JSONEncoder)")
    assert "def spread" in after(bases="(metaclass=Registry)")


def test_it_stays_below_a_decorator() -> None:
    assert "def spread" in after(decorator="@torch.no_grad()")
