"""NPU010 of an argument ``async``, with which a file is no Python 3, so that it is no example of the rule."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU010"]})


@pytest.mark.parametrize("method", ["cuda(", "to(d, ", "type(t, ", "copy_(y, "])
def test_it_is_renamed_in_copies_of_tensors(method: str) -> None:
    source = SourceFile(f"import torch\nx.{method}async=True)\n")
    (finding,) = check(source, OPTIONS)
    assert (finding.message.id, finding.severity) == ("NPU010.async", Severity.ERROR)
    assert apply_fixes(source, OPTIONS).text == f"import torch\nx.{method}non_blocking=True)\n"


@pytest.mark.parametrize("call", ["pool.map(f, async=True)", "run(async=True)"])
def test_calls_of_others_stay(call: str) -> None:
    assert list(check(SourceFile(f"import torch\n{call}\n"), OPTIONS)) == []
