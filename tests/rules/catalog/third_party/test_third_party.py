"""Libraries: those with NPU support of their own, and other frameworks, are left alone."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.catalog.saying import said
from tests.rules.control import found_beside_control

OPTIONS = options_from({"version": "2.8.0"})


@pytest.mark.parametrize(
    "text",
    [
        "from accelerate import Accelerator\nacc = Accelerator()\nmodel.to(acc.device)\n",
        "from transformers import AutoModel\nm = AutoModel.from_pretrained(p, device_map='auto')\n",
        "import deepspeed\nengine = deepspeed.initialize(model=m)\n",
        "from deepspeed.ops.adam import FusedAdam\nopt = FusedAdam(p)\n",
        "import cv2\nn = cv2.cuda.getCudaEnabledDeviceCount()\n",
        "import tensorflow as tf\ntf.config.list_physical_devices('GPU')\n",
        "import jax\njax.devices('gpu')\n",
        "try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import cupy\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert found_beside_control(text) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("import flash_attn\n", "NPU701"),
        ("import cupy\n", "NPU701"),
        ("from deepspeed.ops.sparse_attention import SparseSelfAttention\nSparseSelfAttention()\n", "NPU702"),
    ],
)
def test_what_needs_cuda_is_reported(text: str, code: str) -> None:
    assert code in {item.code for item in check(SourceFile(text), OPTIONS)}


def test_a_module_of_the_project_is_not_the_library_of_that_name() -> None:
    class WithOwnModule(Standalone):
        def has_module(self, importer_path: str, module: str) -> bool:
            return module == "cuda"

    text = "import cuda\ncuda.run()\n"
    assert check(SourceFile(text), OPTIONS, WithOwnModule()) == ()
    assert [item.code for item in check(SourceFile(text), OPTIONS)] == ["NPU701"]


def test_a_statement_that_imports_several_names_of_a_library_is_one_finding() -> None:
    text = "from flash_attn.bert_padding import pad_input, unpad_input as u\nu(pad_input)\n"
    (found,) = (item for item in check(SourceFile(text), OPTIONS) if item.code == "NPU701")
    assert render(found.message).startswith("`flash_attn` (`pad_input`, `unpad_input`) needs CUDA")


def test_libraries_of_one_statement_are_reported_one_by_one() -> None:
    found = check(SourceFile("import cupy, pynvml\ncupy.f(pynvml)\n"), OPTIONS)
    assert [item.message.id for item in found] == ["NPU701.arrays", "NPU701.monitor"]


def test_an_import_is_removed_only_if_nothing_uses_any_of_its_names() -> None:
    used, unused = (
        check(SourceFile(f"from flash_attn.bert_padding import a, b\n{more}"), OPTIONS)
        for more in ("a()\n", "")
    )
    assert [item.fix is None for item in (*used, *unused)] == [True, False]


@pytest.mark.parametrize(
    ("statement", "is_told"),
    [
        ("kind: str = 'flash_attention_2'", True),
        ("kind: str = field(default='flash_attention_2')", True),
        ("options = {'attn_implementation': 'flash_attention_2'}", True),
        ("kind = 'flash_attention_2' if fast else 'eager'", True),
        ("classes = {'flash_attention_2': Fast}", False),
        ("kinds = ['eager', 'flash_attention_2']", False),
        ("print('flash_attention_2')", False),
    ],
)
def test_an_attention_that_is_kept_for_the_library_is_told(statement: str, *, is_told: bool) -> None:
    assert bool(said("NPU712", f"import transformers\n{statement}\n")) is is_told


def test_faiss_is_asked_for_a_gpu_by_a_setting() -> None:
    assert said("NPU702", "import faiss\nk = faiss.Kmeans(8, 4, gpu=True)\n") == [
        "flag manual warning: gpu=True"
    ]


@pytest.mark.parametrize("target", ["torch_npu", "accelerator"])
@pytest.mark.parametrize(
    ("statement", "is_told"),
    [
        ("import pytorch3d.transforms as t", False),
        ("from pytorch3d.transforms import matrix_to_quaternion", False),
        ("from pytorch3d.ops import ball_query", True),
        ("import pytorch3d.renderer", True),
    ],
)
def test_the_part_of_a_library_that_is_plain_torch_runs_everywhere(
    statement: str, target: str, *, is_told: bool
) -> None:
    code = "NPU701" if target == "torch_npu" else "ACC114"
    assert bool(said(code, f"{statement}\n", target=target, version="2.9.0")) is is_told
