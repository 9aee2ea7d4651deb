"""Where a rule is explained: its place in the page of all rules, which comes with the package.

The page is a file beside this one, so a link to it needs no network and is of the version that runs. It is
written by ``python docs/build_rules.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gpu2ascend_rules.catalog import all_rules
from gpu2ascend_rules.options import Hardware
from gpu2ascend_rules.versions import SUPPORTED_VERSIONS

from .explanation import explanation
from .uris import uri_of

PAGE = Path(__file__).with_name("rules.md")
_HEADING = re.compile(r"### (\S+) ")


def link(code: str) -> str | None:
    """A URI that opens the page at a rule; ``None`` for rules that are the user's own."""
    line = _lines().get(code)
    return f"{uri_of(PAGE)}#L{line}" if line is not None else None


def page() -> str:
    """The page of all rules, in English."""
    hardware, version = next(iter(Hardware)), SUPPORTED_VERSIONS[-1]
    rules = sorted(all_rules(), key=lambda rule: rule.code)
    texts = [explanation(rule.code, version, hardware, "en").markdown for rule in rules]
    head = "# The rules of gpu2ascend\n\nWhat `gpu2ascend explain CODE` prints, for every rule.\n"
    return "\n".join([head, *(f"{text.rstrip()}\n" for text in texts)])


@cache
def _lines() -> Mapping[str, int]:
    """The line, counted from 1, at which each rule begins."""
    try:
        lines = PAGE.read_text(encoding="utf-8").split("\n")
    except OSError:
        return {}
    found = ((number, _HEADING.match(line)) for number, line in enumerate(lines, 1))
    return {match[1]: number for number, match in found if match is not None}
