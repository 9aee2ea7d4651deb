"""The files that others are made of: by kind, from the rules' examples, a sample project and packages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.kinds.registry import kind_of_name

EXAMPLES = Path(__file__).parents[3] / "examples"
MOST_BYTES = 20_000
"""Longer files take long, and show nothing that shorter ones do not."""
_CONCERNS = re.compile(r"(?i)cuda|nccl|nvidia|gpu")
"""What a file has that some rule may concern; in most files of a package there is nothing to change."""
_CELLS = 3
_TEXTS = {".py": "python", ".ipynb": "notebook"}


class SourceFile(NamedTuple):
    """A file of some kind."""

    kind: str
    name: str
    """Its name, which shows the kind."""
    text: str


Sources = Mapping[str, tuple[SourceFile, ...]]
"""By kind."""


def kind_named(path: str) -> str:
    """The kind of a file by its path; empty for what nothing examines."""
    kind = kind_of_name(path)
    return kind.name if kind is not None else _TEXTS.get(Path(path).suffix.lower(), "")


def sources(folders: Iterable[Path] = ()) -> Sources:
    """What the rules' examples and the sample project have, and the files below some folders."""
    found: dict[str, dict[SourceFile, None]] = {}
    of_rules = tuple(_of_rules())
    below = (source for folder in (EXAMPLES, *folders) for source in _below(folder))
    for source in (*of_rules, *_notebooks(of_rules), *below):
        found.setdefault(source.kind, {})[source] = None
    return {kind: tuple(some) for kind, some in sorted(found.items())}


def _of_rules() -> Iterator[SourceFile]:
    for rule in all_rules():
        for example in rule.examples:
            path = example.path or "train.py"
            kind = kind_named(path)
            if kind:
                yield SourceFile(kind, path, example.before)


def _notebooks(some: Iterable[SourceFile]) -> Iterator[SourceFile]:
    """Notebooks of the code of others: shell code as IPython takes it, and a few modules as cells."""
    modules = [item.text for item in some if item.kind == "python"]
    commands = [f"!{item.text}" for item in some if item.kind == "shell" and item.text.count("\n") == 1]
    for at in range(0, len(modules), _CELLS):
        code = [*modules[at : at + _CELLS], commands[at % len(commands)]]
        cells: list[dict[str, object]] = [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}
            for text in code
        ]
        whole = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        yield SourceFile("notebook", "train.ipynb", json.dumps(whole, indent=1))


def _below(folder: Path) -> Iterator[SourceFile]:
    for path in sorted(folder.rglob("*")):
        kind = kind_named(path.relative_to(folder).as_posix())
        if not kind or not path.is_file() or path.is_symlink() or path.stat().st_size > MOST_BYTES:
            continue
        data = path.read_bytes()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        if _CONCERNS.search(text):
            yield SourceFile(kind, path.relative_to(folder).as_posix(), text)
