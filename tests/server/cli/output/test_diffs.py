"""A diff for people is text, one for programs the bytes that they apply."""

from __future__ import annotations

import io

import pytest

from gpu2ascend.cli.output.diffs import show_diff
from gpu2ascend.cli.output.terminal import Terminal

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\x1b[2J\n+b\n"
PATCH = b"--- a/x.py\r\n"


class Stream(io.TextIOWrapper):
    """A stream of bytes, on which a person may look."""

    def __init__(self, is_terminal: bool) -> None:
        self.written = io.BytesIO()
        self._is_terminal = is_terminal
        super().__init__(self.written, encoding="utf-8", newline="\n")

    def isatty(self) -> bool:
        return self._is_terminal


def shown(patch: bytes | None, is_terminal: bool = False, **environ: str) -> bytes:
    stream = Stream(is_terminal)
    show_diff(DIFF, patch, Terminal(stream, environ))
    stream.flush()
    return stream.written.getvalue()


def test_a_program_gets_the_bytes() -> None:
    assert shown(PATCH) == PATCH


def test_where_there_are_none_it_gets_the_diff_as_it_is() -> None:
    assert shown(None) == DIFF.encode()
    text = io.StringIO()
    show_diff(DIFF, PATCH, Terminal(text, {}))
    assert text.getvalue() == DIFF, "a stream without bytes"


def test_a_person_gets_colours_and_nothing_that_steers_the_terminal() -> None:
    said = shown(PATCH, is_terminal=True).decode()
    assert "\x1b[32m+b\x1b[0m" in said and "\x1b[1m+++ b/x.py\x1b[0m" in said
    assert "\x1b[2J" not in said and "x1b[2J" in said


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_person_without_colours_gets_plain_text_of_the_diff(environ: dict[str, str]) -> None:
    said = shown(PATCH, is_terminal="TERM" not in environ, **environ)
    assert (said == PATCH) == ("TERM" in environ)
    assert b"\x1b[32m" not in said


def test_colours_that_are_asked_for_go_into_a_pipe_too() -> None:
    assert b"\x1b[32m+b\x1b[0m" in shown(PATCH, FORCE_COLOR="1")
