"""Charts as pictures that are drawn in the page: bars of parts, and files as areas.

A chart has a text that says the same to those who do not see it; its colours are never the only difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .markup import Html, element

WIDTH, HEIGHT = 1000, 340
_GAP = 2


class Part(NamedTuple):
    """A part of a bar."""

    name: str
    """The class of its colour."""
    label: str
    number: int


class Area(NamedTuple):
    """A file in a picture of areas."""

    name: str
    """The class of its colour."""
    label: str
    title: str
    weight: int


class _Box(NamedTuple):
    x: float
    y: float
    width: float
    height: float


def stacked(parts: Sequence[Part], description: str) -> Html:
    """One bar, its parts as wide as their counts."""
    total = sum(part.number for part in parts) or 1
    shown = [part for part in parts if part.number]
    scale = (WIDTH - _GAP * (len(shown) - 1)) / total
    x = 0.0
    pieces: list[Html] = []
    for part in shown:
        width = part.number * scale
        title = element("title", f"{part.label}: {part.number}")
        rect = _rect(part.name, _Box(x, 0, width, 22))
        pieces.append(element("g", title, rect))
        x += width + _GAP
    return _picture("stacked", f"0 0 {WIDTH} 22", description, pieces)


def small_bar(done: int, blocked: int, total: int) -> Html:
    """What is done of a file, what blocks, and the rest; the number is beside it."""
    scale = 100 / total
    first, second = round(done * scale), round(blocked * scale)
    rects = [
        element("rect", class_=name, x=x or None, width=width, height=8)
        for name, x, width in (("migrated", 0, first), ("blocked", first, second))
        if width
    ]
    return element("svg", *rects, class_="small", viewBox="0 0 100 8", aria_hidden="true")


def areas(files: Sequence[Area], description: str) -> Html:
    """Files as areas, each as large as its weight, the largest first."""
    boxes = _squarified([max(1, file.weight) for file in files], _Box(0, 0, WIDTH, HEIGHT))
    pieces = (_area(file, box) for file, box in zip(files, boxes, strict=True))
    return _picture("areas", f"0 0 {WIDTH} {HEIGHT}", description, pieces)


def _area(file: Area, box: _Box) -> Html:
    inner = _Box(box.x + 1, box.y + 1, max(0.5, box.width - 2), max(0.5, box.height - 2))
    fits = int((inner.width - 12) / 7.2)
    text = None
    if inner.height >= 20 and fits >= 6:
        label = file.label if len(file.label) <= fits else file.label[: fits - 1] + "…"
        text = element("text", label, x=_number(inner.x + 6), y=_number(inner.y + 16))
    return element("g", element("title", file.title), _rect(file.name, inner), text)


def _picture(kind: str, view: str, description: str, pieces: Iterable[Html]) -> Html:
    stretched = "none" if kind == "stacked" else None
    return element(
        "svg",
        *pieces,
        class_=kind,
        viewBox=view,
        preserveAspectRatio=stretched,
        role="img",
        aria_label=description,
    )


def _rect(name: str, box: _Box) -> Html:
    x, y, width, height = map(_number, box)
    return element("rect", class_=name, x=x, y=y, width=width, height=height)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _squarified(weights: Sequence[int], whole: _Box) -> list[_Box]:
    """Boxes that fill a box, as large as the weights and not far from square; the weights fall."""
    boxes: list[_Box] = []
    rest, start = whole, 0
    left = float(sum(weights))
    while start < len(weights):
        side = min(rest.width, rest.height)
        scale = rest.width * rest.height / left
        end = _row_end(weights, start, side, scale)
        row = weights[start:end]
        laid, rest = _laid(row, rest, scale)
        boxes += laid
        left -= sum(row)
        start = end
    return boxes


def _row_end(weights: Sequence[int], start: int, side: float, scale: float) -> int:
    """Where the row ends that begins with a weight: as long as another box makes its boxes more square."""
    end, best = start + 1, _worst(weights[start : start + 1], side, scale)
    while end < len(weights):
        ratio = _worst(weights[start : end + 1], side, scale)
        if ratio > best:
            break
        end, best = end + 1, ratio
    return end


def _worst(row: Sequence[int], side: float, scale: float) -> float:
    area = sum(row) * scale
    thickness = area / side
    lengths = (weight * scale / thickness for weight in (row[0], row[-1]))
    return max(max(length / thickness, thickness / length) for length in lengths)


def _laid(row: Sequence[int], rest: _Box, scale: float) -> tuple[list[_Box], _Box]:
    """The boxes of a row along the shorter side, and what is left beside it."""
    area = sum(row) * scale
    boxes: list[_Box] = []
    if rest.width >= rest.height:
        width, y = area / rest.height, rest.y
        for weight in row:
            height = weight * scale / width
            boxes.append(_Box(rest.x, y, width, height))
            y += height
        return boxes, _Box(rest.x + width, rest.y, max(1e-6, rest.width - width), rest.height)
    height, x = area / rest.width, rest.x
    for weight in row:
        width = weight * scale / height
        boxes.append(_Box(x, rest.y, width, height))
        x += width
    return boxes, _Box(rest.x, rest.y + height, rest.width, max(1e-6, rest.height - height))
