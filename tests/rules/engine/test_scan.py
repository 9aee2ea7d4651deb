"""The literals that rules are shown: each once, and none that stands alone as a docstring."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.text.source_file import SourceFile


def literals(text: str) -> list[str]:
    return [ref.text for _, ref in scan_strings(SourceFile(text), ["cuda"])]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x = 'cuda'\n", ["cuda"]),
        ("f('cuda cuda')\n", ["cuda cuda"]),
        ("x = 'a' 'cuda'\n", ["cuda"]),
        ("x = f'cuda:{n}'\n", ["cuda:{}"]),
        ("def f():\n    return 'cuda'\n", ["cuda"]),
        ("[x for x in ('cuda',)]\n", ["cuda"]),
        ("cuda = {'a': 'cuda'}\n", ["cuda"]),
    ],
)
def test_a_literal_with_a_word_is_shown_once(text: str, found: list[str]) -> None:
    assert literals(text) == found


@pytest.mark.parametrize(
    "docstring",
    [
        "'cuda'\n",
        "'''For cuda.'''\n",
        "'Only' ' for cuda.'\n",
        "def f():\n    'for cuda'\n",
        "class A:\n    'for cuda'\n",
        "if a:\n    'a cuda comment'\n",
    ],
)
def test_one_that_stands_alone_is_not(docstring: str) -> None:
    assert literals(f"{docstring}x = 'cuda:9'\n") == ["cuda:9"]
