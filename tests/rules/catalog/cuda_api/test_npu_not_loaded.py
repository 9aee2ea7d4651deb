"""NPU108: a program that gets the name of an NPU, where nothing loads torch_npu before 2.5.1."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

PROGRAM = """\
{imports}
import argparse, lib
p = argparse.ArgumentParser()
p.add_argument('--gpu', default='cuda:0')
{use}
lib.run(p.parse_args().gpu)
"""


def is_reported(imports: str, use: str, version: str = "2.1.0") -> bool:
    """Whether a program with these imports and a use of the device is told to load torch_npu."""
    source = SourceFile(PROGRAM.format(imports=imports, use=use))
    return bool(check(source, options_from({"version": version, "select": ["NPU108"]})))


MOVED = ("x.cuda()", "x.to('cuda')", "d = torch.device('cuda:0')", "torch.cuda.empty_cache()")


@pytest.mark.parametrize("imports", ["import torch", "import torch.nn as nn", "from torch import nn"])
@pytest.mark.parametrize("use", MOVED)
def test_what_is_migrated_beside_an_import_of_torch_brings_the_import(imports: str, use: str) -> None:
    assert not is_reported(imports, use)
    assert is_reported(imports, "pass")


@pytest.mark.parametrize(
    "imports",
    [
        "",
        "import torchvision",
        "def f():\n    import torch",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch",
    ],
)
def test_without_an_import_of_torch_at_its_top_a_module_brings_none(imports: str) -> None:
    assert is_reported(imports, "x.cuda()")


@pytest.mark.parametrize("imports", ["import torch_npu", "from torch_npu import npu", "import torch_npu.npu"])
def test_what_is_loaded_is_not_loaded_again(imports: str) -> None:
    assert not is_reported(imports, "pass")


def test_newer_releases_load_it_by_themselves() -> None:
    assert is_reported("", "pass", "2.4.0")
    assert not is_reported("", "pass", "2.5.1")


def test_names_in_comments_are_no_uses() -> None:
    assert is_reported("import torch", "# x.cuda()")
