"""``datasets.load_dataset`` that makes up the rows of data sets which are on the hub only."""

from __future__ import annotations

import functools
import importlib
import os
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import SAMPLES, Note, rows
from .files.callers import caller_in
from .files.uses import Use, use_of
from .tables import table_called

_OF_FILES = ("arrow", "audiofolder", "csv", "imagefolder", "json", "pandas", "parquet", "text", "webdataset")
_SPLITS = ("train", "validation", "test")
_PARTS = (*_SPLITS, "valid", "val", "dev", "eval", "unsupervised")
_IMAGES = re.compile(r"^(?:image|img|pixel)")
_NUMBERS = re.compile(r"(?:^|_)(?:id|idx|index|score|rating|num\w*)$")
_CLASSES = "2"
_WORDS = ("a", "the", "one", "child", "dog", "house", "river", "sees", "says", "and", "then", "slowly")
_IMAGE = 64


def make_up_rows(module: Any, note: Note) -> None:
    """Change ``load_dataset`` of the package ``datasets``, for good. Nothing is downloaded any more.

    Many projects have a package of that name themselves, which stays as it is.
    """
    if not all(hasattr(module, name) for name in ("load_dataset", "DatasetDict", "load")):
        return
    original = module.load_dataset

    @functools.wraps(original)
    def load_dataset(path: str, name: str | None = None, *args: Any, **kwargs: Any) -> Any:
        if path in _OF_FILES or Path(path).exists():
            return original(path, name, *args, **kwargs)
        caller = caller_in(os.sep)
        use = Use() if caller is None else use_of(caller)
        made = _of_table(module, name) or _of_columns(module, _columns(path, name) or dict(_asked(use)))
        said = f"{len(made)} x {', '.join(made.column_names)}"
        note(f"datasets {path}{f' ({name})' if name else ''}: {said}")
        split = kwargs.get("split")
        asked = (part for part, inner in use.keys.items() if _is_split(part, inner))
        splits = dict.fromkeys((*_SPLITS, *asked), made)
        if kwargs.get("streaming"):
            splits = {part: made.to_iterable_dataset() for part, made in splits.items()}
        return module.DatasetDict(splits) if split is None else splits.get(_part(str(split)), splits["train"])

    module.load_dataset = module.load.load_dataset = load_dataset


def _of_table(module: Any, name: str | None) -> Any:
    """The rows of a well-known file of numbers over time, by whose name a configuration is called."""
    file = f"{name}.csv"
    if not any(row[0] == file for row in rows("files.tsv")):
        return None
    return module.Dataset.from_pandas(table_called(file, importlib.import_module("pandas")))


def _of_columns(module: Any, columns: Mapping[str, str]) -> Any:
    known = columns or {"text": "text"}
    return module.Dataset.from_dict(_rows(known), _features(module, known))


def _part(split: str) -> str:
    return split.partition("[")[0].partition("+")[0]


def _columns(path: str, name: str | None) -> dict[str, str]:
    short = path.rpartition("/")[2].lower().replace("-v1", "")
    for dataset, configuration, columns in rows("texts.tsv"):
        if dataset in (short, short.replace("-", "_")) and configuration in ("", name or ""):
            return dict(part.split(":") for part in columns.split())
    return {}


def _asked(use: Use) -> Iterator[tuple[str, str]]:
    """The columns that the code asks for, in any of the splits."""
    for name, inner in use.keys.items():
        if _is_split(name, inner):
            yield from _asked(inner)
        elif inner.is_image or _IMAGES.search(name.lower()):
            yield name, "image"
        elif _NUMBERS.search(name.lower()):
            yield name, "number"
        else:
            yield name, _CLASSES if inner.is_whole else "text"
    if use.item is not None:
        yield from _asked(use.item)


def _is_split(name: str, use: Use) -> bool:
    return name.lower() in _PARTS or bool(use.keys) or (use.item is not None and bool(use.item.keys))


def _features(module: Any, columns: Mapping[str, str]) -> Any:
    kinds = {"text": module.Value("string"), "number": module.Value("int32")}
    made = {
        column: kinds.get(kind) or (module.Image() if kind == "image" else module.ClassLabel(int(kind)))
        for column, kind in columns.items()
    }
    return module.Features(made)


def _rows(columns: Mapping[str, str]) -> dict[str, list[Any]]:
    drawn = random.Random(0)
    return {
        column: [_value(kind, index, drawn) for index in range(SAMPLES)] for column, kind in columns.items()
    }


def _value(kind: str, index: int, drawn: random.Random) -> Any:
    if kind == "text":
        return " ".join(drawn.choices(_WORDS, k=drawn.randint(20, 60)))
    if kind == "image":
        return importlib.import_module("PIL.Image").frombytes(
            "RGB", (_IMAGE, _IMAGE), drawn.randbytes(3 * _IMAGE * _IMAGE)
        )
    return index if kind == "number" else index % int(kind)
