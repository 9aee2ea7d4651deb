"""Regions that switch gradients on or off."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ...converting import converted


def body_of(body: str) -> str:
    answer = converted("import torch\n\n\n" + dedent(body))
    assert not answer.blockers
    return answer.text.partition("\n\n\n")[2]


@pytest.mark.parametrize("region", ["torch.set_grad_enabled(is_on)", "torch.enable_grad()"])
def test_where_no_gradient_is_taken_there_is_nothing_to_switch(region: str) -> None:
    assert body_of(f"with {region}:\n    x = torch.zeros(3)\n") == "x = ops.zeros(3)\n"


IN_A_MODULE = """\
    class Net(torch.nn.Module):
        def forward(self, x):
            with REGION:
                x = torch.relu(x)
            return x
    """


def test_gradients_that_are_off_make_constants_in_a_module() -> None:
    text = body_of(IN_A_MODULE.replace("REGION", "torch.set_grad_enabled(False)"))
    assert "        x = ops.relu(x)\n        x = ops.stop_gradient(x)\n" in text


def test_gradients_that_may_be_off_keep_a_module() -> None:
    text = "import torch\n\n\n" + dedent(IN_A_MODULE.replace("REGION", "torch.set_grad_enabled(self.trains)"))
    assert [*converted(text).blockers.values()] == ["region"]


def test_gradients_that_are_on_within_a_region_without_any_keep_the_file() -> None:
    text = (
        "import torch\n\n\nwith torch.no_grad():\n    with torch.enable_grad():\n        x = torch.zeros(3)\n"
    )
    assert [*converted(text).blockers.values()] == ["region"]


def test_what_goes_from_a_region_goes_with_its_line() -> None:
    text = "with torch.no_grad():\n    torch.backends.cudnn.benchmark = True\n    x = torch.zeros(3)\n"
    assert body_of(text) == "x = ops.zeros(3)\n"


def test_a_switch_for_all_goes_where_nobody_takes_gradients() -> None:
    assert body_of("torch.set_grad_enabled(False)\nx = torch.zeros(3)\n") == "x = ops.zeros(3)\n"


STEP = """\
    from torch import nn

    net, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
    for i, x in enumerate(data):
        optimizer.zero_grad()
        with torch.set_grad_enabled(True):
            with torch.set_grad_enabled(INNER):
                h = net(x)
            loss = head(h).sum()
            loss.backward()
            optimizer.step()
    """


def test_what_a_region_of_a_step_computes_may_be_constant_where_the_step_has_more() -> None:
    text = "import torch\n" + dedent(STEP)
    assert "loss.backward()" in converted(text.replace("INNER", "i > 1")).blockers
    assert not converted(text.replace("INNER", "True")).blockers


BEHIND = """\
    from torch import nn

    net = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i, x in enumerate(data):
        optimizer.zero_grad()
        with torch.set_grad_enabled(i > 1):
            loss = net(x).sum()
        loss = loss + EXTRA
        loss.backward()
        optimizer.step()
    """


def test_weights_that_a_loss_reads_behind_a_region_are_of_the_step() -> None:
    text = "import torch\n" + dedent(BEHIND)
    assert "loss.backward()" in converted(text.replace("EXTRA", "torch.norm(net.weight)")).blockers
    assert not converted(text.replace("EXTRA", "1")).blockers
