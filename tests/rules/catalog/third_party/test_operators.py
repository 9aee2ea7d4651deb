"""NPU709 and NPU622: what takes the place of CUDA operators, in a file and over the files of a project."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def found(text: str, version: str = "2.8.0") -> list[tuple[str, str]]:
    source = SourceFile(text)
    options = options_from({"version": version, "select": ["NPU709"]})
    return [(source.slice(item.start, item.end), item.severity.value) for item in check(source, options)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("from torch_scatter import scatter_max\nscatter_max(x, i)\n", ["scatter_max"]),
        ("import torch_cluster as tc\ntc.radius(a, b, 1)\n", ["tc.radius"]),
        ("from spconv.utils import VoxelGeneratorV2 as G\nG()\n", ["G"]),
        ("import spconv.pytorch as s\nclass M(s.SparseModule): ...\n", ["s.SparseModule"]),
        ("from mmcv.ops import carafe\ncarafe(x)\n", ["carafe"]),
        ("import amp_C\namp_C.multi_tensor_l2norm(a, b, c)\n", ["amp_C.multi_tensor_l2norm"]),
        (
            "import spconv.pytorch as s\nC = s.SparseConv3d if wide else s.SubMConv3d\n",
            ["s.SparseConv3d", "s.SubMConv3d"],
        ),
        ("import spconv.pytorch as s\nisinstance(m, s.SparseModule)\n", ["s.SparseModule"]),
    ],
)
def test_a_call_is_an_error(text: str, places: list[str]) -> None:
    assert found(text) == [(place, Severity.ERROR.value) for place in places]


@pytest.mark.parametrize(
    "text",
    [
        "from mmcv.ops import RoIAlign\nRoIAlign(7)\n",
        "from mmcv.ops import ModulatedDeformConv2d as D\nD(1, 2, 3)\n",
        "import mmcv.ops\nmmcv.ops.nms(b, s, 0.5)\n",
    ],
)
def test_what_the_build_of_mmcv_has_is_an_information(text: str) -> None:
    assert [severity for _, severity in found(text)] == [Severity.INFORMATION.value]


@pytest.mark.parametrize(
    "text",
    [
        "from torch_scatter import scatter_max\nf = scatter_max\n",
        "from flash_attn import flash_attn_func\nflash_attn_func(q, k, v)\n",
        "def three_nn(a, b): ...\nthree_nn(1, 2)\n",
        "from .ops import three_nn, grouping_operation\nthree_nn(1, 2)\n",
        "from mmcv.ops import MultiScaleDeformableAttention\n",
        "x.scatter_max(1)\n",
    ],
)
def test_other_code_is_left_alone(text: str) -> None:
    assert found(text) == []
