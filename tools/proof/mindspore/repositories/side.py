"""Run by itself: trains one file in one framework, and prints as JSON the losses and what the weights are.

``python side.py torch|mindspore FOLDER FILE MODEL GIVEN``: MODEL makes the model of the file, which is
given GIVEN; without it the file is run as a script with the arguments of GIVEN. Weights, random numbers,
datasets and their order are the same in both frameworks, dropout does nothing, and the run ends after a
number of updates.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import runpy
import sys
import types
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

UPDATES = {"script": 4, "model": 2}
"""How many updates a run makes: a script that trains two models has two of each."""
LARGEST_BATCH = 16
_RENAMED = {
    "gamma": "weight", "beta": "bias", "embedding_table": "weight", "w": "weight",
}  # fmt: skip
_NUDGE = int(os.environ.get("NUDGE", "0"))
"""Where it numbers one, weights differ by 1e-6 of their values, as sums of products do."""
_CLASSES = {"Dense": "Linear", "SequentialCell": "Sequential", "CellList": "ModuleList"}


class Finished(BaseException):
    """Enough updates were made."""


class Record:
    """What a run has shown so far."""

    def __init__(self, updates: int) -> None:
        self._updates = updates
        self.losses: list[float] = []
        self.weights: list[float] = []

    def updated(self, values: list[Any]) -> None:
        """Note the weights behind an update, and end the run if there were enough."""
        self.weights.append(float(sum(float(np.abs(one).sum()) for one in values)))
        if len(self.weights) >= self._updates:
            raise Finished


def weights_of(owner: str, name: str, shape: tuple[int, ...]) -> Any:
    """The values that a parameter begins with, by its name and that of its model's class."""
    holder, _, last = name.rpartition(".")
    known = f"{_CLASSES.get(owner, owner)}:{holder}.{_RENAMED.get(last, last)}".replace(":.", ":")
    source = np.random.RandomState(zlib.crc32(known.encode()) % 2**31)
    values = source.randn(*shape).astype("float32") if shape else np.float32(source.randn())
    if _NUDGE:
        signs = np.random.RandomState(_NUDGE).choice((-1, 1), shape)
        values = np.asarray(values * (1 + 1e-6 * signs), dtype="float32")
    if len(shape) > 1:
        return np.asarray(values / np.sqrt(np.prod(shape[1:])), dtype="float32")
    return np.asarray(np.float32(last in ("weight", "gamma")) + np.float32(0.1) * values, dtype="float32")


class Numbers:
    """Random numbers that both frameworks draw in the same order."""

    def __init__(self, tensor: Callable[[Any], Any]) -> None:
        self._source = np.random.RandomState(11)
        self._tensor = tensor

    def _shape(self, sizes: tuple[Any, ...], given: dict[str, Any]) -> tuple[int, ...]:
        sizes = sizes or (given.get("size", ()),)
        whole = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
        return tuple(int(one) for one in whole)

    def normal(self, *sizes: Any, **given: Any) -> Any:
        """In place of ``randn``."""
        return self._tensor(self._source.randn(*self._shape(sizes, given)).astype("float32"))

    def uniform(self, *sizes: Any, **given: Any) -> Any:
        """In place of ``rand``."""
        return self._tensor(self._source.rand(*self._shape(sizes, given)).astype("float32"))

    def normal_like(self, other: Any, **_: Any) -> Any:
        """In place of ``randn_like``."""
        return self.normal(tuple(other.shape))

    def normal_of(self, mean: Any, std: Any = 1.0, size: Any = None, **_: Any) -> Any:
        """In place of ``torch.normal``, which MindSpore's side computes of ``randn``."""
        drawn = self.normal_like(mean + std) if size is None else self.normal(size)
        return drawn * std + mean

    def uniform_like(self, other: Any, **_: Any) -> Any:
        """In place of ``rand_like``."""
        return self.uniform(tuple(other.shape))

    def whole(self, *given: Any, **named: Any) -> Any:
        """In place of ``randint``."""
        low, high, size = given if len(given) == 3 else (0, *given)
        return self._tensor(self._source.randint(low, high, size).astype("int64"))

    def replace(self, module: Any) -> None:
        """Have a framework draw from here."""
        for name, own in (
            ("randn", self.normal), ("rand", self.uniform), ("randn_like", self.normal_like),
            ("rand_like", self.uniform_like), ("randint", self.whole), ("normal", self.normal_of),
        ):  # fmt: skip
            setattr(module, name, own)


def same_data(module: Any, folder: Path) -> None:
    """Have a module's datasets read small files of a folder, and its loaders keep the order."""
    for name in ("MNIST", "FashionMNIST", "KMNIST", "CIFAR10", "CIFAR100"):
        if name in vars(module):
            _read_from(vars(module)[name], folder)
    for name, keep in (
        ("RandomHorizontalFlip", lambda image: image), ("RandomVerticalFlip", lambda image: image),
        ("RandomRotation", lambda image: image),
    ):  # fmt: skip
        if name in vars(module):
            vars(module)[name].__call__ = lambda self, image, keep=keep: keep(image)
    if "RandomCrop" in vars(module):
        vars(module)["RandomCrop"].__call__ = lambda self, image: _corner(image, self.size)


def _corner(image: Any, size: Any) -> Any:
    high, wide = size if isinstance(size, (tuple, list)) else (size, size)
    return image.crop((0, 0, wide, high))


def _read_from(dataset: Any, folder: Path) -> None:
    before = dataset.__init__

    def made(self: Any, root: Any = "", *given: Any, **named: Any) -> None:
        before(self, str(folder), *given, **{**named, "download": False})

    dataset.__init__ = made
    if hasattr(dataset, "_check_integrity"):
        dataset._check_integrity = lambda self: True


def in_order(loader: Any) -> None:
    """Have a loader take the items as they come, in batches that are not large."""
    before = loader.__init__

    def made(
        self: Any, dataset: Any, batch_size: Any = 1, shuffle: Any = None, *given: Any, **named: Any
    ) -> None:
        before(self, dataset, min(batch_size, LARGEST_BATCH), False, *given, **{**named, "num_workers": 0})

    loader.__init__ = made


def filled_when_called(base: Any, fill: Callable[[Any, dict[int, Any]], None]) -> None:
    """Have every model filled when it is called first, and no part again; also one that another makes."""
    done: dict[int, Any] = {}
    before = base.__call__

    def called(self: Any, *given: Any, **named: Any) -> Any:
        fill(self, done)
        return before(self, *given, **named)

    base.__call__ = called


def given_to(shapes: str) -> list[Any]:
    """The arrays that a model is given."""
    source, found = np.random.RandomState(3), []
    for text in shapes.split():
        limit, _, shape = text.rpartition(":")
        sizes = tuple(map(int, shape.split("x")))
        values = source.randint(0, int(limit), sizes) if limit else source.randn(*sizes).astype("float32")
        found.append(values.astype("int64") if limit else values)
    return found


def first_of(output: Any) -> Any:
    """The first tensor of what a model gives."""
    while isinstance(output, (tuple, list)):
        output = output[0]
    return output


def main() -> None:
    """Run the file that the arguments name."""
    warnings.simplefilter("ignore")
    framework, folder, file, model, given = sys.argv[1:6]
    sys.path[:0] = [str(Path(__file__).parents[4])]
    from tools.proof.mindspore.importing import Stubs, imported_by

    root = Path(folder).resolve()
    sys.path[:1] = [str((root / file).parent), str(root)]
    wanted = imported_by(root) | {"matplotlib", "mpl_toolkits"}
    sys.meta_path.append(Stubs(one for one in wanted if importlib.util.find_spec(one) is None))
    random.seed(0)
    np.random.seed(0)
    record = Record(UPDATES["model" if model else "script"])
    side = importlib.import_module(f"tools.proof.mindspore.repositories.in_{framework}")
    side.prepare(record, root)
    os.chdir((root / file).parent)
    error = ""
    try:
        if model:
            module = importlib.import_module(file.removesuffix(".py").replace("/", "."))
            side.train(record, eval(model, vars(module)), given_to(given))
        else:
            sys.argv = [file, *given.split()]
            sys.modules.pop("__main__", None)
            sys.modules["__main__"] = types.ModuleType("__main__")
            runpy.run_path(Path(file).name, run_name="__main__")
    except Finished:
        pass
    except BaseException as raised:
        error = f"{type(raised).__name__}: {raised}"[:300]
    sys.stdout.flush()
    print(f"\n{json.dumps({'losses': record.losses, 'weights': record.weights, 'error': error})}")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
