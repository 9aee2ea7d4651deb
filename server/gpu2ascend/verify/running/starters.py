"""The interpreter's programs, for launch scripts that set PYTHONPATH and so lose what takes part."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from ...project.files.discover import is_python_on_disk
from ...texts.shell import shell_word

FOLDER = "bin"
"""Is first on PATH."""
_STARTER = """\
#!/bin/sh
case ":$PYTHONPATH:" in
*:{folder}:*) ;;
*) export PYTHONPATH={folder}"${{PYTHONPATH:+:$PYTHONPATH}}" ;;
esac
exec {programs}/"${{0##*/}}" "$@"
"""
_SCRIPT = """\
#!/bin/sh
exec python -c {code} "$@"
"""


def put_starters(folder: Path, python: Path, scripts: Mapping[str, str]) -> None:
    """Put programs with the names of the interpreter and its scripts into a folder, which they put back on
    Python's path; and those that the project declares, with their code. On Windows there are none."""
    if sys.platform == "win32":
        return
    made = folder / FOLDER
    made.mkdir()
    starter = folder / "starter.sh"
    text = _STARTER.format(folder=shell_word(folder), programs=shell_word(python.parent))
    starter.write_text(text, encoding="utf-8")
    starter.chmod(0o700)
    for entry in os.scandir(python.parent):
        if entry.name.startswith("python") or is_python_on_disk(python.parent, entry.name):
            (made / entry.name).symlink_to(starter)
    for name, code in scripts.items():
        if not (made / name).exists():
            (made / name).write_text(_SCRIPT.format(code=shell_word(code)), encoding="utf-8")
            (made / name).chmod(0o700)
