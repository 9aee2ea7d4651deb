"""Following a text grows no faster than the file, whatever is repeated in it.

Work is counted in calls of functions and visits of nodes (``tests/security/steps.py``): no clock decides.
"""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.text.source_file import SourceFile
from tests.security.test_growth import CLASS, HEAD, MOST, NPU, OPTIONS, Shape, growth

pytestmark = pytest.mark.slow

NESTED_ENOUGH = 100
"""Twice as deep is still looked at."""
NESTED_BLOCKS = 100
NESTED = {
    "choices in choices": Shape("y = ", "'cuda:{i}' if a{i} else ", "'cpu'\nx.to(y)\n"),
    "a device chosen by choices": Shape("y = torch.device(", "'cuda' if a{i} else ", "'cpu')\n"),
    "alternatives": Shape("y = a", " or 'cuda:{i}'", "\nx.to(y)\n"),
    "functions in defaults": Shape("y = ", "lambda d='cuda': ", "1\n"),
    "loops of a comprehension": Shape("y = [x.cuda() ", " for x in x.cuda()", "]\n"),
    "choices between calls": Shape("y = ", "x.cuda() if a{i} else ", "x\n"),
    "choices by the device": Shape("y = ", "'cuda' if torch.cuda.is_available() else ", "'cpu'\nx.to(y)\n"),
    "attributes in a chain": Shape("y = x", ".cuda"),
    "calls in a chain": Shape("y = x", ".cuda()"),
    "tests joined by or": Shape("y = a", " or x.device.type == 'cuda'"),
    "tests joined by and": Shape("y = a", " and device == 'cuda'"),
    "questions joined by and": Shape("if a", " and not torch.cuda.is_available()", ": x.cuda()\n"),
    "texts added to each other": Shape("y = 'cuda'", " + 'cuda:{i}'", "\nx.to(y)\n"),
    "items of items": Shape("y = x", "['cuda']"),
    "a name assigned in a chain": Shape("", "x = ", "x.cuda()\n"),
    "names assigned in a chain": Shape("", "x{i} = ", "'cuda'\nx.to(x0)\n"),
    "attributes assigned in a chain": Shape(CLASS + "        ", "self.a{i} = ", "'cuda'\n"),
    "items assigned in a chain": Shape("d = {}\n", "d['a{i}'] = ", "'cuda'\n"),
}
IN_EACH_OTHER = {
    "lists": ("[x.cuda(), ", "]"),
    "tuples": ("('cuda', ", ")"),
    "calls": ("f(x.cuda(), ", ")"),
    "dictionaries": ("{'device': 'cuda', 'a': ", "}"),
    "defaults from the environment": ("os.environ.get('CUDA_VISIBLE_DEVICES', ", ")"),
}
"""What opens and what closes; a text that stops between the two is not Python."""
BLOCKS = {
    "choices": "if torch.cuda.is_available():",
    "choices that load": "if torch.load('a') and not torch.cuda.is_available():",
    "functions": "def f(x):",
    "classes": "class A:",
    "loops": "for a in x.cuda():",
    "contexts": "with torch.cuda.device(0):",
}
IN_BLOCKS = {
    "attributes of self": "self.kind == 'cuda'",
    "devices looked up in a list": "d in ('cuda', 'cpu')",
    "patterns": "x.device.type == 'cuda'",
}
FLAT = {
    "attributes of many classes": Shape(
        "", "class A{i}:\n    def a(self):\n        self.d = 'cuda'\n    def f(self): return x.to(self.d)\n"
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
    "items that are set": Shape("d = {}\n", "d['a{i}'] = 'cuda'\nf(d)\n"),
    "clauses for back ends": Shape(
        "import torch.distributed as dist\nif b == 'gloo': pass\n",
        "elif b == 'nccl': dist.init_process_group('nccl')\n",
    ),
    "constants for back ends": Shape("class Backend:\n", "    B{i} = 'nccl'\n"),
    "variables of a process": Shape("import os\n", "os.environ['CUDA_VISIBLE_DEVICES'] = '{i}'\n"),
    "tests that leave a function": Shape(
        "def f(x):\n", "    if not torch.cuda.is_available(): return\n    x.cuda()\n"
    ),
    "loads for either device": Shape(
        "",
        "if torch.cuda.is_available():\n    y = torch.load('a')\n"
        "else:\n    y = torch.load('a', map_location='cpu')\n",
    ),
    "imports": Shape("", "import a{i}_cuda\nx.cuda()\n"),
    "gradient scalers": Shape("", "s = torch.cuda.amp.GradScaler()\ns.step(o)\n"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", FLAT)
def test_following_texts_grows_with_the_file(name: str) -> None:
    shape = FLAT[name]
    assert growth(lambda n: check(SourceFile(shape.text(n)), OPTIONS), 60) <= MOST


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NESTED)
def test_following_texts_grows_with_the_nesting(name: str) -> None:
    shape = NESTED[name]
    assert growth(lambda n: check(SourceFile(shape.text(n)), OPTIONS), NESTED_ENOUGH) <= MOST


@pytest.mark.parametrize("name", IN_EACH_OTHER)
def test_following_texts_grows_with_what_is_in_each_other(name: str) -> None:
    opens, closes = IN_EACH_OTHER[name]

    def work(depth: int) -> None:
        check(SourceFile(f"{HEAD}import os\ny = {opens * depth}1{closes * depth}\n"), OPTIONS)

    assert growth(work, NESTED_ENOUGH) <= MOST


@pytest.mark.parametrize("name", BLOCKS)
def test_following_texts_grows_with_the_blocks_in_each_other(name: str) -> None:
    """Up to the hundred levels that Python takes."""

    def work(depth: int) -> None:
        blocks = (f"{' ' * i}{BLOCKS[name]}\n{' ' * (i + 1)}d = 'cuda'\n" for i in range(depth))
        check(SourceFile(HEAD + "".join(blocks)), OPTIONS)

    assert growth(work, NESTED_BLOCKS // 2) <= MOST


def test_tests_beside_migrated_code_do_not_search_it_each() -> None:
    def text(count: int) -> str:
        return HEAD + NPU + "def f(x):\n" + "    x.npu()\n" * count + "    if d == 'cuda': pass\n" * count

    assert growth(lambda n: check(SourceFile(text(n)), OPTIONS), 60) <= MOST


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_following_texts_grows_with_the_blocks_around_them(name: str) -> None:
    def work(depth: int) -> None:
        blocks = (f"{' ' * (i + 2)}if {IN_BLOCKS[name]}:\n{' ' * (i + 3)}pass\n" for i in range(depth))
        check(SourceFile(f"{HEAD}class A(B):\n def f(self, x, d):\n{''.join(blocks)}"), OPTIONS)

    assert growth(work, NESTED_BLOCKS // 2 - 2) <= MOST
