"""The work that a text makes grows no faster than the text.

Work is counted in calls of functions and visits of nodes, on a text and on one of twice its size, so that no
clock decides.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest

from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.index.kernels import kernel_names
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.limits.checkpoints import MAX_NESTING, asking
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.security.steps import steps

pytestmark = pytest.mark.slow

OPTIONS = options_from({"version": "2.8.0", "restricted_apis": True, "unknown_apis": True})
HEAD = "import torch\nx = torch.ones(2)\n"
DEEP = MAX_NESTING + 100
"""More than is looked at, so that what nests costs no more when it nests deeper."""
MOST = 2.3
"""Twice the text, and a little for what is done once more at a power of two."""


class Shape(NamedTuple):
    """A text of a part that is repeated; ``{i}`` and ``{j}`` in it are its number and the next one."""

    begins: str
    repeated: str
    ends: str = "\n"
    size: int = 100

    def text(self, count: int) -> str:
        """The text with that many parts."""
        parts = (self.repeated.replace("{i}", str(i)).replace("{j}", str(i + 1)) for i in range(count))
        return HEAD + self.begins + "".join(parts) + self.ends


CLASS = "class A:\n    def f(self):\n"
NPU = "import torch_npu\n"
NESTED = {
    "calls in a chain": Shape("y = x", ".cuda()", size=DEEP),
    "attributes in a chain": Shape("y = x", ".cuda", size=DEEP),
    "a module's attributes in a chain": Shape("y = torch", ".cuda", size=DEEP),
    "a sum of calls": Shape("y = x", " + a().cuda()", size=DEEP),
    "a sum of functions": Shape("def a(): return x\ny = x", " + a()", "\ny.cuda()\n", size=DEEP),
    "a condition of calls": Shape("y = x", " and torch.cuda.is_available()", size=DEEP),
}
FLAT = {
    "texts compared": Shape("y = 0", " == x.device.type == 'cuda'", size=200),
    "an attribute assigned to itself": Shape(CLASS, "        self.a = self.a.cuda()\n"),
    "attributes assigned to each other": Shape(CLASS, "        self.a{i} = self.a{j}.cuda()\n"),
    "classes of the same attributes": Shape(
        "", "class A{i}(A{j}):\n    def f(self):\n        self.x = self.x.cuda()\n"
    ),
    "a name assigned to itself": Shape("", "x = x.cuda()\n"),
    "a factor that branches reassign": Shape("", "if x:\n    x = x.float()\n", "torch.matmul(x, x)\n"),
    "imports": Shape("", "import torch\ntorch.cuda.synchronize()\n"),
    "branches for the NPU": Shape(NPU, "if is_npu():\n    pass\nelse:\n    x.cuda()\n"),
    "statements beside the NPU": Shape(NPU, "x.cuda()\n"),
    "texts in a list": Shape(NPU + "y = [", "'cuda', ", "]\n"),
    "functions": Shape("", "def f{i}(x): return f{j}(x.cuda())\n"),
}


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times as much work twice the size is."""
    work(2 * size)  # what is loaded and made once, and answers that are kept for every file
    return steps(lambda: work(2 * size)) / steps(lambda: work(size))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [*NESTED, *FLAT])
def test_a_check_grows_with_the_text(name: str) -> None:
    shape = (NESTED | FLAT)[name]
    assert growth(lambda n: check(SourceFile(shape.text(n)), OPTIONS), shape.size) <= MOST


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FLAT)
def test_fixing_grows_with_the_text(name: str) -> None:
    shape = FLAT[name]
    assert growth(lambda n: apply_fixes(SourceFile(shape.text(n)), OPTIONS), shape.size) <= MOST


def _notebook(cells: int, source: list[str]) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": source,
    }
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell] * cells})


@pytest.mark.parametrize("fix", [False, True])
@pytest.mark.parametrize("last", ["y = 1\n", "y = (\n"], ids=["sound", "broken"])
def test_a_notebook_grows_with_its_cells(last: str, fix: bool) -> None:
    def work(cells: int) -> None:
        text = _notebook(cells, ["import torch\n", "x = torch.ones(2).cuda()\n", last])
        examine("a.ipynb", text, Request(options=OPTIONS, fix=fix))

    assert growth(work, 100) <= MOST


def test_what_nests_deeper_than_is_looked_at_costs_hardly_a_step() -> None:
    """Of the walkers' own steps, which are what a time limit counts."""
    steps: list[int] = []
    for depth in (DEEP, 4 * DEEP):
        counted = 0

        def step() -> None:
            nonlocal counted
            counted += 1

        source = SourceFile(f"{HEAD}y = x{'.cuda()' * depth}\n")
        assert source.root.has_error is False  # parsed before: the parser's steps are those of the text
        with asking(step):
            check(source, OPTIONS)
        steps.append(counted)
    assert steps[1] <= 1.1 * steps[0]


@pytest.mark.parametrize("text", ["/*" * 200_000, "__global__ " * 50_000, "__a__(" * 50_000])
def test_a_kernel_source_without_an_end_is_searched_in_one_pass(text: str) -> None:
    assert set(kernel_names(text + "*/ __global__ void last(int n) {}")) <= {"last"}


BLANKS = " " * 60


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("run.sh", f"python train.py a=1 \\\n{BLANKS}b=cuda:0 \\\n{BLANKS}training.device=cuda:0 \\\n"),
        ("run.sh", f"python train.py {'-' * 380}( --device cuda:0\n" * 50),
        ("Dockerfile", "FROM cuda\nCMD [" + '"a" ' * 60 + "export CUDA_HOME=/x\n"),
    ],
)
def test_blanks_and_dashes_between_words_are_searched_in_one_pass(path: str, text: str) -> None:
    examine(path, text, Request(options=OPTIONS))
