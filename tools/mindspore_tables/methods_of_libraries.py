"""``python -m tools.mindspore_tables.methods_of_libraries``: which libraries have methods of tensors.

Imports the libraries of ``sources/libraries.txt`` and the modules of the standard library, looks at their
public classes, and writes ``methods_of_libraries.tsv``. The libraries must be installed; each is looked at in
a process of its own. What cannot be imported keeps the row that the table has.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from gpu2ascend_mindspore.data import load_tsv
from gpu2ascend_rules.inference.tensor_like import OF_ARRAYS, ONLY_OF_TENSORS

TABLE = Path(__file__).parents[2] / "rules" / "gpu2ascend_mindspore" / "data" / "methods_of_libraries.tsv"
SOURCE = Path(__file__).parent / "sources" / "libraries.txt"
_MARK = "\nmethods: "
"""What the answer of a process begins with, behind what libraries print."""
_HEAD = """\
# Methods of tensors that the objects of libraries and of Python's own modules have as well: made by
# tools/mindspore_tables/methods_of_libraries.py. A module of Python's own that is not listed has none.
library\tmethods
"""
_NOT_LOOKED_AT = re.compile(
    r"(?:^|\.)(?:_\w*|tests?|testing|conftest|examples?|setup|benchmarks?|backends|idlelib|turtle\w*|tkinter"
    r"|antigravity|this)(?:\.|$)"
)
"""Private modules, and those of which no training program holds an object (tests, windows)."""
_ONLY_OF_TENSORS = ONLY_OF_TENSORS | {"t"}


def main() -> int:
    """Write the table; 1 if a library cannot be imported."""
    known = {row["library"]: row["methods"] for row in load_tsv(TABLE.stem)}
    missing = []
    for root in SOURCE.read_text(encoding="utf-8").split():
        found = _looked_at(root)
        if found is None:
            missing.append(root)
        else:
            known[root] = " ".join(found)
    for root in sorted(sys.stdlib_module_names):
        found = _looked_at(root) if not _NOT_LOOKED_AT.search(root) else None
        if found:
            known[root] = " ".join(found)
    TABLE.write_text(_HEAD + "".join(f"{root}\t{known[root]}\n" for root in sorted(known)), encoding="utf-8")
    print(f"{len(known)} libraries; not imported: {' '.join(missing) or 'none'}")
    return 1 if missing else 0


def _looked_at(root: str) -> list[str] | None:
    """The methods by a process of its own; None where the library cannot be imported."""
    command = [sys.executable, "-m", "tools.mindspore_tables.methods_of_libraries", root]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=600)
    if done.returncode:
        return None
    found: list[str] = json.loads(done.stdout.rpartition(_MARK)[2])
    return found


def methods_of(root: str) -> list[str]:
    """The methods of tensors that the public classes of a library have, sorted.

    Of methods that arrays have too, those that take ``dim`` or ``keepdim``.
    """
    found = set()
    for owner in _public_classes(root):
        found |= {name for name in _ONLY_OF_TENSORS if _is_method(owner, name)}
        found |= {name for name in OF_ARRAYS if _takes_dimension(owner, name)}
    return sorted(found)


def _public_classes(root: str) -> Iterator[type]:
    for module in _modules(importlib.import_module(root)):
        for name, value in list(vars(module).items()):
            defined_in = (getattr(value, "__module__", None) or "").partition(".")[0]
            if inspect.isclass(value) and not name.startswith("_") and defined_in in (root, f"_{root}"):
                yield value


def _modules(top: ModuleType) -> Iterator[ModuleType]:
    yield top
    path = getattr(top, "__path__", ())
    for info in pkgutil.walk_packages(path, f"{top.__name__}.", onerror=lambda _: None):
        if not _NOT_LOOKED_AT.search(info.name):
            with suppress(BaseException):  # what a part of a library needs need not be there
                yield importlib.import_module(info.name)


def _is_method(owner: type, name: str) -> bool:
    is_property = isinstance(inspect.getattr_static(owner, name, None), property)
    return not is_property and callable(getattr(owner, name, None))


def _takes_dimension(owner: type, name: str) -> bool:
    with suppress(TypeError, ValueError):
        parameters = inspect.signature(getattr(owner, name, lambda: None)).parameters
        return not parameters.keys().isdisjoint(("dim", "keepdim"))
    return False


if __name__ == "__main__":
    if len(sys.argv) > 1:
        warnings.simplefilter("ignore")
        sys.stdout.write(_MARK + json.dumps(methods_of(sys.argv[1])))
        sys.stdout.flush()
        os._exit(0)  # some libraries wait for threads of their own
    raise SystemExit(main())
