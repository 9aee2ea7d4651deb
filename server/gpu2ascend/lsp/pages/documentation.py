"""Where a rule is explained: its place in the page of all rules, which comes with the package.

The pages, one for each language, are files beside this one, so a link needs no network and is of the version
that runs. They are written by ``python docs/build_rules.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS

from ...cli.output.language import Texts
from ..protocol_values.uris import uri_of
from .explanation import explanation

_PAGES = {"en": "rules.md", "zh": "rules.zh-CN.md"}
_HEADING = re.compile(r"### (\S+) ")


def path_of_page(language: str) -> Path:
    """The page of all rules in a language."""
    return Path(__file__).with_name(_PAGES[language])


def link(code: str, language: str) -> str | None:
    """A URI that opens the page at a rule; ``None`` for rules that are the user's own."""
    line = _lines(language).get(code)
    return f"{uri_of(path_of_page(language))}#L{line}" if line is not None else None


def page(language: str) -> str:
    """What the page of all rules says in a language."""
    hardware, version, texts = next(iter(Hardware)), SUPPORTED_VERSIONS[-1], Texts(language)
    rules = sorted(all_rules(), key=lambda rule: rule.code)
    pages = [explanation(rule.code, version, hardware, language).markdown for rule in rules]
    head = f"# {texts('lsp.page.title')}\n\n{texts('lsp.page.about')}\n"
    return "\n".join([head, *(f"{text.rstrip()}\n" for text in pages)])


@cache
def _lines(language: str) -> Mapping[str, int]:
    """The line, counted from 1, at which each rule begins."""
    try:
        lines = path_of_page(language).read_text(encoding="utf-8").split("\n")
    except OSError:
        return {}
    found = ((number, _HEADING.match(line)) for number, line in enumerate(lines, 1))
    return {match[1]: number for number, match in found if match is not None}
