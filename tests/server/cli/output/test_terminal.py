"""Colours only where a person sees them; columns that are aligned in Chinese too; a bar that goes away."""

from __future__ import annotations

import io

import pytest

from gpu2ascend.cli.output.diffs import coloured_diff
from gpu2ascend.cli.output.progress import ProgressBar
from gpu2ascend.cli.output.terminal import Terminal, display_width, shortened, table


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class TestColours:
    @pytest.mark.parametrize(
        ("stream", "environ", "coloured"),
        [
            (Screen(), {}, True),
            (Screen(), {"NO_COLOR": "1"}, False),
            (Screen(), {"NO_COLOR": ""}, True),
            (Screen(), {"TERM": "dumb"}, False),
            (io.StringIO(), {}, False),
            (io.StringIO(), {"FORCE_COLOR": "1"}, True),
            (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ],
    )
    def test_when(self, stream: io.StringIO, environ: dict[str, str], coloured: bool) -> None:
        terminal = Terminal(stream, environ)
        assert (terminal.style("x", "red") != "x") is coloured

    def test_diff_lines_are_coloured_one_by_one(self) -> None:
        diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\x0cold\r\n+new\r\n same\n"
        shown = coloured_diff(diff, Terminal(Screen(), {}))
        assert "\x1b[31m-old\x0cold\x1b[0m\r\n" in shown
        assert "\x1b[32m+new\x1b[0m\r\n" in shown
        assert shown.endswith("\n same\n")

    def test_piped_diff_stays_byte_for_byte(self) -> None:
        diff = "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n"
        assert coloured_diff(diff, Terminal(io.StringIO(), {})) == diff


class TestColumns:
    @pytest.mark.parametrize(
        ("text", "width"), [("", 0), ("abc", 3), ("文件", 4), ("a文", 3), ("e\u0301", 1)]
    )
    def test_width(self, text: str, width: int) -> None:
        assert display_width(text) == width

    def test_table_is_aligned_by_what_is_seen(self) -> None:
        lines = table([("文件", "12"), ("Edits", "3")], right=frozenset({1}))
        assert lines == ["文件   12", "Edits   3"]

    def test_long_paths_lose_their_start(self) -> None:
        assert shortened("a/very/long/path.py", 10) == "...path.py"
        assert shortened("short.py", 10) == "short.py"
        assert shortened("anything", 0) == ""


class TestProgressBar:
    def test_is_drawn_and_taken_away(self) -> None:
        screen = Screen()
        with ProgressBar(Terminal(screen, {"NO_COLOR": "1"}), "Working") as bar:
            bar.update(1, 4, "a.py")
            bar.update(4, 4, "d.py")
        text = screen.getvalue()
        assert "Working ######------------------ 1/4 a.py" in text
        assert "Working ######################## 4/4 d.py" in text
        assert text.endswith("\r\x1b[K")

    def test_total_may_be_unknown(self) -> None:
        screen = Screen()
        with ProgressBar(Terminal(screen, {"NO_COLOR": "1"}), "Working") as bar:
            bar.update(7, None, "a.py")
        assert "------------------------ 7 a.py" in screen.getvalue()

    def test_what_is_done_meanwhile_is_shown_at_once_and_whole(self) -> None:
        screen = Screen()
        with ProgressBar(Terminal(screen, {"NO_COLOR": "1"}), "Working") as bar:
            bar.update(1, 4, "a.py")
            bar.update(1, 4, "a/very/long/path/" * 9 + "b.py", "Looking up types")
            bar.update(2, 4, "c.py")
        frames = screen.getvalue().split("\r\x1b[K")
        assert [frame.split(" #")[0] for frame in frames if frame] == [
            "Working",
            "Looking up types",
            "Working",
        ]

    def test_piped_there_is_none(self) -> None:
        pipe = io.StringIO()
        with ProgressBar(Terminal(pipe, {}), "Working") as bar:
            bar.update(1, 1, "a.py")
        assert pipe.getvalue() == ""
