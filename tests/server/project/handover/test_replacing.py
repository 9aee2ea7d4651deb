"""What takes an API's place is named with its signature, or it is said that none is published."""

from __future__ import annotations

import pytest

from gpu2ascend.project.handover.replacing import Replacement, replacement_of
from gpu2ascend.texts.api_page import api_page
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.facts.packed.sorted_table import SortedTable
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version

FACTS = Facts.load(Version(2, 13, 0), Hardware.A2)
TEXTS = Texts("en")
NONE = "is published"


def replacement(api: str) -> Replacement:
    found = replacement_of(api_page(api, FACTS), FACTS, TEXTS)
    assert found is not None
    return found


def test_each_counterpart_that_is_called_has_a_signature_or_says_that_it_has_none() -> None:
    called = [
        (name, replacement(name))
        for name in SortedTable.packaged("counterparts.tsv").as_mapping()
        if (known := FACTS.npu_counterpart(name)) is not None and known.is_called
    ]
    signed = [name for name, found in called if found.signature]
    unsigned = [name for name, found in called if NONE in " ".join(found.differences)]
    assert sorted([*signed, *unsigned]) == sorted(name for name, _ in called)
    assert len(signed) > 150 and 10 < len(unsigned) < 40


@pytest.mark.parametrize(
    ("api", "said"),
    [
        ("torch.cuda.amp.GradScaler.get_scale", "inherited from `torch.cuda.amp.GradScaler.get_scale`"),
        ("torch.cuda.FloatTensor", "no signature of `torch_npu.npu.FloatTensor` is published"),
    ],
)
def test_where_a_signature_is_from_is_said(api: str, said: str) -> None:
    assert any(said in line for line in replacement(api).differences)


@pytest.mark.parametrize("api", ["torch.cuda.Stream.priority", "torch.cuda.random", "torch.cuda.empty_cache"])
def test_of_what_is_not_called_or_shown_nothing_is_said(api: str) -> None:
    assert not any(NONE in line or "inherited" in line for line in replacement(api).differences)
