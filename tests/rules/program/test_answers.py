"""A word that nothing but tests use is decided by the question that chooses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, decided, project_of

MOVED = "if k == 'cuda!':\n    m.cuda()\n"
PROJECTS: dict[str, dict[str, str]] = {
    "in an expression": {
        "t.py": "import torch\nk = 'cuda!' if torch.cuda.is_available() else 'cpu'\n" + MOVED
    },
    "in the branch of a function of another file": {
        "lib.py": "import torch\ndef kind():\n    if torch.cuda.is_available():\n        return 'cuda!'\n"
        "    return 'cpu'\n",
        "t.py": "from lib import kind\nk = kind()\n" + MOVED,
    },
    "in a branch that sets an attribute": {
        "t.py": "import torch\nclass C:\n    mode = 'cpu'\n    def setup(self):\n"
        "        if torch.cuda.is_available():\n            self.mode = 'cuda!'\n"
        "    def go(self, m):\n        if self.mode.startswith('cuda!'):\n            m.cuda()\n"
    },
    "for the default of an option": {
        "t.py": "import argparse, torch\np = argparse.ArgumentParser()\n"
        "p.add_argument('--k', default='cuda!' if torch.cuda.is_available() else 'cpu')\n"
        "a = p.parse_args()\nif a.k == 'cuda!':\n    m.cuda()\n"
    },
    "and that is in a list where the test stands": {
        "lib.py": "KINDS = ['cuda+']\ndef is_gpu(k):\n    return k in KINDS\n",
        "t.py": "import torch\nfrom lib import is_gpu\n"
        "k = 'cuda!' if torch.cuda.is_available() else 'cpu'\nif is_gpu(k):\n    m.cuda()\n",
    },
    "by a tensor": {
        "t.py": "import torch\ndef f(x: torch.Tensor):\n    k = 'cuda!' if x.is_cuda else 'cpu'\n"
        "    if k == 'cuda!':\n        torch.cuda.synchronize()\n"
    },
    "by nothing that changes": {"t.py": "k = 'cuda=' if a.fast else 'cpu'\nif k == 'cuda=':\n    m.cuda()\n"},
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_it_moves_with_the_question(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files


def test_one_that_more_tests_use_than_are_followed_stays(tmp_path: Path) -> None:
    text = "import torch\nk = 'cuda' if torch.cuda.is_available() else 'cpu'\n" + "f(k == 'cuda')\n" * 100
    project = project_of({"t.py": text}, tmp_path)
    assert apply_fixes(SourceFile(text, "t.py"), OPTIONS, project).text == text


OF_ANOTHER = (
    "import torch\nfrom faster_whisper import WhisperModel\n"
    "k = 'cuda{mark}' if torch.cuda.is_available() else 'cpu'\nw = WhisperModel('small', device=k)\n"
    "if k == 'cuda{mark}':\n    {body}\n"
)


@pytest.mark.parametrize(
    ("body", "mark"),
    [
        ("m.cuda()", "?"),
        ("m.to('cuda:0')", "?"),
        ("torch.cuda.empty_cache()", "="),
        ("print('on', 'cuda', 1)", "="),
    ],
)
def test_of_a_device_of_another_library_that_puts_something_there_it_is_divided(
    body: str, mark: str, tmp_path: Path
) -> None:
    files = {"t.py": OF_ANOTHER.format(body=body, mark=mark)}
    assert decided(files, tmp_path) == files


def test_a_test_of_it_that_chooses_a_kernel_stays(tmp_path: Path) -> None:
    text = (
        "import torch\nimpl = 'cuda' if torch.cuda.is_available() else 'ref'\ndef f(x):\n"
        "    if impl == 'cuda':\n        import ext_cuda\n        return ext_cuda.run(x)\n    return x * 2\n"
    )
    after = apply_fixes(SourceFile(text, "t.py"), OPTIONS, project_of({"t.py": text}, tmp_path)).text
    assert "impl = 'npu' if torch_npu.npu.is_available() else 'ref'" in after
    assert "if impl == 'cuda':" in after
