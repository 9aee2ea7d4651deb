"""Regular expressions that can take forever are told from those that cannot."""

from __future__ import annotations

import re

import pytest

from gpu2ascend_rules.custom.reading.regex_work import RegexError, is_found, is_too_slow

EXPONENTIAL = [
    r"(a+)+$",
    r"(a|a)*b",
    r"(a|aa)+$",
    r"(a*)*b",
    r"(.*)*x",
    r"^(\w+\s?)*$",
    r"(?:x+x+)+y",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    r"(?=(a+)+b)c",
    r"(a?){30}a{30}",
    r"(a{1,50}){1,50}$",
    r"^(a*b*)*$",
    r"((?i:a)|A)*b",
    r"([aé]|é+)*b",
]
POLYNOMIAL = [
    r"^.a*a*a*c$",
    r"^a*a*a*$",
    r"a*a*a*a*a*b",
    r".*.*.*.*x",
    r"\w+\d+\w+x",
    r"^\w+\d+\w+$",
    "a?" * 30 + "a" * 30,
]
UNBOUNDED = [r"(['\"]).*\1"]
HARMLESS = [
    r"rank",
    r"^None$",
    r"(\w+\.)*\w+",
    r"^.*foo.*bar$",
    r".*foo.*bar",
    r"\d+(,\d+)*",
    r"npu|cuda:\d+",
    r"(?i)^CUDA$",
    r"[^,]*,[^,]*,[^,]*,[^,]*",
    r"(a{1,50}){1,50}",
    r"^\s*\w+\s*=\s*\w+\s*$",
    r"torch\.device\(['\"]\w+(:\d+)?['\"]\)",
    r"",
]


@pytest.mark.parametrize("pattern", [*EXPONENTIAL, *POLYNOMIAL, *UNBOUNDED])
def test_a_slow_expression_is_refused(pattern: str) -> None:
    assert is_too_slow(pattern)


@pytest.mark.parametrize("pattern", HARMLESS)
def test_a_harmless_expression_is_taken(pattern: str) -> None:
    assert not is_too_slow(pattern)


@pytest.mark.parametrize("pattern", ["(", "[", "*a", "(?P<x>a)(?P<x>b)", r"\8", "(" * 5000])
def test_an_invalid_expression_is_told(pattern: str) -> None:
    with pytest.raises(RegexError):
        is_too_slow(pattern)


@pytest.mark.parametrize(
    "pattern", [r".*foo", r".*?foo", r".*foo$", r"(?m)^foo", r".*a|b", r"(?s).*foo", r".+foo"]
)
@pytest.mark.parametrize("text", ["foo", "a\nfoo", "a foo\n", "b", "", "fo\no", "x\r\nfoo"])
def test_a_search_finds_what_python_finds(pattern: str, text: str) -> None:
    assert is_found(pattern, text) is (re.search(pattern, text) is not None)
