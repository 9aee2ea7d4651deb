"""Handles of streams and events, beside attributes of the project with these names."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

STREAM = "import torch\nstream = torch.cuda.Stream()\n"
OWN = {
    "a method": "class A:\n    def cuda_stream(self):\n        return 1\n",
    "an attribute": "class A:\n    def __init__(self):\n        self.cuda_stream = make()\n",
    "an attribute of an object": "holder.cuda_stream = make()\n",
}


def found(text: str) -> list[str]:
    """The texts at which a handle is reported."""
    source = SourceFile(text)
    options = options_from({"version": "2.8.0", "select": ["NPU522"]})
    return [source.slice(item.start, item.end) for item in check(source, options)]


@pytest.mark.parametrize("receiver", ["stream", "torch.cuda.Stream()", "torch.cuda.current_stream()"])
@pytest.mark.parametrize("name", OWN)
def test_a_stream_has_its_handle_whatever_else_has_that_name(receiver: str, name: str) -> None:
    assert found(f"{STREAM}h = {receiver}.cuda_stream\n") == ["cuda_stream"]
    assert found(f"{STREAM}{OWN[name]}h = {receiver}.cuda_stream\n") == ["cuda_stream"]


@pytest.mark.parametrize("name", OWN)
def test_of_what_is_no_proven_stream_the_name_may_be_the_projects(name: str) -> None:
    assert found(f"{STREAM}def f(s):\n    return s.cuda_stream\n") == ["cuda_stream"]
    assert found(f"{STREAM}{OWN[name]}def f(s):\n    return s.cuda_stream\n") == []


@pytest.mark.parametrize(
    "use", ["h = self.cuda_stream", "h = cls.cuda_stream", "h = s.cuda_stream()", "s.cuda_stream = 1"]
)
def test_what_is_called_assigned_or_of_the_class_is_the_projects(use: str) -> None:
    assert found(f"{STREAM}def f(self, cls, s):\n    {use}\n") == []
    assert found(f"{STREAM}def f(self, cls, s):\n    h = s.cuda_stream\n") == ["cuda_stream"]
