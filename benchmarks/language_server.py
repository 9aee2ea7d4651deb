"""The language server's figures: a recorded session, many open files, a large workspace, the start."""

from __future__ import annotations

import ast
import itertools
import json
import re
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from editing_session import PAUSE_SECONDS, Step, key_repeat, session
from lsp_client import Client

VERSION = "2.8.0"
HERE = Path(__file__).resolve().parent
TRAIN = HERE.parent / "examples" / "shapes_classifier" / "train.py"
SESSION_LINES = 2_000
OPEN_FILES = 50
OPEN_LINES = 1_000
WORKSPACE_FILES = 2_000
ANSWER_SECONDS = 120.0
"""Seconds after which an answer that is still out is not waited for."""

_DEFINITION = re.compile(r"(?:def|class) |@")

PUSH: dict[str, Any] = {
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": True},
    },
    "workspace": {"configuration": False, "workspaceFolders": True},
}
PULL: dict[str, Any] = {
    **PUSH,
    "textDocument": {**PUSH["textDocument"], "diagnostic": {"dynamicRegistration": False}},
    "workspace": {**PUSH["workspace"], "diagnostics": {"refreshSupport": False}},
}


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    value: float
    budget: float | None
    detail: str


class Latencies(NamedTuple):
    """How long changes waited for their diagnostics, in seconds, and what ``ast.parse`` takes meanwhile."""

    by_kind: dict[str, list[float]]
    parse: float

    @property
    def all(self) -> list[float]:
        """Those of every kind of step."""
        return [value for values in self.by_kind.values() for value in values]


def percentile(values: Sequence[float], percent: int) -> float:
    """The value that so many percent do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, -(-len(ordered) * percent // 100) - 1)]


def lines_of(path: Path, count: int) -> str:
    """About so many first lines of a file, cut where a statement of the module begins."""
    lines = path.read_text(encoding="utf-8").split("\n")
    while count and (count >= len(lines) or lines[count - 1] or not _DEFINITION.match(lines[count])):
        count -= 1
    return "\n".join(lines[:count]) + "\n"


class Recorder:
    """Sends a session at its own pace and notes when each change was answered."""

    def __init__(self, client: Client, uri: str) -> None:
        self._client, self._uri = client, uri
        self._sent: dict[int, tuple[float, str]] = {}
        self._answered = threading.Condition()
        self._by_kind: dict[str, list[float]] = {}
        client.on_publish = self._published

    def play(self, steps: Iterator[Step]) -> Latencies:
        """Every step; a change that a later one overtook counts until the later one's diagnostics."""
        parse: list[float] = []
        for version, step in enumerate(steps, 1):
            due = time.perf_counter() + step.pause
            self._send(version, step)
            if step.pause >= PAUSE_SECONDS:
                self._wait()
                parse.append(_parse_seconds(step.text))
            time.sleep(max(0.0, due - time.perf_counter()))
        self._wait()
        parse.append(_parse_seconds(step.text))
        return Latencies(self._by_kind, statistics.median(parse))

    def _send(self, version: int, step: Step) -> None:
        params = {"textDocument": {"uri": self._uri, "version": version}, "contentChanges": step.changes}
        with self._answered:
            self._sent[version] = (time.perf_counter(), step.kind)
        self._client.notify("textDocument/didChange", params)

    def _published(self, when: float, params: Any) -> None:
        version = params.get("version")
        if params["uri"] != self._uri or version is None:
            return
        with self._answered:
            for earlier in [number for number in self._sent if number <= version]:
                sent, kind = self._sent.pop(earlier)
                self._by_kind.setdefault(kind, []).append(when - sent)
            self._answered.notify_all()

    def _wait(self) -> None:
        with self._answered:
            if not self._answered.wait_for(lambda: not self._sent, ANSWER_SECONDS):
                raise RuntimeError(f"no diagnostics for {len(self._sent)} changes")


def _parse_seconds(text: str) -> float:
    start = time.perf_counter()
    ast.parse(text)
    return time.perf_counter() - start


def project(scratch: Path, name: str) -> Path:
    """A workspace that settles the version, as users' do."""
    root = scratch / name
    root.mkdir()
    (root / "pyproject.toml").write_text(f'[tool.gpu2ascend]\nversion = "{VERSION}"\n', encoding="utf-8")
    return root


def server(*, watched: Path | None = None) -> list[str]:
    """The command that starts the server."""
    if watched is not None:
        return [sys.executable, str(HERE / "watched_server.py"), str(watched)]
    return [str(Path(sys.executable).with_name("gpu2ascend")), "lsp"]


def editing(sources: Sequence[Path], scratch: Path) -> Iterator[Figure]:
    """The session on a real file of about the length, watched and not: watching costs a little."""
    train = TRAIN.read_text(encoding="utf-8")
    body = SESSION_LINES - train.count("\n")
    text = max((lines_of(path, body) for path in sources), key=lambda cut: cut.count("\n")) + train
    root, pasted = project(scratch, "session"), lines_of(TRAIN, 70)
    latencies = _played(root, text, session(text, pasted), server(), scratch)
    parse, lines = latencies.parse, text.count("\n")
    everything = latencies.all
    for percent, budget in ((50, None), (95, 5.0), (100, None)):
        seconds = percentile(everything, percent)
        label = "max" if percent == 100 else f"p{percent}"
        detail = f"{seconds * 1000:.0f} ms to {parse * 1000:.0f} ms; {len(everything)} changes, {lines} lines"
        yield Figure(f"didChange → diagnostics, {label} : ast.parse", seconds / parse, budget, detail)
    for kind, values in latencies.by_kind.items():
        detail = f"max {max(values) / parse:.3g}; {len(values)} changes"
        yield Figure(f"  {kind}, p95 : ast.parse", percentile(values, 95) / parse, None, detail)
    repeated = _played(root, text, key_repeat(text), server(), scratch)
    seconds = percentile(repeated.all, 95)
    detail = f"{seconds * 1000:.0f} ms to {repeated.parse * 1000:.0f} ms; {len(repeated.all)} changes"
    yield Figure("25 keys a second, p95 : ast.parse", seconds / repeated.parse, None, detail)
    seen = scratch / "loop.json"
    _played(root, text, session(text, pasted), server(watched=seen), scratch)
    loop = json.loads(seen.read_text(encoding="ascii"))
    late = percentile(loop["late"], 95) * 1000
    detail = f"processor time; a timer woke 95 times in 100 at most {late:.0f} ms late by the clock"
    yield Figure("longest callback of the event loop, ms", loop["longest_callback"] * 1000, 20.0, detail)


def _played(root: Path, text: str, steps: Iterator[Step], command: Sequence[str], scratch: Path) -> Latencies:
    path = root / "train.py"
    path.write_text(text, encoding="utf-8")
    client = Client(command, scratch / "session.log")
    try:
        client.initialize(root, PUSH)
        recorder = Recorder(client, path.as_uri())
        published = threading.Event()
        on_publish, client.on_publish = client.on_publish, lambda *_: published.set()
        client.open(path.as_uri(), text)
        if not published.wait(ANSWER_SECONDS):
            raise RuntimeError("no diagnostics for an opened file")
        client.on_publish = on_publish
        return recorder.play(steps)
    finally:
        client.close()


def open_files(sources: Sequence[Path], scratch: Path) -> Iterator[Figure]:
    """Resident memory with many files open and their diagnostics published."""
    root = project(scratch, "open")
    client = Client(server(), scratch / "open.log")
    missing: set[str] = set()
    answered = threading.Condition()

    def on_publish(when: float, params: Any) -> None:
        with answered:
            missing.discard(params["uri"])
            answered.notify_all()

    client.on_publish = on_publish
    try:
        client.initialize(root, PUSH)
        texts = [
            lines_of(path, OPEN_LINES) for path in itertools.islice(itertools.cycle(sources), OPEN_FILES)
        ]
        uris = [(root / f"file_{number}.py").as_uri() for number in range(OPEN_FILES)]
        missing.update(uris)
        for uri, text in zip(uris, texts, strict=True):
            client.open(uri, text)
        with answered:
            if not answered.wait_for(lambda: not missing, ANSWER_SECONDS):
                raise RuntimeError(f"no diagnostics for {len(missing)} open files")
        lines = sum(text.count("\n") for text in texts)
        detail = f"{OPEN_FILES} files, {lines} lines; worker processes apart"
        yield Figure("memory with 50 open files, MiB", client.resident_kib() / 1024, 150.0, detail)
    finally:
        client.close()


def large_workspace(sources: Sequence[Path], scratch: Path) -> Iterator[Figure]:
    """Diagnostics of a typed-in file, alone and while those of a large workspace are asked for."""
    root = project(scratch, "large")
    for number, path in enumerate(itertools.islice(itertools.cycle(sources), WORKSPACE_FILES)):
        folder = root / f"part_{number // 50}"
        folder.mkdir(exist_ok=True)
        (folder / f"file_{number}.py").write_bytes(path.read_bytes())
    path = root / "train.py"
    text = lines_of(max(sources, key=lambda item: item.stat().st_size), OPEN_LINES)
    path.write_text(text, encoding="utf-8")
    client = Client(server(), scratch / "large.log")
    try:
        client.initialize(root, PULL)
        client.open(path.as_uri(), text)
        puller = Puller(client, path.as_uri(), text)
        puller.type_until(lambda: False, 20)  # the first answers wait for modules to be imported
        alone = puller.type_until(lambda: False, 60)
        start = time.perf_counter()
        number = client.send_request("workspace/diagnostic", {"previousResultIds": []})
        busy = puller.type_until(lambda: client.has_answered(number), 2000)
        finished, report = client.answer(number)
    finally:
        client.close()
    slower = percentile(busy, 95) / percentile(alone, 95)
    detail = (
        f"{percentile(busy, 95) * 1000:.0f} ms to {percentile(alone, 95) * 1000:.0f} ms, {len(busy)} keys; "
        f"{len(report['items'])} files in {finished - start:.1f} s"
    )
    yield Figure("a key's diagnostics, p95: during workspace/diagnostic : alone", slower, None, detail)


class Puller:
    """Types into a file and asks for its diagnostics after every key."""

    def __init__(self, client: Client, uri: str, text: str) -> None:
        self._client, self._uri = client, uri
        self._line = text.count("\n") // 2
        self._version = 0

    def type_until(self, done: Any, most: int) -> list[float]:
        """Keys until something is done, at most so many: the seconds from each to its diagnostics."""
        seconds: list[float] = []
        while len(seconds) < most and not done():
            self._version += 1
            place = {"line": self._line, "character": 0}
            change = {"range": {"start": place, "end": place}, "text": "\n"}
            document = {"uri": self._uri, "version": self._version}
            start = time.perf_counter()
            self._client.notify(
                "textDocument/didChange", {"textDocument": document, "contentChanges": [change]}
            )
            when, _ = self._client.request("textDocument/diagnostic", {"textDocument": {"uri": self._uri}})
            seconds.append(when - start)
            time.sleep(max(0.0, 0.04 - seconds[-1]))
        return seconds


def start_up(scratch: Path, rounds: int) -> Iterator[Figure]:
    """From starting the process to the answer to ``initialize``, beside a server that does nothing."""
    root, log = project(scratch, "start"), scratch / "start.log"
    nothing = [sys.executable, str(HERE / "bare_server.py")]
    pairs = [(_started(server(), root, log), _started(nothing, root, log)) for _ in range(rounds + 1)]
    one, other = (statistics.median(series) for series in zip(*pairs[1:], strict=True))
    detail = f"{one * 1000:.0f} ms to {other * 1000:.0f} ms"
    yield Figure("process start → initialize : bare pygls server", one / other, 1.4, detail)


def _started(command: Sequence[str], root: Path, log: Path) -> float:
    client = Client(command, log)
    try:
        return client.initialize(root, PUSH) - client.started
    finally:
        client.close()


def figures(torch_files: Sequence[Path], scratch: Path, rounds: int) -> Iterator[Figure]:
    """Every figure of the language server."""
    by_size = sorted(torch_files, key=lambda path: path.stat().st_size)
    long_files = [path for path in by_size if path.read_text("utf-8").count("\n") >= OPEN_LINES]
    yield from start_up(scratch, rounds * 2)
    yield from editing(long_files, scratch)
    yield from open_files(long_files, scratch)
    yield from large_workspace(by_size, scratch)
