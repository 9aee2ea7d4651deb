"""Statements that have no meaning for MindSpore go; blocks stay blocks, and comments stay."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.mindspore.conversion.converting import converted

HEAD = "import torch\nimport torch.nn as nn\n\n\n"


def made(body: str) -> str:
    """What a function with a model and a loss becomes; its last line is the same in all."""
    code = "".join(f"    {line}\n" for line in [*dedent(body).splitlines(), "return model"])
    done = converted(f"{HEAD}def place(model: nn.Module, loss: nn.Module, args):\n{code}")
    assert done.blockers == {}
    compile(done.text, "", "exec")
    lines = done.text.partition("args):\n")[2].removesuffix("    return model\n").splitlines()
    return "\n".join(line.removeprefix("    ") for line in lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model.cuda()", ""),
        ("model.cuda()  # on the GPU", "# on the GPU"),
        ("if args.gpu:\n    model.cuda()", "if args.gpu:\n    pass"),
        ("if args.gpu:\n    model.cuda()\n    loss.cuda()", "if args.gpu:\n    pass"),
        ("if args.gpu:\n    model.cuda()  # one\n    loss.cuda()", "if args.gpu:\n    pass  # one"),
        ("if args.gpu:\n    model.cuda()\n    # both", "if args.gpu:\n    pass\n    # both"),
        ("if args.gpu:\n    model.cuda()\n    loss.eval()", "if args.gpu:\n    loss.set_train(False)"),
        ("if args.gpu:\n    model.cuda()\nelse:\n    model.cpu()", "if args.gpu:\n    pass\nelse:\n    pass"),
    ],
)
def test_what_is_left_of_a_block(before: str, after: str) -> None:
    assert made(before) == after


STEP = """\
def train(model: nn.Module, loader, loss_fn: nn.MSELoss):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in loader:
        x = model(x)
        {zeroed}
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("zeroed", "kept"),
    [
        ("optimizer.zero_grad()", ""),
        ("optimizer.zero_grad()  # each time", "            # each time\n"),
        ("optimizer.zero_grad(\n            True\n        )  # each time", "            # each time\n"),
    ],
    ids=["plain", "comment", "several lines"],
)
def test_what_goes_from_within_a_step(zeroed: str, kept: str) -> None:
    done = converted(HEAD + STEP.format(zeroed=zeroed))
    assert done.blockers == {}
    compile(done.text, "", "exec")
    assert f"            x = model(x)\n{kept}            loss = loss_fn(model(x), y)\n" in done.text


SOLVER = """\
class Solver{base}:
    def __init__(self):
        self.net = nn.Linear(3, 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), 0.1)

    def reset_grad(self):
        self.optimizer.zero_grad()

    def run(self, x):
        loss = self.net(x).sum()
        self.reset_grad()
        loss.backward()
        self.optimizer.step()


{end}
"""


def test_a_method_without_calls_goes_where_the_file_uses_its_class() -> None:
    text = converted(HEAD + SOLVER.format(base="", end="Solver().run(torch.ones(2, 3))")).text
    assert "lr=0.1)\n\n    def run(" in text


@pytest.mark.parametrize(
    ("base", "end"), [("", "pass"), ("(Base)", "Solver()"), ("", "Solver().reset_grad()")]
)
def test_a_method_that_others_may_call_keeps_an_empty_body(base: str, end: str) -> None:
    text = converted(HEAD + SOLVER.format(base=base, end=end)).text
    assert "    def reset_grad(self):\n        pass\n" in text
