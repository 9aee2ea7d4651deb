"""Requests beside the keys: hover, a long selection, and a key while another document is fixed as a whole."""

from __future__ import annotations

import ast
import json
import random
import re
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from language_server import ANSWER_SECONDS, PUSH, SESSION_LINES, Figure, lines_of, percentile, project, server
from lsp_client import Client

HOVERS = 200
LARGE_BYTES = 250_000
FIXED_LINES = 99_450
SELECTED = 500
KEYS = 20
SMALL = "import torch\nx = torch.zeros(1).cuda()\n"
LOSS = "x = torch.zeros(1).cuda()\n"
ACTIONS: dict[str, Any] = {
    **PUSH,
    "textDocument": {
        **PUSH["textDocument"],
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
            "resolveSupport": {"properties": ["edit"]},
        },
    },
}

_NAME = re.compile(r"\b[A-Za-z_]\w+")


class Published:
    """Waits for the diagnostics of documents."""

    def __init__(self, client: Client) -> None:
        self._arrived = threading.Condition()
        self._versions: dict[str, int] = {}
        client.on_publish = self._on_publish

    def _on_publish(self, when: float, params: Any) -> None:
        with self._arrived:
            self._versions[params["uri"]] = params.get("version", 0)
            self._arrived.notify_all()

    def wait(self, uri: str, version: int) -> None:
        """Return when those of a version, or of a later one, are there.
        Raises RuntimeError: they do not come."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: self._versions.get(uri, -1) >= version, ANSWER_SECONDS):
                raise RuntimeError(f"no diagnostics for {uri}")


def hover(sources: Sequence[Path], scratch: Path) -> Iterator[Figure]:
    """Pointing at names that have been pointed at before, in a usual and in a large file."""
    usual = max((lines_of(path, SESSION_LINES) for path in sources), key=lambda cut: cut.count("\n"))
    large = usual * (1 + LARGE_BYTES // len(usual))
    root = project(scratch, "hover")
    client = Client(server(), scratch / "hover.log")
    try:
        client.initialize(root, PUSH)
        published = Published(client)
        for name, text in (("usual", usual), ("large", large)):
            uri = (root / f"{name}.py").as_uri()
            client.open(uri, text)
            published.wait(uri, 0)
            parse = min(_parse_seconds(text) for _ in range(5))
            places = [_position(text, match.end() - 1) for match in _NAME.finditer(text)]
            chosen = random.Random(1).sample(places, HOVERS)
            for place in chosen:
                _hover(client, uri, place)
            seconds = percentile([_hover(client, uri, place) for place in chosen], 95)
            detail = f"{seconds * 1000:.1f} ms to {parse * 1000:.0f} ms; {len(text) // 1000} kB"
            yield Figure(f"hover, {name} file, warm p95 : ast.parse", seconds / parse, 0.2, detail)
    finally:
        client.close()


def _hover(client: Client, uri: str, place: dict[str, int]) -> float:
    start = time.perf_counter()
    when, _ = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    return when - start


def _position(text: str, at: int) -> dict[str, int]:
    line_start = text.rfind("\n", 0, at) + 1
    return {"line": text.count("\n", 0, at), "character": at - line_start}


def _parse_seconds(text: str) -> float:
    start = time.perf_counter()
    ast.parse(text)
    return time.perf_counter() - start


def beside_a_long_fix(scratch: Path) -> Iterator[Figure]:
    """A key in a file of two lines: alone, and while everything in a long file is being fixed."""
    root = project(scratch, "beside")
    small, long = (root / "small.py").as_uri(), (root / "long.py").as_uri()
    client = Client(server(), scratch / "beside.log")
    try:
        client.initialize(root, ACTIONS)
        published = Published(client)
        client.open(small, SMALL)
        published.wait(small, 0)
        alone = [_key(client, published, small, version) for version in range(1, KEYS + 1)]
        client.open(long, "import torch\n" + "y = 1\n" * (FIXED_LINES - 2_000) + LOSS * 1_999)
        published.wait(long, 0)
        number = client.send_request("codeAction/resolve", _fix_all(long))
        busy = []
        version = KEYS
        while not client.has_answered(number):
            version += 1
            busy.append(_key(client, published, small, version))
        client.answer(number)
    finally:
        client.close()
    one, other = percentile(busy, 95), percentile(alone, 95)
    detail = f"{one * 1000:.0f} ms to {other * 1000:.0f} ms, {len(busy)} keys"
    yield Figure("a key's diagnostics, p95: during a fix of 99,450 lines : alone", one / other, None, detail)


def _key(client: Client, published: Published, uri: str, version: int) -> float:
    start = {"line": 1, "character": 0}
    end = {"line": 1, "character": 1 - version % 2}
    change = {"range": {"start": start, "end": end}, "text": "y" if version % 2 else ""}
    document = {"uri": uri, "version": version}
    began = time.perf_counter()
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
    published.wait(uri, version)
    return time.perf_counter() - began


def _fix_all(uri: str) -> dict[str, Any]:
    data = {"uri": uri, "version": 0, "what": "all"}
    return {"title": "Fix all", "kind": "source.fixAll.gpu2ascend", "data": data}


def selection(scratch: Path) -> Iterator[Figure]:
    """The longest callback of the event loop while the actions of 500 selected findings are asked for."""
    root, seen = project(scratch, "selection"), scratch / "selection.json"
    uri = (root / "many.py").as_uri()
    client = Client(server(watched=seen), scratch / "selection.log")
    try:
        client.initialize(root, ACTIONS)
        published = Published(client)
        client.open(uri, "import torch\n" + LOSS * SELECTED)
        published.wait(uri, 0)
        span = {"start": {"line": 0, "character": 0}, "end": {"line": SELECTED + 1, "character": 0}}
        params = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}}
        for _ in range(5):
            _, actions = client.request("textDocument/codeAction", params)
    finally:
        client.close()
    loop = json.loads(seen.read_text(encoding="ascii"))
    detail = f"{len(actions)} actions; processor time"
    yield Figure("longest callback, 500 findings selected, ms", loop["longest_callback"] * 1000, 20.0, detail)


def figures(long_files: Sequence[Path], scratch: Path) -> Iterator[Figure]:
    """All of these."""
    yield from hover(long_files, scratch)
    yield from beside_a_long_fix(scratch)
    yield from selection(scratch)
