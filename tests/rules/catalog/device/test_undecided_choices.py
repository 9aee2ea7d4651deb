"""A test and the devices it chooses among change together or not at all; words of other libraries stay."""

from __future__ import annotations

import itertools

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

VERSIONS = ("1.11.0", "2.1.0", "2.8.0", str(NEWEST))
TESTS = ("t.is_cuda", "t.device.type == 'cuda'", "t.is_cuda and big", "not (t.device.type != 'cuda')")
UNDECIDED = (
    "import torch\ndef f(t, big):\n    mem_type = 'cuda' if {} else 'cpu'\n    return mem_type\n",
    "import torch\nfrom lib import alloc\ndef f(t, big):\n    alloc('cuda' if {} else 'cpu')\n",
    "import torch\nfrom lib import alloc\ndef f(t, big):\n    alloc(kind='cuda:0' if {} else 'cpu')\n",
    "import torch\ndef f(t, big, pool):\n    return pool.get_block(kind=('cuda' if {} else 'host'))\n",
    "import torch\ndef f(t, big):\n    if {}:\n        m = 'cuda'\n    else:\n        m = 'cpu'\n"
    "    return m\n",
    "import torch\ndef f(t, big):\n    if {}:\n        return 'cuda'\n    return 'cpu'\n",
    "import torch\nclass A:\n    def f(self, t, big):\n        self.space = 'cuda' if {} else 'cpu'\n",
)


@pytest.mark.parametrize(("text", "test"), [*itertools.product(UNDECIDED, TESTS)])
def test_an_undecided_choice_keeps_its_test_and_is_reported(text: str, test: str) -> None:
    given = text.format(test)
    for version in VERSIONS:
        assert migrated(given, version) == given
        found = check(SourceFile(given), options_from({"version": version}))
        at_string = [item for item in found if item.code == "NPU201"]
        assert [item.fix.applicability for item in at_string if item.fix] == [Applicability.UNSAFE]


@pytest.mark.parametrize(("text", "test"), [*itertools.product(UNDECIDED, TESTS)])
def test_accepting_the_choice_changes_both_of_its_halves(text: str, test: str) -> None:
    changed = migrated(text.format(test), unsafe=True)
    assert changed.replace("import torch_npu\n", "") == text.format(test).replace("cuda", "npu")


@pytest.mark.parametrize("test", [*TESTS, "torch.cuda.is_available()"])
def test_a_choice_of_a_device_changes_as_a_whole(test: str) -> None:
    changed = migrated(f"import torch\ndef f(t, big, model):\n    model.to('cuda' if {test} else 'cpu')\n")
    assert "cuda" not in changed
    assert "model.to('npu' if " in changed


def test_a_message_keeps_no_test_back() -> None:
    text = "import torch\nprint('cuda' if torch.cuda.is_available() else 'cpu')\n"
    assert "torch_npu.npu.is_available()" in migrated(text)


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nfrom isaacgymenvs import make\n"
        "env = make(sim_device='cuda:0' if torch.cuda.is_available() else 'cpu')\n",
        "import torch\nfrom lib import make\n"
        "env = make(sim_device='cuda:0' if torch.cuda.is_available() else 'cpu', n=2)\n",
        "import torch\nfrom lib import make\n"
        "d = 'cuda:0' if torch.cuda.is_available() else 'cpu'\nenv = make(sim_device=d, rl_device=d)\n",
        "import torch\nimport lib\ndef build(n):\n"
        "    return lib.envs.make(n, sim_device=('cuda' if torch.cuda.device_count() > 0 else 'cpu'))\n",
        "import torch\nimport isaacgym.gymapi as gymapi\n"
        "g = gymapi.acquire(device='cuda:0' if torch.cuda.is_available() else 'cpu')\n",
        "import torch\nimport warp as wp\nwp.set_device('cuda:0' if torch.cuda.is_available() else 'cpu')\n",
        "import torch\nimport taichi\ndef f(x):\n    taichi.init(device='cuda' if x.is_cuda else 'cpu')\n",
        "import torch\nimport dgl\ndef f(g, x):\n"
        "    return dgl.graph(g, device='cuda:0' if x.device.type == 'cuda' else 'cpu')\n",
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_devices_of_a_library_that_may_not_be_of_torch_stay_with_their_test(text: str, version: str) -> None:
    assert migrated(text, version) == text
    assert {item.code for item in check(SourceFile(text), options_from({"version": version}))} & {
        "NPU201",
        "NPU212",
    }


def test_the_same_device_given_to_a_model_decides() -> None:
    text = (
        "import torch\nfrom lib import make\n"
        "d = 'cuda:0' if torch.cuda.is_available() else 'cpu'\nmodel.to(d)\nmake(sim_device=d)\n"
    )
    assert "d = 'npu:0' if torch_npu.npu.is_available() else 'cpu'" in migrated(text)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("use = torch.cuda.is_available()\nw = torch.load(f, map_location=None if use else 'cpu')", "chosen"),
        ("w = torch.load(f, map_location='cpu' if args.on_cpu else None)", "chosen_perhaps"),
        (
            "w = torch.load(f, map_location=None if torch.cuda_other.is_available() else 'cpu')",
            "chosen_perhaps",
        ),
    ],
)
def test_only_a_test_of_the_device_shows_which_place_is_chosen_there(given: str, key: str) -> None:
    text = f"import torch\n{given}\n"
    (finding,) = check(SourceFile(text), options_from({"version": "2.8.0", "select": ["NPU206"]}))
    assert finding.message.id == f"NPU206.{key}"
    assert finding.applicability.value == ("safe" if key == "chosen" else "unsafe")
