"""Devices in every spelling, and the places where the same four letters are no device."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.project.project_view import ProjectView, Standalone
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

FAMILIES = ["NPU1", "NPU2"]
SAMPLES = Path(__file__).parent / "samples" / "devices"


class Project(Standalone):
    """A project with the modules that it is given."""

    def __init__(self, *modules: str) -> None:
        self.modules = modules

    def has_module(self, importer_path: str, module: str) -> bool:
        return module.startswith(".") or module in self.modules


PROJECT: ProjectView = Project("utils")


def migrated(text: str, *, version: str = "2.8.0", unsafe: bool = False) -> str:
    """The text after the fixes of the rules on CUDA names and on devices, without inserted imports."""
    options = options_from({"version": version, "select": FAMILIES, "unsafe_fixes": unsafe})
    new = apply_fixes(SourceFile(text, "main.py"), options, PROJECT).text
    return new.replace("import torch_npu\n", "")


def findings(text: str, *, version: str = "2.8.0") -> list[str]:
    """The codes of the findings of the rules on devices."""
    options = options_from({"version": version, "select": ["NPU2"]})
    return [finding.code for finding in check(SourceFile(text, "main.py"), options, PROJECT)]


def torch_code(text: str) -> str:
    return f"import torch\n{text}\n"


def cases(name: str) -> list[object]:
    """The cases of a sample file: a heading, the text before, and after ``=>`` the text after."""
    blocks = (SAMPLES / f"{name}.txt").read_text(encoding="utf-8").split("\n## ")[1:]
    found: list[object] = []
    for block in blocks:
        heading, _, code = block.partition("\n")
        before, _, after = code.rstrip("\n").partition("\n=>\n")
        case = "-".join(re.findall(r"[\w.]+", heading))
        found.append(pytest.param(torch_code(before), torch_code(after), id=case))
    return found


@pytest.mark.parametrize(("before", "after"), [*cases("moved"), *cases("tests")])
def test_a_device_and_the_tests_for_it_move_to_the_npu(before: str, after: str) -> None:
    assert migrated(before) == after


@pytest.mark.parametrize(("before", "after"), cases("asked"))
def test_a_person_is_asked_where_the_file_does_not_tell(before: str, after: str) -> None:
    assert migrated(before) == before
    assert migrated(before, unsafe=True) == after


@pytest.mark.parametrize(("text", "_"), cases("left_alone"))
def test_what_is_no_device_is_left_alone(text: str, _: str) -> None:
    assert findings(text) == []
    assert migrated(text, unsafe=True) == text


@pytest.mark.parametrize(("text", "_"), cases("foreign"))
def test_a_device_of_another_framework_is_reported_and_stays(text: str, _: str) -> None:
    assert findings(text) == ["NPU212"]
    assert migrated(text, unsafe=True) == text


@pytest.mark.parametrize(
    "text",
    [
        "import paddle\ndevice = 'cuda'\npaddle.ones([1]).cuda()\n",
        "import jax\ndef f(device='cuda'):\n    pass\n",
        "import cupy as cp\nx = cp.asarray(y)\nparser.add_argument('--device', default='cuda')\n",
    ],
)
def test_a_file_of_another_framework_is_left_alone(text: str) -> None:
    assert migrated(text, unsafe=True) == text


def test_a_device_that_reaches_another_framework_too_is_reported() -> None:
    text = torch_code(
        "from faster_whisper import WhisperModel\n"
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
        "model.to(device)\nw = WhisperModel('large', device=device)"
    )
    assert findings(text) == ["NPU201", "NPU212"]


def test_what_numpy_makes_of_a_tensor_is_one_where_it_is_moved() -> None:
    text = torch_code(
        "import numpy as np\ndef gammas(alphas, device='cuda'):\n    logs = np.log(alphas)\n"
        "    return logs.float().to(device), np.sqrt(alphas).to('cuda')"
    )
    assert findings(text) == ["NPU201", "NPU201"]


def test_a_name_that_is_moved_holds_no_array_there() -> None:
    text = torch_code(
        "import numpy as np\ndef step(env, is_array, device='cuda'):\n    r, done = env.step()\n"
        "    if not is_array:\n        return r.to(device)\n"
        "    r = np.expand_dims(r, 1)\n    return torch.from_numpy(r).to(device)"
    )
    assert findings(text) == ["NPU201"]


def test_the_question_for_cuda_stays_where_it_decides_over_another_framework() -> None:
    text = torch_code(
        "from faster_whisper import WhisperModel\n"
        "w = WhisperModel('large', device='cuda' if torch.cuda.is_available() else 'cpu')"
    )
    assert migrated(text) == text


def test_two_devices_in_one_text_are_no_device() -> None:
    text = torch_code("x = 'cuda:0 or torch.cuda'\nrun('cuda:0 or torch.cuda')")
    assert migrated(text, unsafe=True) == text


@pytest.mark.parametrize("version", ["1.5.0", "1.11.0", "2.1.0", str(NEWEST)])
def test_the_name_of_the_device_is_the_same_in_every_version(version: str) -> None:
    assert migrated(torch_code("d = torch.device('cuda')"), version=version) == torch_code(
        "d = torch.device('npu')"
    )


@pytest.mark.parametrize(
    ("version", "moves"), [("1.11.0", False), ("2.0.1", False), ("2.1.0", True), ("2.8.0", True)]
)
def test_autocast_takes_an_npu_from_2_1_on(version: str, moves: bool) -> None:
    codes = findings(torch_code("with torch.autocast('cuda'):\n    pass"), version=version)
    assert codes == (["NPU201"] if moves else [])
