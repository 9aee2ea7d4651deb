"""A word that keeps nothing but tests of what needs CUDA stays with them, wherever it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, decided, project_of

HEAD = "import torch\nfrom flash_attn import flash_attn_func\n"
ELSE = "        return flash_attn_func(q, k, v)\n    return q\n"
GUARDED = "def f(q, k, v):\n    if {test}:\n" + ELSE
PROJECTS: dict[str, dict[str, str]] = {
    "of a constant": {"t.py": HEAD + "W = 'cuda='\n" + GUARDED.format(test="q.device.type == W")},
    "of a constant that is searched for": {
        "t.py": HEAD + "W = 'cuda='\n" + GUARDED.format(test="W in str(q.device)")
    },
    "of another module's": {
        "c.py": "W = 'cuda='\n",
        "t.py": "from c import W\n" + HEAD + GUARDED.format(test="str(q.device).startswith(W)"),
    },
    "of a default": {"t.py": HEAD + "def f(q, k, v, kind='cuda='):\n    if q.device.type == kind:\n" + ELSE},
    "and one that something else uses moves": {
        "c.py": "W = 'cuda!'\n",
        "t.py": "from c import W\n"
        + HEAD
        + "d = torch.device(W)\n"
        + GUARDED.format(test="q.device.type == W"),
    },
}


@pytest.mark.parametrize("files", PROJECTS.values(), ids=PROJECTS)
def test_the_word_stays(files: dict[str, str], tmp_path: Path) -> None:
    assert decided(files, tmp_path) == files


def test_what_it_guards_is_advice(tmp_path: Path) -> None:
    text = HEAD + "W = 'cuda'\n" + GUARDED.format(test="q.device.type == W")
    findings = check(SourceFile(text, "t.py"), OPTIONS, project_of({"t.py": text}, tmp_path))
    (kernel,) = (it for it in findings if it.code == "NPU601")
    assert kernel.severity is Severity.HINT
