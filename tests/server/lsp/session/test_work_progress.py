"""Work that is shown to the client: it is cancellable where that has an effect, and never goes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.session.work_progress import WorkProgress


class Progress:
    """What the server tells the client."""

    def __init__(self) -> None:
        self.tokens: dict[object, Future[None]] = {}
        self.asked: list[object] = []
        self.said: list[Any] = []

    async def create_async(self, token: object) -> None:
        self.asked.append(token)

    def begin(self, token: object, value: types.WorkDoneProgressBegin) -> None:
        self.tokens[token] = Future()
        self.said.append(value)

    def report(self, token: object, value: types.WorkDoneProgressReport) -> None:
        self.said.append(value)

    def end(self, token: object, value: types.WorkDoneProgressEnd) -> None:
        self.said.append(value)


class Client:
    """A server with a client that can show progress, or cannot."""

    def __init__(self, *, can_show: bool = True) -> None:
        self.progress = Progress()
        window = types.WindowClientCapabilities(work_done_progress=can_show)
        self.server: Any = SimpleNamespace(
            work_done_progress=self.progress, client_capabilities=types.ClientCapabilities(window=window)
        )

    def begin(self, token: object = "t", on_cancel: Callable[[], None] | None = None) -> WorkProgress:
        return asyncio.run(WorkProgress.begin(self.server, token, "Title", on_cancel))


def test_work_can_be_cancelled_where_somebody_waits_for_it() -> None:
    client, called = Client(), []
    client.begin(on_cancel=lambda: called.append(True))
    (begun,) = client.progress.said
    assert begun.cancellable is True and called == []
    client.progress.tokens["t"].cancel()
    assert called == [True]


def test_work_that_ends_by_itself_is_not_cancelled() -> None:
    client, called = Client(), []
    client.begin(on_cancel=lambda: called.append(True))
    client.progress.tokens["t"].set_result(None)
    assert called == []


def test_other_work_cannot_be_cancelled() -> None:
    client = Client()
    client.begin()
    (begun,) = client.progress.said
    assert begun.cancellable is False and begun.percentage == 0
    client.progress.tokens["t"].cancel()


def test_it_never_goes_back_and_not_over_100() -> None:
    client = Client()
    progress = client.begin()
    for percentage in (10, 5, 250):
        progress.report(percentage, "file")
    assert [item.percentage for item in client.progress.said[1:]] == [10, 10, 100]


def test_its_token_is_forgotten_when_it_ends_once() -> None:
    client = Client()
    progress = client.begin()
    progress.end()
    progress.end()
    progress.report(10, "file")
    assert client.progress.tokens == {}
    assert [type(item).__name__ for item in client.progress.said] == [
        "WorkDoneProgressBegin",
        "WorkDoneProgressEnd",
    ]


@pytest.mark.parametrize("token", [None, True, 1.5])
def test_without_a_token_of_the_client_one_is_asked_for(token: object) -> None:
    client = Client()
    client.begin(token)
    (asked,) = client.progress.asked
    assert str(asked).startswith("gpu2ascend/") and list(client.progress.tokens) == [asked]


def test_a_token_of_the_client_is_used() -> None:
    client = Client()
    client.begin(7)
    assert client.progress.asked == [] and list(client.progress.tokens) == [7]


def test_a_client_that_cannot_show_it_is_shown_nothing() -> None:
    client = Client(can_show=False)
    progress = client.begin(None)
    progress.report(10, "file")
    progress.end()
    assert client.progress.said == [] and client.progress.asked == []
    client.begin("its own")
    assert len(client.progress.said) == 1
