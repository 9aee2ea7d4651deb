"""What is shown beside a finding."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.related_information import is_deprecated, is_without_effect, place_of_alias
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})


def last_finding(text: str) -> tuple[SourceFile, Finding]:
    source = SourceFile(text)
    return source, check(source, OPTIONS)[-1]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("import torch as th\nth.cuda.empty_cache()\n", "torch as th"),
        ("import torch.cuda as tc\n", None),
        ("import torch\nsync = torch.cuda.synchronize\nsync()\n", None),
        ("import torch\ntorch.cuda.empty_cache()\n", None),
        ("import torch\nx = torch.zeros(1)\nx.cuda()\n", None),
        ("from torch.cuda.amp import autocast\n", None),
    ],
)
def test_the_place_that_bound_an_alias(text: str, bound: str | None) -> None:
    source, finding = last_finding(text)
    found = place_of_alias(source, finding)
    assert (source.slice(found.start, found.end) if found is not None else None) == bound


def test_what_has_no_effect_is_known_as_such() -> None:
    _, finding = last_finding("import torch\ntorch.backends.cudnn.benchmark = True\n")
    assert is_without_effect(finding)
    _, finding = last_finding("import torch\ntorch.cuda.empty_cache()\n")
    assert not is_without_effect(finding)


def test_what_is_deprecated_is_so_from_a_release_on() -> None:
    source = SourceFile("from torch.cuda.amp import autocast\nautocast()\n")
    (finding, *_) = check(source, OPTIONS)
    assert is_deprecated(finding, Version(2, 8)) and not is_deprecated(finding, Version(2, 1))
