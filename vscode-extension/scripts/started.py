"""Prints the modules of `bundled/libs` that a start imports: ``python scripts/started.py``.

A start ends when the server has published the problems of one file of the sample project. The bundle must be
one that runs on this machine and this Python.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import IO

EXTENSION = Path(__file__).resolve().parent.parent
LIBS = EXTENSION / "bundled" / "libs"
SAMPLE = EXTENSION.parent / "examples" / "shapes_classifier"
OPENED = SAMPLE / "train.py"

SERVER = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from gpu2ascend.__main__ import main
try:
    main(["lsp"])
finally:
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    print(*filter(None, files), sep="\\n", file=sys.stderr)
"""


def main() -> None:
    """Print their paths below the folder, sorted, as JSON."""
    print(json.dumps(sorted(path.relative_to(LIBS).as_posix() for path in imported(LIBS)), indent=4))


def imported(libs: Path) -> set[Path]:
    """The files of Python modules in a folder that has the server and what it needs.

    Raises:
        SystemExit: the server ended before it published problems.
    """
    command = (sys.executable, "-I", "-B", "-c", SERVER, str(libs))
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin is not None and server.stdout is not None
        begin(server.stdin)
        while b'"textDocument/publishDiagnostics"' not in read(server.stdout):
            pass
        write(server.stdin, "shutdown", 2)
        write(server.stdin, "exit")
        _, said = server.communicate(timeout=60)
    paths = map(Path, said.decode().splitlines())
    return {path for path in paths if path.suffix == ".py" and libs in path.parents}


def begin(server: IO[bytes]) -> None:
    """Say what an editor says that opens a file of the sample."""
    folder = {"uri": SAMPLE.as_uri(), "name": SAMPLE.name}
    write(server, "initialize", 1, processId=None, rootUri=None, capabilities={}, workspaceFolders=[folder])
    write(server, "initialized")
    text = OPENED.read_text(encoding="utf-8")
    document = {"uri": OPENED.as_uri(), "languageId": "python", "version": 1, "text": text}
    write(server, "textDocument/didOpen", textDocument=document)


def write(server: IO[bytes], method: str, number: int | None = None, **params: object) -> None:
    """Send a request, or a notification if it has no number."""
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    body = json.dumps(message).encode()
    server.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    server.flush()


def read(server: IO[bytes]) -> bytes:
    """The body of the next message."""
    length = None
    while line := server.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if length is None:
        raise SystemExit("the server ended before it published the problems of the sample")
    return server.read(length)


if __name__ == "__main__":
    main()
