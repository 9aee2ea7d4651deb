"""``make pictures``: draw what a terminal shows when the sample project is migrated, for the README."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURES = {"en": "terminal.svg", "zh": "terminal.zh-CN.svg"}
"""By language; the documents show the one of their own."""
COLUMNS = 110
_COMMAND = "gpu2ascend migrate -i examples/shapes_classifier -o {} -v 2.8.0"
_ERASED = re.compile(r"[^\n]*\r\x1b\[K")
"""A state of the progress bar that the next one replaces."""
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
"""A font from the network."""


def shown(command: list[str]) -> str:
    """What a terminal shows when a command has ended, with its colours."""
    ours, its = pty.openpty()
    environment = os.environ | {
        "COLUMNS": str(COLUMNS),
        "LINES": "50",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=its, stdout=its, stderr=its)
    os.close(its)
    read = b""
    while chunk := _next(ours):
        read += chunk
    process.wait()
    return _ERASED.sub("", read.decode().replace("\r\n", "\n"))


def _next(terminal: int) -> bytes:
    """More of what a terminal shows; nothing at its end, which Linux reports as an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def picture(output: str) -> str:
    """An SVG of a terminal with the command and what it shows."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text("$ " + _COMMAND.format("out"), style="bold"))
        console.print(Text.from_ansi(output.strip("\n")))
        return _FONT.sub("", console.export_svg(title="gpu2ascend", unique_id="terminal"))


def main() -> int:
    """Write the pictures; returns 1 when the command did not migrate."""
    program = shutil.which("gpu2ascend", path=str(Path(sys.executable).parent)) or "gpu2ascend"
    for language, name in PICTURES.items():
        with tempfile.TemporaryDirectory() as folder:
            arguments = [*_COMMAND.format(folder).split()[1:], "--language", language]
            output = shown([program, *arguments]).replace(folder, "out")
        if "out/shapes_classifier_msft" not in output:
            print(output, file=sys.stderr)
            return 1
        (ROOT / "docs/images" / name).write_text(picture(output), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
