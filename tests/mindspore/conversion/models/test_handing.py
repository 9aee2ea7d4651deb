"""Classes that are handed on, and what they may be given."""

from __future__ import annotations

import re

import pytest

from gpu2ascend_mindspore.conversion.table import IMPORTED
from gpu2ascend_mindspore.correspondences.table import entries

from ..converting import converted

HEAD = "import torch.nn as nn\nfrom torch.optim import SGD\n\n\ndef block(norm=nn.BatchNorm2d):\n"


@pytest.mark.parametrize("call", ["norm(8)", "norm(8, eps=1e-3)"])
def test_a_class_may_be_called_under_another_name(call: str) -> None:
    answer = converted(
        f"{HEAD}    return {call}\n\n\ndef train(net):\n    return SGD(net.parameters(), 0.1, momentum=0.9)\n"
    )
    assert f"return {call}" in answer.text
    assert answer.blockers == {}


@pytest.mark.parametrize("call", ["norm(8, momentum=0.1)", "norm(8, 1e-3, 0.1)", "norm(*given)"])
def test_not_with_what_means_something_else_there(call: str) -> None:
    assert "class" in converted(f"{HEAD}    return {call}\n").blockers.values()


def test_a_class_may_be_asked_for() -> None:
    head = "import torch.nn as nn\n\n\ndef made(m) -> nn.Conv2d:\n"
    text = f"{head}    return isinstance(m, (nn.Linear, nn.Conv2d))\n"
    assert converted(text).text.endswith(
        "def made(m) -> nn.Conv2d:\n    return isinstance(m, (nn.Dense, nn.Conv2d))\n"
    )


@pytest.mark.parametrize("called", ["drop(0.1)", "drop(0.1, True)"])
def test_not_by_position_where_it_is_not_known_which_parameter_is_the_first(called: str) -> None:
    text = "import torch.nn as nn\n\n\ndef block(drop=nn.Dropout):\n    return {}\n"
    assert converted(text.format(called)).blockers == {"nn.Dropout": "class"}
    assert converted(text.format("drop()")).blockers == {}


FUNCTION = "import functools\n\nimport torch\nfrom torch import nn\n\nxs = [torch.ones(2)]\ny = {}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("functools.reduce(torch.matmul, xs)", "functools.reduce(ops.matmul, xs)"),
        ("list(map(torch.abs, xs))", "list(map(ops.abs, xs))"),
    ],
)
def test_a_function_with_the_same_positions_is_handed_on(before: str, after: str) -> None:
    assert f"y = {after}\n" in converted(FUNCTION.format(before)).text


@pytest.mark.parametrize(
    ("value", "function"),
    [
        ("functools.reduce(torch.add, xs)", "torch.add"),  # a method there
        ("list(map(torch.flatten, xs))", "torch.flatten"),
        ("functools.reduce(torch.dot, xs)", "torch.dot"),  # a method of a result
        ("list(filter(torch.is_tensor, xs))", "torch.is_tensor"),  # a function of Python with more arguments
        ("list(map(torch.clamp_max, xs, xs))", "torch.clamp_max"),  # its second argument is another one there
        ("list(map(nn.Module.children, xs))", "nn.Module.children"),
    ],
)
def test_a_function_whose_counterpart_is_none_by_itself_is_not_handed_on(value: str, function: str) -> None:
    answer = converted(FUNCTION.format(value))
    assert answer.blockers == {function: "class"} and answer.text == FUNCTION.format(value)


def test_no_text_that_is_handed_on_names_a_parameter_of_the_table() -> None:
    """Whatever row of the table it is: no reader knows the parameters that the table names."""
    written = []
    for api, forms in entries().items():
        if api.startswith(("torch.Tensor.", "einops.")) or not any(one.called for one in forms):
            continue
        answer = converted(f"import torch\n\n\ny = map({api}, xs)\n")
        found = re.search(r"y = map\(([\w.]+)", answer.text)
        if not answer.blockers and found is not None:
            written.append(found[1].partition(".")[0])
    assert {"ops", "nn", "ms"} <= set(written) <= {*IMPORTED, "str"}
