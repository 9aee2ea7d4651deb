"""A function that only wraps the model has nothing left, and goes with the statements that call it."""

from __future__ import annotations

from tests.rules.codemods.distributed.conversion import converted


def after(body: str = "self.model = nn.DataParallel(self.model)", call: str = "self.spread()") -> str:
    """A class after the rule, with a method of this body, and what calls it."""
    return converted(
        f"""\
import torch
from torch import nn
from torch.utils.data import DataLoader
class Trainer:
    def __init__(self, several):
        self.model = nn.Linear(2, 1).cuda()
        if several:
            {call}
        self.loader = DataLoader(data, 4)
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
