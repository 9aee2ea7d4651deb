"""Which files are looked at closely: all in which a rule could find something, few others."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.prefilter import may_concern


@pytest.mark.parametrize(
    "text",
    [
        "import os, pynvml\n",
        "import pynvml as nv\n",
        "import os as o,pynvml.smi\n",
        "import os, \\\n    pynvml\n",
        "import os, \\\r\n    pynvml\r\n",
        "from pynvml import nvmlInit\n",
        "from pynvml.smi import (\n    nvidia_smi,\n)\n",
        "from \\\n    pynvml import nvmlInit\n",
        "if True: import pynvml\n",
        "x = 1; import\tpynvml\n",
        "import\\\n pynvml\n",
    ],
)
def test_an_import_in_any_form_is_seen(text: str) -> None:
    assert may_concern(text.encode())


@pytest.mark.parametrize(
    "text",
    ["", "import os\nprint(os.name)\n", "# no pynvml here\n", "x = 'numba'\n", "from os import path\n"],
)
def test_a_file_without_any_trigger_is_passed_over(text: str) -> None:
    assert not may_concern(text.encode())


@pytest.mark.parametrize("text", ["y = x.cuda()\n", "torch.zeros(1)\n", "f(device='cuda')\n"])
def test_a_word_that_a_rule_waits_for_needs_no_import(text: str) -> None:
    assert may_concern(text.encode())


def test_a_word_that_counts_beside_an_import_needs_it() -> None:
    command = "cmd = 'nsys profile python train.py'\n"
    assert may_concern(f"import subprocess\n{command}".encode())
    assert not may_concern(command.encode())
    assert not may_concern(b"import subprocess\n")


@pytest.mark.parametrize("word", ["CUDA", "Nccl", "GPU", "nvidia-smi", "CUDAExecutionProvider", "Torch"])
def test_words_are_found_in_any_case_of_letters(word: str) -> None:
    assert may_concern(f"x = '{word}'\n".encode())


@pytest.mark.parametrize("text", ["c = u + d + a\n", "no = 'tor', 'ch'\n", "n, c, c, l = g(p, u)\n"])
def test_letters_of_a_word_are_not_the_word(text: str) -> None:
    assert not may_concern(text.encode())
