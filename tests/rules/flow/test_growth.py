"""Following a text grows no faster than the file, whatever is repeated in it.

Work is counted in calls of functions, as in the tests of hostile texts, so that no clock decides.
"""

from __future__ import annotations

import pytest

from gpu2ascend_rules.check import check
from gpu2ascend_rules.text.source_file import SourceFile
from tests.security.test_growth import CLASS, HEAD, MOST, NPU, OPTIONS, Shape, growth

NESTED_ENOUGH = 100
"""Twice as deep is still looked at."""
NESTED = {
    "choices in choices": Shape("y = ", "'cuda:{i}' if a{i} else ", "'cpu'\nx.to(y)\n"),
    "a device chosen by choices": Shape("y = torch.device(", "'cuda' if a{i} else ", "'cpu')\n"),
    "alternatives": Shape("y = a", " or 'cuda:{i}'", "\nx.to(y)\n"),
    "functions in defaults": Shape("y = ", "lambda d='cuda': ", "1\n"),
    "loops of a comprehension": Shape("y = [x.cuda() ", " for x in x.cuda()", "]\n"),
}
FLAT = {
    "attributes of many classes": Shape(
        "",
        "class A{i}:\n    def a(self):\n        self.d = 'cuda'\n    def f(self): return x.to(self.d)\n",
    ),
    "an attribute that is set again": Shape(CLASS, "        self.device = 'cuda:{i}'\n"),
    "attributes of a class that derives": Shape(
        "",
        "class A{j}(A{i}):\n    def f(self):\n        self.d = 'cuda:0'\n        return self.d == 'cuda'\n",
    ),
    "a variable of many functions": Shape("", "def f{i}(x):\n    d = 'cuda'\n    return x.to(d)\n"),
    "a variable that is set again": Shape("", "if torch.cuda.is_available():\n    d = 'cuda'\n"),
    "a variable chosen again": Shape("", "y = 'cuda' if x.is_cuda else 'cpu'\n"),
    "a function that is defined again": Shape("", "def g(): return 'cuda'\nx.to(g())\n"),
    "a dictionary that is made again": Shape("", "c = {'device': 'cuda'}\nx.to(c['device'])\n"),
    "a dictionary's entries": Shape("c = {", "'a{i}': 'cuda', ", "}\nx.to(c['a0'])\n"),
    "both devices in turns": Shape(
        NPU + "def f(x):\n",
        "    if torch.npu.is_available():\n        x = x.npu()\n    else:\n        x = x.cuda()\n",
    ),
    "functions that know both devices": Shape(
        NPU, "def f{i}(d):\n    if d == 'npu': return 1\n    if d == 'cuda': return 2\n"
    ),
    "classes with a method of their own": Shape(
        "", "class A{i}:\n    def cuda(self): return self.x.cuda()\nA{i}().cuda()\nx.cuda()\n"
    ),
    "options": Shape(
        "import argparse\np = argparse.ArgumentParser()\na = p.parse_args()\n",
        "p.add_argument('--d{i}', default='cuda')\nx.to(a.d{i})\n",
    ),
    "parameters": Shape("", "def f{i}(d='cuda'): return x.to(d)\nf{i}('cuda')\n"),
    "environment variables": Shape("import os\n", "a{i} = os.environ.get('CUDA_VISIBLE_DEVICES')\n"),
    "back ends": Shape(
        "import torch.distributed as dist\n", "def g{i}(b='nccl'): dist.init_process_group(b)\n"
    ),
    "gradient scalers": Shape("", "s = torch.cuda.amp.GradScaler()\ns.step(o)\n"),
}


@pytest.mark.parametrize("name", FLAT)
def test_following_texts_grows_with_the_file(name: str) -> None:
    shape = FLAT[name]
    assert growth(lambda n: check(SourceFile(shape.text(n)), OPTIONS), 60) <= MOST


@pytest.mark.parametrize("name", NESTED)
def test_following_texts_grows_with_the_nesting(name: str) -> None:
    shape = NESTED[name]
    assert growth(lambda n: check(SourceFile(shape.text(n)), OPTIONS), NESTED_ENOUGH) <= MOST


def test_tests_beside_migrated_code_do_not_search_it_each() -> None:
    def text(count: int) -> str:
        return HEAD + NPU + "def f(x):\n" + "    x.npu()\n" * count + "    if d == 'cuda': pass\n" * count

    assert growth(lambda n: check(SourceFile(text(n)), OPTIONS), 60) <= MOST
