"""Data sets of torchvision that make up their samples where their files are not here."""

from __future__ import annotations

import functools
import importlib
import inspect
from typing import Any, NamedTuple

from . import Note, rows

_LARGEST_KEPT = 100
"""Height of images that a data set holds as one array, as its files would."""
_CHANNELS_FIRST = ("SVHN", "STL10")
_MADE_UP = "gpu2ascend_made_up"
"""The attribute that holds how many samples a data set made up."""
_DIFFERENT = 256
"""So many images; later samples repeat them."""


class _Shape(NamedTuple):
    mode: str
    height: int
    width: int
    classes: int
    samples: int
    """For training."""
    others: int

    def array(self, index: int) -> Any:
        """The values of an image, always the same ones for a number."""
        numpy: Any = importlib.import_module("numpy")
        size = (self.height, self.width) if self.mode == "L" else (self.height, self.width, 3)
        return numpy.random.default_rng(index).integers(0, 256, size, dtype=numpy.uint8)

    def image(self, index: int) -> Any:
        """The same as an image."""
        return importlib.import_module("PIL.Image").fromarray(self.array(index))


def make_up_images(module: Any, note: Note) -> None:
    """Change the classes of ``torchvision.datasets``, for good. Nothing is downloaded any more."""
    for name, mode, *numbers in rows("images.tsv"):
        owner = getattr(module, name, None)
        if owner is not None:
            _change(owner, _Shape(mode, *map(int, numbers)), module.VisionDataset, note)


def _change(owner: Any, shape: _Shape, base: Any, note: Note) -> None:
    begin, item, length = owner.__init__, owner.__getitem__, owner.__len__
    signature = inspect.signature(begin)

    @functools.wraps(begin)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs)
        values = given.arguments
        for holder in (values, values.get("kwargs", {})):
            if "download" in holder:
                holder["download"] = False
        try:
            begin(*given.args, **given.kwargs)
        except (OSError, RuntimeError, ModuleNotFoundError):
            given.apply_defaults()
            _make_up(self, owner, shape, {**values.get("kwargs", {}), **values}, base)
            note(f"torchvision {type(self).__name__} ({len(self)} x {shape.height} x {shape.width})")

    @functools.wraps(item)
    def __getitem__(self: Any, index: int) -> Any:
        if _MADE_UP not in vars(self):
            return item(self, index)
        if not -len(self) <= int(index) < len(self):
            raise IndexError(index)
        image, target = shape.image(int(index) % _DIFFERENT), int(index) % shape.classes
        return _transformed(self, image, target)

    @functools.wraps(length)
    def __len__(self: Any) -> int:
        return int(vars(self)[_MADE_UP]) if _MADE_UP in vars(self) else length(self)

    owner.__init__, owner.__getitem__, owner.__len__ = __init__, __getitem__, __len__


def _transformed(self: Any, image: Any, target: Any) -> tuple[Any, Any]:
    """A sample as the data set's transforms are now: a script may set them later."""
    both = self.transforms
    if both is not None and type(both).__name__ != "StandardTransform":  # else made of the two below
        return both(image, target)
    return (
        image if self.transform is None else self.transform(image),
        target if self.target_transform is None else self.target_transform(target),
    )


def _make_up(self: Any, owner: Any, shape: _Shape, given: dict[str, Any], base: Any) -> None:
    named = {name: given.get(name) for name in ("transforms", "transform", "target_transform")}
    base.__init__(self, given.get("root"), **named)
    is_first = given.get("train", given.get("split", "train")) in (True, "train", "unlabeled")
    count = shape.samples if is_first else shape.others
    targets = [index % shape.classes for index in range(count)]
    names = [str(number) for number in range(shape.classes)]
    self.train = given.get("train", True)
    self.targets = self.labels = targets
    self.samples = self.imgs = [(f"{index}.png", target) for index, target in enumerate(targets)]
    if not hasattr(owner, "classes"):
        self.classes = names
    if not hasattr(owner, "class_to_idx"):
        self.class_to_idx = {name: number for number, name in enumerate(names)}
    if shape.height < _LARGEST_KEPT:
        self.data = _data(owner, shape, count)
    if "MNIST" in owner.__name__:
        import torch

        self.data, self.targets = torch.from_numpy(self.data), torch.tensor(targets)
    setattr(self, _MADE_UP, count)


def _data(owner: Any, shape: _Shape, count: int) -> Any:
    numpy: Any = importlib.import_module("numpy")
    different = numpy.stack([shape.array(index) for index in range(_DIFFERENT)])
    data = different[numpy.arange(count) % _DIFFERENT]
    return data.transpose(0, 3, 1, 2) if owner.__name__ in _CHANNELS_FIRST else data
