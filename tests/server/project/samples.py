"""Small projects for the tests of the project layer, and what the tests ask of a directory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from gpu2ascend.project.manifest.marker import LIST_NAME, MARKER_NAME
from gpu2ascend_rules.options.options import MigrationOptions, options_from

OPTIONS: MigrationOptions = options_from({"version": "2.8.0"})

CUDA = "import torch\n\ntorch.cuda.empty_cache()\n"
MIGRATED = "import torch\nimport torch_npu\n\ntorch_npu.npu.empty_cache()\n"
"""What becomes of :data:`CUDA`."""
STUCK = "import torch\n\ntorch.cuda.comm.broadcast(x, [0, 1])\n"
"""An error without a fix."""
PLAIN = "def add(a, b):\n    return a + b\n"
"""Nothing to do."""

Files = Mapping[str, str | bytes]


def make_tree(root: Path, files: Files) -> Path:
    """A directory with these files, text as UTF-8 and byte for byte."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def names(directory: Path) -> list[str]:
    """The names in a directory, hidden ones too."""
    return sorted(path.name for path in directory.iterdir())


def tree(root: Path) -> dict[str, bytes]:
    """Every regular file below a directory with its content."""
    found = {}
    for directory, _, names in os.walk(root):
        for name in names:
            path = Path(directory, name)
            if path.is_file() and not path.is_symlink():
                found[path.relative_to(root).as_posix()] = path.read_bytes()
    return found


def but_for_times(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a migrated project without the log, and without what follows from its content."""
    kept = {name: data for name, data in files.items() if not name.endswith(".txt")}
    for name, data in kept.items():
        lines = data.splitlines(keepends=True)
        if name.endswith(LIST_NAME):
            kept[name] = b"".join(line for line in lines if not line.endswith(b'.txt"]\n'))
        if name.endswith(MARKER_NAME):
            kept[name] = b"".join(line for line in lines if b'"list"' not in line)
    return kept


def permissions_are_ignored() -> bool:
    """Whether this process, like root's, may do what the permissions of a file forbid."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o500)
        try:
            Path(name, "probe").touch()
        except PermissionError:
            return False
        return True
