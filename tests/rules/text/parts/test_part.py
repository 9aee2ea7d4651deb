"""A part of a file: its text, and the way back for places and edits."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.parts.part import Part, Piece
from gpu2ascend_rules.text.parts.quoting import Quoting, written


def part_of(*texts: str | None, quoting: Quoting = Quoting.DOUBLE) -> Part:
    """Pieces one after the other; what is unknown takes four bytes of the file."""
    pieces, at = [], 10
    for text in texts:
        data = text.encode() if text is not None else None
        size = len(data) if data is not None else 4
        pieces.append(Piece(at, at + size, data, quoting))
        at += size
    return Part(pieces)


def test_what_is_unknown_is_a_name_or_behind_a_colon_a_digit() -> None:
    assert part_of("f(", None, ")").text == "f(shell_value_1_)"
    assert part_of("'cuda:", None, "'").text == "'cuda:0'"
    assert part_of("1", None).text == "10"
    assert part_of("shell_value_1_ = ", None).text == "shell_value_1_ = _shell_value_1_"


def test_a_message_has_what_the_file_has() -> None:
    part = part_of("f(", None, ")")
    assert part.as_written("call of f(shell_value_1_)", b"0123456789f(${N})") == "call of f(${N})"


def test_an_edit_moves_to_the_file() -> None:
    assert part_of("x.cuda()").edits([(2, 6, "npu")]) == ((12, 16, "npu"),)
    assert part_of("x.cuda()").edits([(8, 8, "\n")]) == ((18, 18, "\n"),)


@pytest.mark.parametrize(
    ("edit", "moved"),
    [
        ((0, 1, "g"), ((10, 11, "g"),)),
        ((17, 18, "2"), ((17, 18, "2"),)),
        ((0, 19, "g(shell_value_1_+1)"), ((10, 11, "g"),)),
        ((0, 19, "g(shell_value_1_, 1)"), ((10, 11, "g"), (16, 17, ", "))),
        ((0, 18, "f(2)"), None),
        ((0, 19, "f(shell_value_1_, shell_value_1_)"), None),
        ((17, 18, "shell_value_1_"), None),
        ((2, 16, "n"), None),
        ((3, 5, ""), None),
    ],
)
def test_no_edit_touches_what_is_unknown(
    edit: tuple[int, int, str], moved: tuple[tuple[int, int, str], ...] | None
) -> None:
    part = part_of("f(", None, "+1)")
    assert part.text == "f(shell_value_1_+1)"
    assert part.edits([edit]) == moved


def test_only_what_changes_is_written_around_a_number() -> None:
    part = part_of("to('cuda:", None, "')")
    assert part.edits([(3, 11, "'npu:0'")]) is not None
    assert part.edits([(4, 10, "npu:0")]) == ((14, 18, "npu"),)
    assert part.edits([(4, 10, "npu")]) is None


def test_an_edit_over_an_escape_is_one_of_all_of_it() -> None:
    pieces = [
        Piece(0, 2, b"f(", Quoting.DOUBLE),
        Piece(2, 4, b'"', Quoting.DOUBLE),
        Piece(4, 8, b"cuda", Quoting.DOUBLE),
        Piece(8, 10, b'"', Quoting.DOUBLE),
        Piece(10, 11, b")", Quoting.DOUBLE),
    ]
    part = Part(pieces)
    assert part.text == 'f("cuda")'
    assert part.edits([(2, 8, '"npu"')]) == ((2, 10, '\\"npu\\"'),)
    assert part.span(2, 8) == (2, 10)
    assert part.span(3, 7) == (4, 8)


def test_lines_get_the_indentation_of_the_file() -> None:
    pieces = [Piece(4, 6, b"a\n"), Piece(6, 10, b"", is_margin=True), Piece(10, 12, b"b\n")]
    part = Part(pieces, margin="    ")
    assert part.text == "a\nb\n"
    assert part.edits([(2, 2, "c\n")]) == ((10, 10, "c\n    "),)
    assert part.edits([(0, 2, "")]) == ((4, 10, ""),)
    assert part.edits([(0, 2, "c\nd\n")]) == ((4, 10, "c\n    d\n    "),)
    assert part.edits([(3, 3, "\n\nd")]) == ((11, 11, "\n\n    d"),)


def test_what_the_file_does_not_allow_is_not_written() -> None:
    part = Part([Piece(0, 4, b"x\ny\n")], forbidden="'")
    assert part.edits([(0, 1, "z")]) == ((0, 1, "z"),)
    assert part.edits([(0, 1, "'")]) is None
    assert part.edits([(0, 1, "z"), (2, 3, "'")]) is None


def test_what_the_file_writes_in_another_way_stays() -> None:
    part = Part([Piece(0, 2, b"f("), Piece(2, 4, b"xx", is_fixed=True), Piece(4, 5, b")")])
    assert part.edits([(2, 4, "y")]) is None
    assert part.edits([(0, 1, "g")]) == ((0, 1, "g"),)


@pytest.mark.parametrize(
    ("quoting", "text", "expected"),
    [
        (Quoting.RAW, "'\"$`\\\n", "'\"$`\\\n"),
        (Quoting.HERE, "'\"$`\\", "'\"\\$\\`\\\\"),
        (Quoting.SINGLE, "a'b$", "a'\\''b$"),
        (Quoting.DOUBLE, "'\"$`\\", "'\\\"\\$\\`\\\\"),
        (Quoting.ANSI, "'\\\"\n", "\\'\\\\\"\\n"),
        (Quoting.BARE, "a b(c)", "a\\ b\\(c\\)"),
        (Quoting.BARE, "a\nb", None),
        (Quoting.LIST, 'a"\nb', 'a\\"\\nb'),
    ],
)
def test_a_text_is_written_as_what_is_around_it_asks(
    quoting: Quoting, text: str, expected: str | None
) -> None:
    assert written(text, quoting) == expected
