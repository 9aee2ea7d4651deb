"""Files with a structure: arrays, HDF5, pickles and JSON, by what the code asks of what it reads."""

from __future__ import annotations

import importlib
import io
import json
import math
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .arrays import SAMPLES, Assumed, Site, values
from .callers import Caller
from .uses import Use, use_of

KINDS = {
    ".npy": "npy",
    ".npz": "npz",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".hdf": "hdf5",
    ".mat": "mat",
    ".pkl": "pickle",
    ".pickle": "pickle",
    ".json": "json",
    ".jsonl": "jsonl",
}
"""By suffix."""
_NEEDS_KEYS = ("npz", "hdf5", "mat", "jsonl")
_NEEDS_ANYTHING = ("pickle", "json")
_TEXTS = ("json", "jsonl")
_MOST, _MOST_AS_TEXT = 100_000_000, 1_000_000
"""Numbers and texts of one file, as often as they stand in it."""
_NAMED = 16
"""What has texts as keys, and records in each record."""
_TEXT = "a child sees the house and a dog"


def structured(kind: str, caller: Caller, assumed: Assumed, root: str) -> tuple[bytes, str] | None:
    """The bytes of a file and what is in it, for people; None where the code does not show its structure."""
    use = use_of(caller)
    row = use.item if kind == "jsonl" and use.item is not None else use
    if (kind in _NEEDS_KEYS and not row.keys) or (kind in _NEEDS_ANYTHING and not _shows_anything(use)):
        return None
    try:
        numpy: Any = importlib.import_module("numpy")
    except ImportError:
        return None
    site = assumed.site(caller.where(root))
    maker = _Maker(assumed, site, numpy, kind)
    try:
        made = maker.make(row, "")
    except _TooLargeError:
        return None
    assumed.save(site)
    said = ", ".join(f"{key or 'array'}: {one.shown}" for key, one in site.arrays.items())
    return _WRITERS[kind](made, numpy), said or "texts"


def _shows_anything(use: Use) -> bool:
    return bool(use.keys or use.parts or use.rank or use.is_named)


class _TooLargeError(Exception):
    """What would be made up is larger than what anybody waits for."""


class _Maker:
    def __init__(self, assumed: Assumed, site: Site, numpy: Any, kind: str) -> None:
        self._assumed, self._site, self._numpy = assumed, site, numpy
        self._shares = kind == "pickle"
        self._left = _MOST_AS_TEXT if kind in _TEXTS else _MOST

    def make(self, use: Use, key: str, copies: int = 0) -> Any:
        """A value that answers what is asked of it.

        Args:
            copies: how often it stands in the file as an item of others; zero if it is no item.
        """
        if use.keys:
            inner = f"{key}/" if key else ""
            return {name: self.make(one, f"{inner}{name}", copies) for name, one in use.keys.items()}
        if use.parts:
            return tuple(self.make(one, f"{key}[{at}]", copies) for at, one in enumerate(use.parts))
        if use.item is not None and (use.item.keys or use.item.parts):
            count = _NAMED if copies else SAMPLES
            return [self._item(use, key, copies, count)] * count
        if use.is_named:
            return dict.fromkeys(map(str, range(_NAMED)), self._item(use, key, copies, _NAMED))
        return self._texts(use, copies) or self._array(use, key, copies)

    def _item(self, use: Use, key: str, copies: int, count: int) -> Any:
        return self.make(use.one(), f"{key}[]", max(copies, 1) * (1 if self._shares else count))

    def _count(self, numbers: int, copies: int) -> None:
        self._left -= numbers * max(copies, 1)
        if self._left < 0:
            raise _TooLargeError

    def _texts(self, use: Use, copies: int) -> Any:
        if not (use.is_image or use.is_text):
            return None
        self._count(SAMPLES if use.rank else 1, copies)
        if use.is_image:
            return [f"{at:05}.png" for at in range(SAMPLES)] if use.rank else "00000.png"
        return [_TEXT] * SAMPLES if use.rank else _TEXT

    def _array(self, use: Use, key: str, copies: int) -> Any:
        if copies and not use.rank:
            array = self._assumed.scalar(self._site, key, use.is_whole)
        else:
            array = self._assumed.array(self._site, key, use.rank, use.is_whole, use.is_exact)
        self._count(math.prod(array.sizes), copies)
        return values(array, self._numpy)


def _npy(made: Any, numpy: Any) -> bytes:
    file = io.BytesIO()
    numpy.save(file, made, allow_pickle=isinstance(made, dict | list | tuple))
    return file.getvalue()


def _npz(made: Any, numpy: Any) -> bytes:
    file = io.BytesIO()
    numpy.savez(file, **made)
    return file.getvalue()


def _hdf5(made: Any, _: Any) -> bytes:
    h5py: Any = importlib.import_module("h5py")
    file = io.BytesIO()
    with h5py.File(file, "w") as written:
        _fill(written, made)
    return file.getvalue()


def _mat(made: Any, _: Any) -> bytes:
    file = io.BytesIO()
    importlib.import_module("scipy.io").savemat(file, made)
    return file.getvalue()


def _fill(group: Any, made: Mapping[str, Any]) -> None:
    for name, value in made.items():
        if isinstance(value, dict):
            _fill(group.create_group(name), value)
        else:
            group[name] = value


def _plain(value: Any) -> Any:
    return value.tolist()


_WRITERS: Mapping[str, Callable[[Any, Any], bytes]] = {
    "npy": _npy,
    "npz": _npz,
    "hdf5": _hdf5,
    "mat": _mat,
    "pickle": lambda made, _: pickle.dumps(made),
    "json": lambda made, _: json.dumps(made, default=_plain).encode(),
    "jsonl": lambda made, _: f"{json.dumps(made, default=_plain)}\n".encode() * SAMPLES,
}


def place_of(folder: Path) -> Path:
    """Where a run keeps what it assumes, beside the folder of what is made up."""
    return folder.with_name("assumed")
