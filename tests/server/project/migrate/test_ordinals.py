"""Up to torch 2.2 a bare number is a CUDA device: what callers pass shows whether a parameter is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.project.conftest import migrated_files

USE = "import torch\n\n\ndef move(x, {parameter}):\n    return x.to({name})\n"
PLAIN = "x.to(torch.device('npu', {name}))"
EITHER = "x.to(torch.device('npu', {name}) if isinstance({name}, int) else {name})"


def migrated(tmp_path: Path, files: dict[str, str], version: str = "2.1.0") -> dict[str, str]:
    return migrated_files(tmp_path, files, version=version).texts(files)


CALLERS = {
    "numbers": ("gpu=0", "lib.move(x, 1)\nlib.move(x, gpu=2)\n", PLAIN),
    "numbers without a default": ("where", "lib.move(x, 1)\n", PLAIN),
    "a number of the environment": ("a", "import os\nlib.move(x, int(os.environ['LOCAL_RANK']))\n", PLAIN),
    "a name of a device": ("gpu=0", "lib.move(x, 'cpu')\n", EITHER),
    "a device": ("device=0", "import torch\nlib.move(x, device=torch.device('cpu'))\n", EITHER),
    "a parameter of the caller": (
        "gpu=0", "def outer(x, where):\n    lib.move(x, where)\nouter(x, 'cpu')\n", EITHER,
    ),
    "a device for a name of numbers": ("rank", "import torch\nlib.move(x, torch.device('cpu'))\n", EITHER),
    "a number for a default of text": ("device='cpu'", "lib.move(x, 0)\n", EITHER),
    "nobody": ("device=0", "", EITHER),
}  # fmt: skip


@pytest.mark.parametrize(("parameter", "calls", "expected"), CALLERS.values(), ids=CALLERS)
def test_a_parameter_is_what_its_callers_pass(
    tmp_path: Path, parameter: str, calls: str, expected: str
) -> None:
    name = parameter.partition("=")[0]
    files = {"lib.py": USE.format(parameter=parameter, name=name), "main.py": f"import lib\n{calls}"}
    after = migrated(tmp_path, files)["lib.py"].replace('"', "'")
    assert expected.format(name=name) in after


def test_an_attribute_is_what_the_constructor_is_given(tmp_path: Path) -> None:
    text = (
        "import torch\n\n\nclass T5:\n    def __init__(self, device=torch.cuda.current_device()):\n"
        "        self.device = device\n\n    def move(self, x):\n        return x.to(self.device)\n"
    )
    after = migrated(tmp_path, {"t5.py": text, "main.py": "from t5 import T5\nT5(device='cpu')\n"})
    assert EITHER.format(name="self.device") in after["t5.py"]


def test_a_module_moves_as_its_callers_say_on_every_version(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef move(model, device=0):\n    return model.cuda(device)\n"
    files = {"lib.py": text, "main.py": "import torch\nimport lib\nlib.move(m, torch.device('cuda'))\n"}
    after = migrated(tmp_path, files, "2.8.0")["lib.py"]
    assert "model.to(torch.device('npu', device) if isinstance(device, int) else device)" in after


def test_newer_torch_takes_numbers_of_any_device(tmp_path: Path) -> None:
    files = {
        "lib.py": USE.format(parameter="gpu=0", name="gpu"),
        "main.py": "import lib\nlib.move(x, 'cpu')\n",
    }
    assert migrated(tmp_path, files, "2.8.0") == files


RANKS = "import os\nimport torch\n\nrank = int(os.environ['LOCAL_RANK'])\n\n\n"
RETURNS = {
    "a conditional": "def place():\n    return {} if torch.cuda.is_available() else 'cpu'\n",
    "two statements": (
        "def place():\n    if torch.cuda.is_available():\n        return {}\n    return 'cpu'\n"
    ),
}


@pytest.mark.parametrize("function", RETURNS.values(), ids=RETURNS)
def test_a_number_that_a_function_returns_as_a_device_becomes_one(tmp_path: Path, function: str) -> None:
    files = {
        "ranks.py": RANKS + function.format("rank"),
        "main.py": "import ranks\nmodel.to(ranks.place())\n",
    }
    after = migrated(tmp_path, files)
    assert (
        function.format("torch.device('npu', rank)").replace("torch.cuda", "torch_npu.npu")
        in after["ranks.py"]
    )
    assert after["main.py"] == files["main.py"]


def test_a_number_that_no_device_is_made_of_stays(tmp_path: Path) -> None:
    files = {
        "ranks.py": RANKS + RETURNS["a conditional"].format("rank"),
        "main.py": "import ranks\nranks.place()\n",
    }
    assert "return rank if" in migrated(tmp_path, files)["ranks.py"]


def test_a_call_that_always_gives_a_number_becomes_a_device_where_it_is_used(tmp_path: Path) -> None:
    files = {
        "ranks.py": RANKS + "def local():\n    return rank\n",
        "main.py": "import torch\nfrom ranks import local\n\ny = torch.zeros(2, device=local())\n",
    }
    assert "device=torch.device('npu', local()))" in migrated(tmp_path, files)["main.py"]
