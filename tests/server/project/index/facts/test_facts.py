"""What files contribute to their project."""

from __future__ import annotations

import pickle

import pytest

from gpu2ascend.project.index.facts.facts import NOTHING, FileFacts, ProjectFacts
from gpu2ascend.project.index.facts.file_facts import declared_options, default_types, facts_of
from gpu2ascend.project.index.indexed_files import IndexedFiles

OWN = FileFacts(("nn", "torch"), (("cuda", "a.A"),), ("--device",))
OTHER = FileFacts(("F", "torch"), (("cuda", "b.B"), ("to", "b.B")))


def test_the_facts_of_a_file() -> None:
    code = b"""\
import torch
import argparse
class Batch:
    def cuda(self):
        return self
class Net(torch.nn.Module):
    def cuda(self):
        return self
parser = argparse.ArgumentParser()
parser.add_argument("-d", "--device", default="cuda")
"""
    assert facts_of("pkg/a.py", code) == FileFacts(
        ("torch",),
        (("cuda", "pkg.a.Batch"),),
        ("-d", "--device"),
        frameworks=("torch",),
        modules=("argparse",),
        has_words=True,
    )
    assert facts_of("b.py", b"print(1)\n") == NOTHING


def test_the_methods_of_tensors_that_classes_of_a_project_have() -> None:
    first = facts_of("a.py", b"class A:\n    def exp(self):\n        return 1\n")
    second = facts_of("b.py", b"class B:\n    def std(self):\n        return 1\n")
    assert ProjectFacts.of([("a.py", first)]).overlaid({"b.py": second}).tensor_like == {"exp", "std"}


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("parser.add_argument('--gpu', type=int, help='--not-this')", ("--gpu",)),
        (
            "group.add_argument(\n    '-b',  # size\n    '--batch-size',\n    type=int)",
            ("-b", "--batch-size"),
        ),
        ("parser.add_argument('path')", ()),
        ("@click.option('--shout/--no-shout', default=False)", ("--shout", "--no-shout")),
        ("add_argument = '--gpu'", ()),
    ],
)
def test_the_options_that_a_script_declares(code: str, options: tuple[str, ...]) -> None:
    assert declared_options(code.encode()) == options


def test_the_facts_of_a_project_are_those_of_its_files() -> None:
    facts = ProjectFacts.of([("a.py", OWN), ("b.py", OTHER), ("c.py", NOTHING)])
    assert facts.torch_names == {"nn", "torch", "F"}
    assert facts.classes_with("cuda") == {"a.A", "b.B"}
    assert facts.classes_with("to") == {"b.B"}
    assert facts.options == {"a.py": ("--device",)}
    assert pickle.loads(pickle.dumps(facts)) == facts


def test_facts_of_another_version_of_a_file_replace_its_own() -> None:
    facts = ProjectFacts.of([("a.py", OWN), ("b.py", OTHER)]).overlaid({"a.py": NOTHING})
    assert facts.classes_with("cuda") == {"b.B"}
    assert facts.options == {}


def test_an_index_follows_its_files() -> None:
    index = IndexedFiles()
    for path, facts in (("a.py", OWN), ("sub/b.py", OTHER), ("sub/c.py", NOTHING)):
        index.put(path, facts)
    assert len(index) == 3
    assert "sub/c.py" in index
    assert index.below("sub") == ["sub/b.py", "sub/c.py"]
    index.put("a.py", NOTHING)
    index.remove("sub/c.py")
    assert index.facts() == ProjectFacts.of([("sub/b.py", OTHER)])
    index.remove("sub/b.py")
    assert index.facts() == ProjectFacts()
    assert index.get("sub/b.py") is None


def test_equal_facts_are_held_once() -> None:
    index = IndexedFiles()
    for path in ("a.py", "b.py"):
        index.put(path, FileFacts(*OWN))
    assert index.get("a.py") is index.get("b.py")


@pytest.mark.parametrize(
    ("given", "found"), [("'cuda'", ("device",)), ("device", ("device",)), ("'cpu'", ())]
)
def test_a_default_device_other_than_the_cpu_is_a_fact_of_a_file(given: str, found: tuple[str, ...]) -> None:
    assert default_types(f"torch.set_default_device({given})\n".encode()) == found
