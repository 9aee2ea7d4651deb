"""A test of a device is migrated together with what it decides over, or is reported."""

from __future__ import annotations

import re
from itertools import product

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.cases import every_case
from tests.rules.control import found_beside_control

ACCELERATOR = "torch.accelerator.current_accelerator()"
DEVICES = {
    "any accelerator": f"import torch\nd = {ACCELERATOR}\n",
    "any accelerator, imported": (
        "import torch\nfrom torch import accelerator\nd = accelerator.current_accelerator()\n"
    ),
    "any accelerator, by an alias": (
        "import torch\nimport torch.accelerator as acc\nd = acc.current_accelerator()\n"
    ),
    "any accelerator or the CPU": (
        f"import torch\nif torch.accelerator.is_available():\n    d = {ACCELERATOR}\n"
        "else:\n    d = torch.device('cpu')\n"
    ),
    "any accelerator or the CPU, in one": f"import torch\nd = {ACCELERATOR} or torch.device('cpu')\n",
    "a tensor's": "import torch\nd = x.device\n",
    "a module's": "import torch\nd = next(model.parameters()).device\n",
    "an option's": "import torch\nd = torch.device(args.device)\n",
}
TESTS = {
    "its type": "if d.type == 'cuda':\n    torch.cuda.synchronize()\n",
    "its type, turned round": "if 'cuda' == d.type:\n    torch.cuda.synchronize()\n",
    "not its type": "if d.type != 'cuda':\n    pass\nelse:\n    torch.cuda.synchronize()\n",
    "its type in a variable": "kind = d.type\nif kind == 'cuda':\n    torch.cuda.synchronize()\n",
    "its type in two variables": "t = d.type\nk = t\nif k == 'cuda':\n    torch.cuda.synchronize()\n",
    "its text": "if 'cuda' in str(d):\n    torch.cuda.synchronize()\n",
    "the beginning of its text": "if str(d).startswith('cuda'):\n    torch.cuda.synchronize()\n",
    "an attribute": (
        "class A:\n    def __init__(self):\n        self.kind = d.type\n    def f(self):\n"
        "        if self.kind == 'cuda':\n            torch.cuda.synchronize()\n"
    ),
    "a flag": "on_gpu = d.type == 'cuda'\nif on_gpu:\n    torch.cuda.synchronize()\n",
    "a constant": "KIND = 'cuda'\nif d.type == KIND:\n    torch.cuda.synchronize()\n",
    "a list": "if d.type in ('cuda', 'xpu'):\n    torch.cuda.synchronize()\n",
    "a set of one": "if d.type in {'cuda'}:\n    torch.cuda.synchronize()\n",
    "not in a list": "if d.type not in ['cuda']:\n    exit()\nelse:\n    torch.cuda.synchronize()\n",
    "a case": (
        "match d.type:\n    case 'cuda':\n        torch.cuda.synchronize()\n    case _:\n        pass\n"
    ),
    "a case of several": "match d.type:\n    case 'cuda' | 'xpu':\n        torch.cuda.synchronize()\n",
    "a table": "{'cuda': torch.cuda.synchronize, 'cpu': print}[d.type]()\n",
    "a table, got": "run = {'cuda': torch.cuda.synchronize}.get(d.type, print)\n",
    "a table in a variable": "RUN = {'cuda': torch.cuda.synchronize, 'cpu': print}\nRUN[d.type]()\n",
    "a conditional": "n = torch.cuda.device_count() if d.type == 'cuda' else 1\n",
    "part of a test": "if d.type == 'cuda' and torch.cuda.device_count() > 1:\n    pass\n",
    "no body of CUDA": "n = 8 if d.type == 'cuda' else 1\n",
    "a while": "while d.type == 'cuda' and n:\n    torch.cuda.synchronize()\n",
}
UNDECIDED = {
    "a mode": "import torch\nif args.mode == 'cuda':\n    model.cuda()\n",
    "a mode in a variable": "import torch\nmode = read()\nif mode == 'cuda':\n    torch.cuda.synchronize()\n",
    "a parameter": "import torch\ndef f(kind, x):\n    return x.cuda() if kind == 'cuda' else x\n",
    "a case": "import torch\nmatch read():\n    case 'cuda':\n        torch.cuda.synchronize()\n",
}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_the_test_changes_with_what_it_decides_over(test: str) -> None:
    with every_case() as case:
        for name, version in product(DEVICES, ["2.1.0", "2.6.0", "2.8.0", str(NEWEST)]):
            with case(f"{name}, {version}"):
                source = SourceFile(DEVICES[name] + test)
                new = apply_fixes(source, options_from({"version": version})).text
                assert "torch.cuda" not in new
                assert "npu" in re.findall(r"['\"](\w+)['\"]", new), new


@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0"])
@pytest.mark.parametrize("text", UNDECIDED.values(), ids=UNDECIDED)
def test_what_is_not_known_to_be_a_device_is_reported(text: str, version: str) -> None:
    findings = check(SourceFile(text), options_from({"version": version}))
    found = [item for item in findings if text[item.start : item.end] == "'cuda'"]
    assert [(item.code, item.fix) for item in found] == [("NPU202", None)]


def test_a_program_that_counts_its_devices_by_their_type_counts_those_of_the_npu() -> None:
    text = (
        "import torch\nimport torch.multiprocessing as mp\n\n\ndef main(args):\n"
        "    use_accel = not args.no_accel and torch.accelerator.is_available()\n"
        "    if use_accel:\n        device = torch.accelerator.current_accelerator()\n"
        "    else:\n        device = torch.device('cpu')\n    if device.type == 'cuda':\n"
        "        ngpus = torch.accelerator.device_count()\n"
        "        if ngpus == 1 and args.dist_backend == 'nccl':\n            warn()\n"
        "    else:\n        ngpus = 1\n    if device.type == 'cuda' and args.gpu is not None:\n"
        "        torch.cuda.set_device(args.gpu)\n        model.cuda(args.gpu)\n"
    )
    new = apply_fixes(SourceFile(text), options_from({"version": "2.8.0"})).text
    assert new.count("device.type == 'npu'") == 2
    assert "args.dist_backend == 'hccl'" in new
    assert "cuda" not in new


LISTS = {
    "an assertion before": "assert device in ('cpu', 'cuda')\nx = x.cuda()\n",
    "an option's default": "p.add_argument('--d', default='cuda')\na = p.parse_args()\n"
    "assert a.d in ['cpu', 'cuda', 'mps'], 'bad'\nx.to(a.d)\n",
    "a parameter's default": "def f(x, d='cuda'):\n    if d not in {'cuda', 'cpu'}:\n"
    "        raise ValueError(d)\n    return x.to(d)\n",
    "an assertion of a type": "d = torch.device('cuda')\nassert d.type in ('cpu', 'cuda')\n",
    "a comparison beside": "def f(x, device):\n    assert device in ('cpu', 'cuda')\n    size = 2\n"
    "    if device == 'cuda':\n        size = 8\n    return x[:size]\n",
    "a constant": "KINDS = ['cpu', 'cuda']\ndef f(x, d='cuda'):\n    assert d in KINDS\n    return x.to(d)\n",
    "an attribute": "class C:\n    def __init__(self):\n        self.device = 'cuda'\n"
    "    def f(self):\n        assert self.device in ('cpu', 'cuda')\n",
}


@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0"])
@pytest.mark.parametrize("test", LISTS.values(), ids=LISTS)
def test_a_list_admits_the_device_that_is_looked_up_in_it(test: str, version: str) -> None:
    new = apply_fixes(SourceFile(f"import torch\n{test}"), options_from({"version": version})).text
    display = re.search(r"[\[({]([^\[({]*'cpu'[^\])}]*)[\])}]", new)
    assert display is not None
    assert "'npu'" in display[1], new


@pytest.mark.parametrize("version", ["1.11.0", "2.8.0"])
@pytest.mark.parametrize(
    "text",
    [
        "assert x.device.type in ('cuda', 'xpu')\nreturn_fast(x)\n",
        "def f(x, device):\n    assert device in ('cuda', 'cpu')\n    return x.to(device)\n",
    ],
)
def test_a_list_with_which_nothing_changes_is_reported(text: str, version: str) -> None:
    source = SourceFile(f"import torch\n{text}")
    assert apply_fixes(source, options_from({"version": version})).text == source.text
    assert [item.code for item in check(source, options_from({"version": version}))] == ["NPU203"]


TYPES = {
    "a parameter": "def f(x, where: Literal['cpu', 'cuda']):\n    {test}\n",
    "an optional parameter": "def f(x, where: Optional[Literal['cuda', 'cpu']] = None):\n    {test}\n",
    "an alias": "Place = Literal['cpu', 'cuda']\ndef f(x, where: Place):\n    {test}\n",
    "an alias of 3.12": "type Place = Literal['cpu', 'cuda']\ndef f(x, where: Place):\n    {test}\n",
    "a field": "class C:\n    where: Literal['cpu', 'cuda']\n    def f(self, x):\n"
    "        where = self.where\n        {test}\n",
}
TYPED_TESTS = {
    "a statement": "if where == 'cuda': x = x.cuda()",
    "an expression": "return x.cuda() if where == 'cuda' else x",
    "its reverse": "return x if where != 'cuda' else x.cuda()",
    "no body": "return 8 if where == 'cuda' else 1",
}


@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0"])
@pytest.mark.parametrize("test", TYPED_TESTS.values(), ids=TYPED_TESTS)
@pytest.mark.parametrize("owner", TYPES.values(), ids=TYPES)
def test_what_is_typed_as_a_device_is_compared_as_one(owner: str, test: str, version: str) -> None:
    head = "import torch\nfrom typing import Literal, Optional\n"
    source = SourceFile(head + owner.replace("{test}", test))
    new = apply_fixes(source, options_from({"version": version})).text
    assert re.search(r"Literal\[[^\]]*'npu'", new), new
    assert re.search(r"where [!=]= 'npu'", new), new
    assert ".cuda(" not in new


def test_what_is_typed_as_something_else_is_not() -> None:
    text = (
        "from typing import Literal\ndef f(x, where: Literal['fast', 'cuda']):\n    return where == 'cuda'\n"
    )
    assert found_beside_control(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "def f(x, where: Literal['cpu', 'cuda'] = 'cuda'):\n    return g(x, where)\n",
        "def f(x, where: Literal['cpu', 'cuda']):\n    return g(x, where)\nf(y, 'cuda')\n",
        "def f(x, where: Literal['cpu', 'cuda']):\n    return g(x, where)\nf(y, where='cuda')\n",
        "where: Literal['cpu', 'cuda'] = 'cuda'\ng(where)\n",
    ],
)
def test_what_is_given_to_it_is_a_device(text: str) -> None:
    head = "import torch\nfrom typing import Literal\nfrom m import g\n"
    new = apply_fixes(SourceFile(head + text), options_from({"version": "2.8.0"})).text
    *admitted, given = re.findall(r"'(\w+)'", new)
    assert given == "npu"
    assert "npu" in admitted


LOOPS = {
    "asked by a generator": "on = any(torch.is_autocast_enabled(d) for d in ('cpu', 'cuda', 'xpu'))\n",
    "asked by a loop": "for d in ('mps', 'cuda'):\n    print(torch.get_autocast_dtype(d))\n",
    "a list by a name": "KINDS = ['cuda', 'mps']\non = [torch.is_autocast_enabled(k) for k in KINDS]\n",
    "left one by one": "for d in ('cuda', 'xpu'):\n    s.enter_context(torch.autocast(d, enabled=False))\n",
}


@pytest.mark.parametrize("version", ["2.5.1", "2.8.0"])
@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_autocast_is_asked_for_on_the_npu_too(text: str, version: str) -> None:
    new = apply_fixes(SourceFile(f"import torch\n{text}"), options_from({"version": version})).text
    assert "'cuda', 'npu'" in new


def test_a_loop_that_makes_tensors_on_each_device_is_reported() -> None:
    text = "import torch\nfor d in ('cpu', 'cuda', 'mps'):\n    torch.zeros(1, device=d)\n"
    options = options_from({"version": "2.8.0"})
    assert apply_fixes(SourceFile(text), options).text == text
    assert [item.code for item in check(SourceFile(text), options)] == ["NPU203"]
