"""The tables of transfer_to_npu are in the form that their generator makes of what the wheels hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from gpu2ascend_rules.data import load_tsv
from tools.transfer_tables import (
    OF_RULES,
    OF_SIMULATOR,
    Replaced,
    UnknownStatementError,
    replaced,
    table_text,
)

WHEELS = ("2.1.0.post8", "2.1.0.post17", "2.3.1.post6", "2.5.1.post1", "2.6.0", "2.6.0.post5", "2.7.1.post11")


def fact(name: str, how: str, wheels: Iterable[str] = WHEELS) -> Mapping[str, str]:
    """A row of facts: the statement is in these wheels."""
    chosen = set(wheels)
    return {"patched": name, "how": how, **{wheel: "yes" if wheel in chosen else "" for wheel in WHEELS}}


@pytest.mark.parametrize(
    ("name", "how", "kind"),
    [
        ("torch.arange", "device argument rewritten", "device"),
        ("torch.amp.custom_fwd", "= _wrapper_cuda(torch.amp.custom_fwd)", "device"),
        ("torch.UntypedStorage.__new__", "= _wrapper_cuda(torch.UntypedStorage.__new__)", "new"),
        ("torch.distributed.f", "= _wrapper_hccl(torch.distributed.f)", "backend"),
        ("torch.distributed.f", "= _compose_wrappers(_wrapper_cuda, _wrapper_hccl)(f)", "both"),
        ("torch.Generator", "= _GeneratorProxy", "generator"),
        ("torch.Tensor.cuda", "= torch.Tensor.npu", "= torch.Tensor.npu"),
    ],
)
def test_a_statement_is_of_one_kind(name: str, how: str, kind: str) -> None:
    assert replaced([fact(name, how)]) == [Replaced(name, kind, "2.1.0-")]


@pytest.mark.parametrize(
    ("wheels", "releases"),
    [
        (WHEELS, "2.1.0-"),
        (["2.1.0.post17", "2.6.0.post5", "2.7.1.post11"], "2.1.0,2.6.0-"),
        (["2.3.1.post6", "2.5.1.post1"], "2.3.1-2.5.1"),
        (["2.7.1.post11"], "2.7.1-"),
    ],
)
def test_the_newest_wheel_of_a_version_of_torch_counts(wheels: list[str], releases: str) -> None:
    assert [row.releases for row in replaced([fact("torch.Event", "= _EventProxy", wheels)])] == [releases]


def test_what_only_an_older_wheel_replaces_has_no_row() -> None:
    assert replaced([fact("torch.Event", "= _EventProxy", ["2.1.0.post8"])]) == []


@pytest.mark.parametrize(
    "name", ["_patch_cuda()", "torch._inductor.utils.has_triton", "torch_npu.profiler._KinetoProfile.f"]
)
def test_what_no_project_names_has_no_row(name: str) -> None:
    assert replaced([fact(name, "= _get_npu_type")]) == []


def test_a_statement_of_no_known_kind_is_an_error() -> None:
    with pytest.raises(UnknownStatementError, match="_new_wrapper"):
        replaced([fact("torch.arange", "= _new_wrapper")])


@pytest.mark.parametrize("path", [OF_RULES, OF_SIMULATOR], ids=["rules", "simulator"])
def test_the_committed_tables_are_in_the_form_that_is_made(path: Path) -> None:
    rows = [Replaced(**row) for row in load_tsv("transfer_patched")]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("#")) == table_text(sorted(rows))
