"""The code of the methods that attrs writes, compiled when the server is packaged.

For each of the 550 classes of lsprotocol attrs writes the text of some methods and compiles it, at every
start: a third of the time until the server answers. Bytecode files do not hold it. Here a text that was
compiled at packaging is looked up as a whole, so that other versions of any package only lose time.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import CodeType
from typing import Any

MODULES = ("lsprotocol.types",)
"""What is imported to see which texts there are."""


def file_in(libs: Path) -> Path:
    """The file for this Python: bytecode differs between minor versions."""
    return libs / "attrs_code" / f"{sys.implementation.cache_tag}.bin"


def use(libs: Path) -> None:
    """Let attrs find code instead of compiling it. Without the file, or in another attrs, nothing changes."""
    try:
        known: dict[str, CodeType] = marshal.loads(file_in(libs).read_bytes())
    except (OSError, ValueError, EOFError, TypeError):
        return
    _look_up(known)


def make(libs: Path) -> int:
    """Write the file for this Python; the number of its texts."""
    found: dict[str, CodeType] = {}
    _look_up(found)
    for name in MODULES:
        __import__(name)
    file_in(libs).parent.mkdir(exist_ok=True)
    file_in(libs).write_bytes(marshal.dumps(found))
    return len(found)


def _look_up(known: dict[str, CodeType]) -> None:
    """Make attrs look into a dictionary before it compiles, and keep there what it compiles."""
    from attr import _make

    def compile_and_eval(
        script: str,
        globs: dict[str, Any] | None,
        locs: Mapping[str, object] | None = None,
        filename: str = "",
    ) -> None:
        code = known.get(script)
        if code is None:
            code = known[script] = compile(script, filename, "exec")
        eval(code, globs, locs)  # as attrs itself does with what it compiles

    if hasattr(_make, "_compile_and_eval"):
        _make._compile_and_eval = compile_and_eval
