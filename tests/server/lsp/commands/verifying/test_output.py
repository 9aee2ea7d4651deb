"""What a run prints reaches the client in lines together, and never more than it can take."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from gpu2ascend.lsp.commands.verifying import command as module
from gpu2ascend.lsp.commands.verifying.command import OUTPUT, Output


class Client:
    """Notes what it is sent."""

    def __init__(self) -> None:
        self.sent: list[list[str]] = []
        self.protocol = SimpleNamespace(notify=self.notify)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        assert (method, params["token"]) == (OUTPUT, "token")
        self.sent.append(params["lines"])


async def sent(*batches: list[str]) -> list[list[str]]:
    """What the client gets of lines, of which some come while it waits for none."""
    client: Any = Client()
    output = Output(client, "token", "en")
    for batch in batches:
        for line in batch:
            output.line(line)
        await asyncio.sleep(0.005)
    output.flush()
    return list(client.sent)


async def test_lines_that_come_together_are_sent_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOGETHER", 60.0)
    assert await sent(["a", "b"], ["c"]) == [["a", "b", "c"]]
    assert await sent([]) == []


async def test_what_comes_later_is_sent_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TOGETHER", 0.0)
    assert await sent(["a", "b"], ["c"]) == [["a", "b"], ["c"]]


async def test_a_line_acts_on_no_terminal_and_is_not_endless() -> None:
    ((escape, long, longer),) = await sent(["\x1b[2Ja", "x" * 10_000, "x" * 10_001])
    assert "\x1b" not in escape and escape.endswith("a")
    assert long == longer == "x" * 10_000


@pytest.mark.parametrize(("count", "left_out"), [(2_000, 0), (2_001, 1), (2_010, 10)])
async def test_of_very_many_lines_the_first_are_sent_and_the_others_counted(
    monkeypatch: pytest.MonkeyPatch, count: int, left_out: int
) -> None:
    monkeypatch.setattr(module, "_TOGETHER", 60.0)
    ((*lines, last),) = await sent([str(number) for number in range(count)])
    if left_out:
        assert lines == [str(number) for number in range(2_000)]
        assert str(left_out) in last
    else:
        assert [*lines, last] == [str(number) for number in range(2_000)]
