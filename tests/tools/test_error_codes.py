"""The numbers and words of CANN's runtime become the codes that its sources give them."""

from __future__ import annotations

from tools.error_codes import reasons

NUMBERS = "constexpr int RT_ERROR_A = 0x07010006;\nconstexpr int RT_ERROR_B = 0x0702000B;\n"
MAP = """
map[RT_ERROR_A] = {ACL_ERROR_RT_DEV_SETUP_ERROR, "first words. More of them"};
map[RT_ERROR_B] = {
    ACL_ERROR_RT_INTERNAL_ERROR, "says nothing"};
map[RT_ERROR_NONE] = {ACL_RT_SUCCESS, "SUCCESS"};
"""


def test_a_number_becomes_its_code_and_words_where_the_code_says_something() -> None:
    assert reasons([MAP, NUMBERS]) == {"7010006": "ACL_ERROR_RT_DEV_SETUP_ERROR\tfirst words"}
