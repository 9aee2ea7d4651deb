"""Methods that end in ``backward``, called before an update: they give their loss, and the caller trains."""

from __future__ import annotations

import pytest

from gpu2ascend_mindspore.conversion.conversion import Conversion
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

from ..converting import converted
from ..importers import Importers

TEXT = """\
import torch
from torch import nn


class Model:
    def __init__(self):
        self.net_g = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
        self.net_d = nn.Sequential(nn.Linear(3, 1), nn.Dropout(0.5))
        self.opt_g = torch.optim.SGD(self.net_g.parameters(), lr=0.1)
        self.opt_d = torch.optim.SGD(self.net_d.parameters(), lr=0.1)

    def set_input(self, data):
        self.real, self.noise = data[0], data[1]

    def forward(self):
        self.fake = self.net_g(self.noise)

    def backward_d(self):
        self.loss_d = self.net_d(self.fake.detach()).mean() - self.net_d(self.real).mean()
        self.loss_d.backward()

    def backward_g(self):
        self.loss_g = -self.net_d(self.fake).mean()
        self.loss_g.backward()

    def set_requires_grad(self, net, flag):
        for p in net.parameters():
            p.requires_grad = flag

    def optimize_parameters(self):
"""
FORWARD = "        self.forward()\n"
ON, OFF = (f"        self.set_requires_grad(self.net_d, {flag})\n" for flag in (True, False))
D = "        self.opt_d.zero_grad()\n        self.backward_d()\n        self.opt_d.step()\n"
G = "        self.opt_g.zero_grad()\n        self.backward_g()\n        self.opt_g.step()\n"
D_FIRST, G_FIRST = FORWARD + ON + D + OFF + G, FORWARD + OFF + G + ON + D


def _updates(text: str) -> str:
    return converted(text).text.partition("def optimize_parameters(self):\n")[2]


def test_a_method_that_ends_in_backward_gives_its_loss() -> None:
    text = converted(TEXT + G_FIRST).text
    assert "        self.loss_g = -self.net_d(self.fake).mean()\n        return self.loss_g\n" in text


def test_what_is_computed_right_before_an_update_is_part_of_its_function() -> None:
    assert _updates(TEXT + G_FIRST) == (
        "        def compute_loss_g():\n"
        "            self.forward()\n"
        "            return self.backward_g()\n"
        "        _, gradients = ms.value_and_grad(compute_loss_g, None, self.opt_g.parameters)()\n"
        "        self.opt_g(gradients)\n"
        "        _, gradients = ms.value_and_grad(self.backward_d, None, self.opt_d.parameters)()\n"
        "        self.opt_d(gradients)\n"
    )


def test_what_is_computed_before_another_update_is_computed_once() -> None:
    assert _updates(TEXT + D_FIRST) == (
        "        def compute_fake():\n"
        "            self.forward()\n"
        "            return self.fake\n"
        "        _, pull_back = ms.vjp(compute_fake, weights=self.opt_g.parameters)\n"
        "        _, gradients = ms.value_and_grad(self.backward_d, None, self.opt_d.parameters)()\n"
        "        self.opt_d(gradients)\n"
        "        def compute_loss_g(fake):\n"
        "            self.fake = fake\n"
        "            return self.backward_g()\n"
        "        _, slope = ms.value_and_grad(compute_loss_g, 0)(ops.stop_gradient(self.fake))\n"
        "        _, gradients = pull_back(slope)\n"
        "        self.opt_g(gradients)\n"
    )


def test_losses_of_a_method_that_others_call_are_added_up() -> None:
    basic = (
        "    def basic(self, real):\n"
        "        loss = self.net_d(real).mean()\n"
        "        loss.backward()\n"
        "        return loss\n\n"
        "    def backward_a(self):\n"
        "        self.loss_a = self.basic(self.real)\n\n"
        "    def backward_b(self):\n"
        "        self.basic(self.noise)\n\n"
    )
    text = TEXT[: TEXT.index("    def backward_d")] + basic + TEXT[TEXT.index("    def backward_g") :]
    text = converted(
        text + FORWARD + OFF + G + ON + D.replace("backward_d()", "backward_a()\n        self.backward_b()")
    ).text
    assert "        loss = self.net_d(real).mean()\n        return loss\n" in text
    assert "        self.loss_a = self.basic(self.real)\n        return self.loss_a\n" in text
    assert "        return self.basic(self.noise)\n" in text
    assert "            return self.backward_a() + self.backward_b()\n" in text


def test_a_method_may_itself_be_called_backward() -> None:
    text = converted(TEXT.replace("backward_g", "backward") + G_FIRST.replace("backward_g", "backward")).text
    assert "            return self.backward()\n" in text


def test_a_module_computes_by_construct() -> None:
    text = TEXT.replace("class Model:", "class Model(nn.Module):")
    text = text.replace("        self.net_g =", "        super().__init__()\n        self.net_g =")
    assert "            self.construct()\n            return self.backward_g()\n" in _updates(text + G_FIRST)


def test_models_that_a_function_makes_train_before_the_first_of_them_computes() -> None:
    made = TEXT.replace("self.net_g = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))", "self.net_g = make()")
    text = made.replace(
        "class Model", "def make():\n    net = nn.Linear(3, 3)\n    return net\n\n\nclass Model"
    )
    assert _updates(text + D_FIRST).startswith(
        "        self.net_g.set_train()\n        def compute_fake():\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("self.loss_d.backward()", "self.loss_d.backward(retain_graph=True)", "step-kept"),
        ("        self.opt_g.zero_grad()\n", "", "step-zero"),
        (G, f"        self.fake = self.fake * 2\n{G}", "step-statement"),
        ("-self.net_d(self.fake)", "-self.net_g(self.fake)", "step-shared"),
        (FORWARD, "", "step-outside"),
        (G, "        if self.real is not None:\n" + G.replace("        ", " " * 12), "step-statement"),
        (G, f"{G}\n    def again(self):\n        self.backward_g()\n", "step-methods"),
        ("        self.backward_g()\n", "        loss = self.backward_g()\n", "step-statement"),
        ("        self.backward_g()\n", "        self.backward_g(1)\n", "step-statement"),
        (G, f"{G}\n\nclass Other(Model):\n    def forward(self):\n        pass\n", "step-methods"),
    ],
    ids=[
        "kept graph",
        "never zeroed",
        "another statement",
        "a second way to the weights",
        "computed by the caller",
        "under a condition",
        "called elsewhere",
        "a result that is kept",
        "an argument",
        "overridden",
    ],
)
def test_what_may_train_otherwise_is_refused_with_its_cause(old: str, new: str, reason: str) -> None:
    assert old in TEXT + D_FIRST
    assert reason in converted((TEXT + D_FIRST).replace(old, new)).blockers.values()


def test_what_a_method_that_the_caller_calls_has_computed_is_refused() -> None:
    text = TEXT.replace(
        "    def forward",
        "    def prepare(self):\n        self.more = self.net_g(self.real)\n\n    def forward",
    )
    text = text.replace("-self.net_d(self.fake).mean()", "-self.net_d(self.fake + self.more).mean()")
    assert set(converted(text + D_FIRST).blockers.values()) == {"step-outside"}


def test_two_results_of_a_model_before_another_update_are_refused() -> None:
    text = TEXT.replace("(self.noise)\n", "(self.noise)\n        self.more = self.net_g(self.real)\n")
    text = text.replace("-self.net_d(self.fake).mean()", "-self.net_d(self.fake + self.more).mean()")
    assert set(converted(text + D_FIRST).blockers.values()) == {"step-shared"}


def test_a_result_that_another_method_goes_on_with_before_another_update_is_refused() -> None:
    text = TEXT.replace(
        "    def set_req",
        "    def judge(self):\n        self.seen = self.net_d(self.fake)\n\n    def set_req",
    )
    text = text.replace(
        "-self.net_d(self.fake).mean()", "-self.net_d(self.fake).mean() + torch.mean(self.seen)"
    )
    text += D_FIRST.replace(FORWARD, f"{FORWARD}        self.judge()\n")
    assert set(converted(text).blockers.values()) == {"step-shared"}


IMPORT = "from trainers.gan import Model\n\n"
FACTORY = "from factory import create\n\nmodel = create()\n"
ELSEWHERE = [
    pytest.param({"main.py": f"{IMPORT}model = Model()\nmodel.backward_g()\n"}, False, id="called"),
    pytest.param({"main.py": f"{FACTORY}model.backward_g()\n"}, False, id="called without its class"),
    pytest.param({"main.py": f"{FACTORY}model.noise = net(z)\n"}, False, id="an attribute set"),
    pytest.param({"main.py": f"{FACTORY}model.noise = None\n"}, True, id="an attribute without a graph"),
    pytest.param(
        {"main.py": f"{IMPORT}class Other(Model):\n    def forward(self):\n        pass\n"},
        False,
        id="overridden",
    ),
    pytest.param(
        {
            "main.py": "import others.late\n",
            "others/late.py": "from trainers.gan import Model as M\n\n\n"
            "class Other(M):\n    def backward_d(self):\n        pass\n",
        },
        False,
        id="overridden in another folder",
    ),
    pytest.param(
        {"main.py": f"{IMPORT}class Net:\n    def forward(self):\n        self.backward_g()\n"},
        True,
        id="another class",
    ),
    pytest.param({"main.py": f"{IMPORT}Model().forward()\n"}, True, id="computed once more"),
    pytest.param({"trainers/net.py": "x = 1\n"}, False, id="imported by who is not known"),
]


@pytest.mark.parametrize(("texts", "goes"), ELSEWHERE)
def test_another_file_may_use_the_methods(texts: dict[str, str], goes: bool) -> None:
    source = SourceFile(TEXT + G_FIRST, "trainers/gan.py")
    names = frozenset[str]() if "factory" in str(texts) else frozenset({"gan.Model"})
    options = options_from({}, MigrationOptions(version="2.8.0"))
    with Context(source, options, Importers(texts, source.text, names)) as context:
        found = {one.reason.value for one in context.shared(Conversion).blockers if one.reason is not None}
    assert (not found) if goes else ("step-methods" in found)
