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
    ".pkl": "pickle",
    ".pickle": "pickle",
    ".json": "json",
    ".jsonl": "jsonl",
}
"""By suffix."""
_NEEDS_KEYS = ("npz", "hdf5", "jsonl")
_NEEDS_ANYTHING = ("pickle", "json")
_TEXTS = ("json", "jsonl")
_MOST, _MOST_AS_TEXT = 100_000_000, 1_000_000
"""Numbers of one array."""
_NAMED = 16
"""Arrays with texts as keys."""
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
    maker = _Maker(assumed, site, numpy, _MOST_AS_TEXT if kind in _TEXTS else _MOST)
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
    def __init__(self, assumed: Assumed, site: Site, numpy: Any, most: int) -> None:
        self._assumed, self._site, self._numpy, self._most = assumed, site, numpy, most

    def make(self, use: Use, key: str, is_item: bool = False) -> Any:
        """A value that answers what is asked of it."""
        if use.keys:
            inner = f"{key}/" if key else ""
            return {name: self.make(one, f"{inner}{name}", is_item) for name, one in use.keys.items()}
        if use.parts:
            return tuple(self.make(one, f"{key}[{at}]", is_item) for at, one in enumerate(use.parts))
        item = use.item
        if item is not None and (item.keys or item.parts):
            return [self.make(item, f"{key}[]", is_item=True)] * SAMPLES
        if use.is_named:
            return {str(at): self.make(use.one(), f"{key}[]", is_item=True) for at in range(_NAMED)}
        return self._texts(use) or self._array(use, key, is_item)

    def _texts(self, use: Use) -> Any:
        if use.is_image:
            return [f"{at:05}.png" for at in range(SAMPLES)] if use.rank else "00000.png"
        if use.is_text:
            return [_TEXT] * SAMPLES if use.rank else _TEXT
        return None

    def _array(self, use: Use, key: str, is_item: bool) -> Any:
        if is_item and not use.rank:
            array = self._assumed.scalar(self._site, key, use.is_whole)
        else:
            array = self._assumed.array(self._site, key, use.rank, use.is_whole, use.is_exact)
        if math.prod(array.sizes) > self._most:
            raise _TooLargeError
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
    "pickle": lambda made, _: pickle.dumps(made),
    "json": lambda made, _: json.dumps(made, default=_plain).encode(),
    "jsonl": lambda made, _: f"{json.dumps(made, default=_plain)}\n".encode() * SAMPLES,
}


def place_of(folder: Path) -> Path:
    """Where a run keeps what it assumes, beside the folder of what is made up."""
    return folder.with_name("assumed")
