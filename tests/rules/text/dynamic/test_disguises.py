"""Names and strings that Python reads otherwise are found, and a look at the bytes says where none can be."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.edits.offsets import edited
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.dynamic.disguises import disguises, may_be_disguised
from gpu2ascend_rules.text.source_file import SourceFile


def found(text: str) -> list[str]:
    return [place.plain for place in disguises(SourceFile(text))]


def plainly(text: str) -> str:
    source = SourceFile(text)
    edits = [Edit(*edit) for place in disguises(source) for edit in place.edits]
    return edited(source, edits).text


def meaning(text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.dump(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("x.ｃｕｄａ()", ["cuda"]),
        ("import ｔｏｒｃｈ as ｔ", ["torch"]),
        ("f(ｄevice=1)", ["device"]),
        (r"'c\x75da'", ["cuda"]),
        (r"'\u0063\U00000075\144a'", ["cuda"]),
        (r"'\N{LATIN SMALL LETTER C}uda:\x30'", [r"cuda:\x30"]),
        (r"b'\x6eccl'", ["nccl"]),
        (r"'c\x75' 'da'", ["cuda"]),
        ("'''\n\\x67pu'''", ["\ngpu"]),
    ],
)
def test_is_found(text: str, plain: list[str]) -> None:
    assert may_be_disguised(text.encode())
    assert found(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        *("x.cuda()", "'ｃｕｄａ'", "# ｃｕｄａ", "ℓ = 1", "é.cuda", "'cuda'", r"r'c\x75da'", r"'c\\x75da'"),
        *(r"b'c\u0075da'", r"'\x1b[0m'", r"'\x61'", r"'\N{NO SUCH THING}uda'", r"'c\xf5da'"),
    ],
)
def test_is_none(text: str) -> None:
    assert found(text) == []


PARTS = st.sampled_from(["c", "u", "d", "a", r"\x75", r"\x63", r"\165", r"\1", r"\\", "5", r"\u0064", "é"])
LITERALS = st.tuples(st.sampled_from(["", "r", "b", "f", "rb"]), st.sampled_from(["'", '"""']))


@given(st.lists(PARTS, max_size=12), LITERALS)
def test_what_is_written_plainly_means_the_same_to_python(parts: list[str], literal: tuple[str, str]) -> None:
    prefix, quote = literal
    text = f"x = {prefix}{quote}{''.join(parts)}{quote}\n"
    try:
        before = meaning(text)
    except SyntaxError:
        return
    assert meaning(plainly(text)) == before


def test_a_name_written_plainly_means_the_same_to_python() -> None:
    text = "import ｔｏｒｃｈ\nｔｏｒｃｈ.ｃｕｄａ(ｄevice=1)\n"
    assert meaning(plainly(text)) == meaning(text)
    assert plainly(text).isascii()


@pytest.mark.parametrize(
    "data", [b"x = '\xff'\n", "import torch\n".encode("utf-16"), "# 注释\n".encode("gbk")]
)
def test_bytes_that_are_no_text_are_looked_at_all_the_same(data: bytes) -> None:
    assert not may_be_disguised(data)
