"""What data sets of images give beside an image, made up: masks, attributes of faces, boxes, captions."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

Size = tuple[int, int]
"""Height and width."""
_ATTRIBUTES = 40
_CAPTIONS = 5
_LANDMARKS = 10


def _class(index: int, size: Size, classes: int, given: Mapping[str, Any]) -> int:
    return index % classes


def _mask(index: int, size: Size, classes: int, given: Mapping[str, Any]) -> Any:
    """An image with a class in each pixel: the first one around a square of another."""
    numpy: Any = importlib.import_module("numpy")
    mask = numpy.zeros(size, dtype=numpy.uint8)
    mask[size[0] // 4 : size[0] // 2, size[1] // 4 : size[1] // 2] = 1 + index % (classes - 1)
    image = importlib.import_module("PIL.Image").fromarray(mask)
    wanted = given.get("target_type", "")
    return (image,) * len(wanted) if isinstance(wanted, list) and len(wanted) > 1 else image


def _face(index: int, size: Size, classes: int, given: Mapping[str, Any]) -> Any:
    import torch

    values: dict[str, Callable[[], Any]] = {
        "attr": lambda: torch.tensor([(index >> place % 8) & 1 for place in range(_ATTRIBUTES)]),
        "identity": lambda: torch.tensor(1 + index % classes),
        "bbox": lambda: torch.tensor(_box(size)),
        "landmarks": lambda: torch.tensor([size[place % 2] // 2 for place in range(_LANDMARKS)]),
    }
    asked = given.get("target_type", "attr")
    made = tuple(values[kind]() for kind in ([asked] if isinstance(asked, str) else asked))
    return (made if len(made) > 1 else made[0]) if made else None


def _objects(index: int, size: Size, classes: int, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One object in the form of COCO."""
    left, top, width, height = _box(size)
    corners = [left, top, left + width, top, left + width, top + height, left, top + height]
    return [
        {
            "id": index + 1,
            "image_id": index,
            "category_id": 1 + index % classes,
            "bbox": [float(value) for value in _box(size)],
            "area": float(width * height),
            "iscrowd": 0,
            "segmentation": [[float(value) for value in corners]],
        }
    ]


def _annotation(index: int, size: Size, classes: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """One object in the form of Pascal VOC."""
    left, top, width, height = _box(size)
    names = ("aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow")
    ends = {"xmin": left, "ymin": top, "xmax": left + width, "ymax": top + height}
    found = {
        "name": names[index % len(names)],
        "pose": "Unspecified",
        "truncated": "0",
        "difficult": "0",
        "bndbox": {name: str(value) for name, value in ends.items()},
    }
    extent = {"width": str(size[1]), "height": str(size[0]), "depth": "3"}
    return {"annotation": {"filename": f"{index:06}.jpg", "size": extent, "object": [found]}}


def _captions(index: int, size: Size, classes: int, given: Mapping[str, Any]) -> list[str]:
    return [f"a child sees house {index + number}" for number in range(_CAPTIONS)]


def _box(size: Size) -> list[int]:
    """Left, top, width and height."""
    return [size[1] // 4, size[0] // 4, size[1] // 2, size[0] // 2]


TARGETS: Mapping[str, Callable[[int, Size, int, Mapping[str, Any]], Any]] = {
    "class": _class,
    "mask": _mask,
    "face": _face,
    "objects": _objects,
    "annotation": _annotation,
    "captions": _captions,
}
"""By kind: from the number of a sample, the size of its image, the number of classes and the arguments."""
