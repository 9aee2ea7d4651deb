"""Methods that others than tensors have are theirs where the arguments show it."""

from __future__ import annotations

import pytest

from tests.mindspore.conversion.converting import converted

TEXT = "import torch\n\n\ndef f(x):\n    return torch.ones(1), {call}\n"


@pytest.mark.parametrize("call", ["x.split()", "x.split(',')", "x.split('a' 'b')", "x.max('name')"])
def test_arguments_that_no_tensor_takes_show_a_text(call: str) -> None:
    assert converted(TEXT.format(call=call)).blockers == {}


@pytest.mark.parametrize("call", ["x.split(3)", "x.split(*y)", "x.split(sep)", "x.max()", "x.norm('fro')"])
def test_arguments_that_a_tensor_takes_leave_it_open(call: str) -> None:
    told = converted(TEXT.format(call=call))
    assert list(told.blockers.values()) == ["receiver"]
