"""Severities that the user chose."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Severity
from gpu2ascend_rules.options.options import OptionError, options_from
from gpu2ascend_rules.text.source_file import SourceFile

STUCK = "import torch\ntorch.cuda.comm.broadcast(x, [0, 1])\n"


def severity(chosen: object) -> Severity:
    """Of the one finding in a file, with these severities chosen."""
    (finding,) = check(SourceFile(STUCK), options_from({"version": "2.8.0", "severities": chosen}))
    return finding.severity


def code() -> str:
    """Of that finding's rule."""
    (finding,) = check(SourceFile(STUCK), options_from({"version": "2.8.0"}))
    return finding.code


@pytest.mark.parametrize("spelling", ["{code}=hint", "{code}=hint,NPU9=error"])
def test_as_text(spelling: str) -> None:
    assert severity(spelling.format(code=code())) is Severity.HINT


def test_as_a_list_and_as_an_object() -> None:
    assert severity([f"{code()} = hint"]) is severity({code(): "hint"}) is Severity.HINT


def test_the_longest_match_counts_in_whatever_order() -> None:
    for entries in ([f"{code()}=hint", "NPU=information"], ["NPU=information", f"{code()}=hint"]):
        assert severity(entries) is Severity.HINT


def test_rules_that_are_not_named_keep_their_own() -> None:
    assert severity({"NPU999": "hint"}) is severity(()) is Severity.ERROR


@pytest.mark.parametrize("wrong", ["NPU101", "NPU101=", "=hint", "NPU101=fatal", {"NPU101": 1}, 3])
def test_what_is_no_severity_is_refused(wrong: object) -> None:
    with pytest.raises(OptionError):
        options_from({"severities": wrong})
