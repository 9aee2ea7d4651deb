"""The file by which a user makes a trace on a GPU or an NPU. It is made of the code that ``verify`` runs."""

from __future__ import annotations

import ast
from importlib.resources import files

from ... import __version__

_PACKAGE = "gpu2ascend_simulator"
_PARTS = ("tensors.py", "standalone.py")
"""The last one begins the file with its docstring, and is what runs."""


def recording_file() -> str:
    """The text of the file; nothing of it is run here."""
    sources = [
        (files(_PACKAGE) / "tracing" / name).read_text(encoding="utf-8").replace("\r\n", "\n")
        for name in _PARTS
    ]
    head = ast.get_docstring(ast.parse(sources[-1]), clean=False)
    bodies = "\n\n".join(_body(source).strip("\n") for source in sources)
    return f'"""{head}"""\n\n# gpu2ascend {__version__}\n\nfrom __future__ import annotations\n\n{bodies}\n'


def _body(source: str) -> str:
    """A module without its docstring and the imports that another place or another part has."""
    first, *rest = ast.parse(source).body
    left_out = set(range(first.lineno, (first.end_lineno or 0) + 1))
    for node in rest:
        if isinstance(node, ast.ImportFrom) and (node.level or node.module == "__future__"):
            left_out |= set(range(node.lineno, (node.end_lineno or 0) + 1))
    lines = source.splitlines(keepends=True)
    return "".join(line for number, line in enumerate(lines, 1) if number not in left_out)
