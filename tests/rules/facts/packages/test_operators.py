"""The table of CUDA operators: how they are found by name, and that each has a source and a text."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.packages.operator_texts import advice, is_available
from gpu2ascend_rules.facts.packages.operators import (
    operator_named,
    operator_of_extension,
    operators,
    operators_of,
    release_for,
)
from gpu2ascend_rules.messages import LANGUAGES, render
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version

ROWS = operators()
NEW, OLD = Version(2, 8, 0), Version(2, 9, 0)


def facts(version: Version = NEW) -> Facts:
    return Facts.load(version, Hardware.A2)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("torch_scatter.scatter_mean", "mx_driving.scatter_mean"),
        ("torch_scatter.scatter.scatter_mean", "mx_driving.scatter_mean"),
        ("spconv.pytorch.SubMConv3d", "mx_driving.SubMConv3d"),
        ("..utils.spconv_utils.spconv.SubMConv3d", "mx_driving.SubMConv3d"),
        (".bev_pool_ext.bev_pool_forward", "mx_driving.bev_pool"),
        ("..functions.MSDeformAttnFunction.apply", "mx_driving.multi_scale_deformable_attn"),
        ("mmcv.parallel.MMDataParallel", "mmcv.device.npu.NPUDataParallel"),
    ],
)
def test_an_operator_is_found_by_its_name(name: str, instead: str) -> None:
    operator = operator_named(name)
    assert operator is not None and operator.instead == instead


@pytest.mark.parametrize("name", ["torch.scatter", "my_ops.scatter_mean", "mmengine.MMDataParallel", "knn"])
def test_the_name_of_a_library_counts(name: str) -> None:
    assert operator_named(name) is None


def test_the_extension_tells_functions_of_one_name_apart() -> None:
    of_batch = operator_named("pointnet2_batch_cuda.three_nn_wrapper")
    of_stack = operator_named("pointnet2_stack_cuda.three_nn_wrapper")
    assert of_batch is not None and of_stack is not None
    assert "flat" not in dict(of_batch.differs) and "flat" in dict(of_stack.differs)


def test_a_package_is_named_where_it_has_a_release_only() -> None:
    operator = operator_named("torch_scatter.scatter_mean")
    assert operator is not None
    assert is_available(operator, facts(NEW)) and not is_available(operator, facts(OLD))
    assert "mx-driving 26.2.0.post2" in render(advice(operator, facts(NEW)))
    assert "no release for PyTorch 2.9.0" in render(advice(operator, facts(OLD)))


def test_each_build_is_for_its_own_versions() -> None:
    first, later = release_for("mx_driving", Version(2, 1, 0)), release_for("mx_driving", NEW)
    assert first is not None and later is not None
    assert (first.newest, later.newest) == ("26.2.0.post1", "26.2.0.post2")


def test_an_operator_of_torch_npu_is_named_where_the_release_has_it() -> None:
    operator = operator_named("transformer_engine.pytorch.RMSNorm")
    assert operator is not None
    assert is_available(operator, facts()) and not is_available(operator, facts(Version(1, 8, 1)))


def test_functions_of_the_extension_of_mmcv_are_known() -> None:
    operator = operator_of_extension("ms_deform_attn_forward")
    assert operator is not None and operator.built == ("1.x", "2.x")
    carafe = operator_of_extension("carafe_forward")
    assert carafe is not None and not carafe.built


def test_a_library_lists_its_operators() -> None:
    assert {"SubMConv3d", "SparseConv3d"} <= {name for row in operators_of("spconv") for name in row.names}


def test_every_row_has_a_source_and_what_is_named_a_first_release() -> None:
    assert ROWS and all(row.source for row in ROWS)
    assert any(row.instead for row in ROWS) and all(row.since for row in ROWS if row.instead)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_row_has_a_text_for_every_version(language: str) -> None:
    for row in ROWS:
        for version in SUPPORTED_VERSIONS:
            assert render(advice(row, facts(version)), language)


def test_what_a_fix_writes_is_the_operator_of_the_row() -> None:
    targets = [(row.target, row.instead) for row in ROWS if row.target]
    assert targets
    assert [item for item in targets if not item[0].startswith(item[1])] == []
