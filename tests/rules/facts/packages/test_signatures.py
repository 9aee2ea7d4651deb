"""Signatures are those of the release, and only of names that it has."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.packages.signatures import origin_of, signature_of
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version

ROWS = load_tsv("npu_signatures")


def test_a_release_has_each_name_with_one_signature() -> None:
    seen = [(row["name"], version) for row in ROWS for version in row["versions"].split()]
    assert len(seen) == len(set(seen)) > 300
    for name, version in seen:
        facts = Facts.load(Version(*map(int, version.split("."))), Hardware.A2)
        assert facts.npu_name_exists(name), (name, version)


@pytest.mark.parametrize(("version", "has_it"), [(Version(2, 4, 0), False), (Version(2, 8, 0), True)])
def test_an_argument_that_came_later_is_not_in_the_releases_before(version: Version, has_it: bool) -> None:
    signature = signature_of("torch_npu.npu_rotary_mul", version)
    assert signature is not None and ("rotate" in signature) is has_it


def test_a_cuda_operator_has_the_signature_of_what_replaces_it() -> None:
    signature = signature_of("flash_attn.flash_attn_func", Version(2, 8, 0))
    assert signature is not None and signature.startswith("torch_npu.npu_fusion_attention(")
    assert signature_of("mmcv.ops.DeformConv2d", Version(2, 8, 0)) is not None


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("torch_npu.npu.set_device", "torch_npu.npu.set_device(device)"),
        ("torch_npu.npu.NPUGraph", "torch_npu.npu.NPUGraph()"),
        (
            "torch_npu.npu.Event",
            "torch_npu.npu.Event(enable_timing=False, blocking=False, interprocess=False)",
        ),
    ],
)
def test_a_counterpart_of_cuda_has_the_signature_of_its_source(name: str, signature: str) -> None:
    assert signature_of(name, Version(2, 8, 0)) == signature


def test_the_first_argument_of_an_operator_has_the_name_that_a_call_may_use() -> None:
    signature = signature_of("torch_npu.npu_rms_norm", Version(2, 8, 0))
    assert signature is not None and signature.startswith("torch_npu.npu_rms_norm(Tensor input,")


@pytest.mark.parametrize(
    ("name", "origin"),
    [
        ("torch_npu.npu.amp.GradScaler.get_scale", "torch.cuda.amp.GradScaler.get_scale"),
        ("torch_npu.npu.ExternalStream.wait_event", "torch_npu.npu.Stream.wait_event"),
    ],
)
def test_what_a_class_inherits_has_the_signature_of_its_origin(name: str, origin: str) -> None:
    assert origin_of(name) == origin and origin_of("torch_npu.npu.set_device") is None
    signature = signature_of(name, Version(2, 13, 0))
    assert signature is not None and signature.startswith(f"{name}(")


def test_what_is_inherited_is_named_only_where_the_release_has_it() -> None:
    inherited = [row["name"] for row in load_tsv("inherited_signatures")]
    facts = Facts.load(Version(2, 13, 0), Hardware.A2)
    assert [name for name in inherited if not facts.npu_name_exists(name)] == []
    assert signature_of("torch_npu.npu.ExternalStream.query", Version(2, 1, 0)) is None
    own = {row["name"] for row in ROWS}
    assert [name for name in inherited if name in own] == []
    assert [row for row in load_tsv("inherited_signatures") if row["origin"] in own] != []


def test_what_no_table_has_has_none() -> None:
    assert signature_of("torch_npu.npu_no_such_operator", Version(2, 8, 0)) is None
    assert signature_of("torch.add", Version(2, 8, 0)) is None
