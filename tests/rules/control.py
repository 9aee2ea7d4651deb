"""A positive control for tests by which nothing is found: the text was examined, and only this was found."""

from __future__ import annotations

from gpu2ascend_rules.check import check
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

CONTROL = "\ntorch.ones(1).cuda()\n"
"""A statement of which a rule always has something to say."""
CODE = "NPU110"
OPTIONS = options_from({"version": "2.8.0"})


def found_beside_control(text: str, options: MigrationOptions = OPTIONS) -> list[str]:
    """The codes of what is found in a text with the control behind it, but for that of the control.

    Raises:
        AssertionError: the control is not found: the text was not examined at all.
    """
    findings = check(SourceFile(text + CONTROL), options)
    codes = [item.code for item in findings if item.start < len(text.encode())]
    assert [item.code for item in findings[len(codes) :]] == [CODE], "the control itself must be found"
    return codes
