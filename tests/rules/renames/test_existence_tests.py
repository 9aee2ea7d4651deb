"""Tests of whether torch.cuda has a name, and what a project sets on it."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

OPTIONS = options_from({"version": "2.8.0"})
NPU = "import torch\nimport torch_npu\n"


def keys(text: str, project: Standalone | None = None) -> list[str]:
    return [item.message.id for item in check(SourceFile(text), OPTIONS, project or Standalone())]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "if hasattr(torch.cuda, 'empty_cache'):\n    torch.cuda.empty_cache()\n",
            f"{NPU}if hasattr(torch_npu.npu, 'empty_cache'):\n    torch_npu.npu.empty_cache()\n",
        ),
        (
            "sync = getattr(torch.cuda, 'synchronize', None)\n",
            f"{NPU}sync = getattr(torch_npu.npu, 'synchronize', None)\n",
        ),
        (
            "E = torch.cuda.OutOfMemoryError if hasattr(torch.cuda, 'OutOfMemoryError') else RuntimeError\n",
            "import torch\n"
            "E = torch.OutOfMemoryError if hasattr(torch, 'OutOfMemoryError') else RuntimeError\n",
        ),
        (
            "E = getattr(torch.cuda, 'OutOfMemoryError', RuntimeError)\n",
            "import torch\nE = getattr(torch, 'OutOfMemoryError', RuntimeError)\n",
        ),
        (
            "a = torch.cuda.get_arch_list() if hasattr(torch.cuda, 'get_arch_list') else []\n",
            f"{NPU}a = torch.cuda.get_arch_list() if hasattr(torch_npu.npu, 'get_arch_list') else []\n",
        ),
    ],
)
def test_the_module_that_has_the_name_is_asked(before: str, after: str) -> None:
    assert migrated(f"import torch\n{before}") == after


@pytest.mark.parametrize(
    "text",
    [
        "E = torch.cuda.OutOfMemoryError if hasattr(torch.cuda, 'OutOfMemoryError') else RuntimeError\n",
        "E = getattr(torch.cuda, 'OutOfMemoryError', RuntimeError)\n",
    ],
)
def test_both_stay_before_torch_has_the_class_and_that_is_told(text: str) -> None:
    assert migrated(f"import torch\n{text}", "2.1.0") == f"import torch\n{text}"
    found = check(SourceFile(f"import torch\n{text}"), options_from({"version": "2.1.0"}))
    assert len(found) == 1 and found[0].api == "torch.cuda.OutOfMemoryError"


def test_a_name_of_another_test_stays_an_error() -> None:
    tested = "import torch\nif hasattr(torch.cuda, 'get_arch_list'):\n    torch.cuda.{}\n"
    assert keys(tested.format("get_arch_list()")) == ["NPU101.renamed", "NPU101.tested"]
    assert keys(tested.format("get_gencode_flags()")) == ["NPU101.renamed", "NPU101.none_build"]


@pytest.mark.parametrize(
    "text",
    [
        "torch.cuda.empty_cache = torch.xpu.empty_cache\n",
        "torch.cuda.is_patched = True\n",
        "torch.cuda.nvtx.range_push = f\n",
        "torch.cuda.a, torch.cuda.b = 1, 2\n",
        "del torch.cuda.a\n",
        "torch._C._cuda_getCurrentRawStream = f\n",
        "torch.cuda.is_new = True\nif torch.cuda.is_new or getattr(torch.cuda, 'is_new', 0): f()\n",
        "torch.cuda.is_available = lambda: False\nprint(torch.cuda.is_available())\n",
    ],
)
def test_what_a_project_sets_is_no_use(text: str) -> None:
    assert migrated(f"import torch\n{text}") == f"import torch\n{text}"
    assert keys(f"import torch\n{text}") == []


@pytest.mark.parametrize(
    "text",
    ["setattr(torch.cuda, 'empty_cache', f)\n", "torch.cuda.empty_cache = f\n", "torch.cuda.Event = Fake\n"],
)
def test_a_function_that_code_for_the_npu_no_longer_calls_is_told(text: str) -> None:
    assert migrated(f"import torch\n{text}") == f"import torch\n{text}"
    assert keys(f"import torch\n{text}") == ["NPU101.overridden"]


def test_a_module_that_another_accelerator_replaces_is_used_all_the_same() -> None:
    patch = "import torch\ntorch.cuda.empty_cache = torch.xpu.empty_cache\ntorch.cuda.empty_cache()\n"
    assert "torch_npu.npu.empty_cache()" in migrated(patch)


def test_what_another_file_sets_is_known() -> None:
    class Project(Standalone):
        imported_names = frozenset({"=is_patched"})

    text = "import torch\nif torch.cuda.is_patched: f()\n"
    assert keys(text) == ["NPU101.none"]
    assert keys(text, Project()) == []
