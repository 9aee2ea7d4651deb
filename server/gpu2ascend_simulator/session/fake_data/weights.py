"""Weights that would be downloaded: a module that loads them keeps those that it was made with."""

from __future__ import annotations

import functools
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlparse

from . import Note

SUFFIXES = (".pth", ".pt", ".ckpt", ".tar", ".pkl", ".bin")
"""Of files that hold weights."""
_NAMES: list[str] = []
"""What was made up in this process."""


class _MadeUpWeights(dict[str, Any]):
    """No weights at all, whatever part of them is asked for."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self._file = file

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"made-up weights, in place of {self.__dict__.get('_file')}: no {name!r} is known"
        )

    def __missing__(self, name: str) -> _MadeUpWeights:
        return self

    def get(self, name: str, default: Any = None) -> Any:
        """The same for every name."""
        return self

    def pop(self, name: str, default: Any = None) -> Any:
        """The same for every name."""
        return self


def weights_called(name: str, note: Note, where: str = "") -> Any:
    """Weights in place of those of a file, which a line of the project reads."""
    _NAMES.append(name)
    note(f"weights {name}: random{where and f' (read at {where})'}")
    return _MadeUpWeights(name)


def make_up_weights(torch: Any, note: Note) -> None:
    """Change ``load_state_dict_from_url`` and what modules load, for good. Nothing is downloaded any more."""
    _NAMES.clear()
    original = torch.hub.load_state_dict_from_url
    loads = torch.nn.Module.load_state_dict

    @functools.wraps(original)
    def load_state_dict_from_url(url: str, model_dir: str | None = None, *args: Any, **kwargs: Any) -> Any:
        name = kwargs.get("file_name") or PurePosixPath(urlparse(url).path).name
        if Path(model_dir or Path(torch.hub.get_dir(), "checkpoints"), name).exists():
            return original(url, model_dir, *args, **kwargs)
        return weights_called(name, note)

    @functools.wraps(loads)
    def load_state_dict(self: Any, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        # A project may have copied what it was given entry by entry.
        if _NAMES and not state_dict:
            return loads(self, self.state_dict(), *args, **kwargs)
        return loads(self, state_dict, *args, **kwargs)

    torch.hub.load_state_dict_from_url = load_state_dict_from_url
    torch.nn.Module.load_state_dict = load_state_dict
