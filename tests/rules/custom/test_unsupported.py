"""CUS005: where an API that is called unsupported is used."""

from __future__ import annotations

import attrs
import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.custom_rule import RulePosition, UnsupportedApiRule
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def lines(text: str, name: str, path: str = "a.py") -> list[int]:
    rule = UnsupportedApiRule(RulePosition(1, 1), name)
    options = attrs.evolve(options_from({"version": "2.8.0"}), custom=(rule,))
    data = text.encode()
    return [data[: finding.start].count(b"\n") + 1 for finding in check(SourceFile(text, path), options)]


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("import lib\nlib.f(1)\nlib.f(2)\n", "lib.f", [2, 3]),
        ("from lib import f as g\nmap(g, [])\n", "lib.f", [2]),
        ("from .ops import f\nf()\n", "pkg.ops.f", [2]),
        ("import lib.ops\n", "lib.ops", [1]),
        ("from lib.ops import other\n", "lib.ops", [1]),
        ("from lib import ops\nops.other()\n", "lib.ops", [2]),
        ("import lib\nlib.g()\n", "lib.f", []),
        ("f()\n", "lib.f", []),
    ],
)
def test_uses(text: str, name: str, found: list[int]) -> None:
    assert lines(text, name, "pkg/a.py") == found
