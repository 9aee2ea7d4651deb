"""The words of a text are those that the pattern finds."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.plain.words import WORD, words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", []),
        (b"import torch.cuda\n", [b"import", b"torch", b"cuda"]),
        (b"x=x2+_y\t# x", [b"x", b"x2", b"_y", b"x"]),
        ("é = 'naïve'".encode(), ["é".encode(), "naïve".encode()]),
    ],
)
def test_words_come_in_the_order_of_the_text(text: bytes, words: list[bytes]) -> None:
    assert words_in(text) == words


def test_every_byte_is_of_a_word_for_one_as_for_the_other() -> None:
    for code in range(256):
        text = b"a%sb" % bytes([code])
        assert words_in(text) == WORD.findall(text)
