"""``--target accelerator``: a test widens together with the word that it chooses, for other files too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from
from tests.server.project.conftest import Migrate
from tests.server.project.samples import Files

Make = Callable[[Files], Path]
OPTIONS = options_from({"target": "accelerator", "version": "2.8.0"})
KIND, THERE = "torch.accelerator.current_accelerator().type", "torch.accelerator.is_available()"
ASKED = "torch.cuda.is_available()"

WORDS = {
    "a result": (
        f"def place():\n    return 'cuda' if {ASKED} else 'cpu'\n",
        f"def place():\n    return {KIND} if {THERE} else 'cpu'\n",
        "torch.ones(1, device=words.place())",
    ),
    "a branch that returns": (
        f"def place():\n    if {ASKED}:\n        return 'cuda'\n    return 'cpu'\n",
        f"def place():\n    if {THERE}:\n        return {KIND}\n    return 'cpu'\n",
        "torch.ones(1, device=words.place())",
    ),
    "a part of a result": (
        f"def place():\n    return ('cuda', 0) if {ASKED} else ('cpu', 0)\n",
        f"def place():\n    return ({KIND}, 0) if {THERE} else ('cpu', 0)\n",
        "kind, index = words.place()\ntorch.ones(1, device=f'{kind}:{index}')",
    ),
    "beside another accelerator": (
        f"def place():\n    return 'cuda' if {ASKED} else ('xpu' if other() else 'cpu')\n",
        f"def place():\n    return {KIND} if {THERE} else ('xpu' if other() else 'cpu')\n",
        "torch.ones(1, device=words.place())",
    ),
}


@pytest.mark.parametrize(("before", "after", "use"), WORDS.values(), ids=WORDS)
def test_a_word_changes_with_the_test_that_chooses_it(
    make: Make, run: Migrate, before: str, after: str, use: str
) -> None:
    files = {"words.py": f"import torch\n{before}", "train.py": f"import torch\nimport words\n{use}\n"}
    done = run(make(files), options=OPTIONS)
    assert done.read("words.py") == f"import torch\n{after}"


CHOICE = f"'cuda' if {ASKED} else 'cpu'"
TESTED = {
    "the result of a function": (f"def kind():\n    return {CHOICE}\n", "words.kind()"),
    "a variable": (f"kind = {CHOICE}\n", "words.kind"),
    "an attribute": (f"class K:\n    def __init__(self):\n        self.kind = {CHOICE}\n", "words.K().kind"),
}


@pytest.mark.parametrize(("words", "tested"), TESTED.values(), ids=TESTED)
def test_a_test_of_it_in_another_file_asks_for_the_machines(
    make: Make, run: Migrate, words: str, tested: str
) -> None:
    train = f"import torch, words\nm = torch.ones(1)\nif {tested} == 'cuda':\n    m = m.cuda()\n"
    done = run(make({"words.py": f"import torch\n{words}", "train.py": train}), options=OPTIONS)
    assert f"if ({THERE} and {tested} == {KIND}):\n    m = m.to(get_device())\n" in done.read("train.py")


SAID = {
    "a beginning": ("def f(k):\n    return k.startswith('cuda')\n", "ACC106.by_hand"),
    "a list": ("KINDS = ['cuda']\ndef f(k):\n    return k in KINDS\n", "ACC106.by_hand"),
    "a table": ("T = {'cuda': 2, 'cpu': 1}\ndef f(k):\n    return T[k]\n", "ACC106.table"),
    "a pattern": ("def f(k):\n    match k:\n        case 'cuda':\n            return 1\n", "ACC106.by_hand"),
}


@pytest.mark.parametrize(("words", "said"), SAID.values(), ids=SAID)
def test_one_that_has_no_such_form_is_told(make: Make, run: Migrate, words: str, said: str) -> None:
    train = f"import torch, words\nk = {CHOICE}\nx = torch.ones(1, device=k)\nif words.f(k):\n    pass\n"
    done = run(make({"words.py": words, "train.py": train}), options=OPTIONS)
    found = [item.finding.message.id for item in done.outcomes["words.py"].remaining]
    assert found == [said]


def test_a_script_that_gives_the_word_to_an_option_of_any_name_is_told(make: Make, run: Migrate) -> None:
    train = (
        "import argparse, torch\np = argparse.ArgumentParser()\np.add_argument('--kind', default='cuda')\n"
        "x = torch.ones(1, device=p.parse_args().kind)\n"
    )
    files = {"train.py": train, "run.sh": "python train.py --kind cuda\npython train.py --name cuda\n"}
    found = run(make(files), options=OPTIONS).outcomes["run.sh"].remaining
    given = [(item.finding.message.id, dict(item.finding.message.arguments)["option"]) for item in found]
    assert given == [("ACC113.passed", "--kind")]


def test_a_variable_that_gives_the_word_to_code_that_reads_it_is_told(make: Make, run: Migrate) -> None:
    train = "import os, torch\nx = torch.ones(1, device=os.environ.get('PLACE', 'cuda'))\n"
    files = {"train.py": train, "run.sh": "export PLACE=cuda NAME=cuda\npython train.py\n"}
    found = run(make(files), options=OPTIONS).outcomes["run.sh"].remaining
    given = [(item.finding.message.id, dict(item.finding.message.arguments)["variable"]) for item in found]
    assert given == [("ACC113.set", "PLACE")]


def test_a_back_end_of_another_module_is_the_machines(make: Make, run: Migrate) -> None:
    use = "import torch.distributed as dist\nfrom words import KIND\ndist.init_process_group(KIND)\n"
    done = run(make({"words.py": "KIND = 'nccl'\n", "train.py": use}), options=OPTIONS)
    written = done.read("words.py")
    assert "KIND = torch.distributed.get_default_backend_for_device(get_device())\n" in written
    assert written.startswith("import torch\n")


def test_a_device_of_a_module_without_torch_is_the_machines(make: Make, run: Migrate) -> None:
    use = "import torch\nfrom words import PLACE\ntorch.ones(1, device=PLACE)\n"
    written = run(make({"words.py": "PLACE = 'cuda'\n", "train.py": use}), options=OPTIONS).read("words.py")
    assert "PLACE = get_device().type\n" in written
    assert written.startswith("import torch\n")


@pytest.mark.parametrize(
    ("calls", "severity"),
    [
        ("build(1, place)\nbuild(n=2, device=place)\n", Severity.HINT),
        ("build(1, place)\nbuild(2)\n", Severity.ERROR),
        ("build(1, place)\nbuild(*given)\n", Severity.ERROR),
        ("print(build)\n", Severity.ERROR),
    ],
)
def test_a_default_that_every_call_overrides_is_advice(
    make: Make, run: Migrate, calls: str, severity: Severity
) -> None:
    words = "import torch\ndef build(n, device='cuda'):\n    return torch.ones(n, device=device)\n"
    train = f"import torch\nfrom words import build\nplace = torch.device('cpu')\n{calls}"
    done = run(make({"words.py": words, "train.py": train}), options=OPTIONS)
    found = [item.finding for item in done.outcomes["words.py"].remaining]
    assert [(item.code, item.severity) for item in found] == [("ACC105", severity)]
