"""The bytes of files that are made up: images, sounds, lines, tables, annotations."""

from __future__ import annotations

import io
import math
import random
import struct
import wave
import zlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from ..targets import TARGETS
from .arrays import SAMPLES, Array, Assumed
from .callers import Caller
from .written import columns_for, lines_for, rate_of

SIDE = 512
"""Height and width of an image: enough for what is usually cut out of one."""
COUNT = 128
"""Files of a folder, and lines of a text."""
_BLOCK = 8
_SECONDS = 3
_DATE = "date"
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FORMATS = {1: 0, 3: 2}
"""The type of colour that PNG has for a number of channels."""


@cache
def image(number: int) -> bytes:
    """A PNG of colours, always the same one for a number."""
    drawn = random.Random(number)
    blocks = SIDE // _BLOCK
    rows = (
        b"".join(bytes(drawn.randrange(256) for _ in range(3)) * _BLOCK for _ in range(blocks))
        for _ in range(blocks)
    )
    return _png([row for row in rows for _ in range(_BLOCK)], 3)


def mask(number: int) -> bytes:
    """A PNG of two classes: the first one around a square of the other."""
    start = SIDE // 8 + SIDE // 16 * (number % 4)
    outside = bytes(SIDE)
    inside = bytes(start) + bytes([1]) * (SIDE // 4) + bytes(SIDE - start - SIDE // 4)
    return _png([inside if SIDE // 4 <= line < SIDE // 2 else outside for line in range(SIDE)], 1)


def _png(rows: Iterable[bytes], channels: int) -> bytes:
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, _FORMATS[channels], 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 1)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def sound(number: int, rate: int) -> bytes:
    """A WAV of one tone, in one channel."""
    step = 2 * math.pi * (220 + 20 * (number % 16)) / rate
    values = (int(8000 * math.sin(step * at)) for at in range(_SECONDS * rate))
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(struct.pack(f"<{_SECONDS * rate}h", *values))
    return written.getvalue()


def annotation(number: int) -> bytes:
    """An XML with one object, in the form of Pascal VOC."""
    content: Mapping[str, Any] = TARGETS["annotation"](number, (SIDE, SIDE), 0, {})
    return _element("annotation", content["annotation"]).encode()


def _element(name: str, content: Any) -> str:
    if isinstance(content, list):
        return "".join(_element(name, one) for one in content)
    inside = "".join(_element(*pair) for pair in content.items()) if isinstance(content, dict) else content
    return f"<{name}>{inside}</{name}>"


def lines(caller: Caller) -> bytes:
    """Numbers, which are names of samples as well; two classes in the columns behind."""
    taken = lines_for(caller)
    rows = ([f"{number:05}", *[str(number % 2)] * (taken.columns - 1)] for number in range(COUNT))
    return "".join(f"{taken.separator.join(row)}\n" for row in rows).encode()


def tabled(number: int, caller: Caller, assumed: Assumed, root: str) -> tuple[bytes, str]:
    """The bytes of a table and what is in it, for people."""
    site = assumed.site(caller.where(root))
    is_whole = "int" in str(caller.given.get("dtype"))
    made = assumed.table(site, columns_shown(caller), is_whole)
    assumed.save(site)
    return table(number, caller, made), f"{made.shown} {'integers' if is_whole else 'random numbers'}"


def table(number: int, caller: Caller, array: Array) -> bytes:
    """Rows of numbers; for a data frame with the columns that the code names."""
    given = caller.given
    separators = (given[name] for name in ("sep", "delimiter") if isinstance(given.get(name), str))
    separator = next(separators, "," if "header" in given else " ")
    if given.get("header", "") not in ("infer", 0) or isinstance(given.get("names"), list | tuple):
        return _rows(separator, array, number)
    named = columns_for(caller)
    others = [name for name in named if name != _DATE]
    columns = [*map(str, range(array.sizes[1] - len(others))), *others]
    is_dated = _DATE in named or bool(given.get("parse_dates"))
    head = separator.join([_DATE, *columns] if is_dated else columns)
    return f"{head}\n".encode() + _rows(separator, array, number, is_dated=is_dated)


def columns_shown(caller: Caller) -> int | None:
    """How many columns a table has by the arguments of its reader; None where they do not say it."""
    chosen, used = caller.given.get("names"), caller.given.get("usecols")
    places = used if isinstance(used, list | tuple) else (used,)
    last = max((place for place in places if isinstance(place, int)), default=-1)
    return max(len(chosen) if isinstance(chosen, list | tuple) else 0, last + 1) or None


def _rows(separator: str, array: Array, number: int, is_dated: bool = False) -> bytes:
    drawn = random.Random(number)
    count, columns = array.sizes

    def draw() -> str:
        return str(drawn.randrange(SAMPLES)) if array.is_whole else f"{drawn.gauss(0, 1):.4f}"

    rows = ([*([_date(row)] if is_dated else []), *(draw() for _ in range(columns))] for row in range(count))
    return "".join(f"{separator.join(row)}\n" for row in rows).encode()


def _date(row: int) -> str:
    day, minutes = divmod(row, 1440)
    return f"2016-07-{1 + day:02} {minutes // 60:02}:{minutes % 60:02}:00"


def content_of(kind: str, number: int, caller: Caller, root: str) -> bytes:
    """The bytes of a file of a kind."""
    makers: Mapping[str, Callable[[], bytes]] = {
        "image": lambda: image(number % 8),
        "mask": lambda: mask(number),
        "sound": lambda: sound(number, rate_of(root)),
        "annotation": lambda: annotation(number),
        "lines": lambda: lines(caller),
    }
    return makers[kind]()
