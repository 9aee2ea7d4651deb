"""Which files are looked at closely: all in which a rule could find something, few others."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend_rules.engine.prefilter import may_concern, may_matter, prefilter
from gpu2ascend_rules.model.project.project_view import STANDALONE, Standalone
from gpu2ascend_rules.targets.registry import DEFAULT, known_targets
from gpu2ascend_rules.targets.target import Target


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


class Reexporting(Standalone):
    """A project whose modules have torch under names of their own."""

    reexported_names = frozenset({"accelerated"})

    def torch_name_of(self, importer_path: str, imported: str) -> str | None:
        return "torch" if imported.endswith(".accelerated") else None

    def brought_by_star(self, importer_path: str, module: str) -> Mapping[str, str]:
        return {"accelerated": "torch"}


@pytest.mark.parametrize(
    ("text", "alone", "within"),
    [
        ("import torch\n", True, True),
        ("from compat import accelerated\n", False, True),
        ("from compat import (\n    accelerated,\n)\n", False, True),
        ("from compat import(other, accelerated)\n", False, True),
        ("from compat import (  # both\n    other,\n    accelerated as a)\n", False, True),
        ("from compat import *\n", False, True),
        ("from compat import other\n", False, False),
        ("accelerated = 1\n", False, False),
        ("", False, False),
    ],
)
def test_in_a_project_what_its_modules_pass_on_matters_too(text: str, alone: bool, within: bool) -> None:
    assert may_matter(text.encode(), STANDALONE, DEFAULT) is alone
    assert may_matter(text.encode(), Reexporting(), DEFAULT) is within


@pytest.mark.parametrize("target", known_targets(), ids=lambda target: target.name)
def test_no_word_is_searched_for_that_holds_another_one(target: Target) -> None:
    words = prefilter(target).words
    assert len(words) > 10
    assert [word for word in words if any(other in word for other in words if other != word)] == []
    assert len(set(words)) == len(words)
