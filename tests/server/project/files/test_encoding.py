"""Bytes of a source file to text and back."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend.project.files.content.encoding import NotTextError, decode, encode

CHINESE = "# 训练脚本\nx = '显存'\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (CHINESE.encode(), "utf-8"),
        (codecs.BOM_UTF8 + CHINESE.encode(), "utf-8"),
        (b"# -*- coding: gbk -*-\n" + CHINESE.encode("gbk"), "gbk"),
        (
            b"#!/usr/bin/env python\n# vim: set fileencoding=gb18030 :\n" + CHINESE.encode("gb18030"),
            "gb18030",
        ),
        (b"# coding: latin-1\nx = '\xe9'\n", "iso8859-1"),
        (b"# coding: utf-8-unix\nx = 1\n", "utf-8"),
        (b"# coding: iso-latin-1-dos\r\nx = '\xe9'\r\n", "iso8859-1"),
        (b"\x0c# coding: cp1252\rx = '\x80'\r", "cp1252"),
    ],
)
def test_text_is_decoded_as_python_would_and_written_back_the_same(data: bytes, encoding: str) -> None:
    source = decode(data)
    assert source.encoding == encoding
    assert not source.text.startswith("\ufeff")
    assert encode(source.text, source, data) == data


@pytest.mark.parametrize("text", ["a\r\nb\r\n", "a\rb\r", "a\nb\r\nc\rd", "a\x0cb\n\x0c\n", "a\tb", "", "\n"])
def test_line_ends_and_the_missing_last_newline_are_kept(text: str) -> None:
    data = text.encode()
    source = decode(data)
    assert source.text == text
    assert encode(source.text, source, data) == data


@given(st.binary(max_size=200))
def test_any_bytes_are_either_refused_or_survive(data: bytes) -> None:
    try:
        source = decode(data)
    except NotTextError:
        return
    assert encode(source.text, source, data) == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"x = '\xff'\n", "project.encoding-bytes"),
        ("x = '显存'\n".encode("gbk"), "project.encoding-bytes"),
        ("x = 1\n".encode("utf-16"), "project.encoding-bytes"),
        (b"# coding: klingon\n", "project.encoding-unknown"),
        (b"# coding: rot13\n", "project.encoding-unknown"),
        (b"# coding: hex\n", "project.encoding-unknown"),
        (b"# coding: punycode\n", "project.encoding-unknown"),
        (b"# coding: IDNA\n", "project.encoding-unknown"),
        (b"# coding: undefined\n", "project.encoding-unknown"),
        (codecs.BOM_UTF8 + b"# coding: gbk\n", "project.encoding-bom"),
    ],
)
def test_what_is_no_text_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(NotTextError) as caught:
        decode(data)
    assert caught.value.message.id == reason


def test_the_offending_byte_is_reported_with_the_mark_counted() -> None:
    with pytest.raises(NotTextError) as caught:
        decode(codecs.BOM_UTF8 + b"ab\xff")
    assert dict(caught.value.message.arguments)["offset"] == "5"


def test_a_declaration_below_the_second_line_or_below_code_is_none() -> None:
    assert decode(b"\n\n# coding: gbk\n").encoding == "utf-8"
    assert decode(b"x = 1\n# coding: gbk\n").encoding == "utf-8"


def test_a_text_that_the_encoding_cannot_hold_is_not_written() -> None:
    data = b"# coding: ascii\nx = 1\n"
    source = decode(data)
    with pytest.raises(NotTextError):
        encode(source.text + "# 显存\n", source, data)


def test_an_encoding_that_writes_the_unchanged_part_by_other_bytes_is_not_written() -> None:
    data = b"# coding: utf-7\nx = '+AGE-'\n"  # UTF-7 may spell the letter a as base64
    source = decode(data)
    assert source.text == "# coding: utf-7\nx = 'a'\n"
    with pytest.raises(NotTextError) as caught:
        encode(source.text + "y = 2\n", source, data)
    assert caught.value.message.id == "project.encoding-write"
