"""The calls of a file that compile CUDA sources, for whoever asks about all of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gpu2ascend_rules.inference.extensions.cuda_sources import CudaBuilds
from gpu2ascend_rules.limits.below import nodes_in
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of
from tests.security.steps import steps

LOAD = "from torch.utils.cpp_extension import load\n"


def builds(text: str) -> list[tuple[str, str | None]]:
    """What is called by each build, with the name that keeps the module."""
    found = CudaBuilds(SourceFile(text, "a.py")).all()
    return [(text_of(item.function), text_of(item.module) if item.module else None) for item in found]


def test_every_build_is_given_once_with_what_keeps_its_module() -> None:
    wrapper = "def build(sources):\n    return load('a', sources)\n"
    text = (
        f"{LOAD}{wrapper}a = build(sources=['k.cu'])\nb = load('b', ['k.cu'])\nother('c', sources=['c.cu'])\n"
    )
    assert sorted(builds(text), key=str) == [("build", "a"), ("load", "b"), ("other", None)]
    assert builds(text.replace(".cu'", ".cc'")) == []


def test_a_load_of_another_library_is_none() -> None:
    assert builds("from json import load\na = load('k.cu')\n") == []
    assert builds(f"{LOAD}a = load('a', 'k.cu')\n") == [("load", "a")]


def one_variable(count: int) -> str:
    return f"files = {['a.cpp'] * count}\n" + "load('a', files)\n" * count


def variables_of_each_other(count: int) -> str:
    given = "".join(f"f{i} = f{(i + 1) % count} + f{(3 * i) % count}\n" for i in range(count))
    return given + "".join(f"load('a', f{i})\n" for i in range(count))


def functions_of_each_other(count: int) -> str:
    calls = [f"f{(i + 1) % count}(files + f{(3 * i) % count}([]))" for i in range(count)]
    function = "def f{}(files):\n    load('a', files)\n    return {}\n"
    return "".join(function.format(i, call) for i, call in enumerate(calls))


@pytest.mark.parametrize("text", [one_variable, variables_of_each_other, functions_of_each_other])
def test_four_times_the_code_is_four_times_the_work(text: Callable[[int], str]) -> None:
    def work(count: int) -> int:
        source = SourceFile(LOAD + text(count), "a.py")
        return steps(lambda: list(CudaBuilds(source).all()))

    assert work(160) < 4.6 * work(40)


def test_what_is_asked_first_changes_no_answer() -> None:
    text = f"{LOAD}a = b + ['k.cu']\nb = a + c\nc = b\nload('a', c)\nload('b', b)\nload('c', a)\n"
    source = SourceFile(text, "a.py")
    calls = [call for call in nodes_in(source.root) if call.type == "call"]
    for order in (calls, calls[::-1]):
        found = CudaBuilds(source)
        assert [len(found.of_load(call)) for call in order] == [1, 1, 1]
