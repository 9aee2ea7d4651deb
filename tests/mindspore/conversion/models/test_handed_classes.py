"""A class whose defaults differ is handed on by ``partial``, which is no class and takes no positions."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import functools\n\nfrom torch import nn\n\n\n"
MODULE = "class Block(nn.Module):\n    def __init__(self, act=nn.GELU):\n        super().__init__()\n"
PARTIAL = {
    "GELU": "partial(nn.GELU, approximate=False)",
    "LeakyReLU": "partial(nn.LeakyReLU, alpha=0.01)",
    "SmoothL1Loss": "partial(nn.SmoothL1Loss, reduction='mean')",
    "Softmax": "nn.Softmax",
}


@pytest.mark.parametrize("name", PARTIAL)
def test_a_class_that_is_called_without_arguments_is_handed_on(name: str) -> None:
    text = f"{HEAD}def block(act=nn.{name}):\n    return act()\n"
    answer = converted(text)
    assert answer.blockers == {} and f"def block(act={PARTIAL[name]}):\n    return act()\n" in answer.text


@pytest.mark.parametrize("name", PARTIAL)
@pytest.mark.parametrize(
    "use",
    [
        "y = type(m) is nn.{name}\n",
        "y = type(m) in (nn.{name}, nn.ReLU)\n",
        "def block(act=nn.{name}):\n    return act(0.2)\n",
        "def block(act=nn.{name}):\n    return act(*given)\n",
        "def block(act=nn.{name}):\n    return isinstance(m, act)\n",
        "def block(act=nn.{name}):\n    return issubclass(act, nn.ReLU)\n",
        "def block(act=nn.{name}):\n    class Own(act):\n        pass\n",
        "def block(act=nn.{name}):\n    return functools.partial(act, 0.2)\n",
        "layers = list(map(nn.{name}, slopes))\n",
        "act = functools.partial(nn.{name}, 0.2)\n",
    ],
)
def test_it_is_not_where_a_class_must_stand_or_positions_may_be_given(use: str, name: str) -> None:
    assert converted(HEAD + use.format(name=name)).blockers == {f"nn.{name}": "class"}


@pytest.mark.parametrize("name", PARTIAL)
def test_a_class_that_derives_from_it_is_another_cause_than_one_that_is_handed_on(name: str) -> None:
    assert converted(f"{HEAD}class Own(nn.{name}):\n    pass\n").blockers == {f"nn.{name}": "derived"}


@pytest.mark.parametrize(
    "use",
    [
        "def f(act):\n    return act({})\n\n\nf(nn.GELU)\n",
        "def f(act):\n    return act({})\n\n\nf(act=nn.GELU)\n",
        "ACTS = {{'gelu': nn.GELU}}\n\n\ndef f(name):\n    return ACTS[name]({})\n",
        "ACTS = {{'gelu': nn.GELU}}\n\n\ndef f(name):\n    act = ACTS.get(name)\n    return act({})\n",
        "def pick():\n    return nn.GELU\n\n\nlayer = pick()({})\n",
        "for act in (nn.GELU, nn.ReLU):\n    layer = act({})\n",
        "layers = [act({}) for act in (nn.GELU, nn.ReLU)]\n",
        MODULE + "        self.kind = act\n\n    def forward(self, x):\n        return self.kind({})(x)\n",
        "class Own:\n    kind = nn.GELU\n\n    def made(self):\n        return self.kind({})\n",
        "layer = (act := nn.GELU)\ny = act({})\n",
        "def f(deep):\n    act = nn.GELU if deep else nn.ReLU\n    return act({})\n",
    ],
)
def test_a_class_is_followed_to_where_it_is_called(use: str) -> None:
    assert converted(HEAD + use.format("")).blockers == {}
    assert converted(HEAD + use.format("'tanh'")).blockers.get("nn.GELU") == "class"


def test_what_a_class_makes_is_called_with_positions() -> None:
    text = (
        f"{HEAD}{MODULE}        self.act = act()\n\n    def forward(self, x):\n        return self.act(x)\n"
    )
    assert "act=partial(nn.GELU, approximate=False)" in converted(text).text


@pytest.mark.parametrize("test", ["act is None", "act == 'gelu'", "isinstance(act, str)", "callable(act)"])
def test_a_question_that_asks_for_no_class_leaves_it(test: str) -> None:
    text = f"{HEAD}def block(act=nn.GELU):\n    return None if {test} else act()\n"
    asked = text.replace(test, "act is other")
    assert converted(text).blockers == {} and converted(asked).blockers == {"nn.GELU": "class"}


def test_a_class_is_asked_for_by_its_own_name() -> None:
    text = f"{HEAD}y = isinstance(m, (nn.GELU, nn.Softmax))\n"
    assert converted(text).text.endswith("y = isinstance(m, (nn.GELU, nn.Softmax))\n")
    assert "from mindspore import nn\n" in converted(text).text
