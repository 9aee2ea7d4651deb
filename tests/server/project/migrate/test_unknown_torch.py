"""A torch that nothing shows to be PyTorch: what depends on it stays with it, and is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.server.project.conftest import migrated_files

LAZY = """class _Lazy:
    def __getattribute__(self, name):
        import torch
        return getattr(torch, name)
torch = _Lazy()
"""
SYNC = """def sync(device="cuda"):
    if "cuda" in device:
        torch.cuda.synchronize(device)
"""


def migrated(tmp_path: Path, files: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """The files after a migration, and the places at which NPU115 reports."""
    done = migrated_files(tmp_path, files)
    return done.texts(files), sorted(set(re.findall(r"ERROR +([\w.]+:\d+): NPU115", done.log)))


def test_a_lazy_torch_is_migrated_like_torch(tmp_path: Path) -> None:
    after, places = migrated(tmp_path, {"a.py": LAZY + SYNC})
    assert '"npu" in device' in after["a.py"]
    assert "torch_npu.npu.synchronize(device)" in after["a.py"]
    assert not places


@pytest.mark.parametrize(
    "module",
    [
        'import importlib\nth = importlib.import_module("torch")\n',
        'th = LazyLoader("th", globals(), "torch")\n',
    ],
)
def test_so_is_one_that_a_module_of_the_project_hands_on(tmp_path: Path, module: str) -> None:
    files = {"deps.py": module, "a.py": "from deps import th as torch\n" + SYNC}
    after, places = migrated(tmp_path, files)
    assert "torch_npu.npu.synchronize(device)" in after["a.py"]
    assert not places


UNKNOWN = {
    "a parameter that is tested": (
        'def run(torch, device="cuda"):\n    if device == "cuda":\n        torch.cuda.synchronize()\n',
        "a.py:3",
    ),
    "a parameter that is asked": (
        'def pick(torch):\n    return "cuda" if torch.cuda.is_available() else "cpu"\n',
        "a.py:2",
    ),
    "what the rest depends on": (
        'def pick(torch):\n    if not torch.cuda.is_available():\n        return "cpu"\n    return "cuda"\n',
        "a.py:2",
    ),
    "another library's": (
        "import transformers\n"
        "torch = transformers.trainer.torch\n"
        'device = "cuda" if torch.cuda.is_available() else "cpu"\n'
        "x = torch.ones(2, device=device)\n",
        "a.py:3",
    ),
    "an attribute": (
        "class A:\n"
        "    def __init__(self, torch):\n"
        "        self.torch = torch\n"
        '    def wait(self, device="cuda"):\n'
        '        if device == "cuda":\n'
        "            self.torch.cuda.synchronize()\n",
        "a.py:6",
    ),
    "an answer in a variable": (
        "def pick(torch):\n"
        "    has_gpu = torch.cuda.is_available() and torch.cuda.device_count() > 0\n"
        '    return "cuda" if has_gpu else "cpu"\n',
        "a.py:2",
    ),
    "an answer in an attribute": (
        "class A:\n"
        "    def __init__(self, torch):\n"
        "        self.gpu = torch.cuda.is_available()\n"
        '        self.device = "cuda" if self.gpu else "cpu"\n',
        "a.py:3",
    ),
    "an answer of a function": (
        "import transformers\n"
        "torch = transformers.trainer.torch\n"
        "def has_gpu():\n"
        "    return torch.cuda.is_available()\n"
        'device = "cuda" if has_gpu() else "cpu"\n',
        "a.py:4",
    ),
    "a back end": (
        "import torch.distributed as dist\n"
        "def start(torch):\n"
        '    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")\n',
        "a.py:3",
    ),
}


@pytest.mark.parametrize(("text", "place"), UNKNOWN.values(), ids=UNKNOWN)
def test_no_word_moves_without_an_unknown_torch(tmp_path: Path, text: str, place: str) -> None:
    after, places = migrated(tmp_path, {"a.py": text})
    assert after["a.py"] == text
    assert places == [place]


def test_the_words_of_other_files_stay_with_it_too(tmp_path: Path) -> None:
    files = {
        "lib.py": 'def wait(torch, kind):\n    if kind == "cuda":\n        torch.cuda.synchronize()\n',
        "main.py": 'import lib\nlib.wait(None, "cuda")\n',
    }
    after, places = migrated(tmp_path, files)
    assert after == files
    assert places == ["lib.py:3"]


def test_a_question_to_torch_itself_stays_with_the_word_that_it_chooses(tmp_path: Path) -> None:
    text = (
        "import torch\nclass A:\n    def __init__(self, torch_module):\n        self.torch = torch_module\n"
        '        self.device = "cuda" if torch.cuda.is_available() else "cpu"\n'
        '    def wait(self):\n        if self.device == "cuda":\n            self.torch.cuda.synchronize()\n'
    )
    after, _ = migrated(tmp_path, {"a.py": text})
    assert after["a.py"] == text
