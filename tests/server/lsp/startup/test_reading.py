"""Messages are read off a stream as the base protocol has them; what is none ends the session."""

from __future__ import annotations

import io

import pytest

from gpu2ascend.lsp.startup.reading import HeaderError, MessageReader

HEADERS = {
    "only the length": b"Content-Length: 2\r\n\r\n",
    "a type before it": b"Content-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
    "a type after it": b"Content-Length: 2\r\nContent-Type: application/json\r\n\r\n",
    "other case": b"content-length:2\r\n\r\n",
    "bare line ends": b"Content-Length: 2\n\n",
}
MALFORMED = {
    "no length": b"Content-Type: text/plain\r\n\r\n{}",
    "no field": b"hello\r\n\r\n{}",
    "no number": b"Content-Length: two\r\n\r\n{}",
    "negative": b"Content-Length: -2\r\n\r\n{}",
    "beyond all memory": b"Content-Length: 99999999999999\r\n\r\n{}",
    "endless line": b"Content-Length: 2" + b" " * 10_000 + b"\r\n\r\n{}",
    "body without header": b'{"jsonrpc": "2.0"}\r\n',
}


async def bodies(data: bytes, count: int) -> list[bytes | None]:
    reader = MessageReader(io.BytesIO(data))
    return [await reader.body() for _ in range(count)]


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
async def test_a_message_is_read_and_so_is_the_next(header: bytes) -> None:
    assert await bodies(header + b"{}" + header + b"[]", 3) == [b"{}", b"[]", None]


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
async def test_what_is_no_header_is_an_error(data: bytes) -> None:
    with pytest.raises(HeaderError):
        await bodies(data, 1)


@pytest.mark.parametrize("data", [b"", b"Content-Le", b"Content-Length: 5\r\n\r\n{}"], ids=repr)
async def test_a_client_that_leaves_in_the_middle_has_left(data: bytes) -> None:
    assert await bodies(data, 1) == [None]
