"""Which release of torch has a name, by the table made of torch's own wheels."""

from __future__ import annotations

import re
from functools import cache

import pytest

from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.facts.releases.history import Lack, known_part, lacking
from gpu2ascend_rules.facts.releases.successors import successor_of
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version

OLD, MIDDLE, NEW = Version(1, 5, 0), Version(1, 11, 0), Version(2, 8, 0)


@pytest.mark.parametrize(
    ("name", "version", "lack"),
    [
        ("torch._six.string_classes", NEW, Lack("torch._six", "2.0", None)),
        ("torch.symeig", NEW, Lack("torch.symeig", "2.0", None)),
        ("torch.rfft", MIDDLE, Lack("torch.rfft", "1.8", None)),
        ("torch.utils.ffi.create_extension", OLD, Lack("torch.utils.ffi", "1.0", None)),
        ("torch.fft()", NEW, Lack("torch.fft()", "1.7", None)),
        (
            "torch.nn.functional.scaled_dot_product_attention",
            MIDDLE,
            Lack("torch.nn.functional.scaled_dot_product_attention", None, "2.0"),
        ),
        ("torch.accelerator.current_accelerator", Version(2, 5, 1), Lack("torch.accelerator", None, "2.6")),
        ("torch.linalg.eigh", OLD, Lack("torch.linalg", None, "1.7")),
        (
            "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.CheckpointImpl",
            OLD,
            Lack("torch.distributed.algorithms", None, "1.11"),
        ),
    ],
)
def test_what_a_version_lacks_is_the_shortest_part_and_its_releases(
    name: str, version: Version, lack: Lack
) -> None:
    assert lacking(name, version) == lack


@pytest.mark.parametrize(
    ("name", "version", "part"),
    [
        ("torch.symeig", NEW, "torch.symeig"),
        ("torch._six.nope", NEW, "torch._six"),
        ("torch.fft()", NEW, "torch.fft()"),
        ("torch.profiler.profile_other", OLD, "torch.profiler"),
        ("torch.profiler.itt", OLD, "torch.profiler.itt"),
        ("torch.profiler.itt.nope", OLD, "torch.profiler.itt"),
        ("torch.xpu.nope", Version(2, 1, 0), "torch.xpu"),
    ],
)
def test_a_release_is_known_of_the_part_that_the_table_has(name: str, version: Version, part: str) -> None:
    lack = lacking(name, version)
    assert lack is not None and known_part(name, lack) == part


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("torch.symeig", MIDDLE),
        ("torch._six.inf", MIDDLE),
        ("torch.fft", NEW),
        ("torch.fft()", OLD),
        ("torch.nn.functional.scaled_dot_product_attention", NEW),
        ("torch.multiprocessing.Queue", NEW),
        ("torch.has_mps", NEW),
        ("torch.nn.Linear", OLD),
        ("torch.no_release_ever_had_this", NEW),
        ("torch.nn.Module.training", OLD),
        ("torch.utils.data.DataLoader.sampler", OLD),
        ("torch.utils.data.DataLoader.dataset", OLD),
        ("torch.HalfTensor", OLD),
        ("torch.BFloat16Tensor", MIDDLE),
        ("torch.distributed.ProcessGroup", OLD),
        ("torch.distributed.rpc.RRef", OLD),
        ("torch.distributed.rpc.Future", OLD),
    ],
)
def test_what_is_there_and_what_nobody_knows_is_not_lacking(name: str, version: Version) -> None:
    assert lacking(name, version) is None


@pytest.mark.parametrize(
    "name",
    [
        "torch.nn.Module.to_empty",
        "torch.utils.data.DataLoader.prefetch_factor",
        "torch.distributed.all_gather_object",
    ],
)
def test_what_no_native_code_and_no_instance_had_before_is_lacking(name: str) -> None:
    assert lacking(name, OLD) is not None


@pytest.mark.parametrize("version", [OLD, NEW])
def test_a_successor_is_one_that_the_version_has(version: Version) -> None:
    advice = filter(None, (successor_of(row["api"], version) for row in load_tsv("successors")))
    named = [name for text in advice for name in re.findall(r"torch(?:\.\w+)+", text)]

    assert [name for name in named if lacking(name, version) is not None] == []


@cache
def _ever_lacking(api: str) -> bool:
    return any(lacking(api, version) is not None for version in SUPPORTED_VERSIONS)


def test_every_row_of_successors_is_about_something_that_a_version_lacks() -> None:
    apis = [row["api"] for row in load_tsv("successors")]
    assert "torch.symeig" in apis and not _ever_lacking("torch.add")
    assert [api for api in apis if not _ever_lacking(api)] == []
