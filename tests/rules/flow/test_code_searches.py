"""Where code, and not a comment, has a word."""

from __future__ import annotations

import re

import pytest

from gpu2ascend_rules.flow.guards.code_searches import CodePattern, CodeSearch, Span

WORD = CodePattern(re.compile(rb"npu"), (b"npu",))


def is_in(text: str, part: str | None = None) -> bool:
    """Whether the code of a part of a text has the word; of the whole text, where no part is named."""
    data = text.encode()
    start = data.index((part or text).encode())
    return CodeSearch(WORD, data).is_in(Span(start, start + len((part or text).encode())))


@pytest.mark.parametrize(
    "text", ["npu\n", "x = npu  # why\n", "a #\nnpu\n", "#\nnpu\n", "# npu\nnpu\n", "a # b\nx = 1; npu\n"]
)
def test_a_word_of_code_is_in_it(text: str) -> None:
    assert is_in(text, text[text.rindex("npu") :]) and is_in(text)


@pytest.mark.parametrize("text", ["x = 1  # npu\n", "# npu\nx = 1\n", "x = 1\n# a npu\n", "x = 1\n"])
def test_a_word_of_a_comment_is_not(text: str) -> None:
    assert not is_in(text)


def test_a_part_that_begins_behind_a_sign_has_what_stands_in_it() -> None:
    text = "f('#', npu)\n"
    assert is_in(text, "npu")
    assert not is_in(text, "f('#'")


def test_a_word_outside_of_a_part_is_not_in_it() -> None:
    text = "npu\nx = 1\nnpu\n"
    assert not is_in(text, "x = 1\n")
    assert is_in(text, "x = 1\nnpu")
