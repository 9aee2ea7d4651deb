"""A positive control for tests by which nothing is found: the text was examined, and only this was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.text.source_file import SourceFile

T = TypeVar("T")
CONTROL = "\ntorch.ones(1).cuda()\n"
"""A statement of which a rule always has something to say."""
CODE = "NPU110"
OPTIONS = options_from({"version": "2.8.0"})


def found_beside_control(text: str, options: MigrationOptions = OPTIONS) -> list[str]:
    """The codes of what is found in a text with the control behind it, but for that of the control.
    Raises AssertionError: the control is not found: the text was not examined at all."""
    findings = check(SourceFile(text + CONTROL), options)
    codes = [item.code for item in findings if item.start < len(text.encode())]
    assert [item.code for item in findings[len(codes) :]] == [CODE], "the control itself must be found"
    return codes


def found_before(control: str, text: str, found: Callable[[str], Iterable[T]]) -> list[T]:
    """What a test's own function finds of a text with a control behind it, but for that of the control.

    The control is one of the test's own findings, so that it shows that the rule looked at just this text.

    Raises:
        AssertionError: nothing, or not the same, is found of the control.
    """
    expected = list(found(control))
    both = list(found(text + control))
    of_text = both[: len(both) - len(expected)]
    assert expected and both[len(of_text) :] == expected, "the control itself must be found"
    return of_text
