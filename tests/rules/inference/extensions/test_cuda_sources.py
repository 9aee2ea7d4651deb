"""The calls of a file that compile CUDA sources, for whoever asks about all of them."""

from __future__ import annotations

from gpu2ascend_rules.inference.extensions.cuda_sources import CudaBuilds
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of

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


def test_many_calls_of_one_variable_read_it_once() -> None:
    count = 300
    text = f"{LOAD}files = {['a.cpp'] * count}\n" + "load('a', files)\n" * count
    source = SourceFile(text, "a.py")
    found = CudaBuilds(source)
    assert not list(found.all())
    assert len(found._written) <= 2 * count + 1
