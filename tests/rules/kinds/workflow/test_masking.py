"""Masking moves no byte: a place in what a shell's parser is shown is that in the file."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.workflow.masking import of_block, of_flow


@pytest.mark.parametrize(
    "text",
    [
        "|\n  a\n   b ${{ x }}\n",
        ">-\r\n  a\r\n  b\r\n\r\n  c\r\n",
        "|\n  cat <<EOF\n   x\n  EOF\n  b\n",
        '"a \\"b\\" \\n ${{ é }}"',
        "'a ''b'' '",
        "<< parameters.x >>",
        "é\n  b",
        "|",
        "",
        '"',
    ],
)
def test_every_byte_has_its_place(text: str) -> None:
    data = text.encode()
    assert len(of_block(data)) == len(of_flow(data)) == len(data)


def test_lines_of_a_folded_block_are_joined_up_to_an_empty_one() -> None:
    assert of_block(b">\n  a\n  b\n\n  c\n    d\n") == b" \n  a   b\n\n  c\n    d\n"


def test_a_here_document_ends_without_the_indentation_of_the_block() -> None:
    assert of_block(b"|\n  cat <<EOF\n  a\n  EOF\n") == b" \n  cat <<-OF\n\t\ta\n\t\t\tOF\n"
