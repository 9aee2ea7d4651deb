"""Messages reach a client that reads late; one that never reads ends the server, and not its memory."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import pytest

from gpu2ascend.lsp.startup import writing
from gpu2ascend.lsp.startup.writing import MessageWriter
from tests.lsp.raw_client import Json, RawClient
from tests.sampling import BEYOND_SAMPLE

PATIENCE_SECONDS = 60
MORE_THAN_A_PIPE_HOLDS = 2**21
REQUESTS = 1200


class Pipe:
    """A pipe whose other end is read when the test says so."""

    def __init__(self) -> None:
        reading, writing_end = os.pipe()
        self.reader, self.writer = os.fdopen(reading, "rb"), os.fdopen(writing_end, "wb")

    def close(self) -> None:
        self.reader.close()
        self.writer.raw.close()  # type: ignore[attr-defined]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.close()


@pytest.fixture
def client() -> Iterator[RawClient]:
    raw = RawClient()
    yield raw
    raw.kill()


class Ended:
    """What a writer calls in the place of the end of the process."""

    def __init__(self) -> None:
        self.codes: list[int] = []
        self.came = threading.Event()

    def __call__(self, code: int) -> None:
        self.codes.append(code)
        self.came.set()


def writer_of(
    stream: BinaryIO, end: Callable[[int], object], limit: int, *, is_shut_down: bool = False
) -> MessageWriter:
    return MessageWriter(stream, lambda: is_shut_down, limit, end)


def test_messages_arrive_in_their_order() -> None:
    stream = io.BytesIO()
    writer = writer_of(stream, Ended(), 1000)
    for number in range(100):
        writer.write(b"%d " % number)
    writer.close()
    assert stream.getvalue() == b"".join(b"%d " % number for number in range(100))


def test_who_writes_does_not_wait_for_who_reads(pipe: Pipe) -> None:
    writer = writer_of(pipe.writer, Ended(), 10)
    message = b"x" * MORE_THAN_A_PIPE_HOLDS
    writer.write(message)  # it would wait here for ever
    assert pipe.reader.read(len(message)) == message
    writer.close()


def test_the_end_waits_for_a_client_that_goes_on_reading(pipe: Pipe) -> None:
    writer = writer_of(pipe.writer, Ended(), MORE_THAN_A_PIPE_HOLDS)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.reader.read(MORE_THAN_A_PIPE_HOLDS)))
    writer.write(b"x" * MORE_THAN_A_PIPE_HOLDS)
    reader.start()
    writer.close()
    reader.join(PATIENCE_SECONDS)
    assert len(read[0]) == MORE_THAN_A_PIPE_HOLDS


def test_and_not_for_ever_for_one_that_does_not(
    pipe: Pipe, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writing, "_PATIENCE_SECONDS", 0.05)
    writer = writer_of(pipe.writer, Ended(), 10)
    writer.write(b"x" * MORE_THAN_A_PIPE_HOLDS)
    writer.close()
    assert "does not read" in caplog.text
    pipe.reader.read(MORE_THAN_A_PIPE_HOLDS)


def test_more_than_may_wait_ends_the_server_with_the_reason(
    pipe: Pipe, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = Ended()
    writer = writer_of(pipe.writer, ended, 100)
    with caplog.at_level(logging.ERROR):
        for _ in range(50):
            writer.write(b"x" * MORE_THAN_A_PIPE_HOLDS if not ended.codes else b"x")
    assert ended.codes == [2]
    assert "more than 100 bytes" in caplog.text
    assert "more than 100 bytes" in capsys.readouterr().err
    pipe.reader.close()


def test_one_message_may_be_larger_than_what_may_wait(pipe: Pipe) -> None:
    ended = Ended()
    writer = writer_of(pipe.writer, ended, 100)
    for message in (b"a" * MORE_THAN_A_PIPE_HOLDS, b"b", b"c"):
        writer.write(message)
    assert ended.codes == []
    assert pipe.reader.read(MORE_THAN_A_PIPE_HOLDS + 2).endswith(b"abc")
    writer.close()


@pytest.mark.parametrize(("is_shut_down", "code"), [(False, 1), (True, 0)])
def test_a_client_that_has_left_ends_the_server(pipe: Pipe, is_shut_down: bool, code: int) -> None:
    ended = Ended()
    pipe.reader.close()
    writer = writer_of(pipe.writer, ended, 100, is_shut_down=is_shut_down)
    writer.write(b"x")
    assert ended.came.wait(PATIENCE_SECONDS)
    assert ended.codes == [code]
    writer.close()


def send_without_reading(client: RawClient, *, ends: bool) -> None:
    """Send many requests with long answers, as a client does that writes in the thread that reads."""
    command = {"command": "gpu2ascend.rules", "arguments": [{}]}

    def send() -> None:
        for number in range(REQUESTS):
            client.send({"id": f"r{number}", "method": "workspace/executeCommand", "params": command})
        if ends:
            client.send({"id": "last", "method": "shutdown"})
            client.send({"method": "exit"})

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    thread.join(PATIENCE_SECONDS)
    assert not thread.is_alive(), "the server reads no more"


def answers(client: RawClient, count: int) -> dict[str, Json]:
    """So many answers, in whatever order they come."""
    found: dict[str, Json] = {}
    while len(found) < count:
        message = client.receive()
        if "method" not in message:
            found[message["id"]] = message
    return found


@pytest.mark.slow
def test_a_client_that_sends_before_it_reads_gets_every_answer(client: RawClient) -> None:
    client.initialize()
    send_without_reading(client, ends=False)
    sizes = [len(answer["result"]["rules"]) for answer in answers(client, REQUESTS).values()]
    assert min(sizes) > 100
    assert client.end() == 0


@BEYOND_SAMPLE
@pytest.mark.slow
def test_the_end_of_the_session_comes_after_its_answers(client: RawClient) -> None:
    client.initialize()
    send_without_reading(client, ends=True)
    found = answers(client, REQUESTS + 1)
    assert found.keys() == {"last", *(f"r{number}" for number in range(REQUESTS))}
    assert client.wait() == 0


@pytest.mark.slow
def test_what_is_answered_reaches_a_client_that_has_nothing_more_to_say(tmp_path: Path) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"processId":null}}'
    done = subprocess.run(
        [sys.executable, "-I", "-m", "gpu2ascend", "lsp"],
        input=b"Content-Length: %d\r\n\r\n%b" % (len(body), body),
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        cwd=tmp_path,
    )
    assert b'"capabilities"' in done.stdout
