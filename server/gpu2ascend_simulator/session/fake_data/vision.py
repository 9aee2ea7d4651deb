"""Data sets of torchvision that make up their samples where their files are not here."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import Note, rows
from .targets import TARGETS

_LARGEST_KEPT = 100
"""Height of images that a data set holds as one array, as its files would."""
_CHANNELS_FIRST = ("SVHN", "STL10")
_MADE_UP = "gpu2ascend_made_up"
"""The attribute that holds how many samples a data set made up."""
_TARGETS_OF_COPIES = ("class", "mask")
"""Kinds of targets that all classes of a name have in the same form."""
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_GIVEN = "gpu2ascend_given"
"""The attribute that holds the arguments that a data set was made with."""
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
    target: str

    def array(self, index: int) -> Any:
        """The values of an image, always the same ones for a number."""
        numpy: Any = importlib.import_module("numpy")
        size = (self.height, self.width) if self.mode == "L" else (self.height, self.width, 3)
        return numpy.random.default_rng(index).integers(0, 256, size, dtype=numpy.uint8)

    def image(self, index: int) -> Any:
        """The same as an image."""
        return importlib.import_module("PIL.Image").fromarray(self.array(index))

    def target_of(self, index: int, given: Mapping[str, Any]) -> Any:
        """What a data set that was made with some arguments gives beside an image."""
        return TARGETS[self.target](index, (self.height, self.width), self.classes, given)


def make_up_images(module: Any, note: Note) -> None:
    """Change the classes of ``torchvision.datasets``, for good. Nothing is downloaded any more."""
    for name, shape in _shapes().items():
        owner = getattr(module, name, None)
        if owner is not None:
            _change(owner, shape, functools.partial(_make_up, base=module.VisionDataset), note)


def make_up_own_images(module: Any, note: Note) -> None:
    """Have classes that a project derives from ``torch.utils.data.Dataset`` make up their samples as well,
    where they are called as one of torchvision's: research code copies these."""
    shapes = {name: shape for name, shape in _shapes().items() if shape.target in _TARGETS_OF_COPIES}
    former = module.Dataset.__init_subclass__

    def __init_subclass__(cls: type, /, **kwargs: Any) -> None:
        former(**kwargs)
        is_own = cls.__module__.partition(".")[0] not in ("torch", "torchvision")
        if is_own and cls.__name__ in shapes and {"__init__", "__getitem__", "__len__"} <= vars(cls).keys():
            _change(cls, shapes[cls.__name__], _make_up_copy, note)

    module.Dataset.__init_subclass__ = classmethod(__init_subclass__)


def _shapes() -> dict[str, _Shape]:
    return {row[0]: _shape(*row[1:]) for row in rows("images.tsv")}


def _shape(
    mode: str, height: str, width: str, classes: str, samples: str, others: str, target: str
) -> _Shape:
    return _Shape(mode, int(height), int(width), int(classes), int(samples), int(others), target)


def _change(owner: Any, shape: _Shape, make_up: Callable[..., None], note: Note) -> None:
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
        except (AssertionError, OSError, RuntimeError, ModuleNotFoundError):
            given.apply_defaults()
            arguments = {**values.get("kwargs", {}), **values}
            make_up(self, owner, shape, arguments)
            setattr(self, _GIVEN, arguments)
            note(f"torchvision {type(self).__name__} ({len(self)} x {shape.height} x {shape.width})")

    @functools.wraps(item)
    def __getitem__(self: Any, index: int) -> Any:
        if _MADE_UP not in vars(self):
            return item(self, index)
        if not -len(self) <= int(index) < len(self):
            raise IndexError(index)
        number = int(index) % len(self)
        target = shape.target_of(number, vars(self)[_GIVEN])
        return _transformed(self, shape.image(number % _DIFFERENT), target)

    @functools.wraps(length)
    def __len__(self: Any) -> int:
        return int(vars(self)[_MADE_UP]) if _MADE_UP in vars(self) else length(self)

    owner.__init__, owner.__getitem__, owner.__len__ = __init__, __getitem__, __len__


def _transformed(self: Any, image: Any, target: Any) -> tuple[Any, Any]:
    """A sample as the data set's transforms are now: a script may set them later."""
    both = getattr(self, "transforms", None)
    if both is not None and type(both).__name__ != "StandardTransform":  # else made of the two below
        return both(image, target)
    if _takes_both(self.transform):
        changed: tuple[Any, Any] = self.transform(image, target)
        return changed
    return (
        image if self.transform is None else self.transform(image),
        target if self.target_transform is None else self.target_transform(target),
    )


def _takes_both(transform: Any) -> bool:
    """Whether a transform of a project changes an image and its mask together."""
    if transform is None:
        return False
    try:
        parameters = inspect.signature(transform).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [one for one in parameters if one.default is one.empty and one.kind in _POSITIONAL]
    return len(needed) == 2


def _make_up_copy(self: Any, owner: Any, shape: _Shape, given: dict[str, Any]) -> None:
    """The least that a class of a project has, beside what it has set before it missed its files."""
    for name in ("transform", "target_transform"):
        vars(self).setdefault(name, given.get(name))
    setattr(self, _MADE_UP, _count(shape, given))


def _count(shape: _Shape, given: dict[str, Any]) -> int:
    named = (given[name] for name in ("train", "split", "image_set") if name in given)
    return shape.samples if next(named, True) in (True, "train", "unlabeled") else shape.others


def _make_up(self: Any, owner: Any, shape: _Shape, given: dict[str, Any], *, base: Any) -> None:
    named = {name: given.get(name) for name in ("transforms", "transform", "target_transform")}
    base.__init__(self, given.get("root"), **named)
    count = _count(shape, given)
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
