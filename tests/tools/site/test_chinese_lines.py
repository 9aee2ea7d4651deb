"""A line break in a Chinese page shows as a blank: only where there is one in Chinese text, too."""

from __future__ import annotations

import pytest

from tools.site.chinese_lines import joined, stray_blanks


@pytest.mark.parametrize(
    ("text", "line"),
    {
        "characters": ("及其\n周边文件", "及其周边文件"),
        "punctuation before a word": ("Python，\nNotebook", "Python，Notebook"),
        "a link": ("见[英文页面](a.md)\n的条目", "见[英文页面](a.md)的条目"),
        "emphasis": ("只有\n**您**", "只有**您**"),
        "three lines of an item": ("- 一\n  二\n  三", "- 一二三"),
    }.values(),
)
def test_lines_that_touch_are_joined(text: str, line: str) -> None:
    assert stray_blanks(text)[0] == 1
    assert joined(text) == line and stray_blanks(line) == []


@pytest.mark.parametrize(
    "text",
    ["使用\nNPU", "NPU\n使用", "- 一\n- 二", "一\n\n二", "# 一\n二", "| 一 |\n| 二 |", "```\n一\n二\n```"],
)
def test_other_line_breaks_stay(text: str) -> None:
    assert stray_blanks(text) == [] and joined(text) == text


def test_a_blank_inside_of_a_line_is_found_and_one_in_code_is_not() -> None:
    assert stray_blanks("厂商 工具\n") == [1]
    assert stray_blanks("`厂商 工具`\n") == []
