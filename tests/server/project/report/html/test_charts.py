"""Charts, and the texts that say the same."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from gpu2ascend.project.report.html.charts import HEIGHT, WIDTH, Area, Part, areas, small_bar, stacked

RECT = re.compile(r'<rect class="\w+" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/>')


def boxes(svg: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, match)) for match in RECT.findall(svg)]


def test_parts_are_as_wide_as_their_numbers() -> None:
    svg = stacked([Part("a", "A", 1), Part("b", "B", 0), Part("c", "C", 3)], "what it shows")
    (first, second) = boxes(svg)
    assert second[2] == pytest.approx(3 * first[2], abs=0.5)
    assert second[0] + second[2] == pytest.approx(WIDTH, abs=0.2)


def test_a_chart_has_a_text_for_those_who_do_not_see_it() -> None:
    svg = stacked([Part("a", "A", 1)], "what <it> shows")
    assert 'role="img" aria-label="what &lt;it&gt; shows"' in svg and "<title>A: 1</title>" in svg


@pytest.mark.parametrize("weights", [[5], [9, 1], [30, 20, 10, 5, 5, 1, 1, 1], [1] * 150], ids=len)
def test_areas_fill_the_picture_in_proportion(weights: list[int]) -> None:
    files = [Area("a", f"f{number}", "", weight) for number, weight in enumerate(weights)]
    found = [(x - 1, y - 1, width + 2, height + 2) for x, y, width, height in boxes(areas(files, "x"))]
    assert len(found) == len(weights)
    scale = WIDTH * HEIGHT / sum(weights)
    for (_, _, width, height), weight in zip(found, weights, strict=True):
        assert width * height == pytest.approx(weight * scale, rel=0.05)
    assert all(x >= -0.1 and x + width <= WIDTH + 0.1 for x, _, width, _ in found)
    assert all(y >= -0.1 and y + height <= HEIGHT + 0.1 for _, y, _, height in found)


@pytest.mark.parametrize(
    "weights", [[9, 1], [30, 20, 10, 5, 5, 1, 1, 1], [6, 6, 4, 3, 2, 2, 1], [1] * 150], ids=len
)
def test_areas_lie_beside_each_other_and_are_not_far_from_square(weights: list[int]) -> None:
    files = [Area("a", f"f{number}", "", weight) for number, weight in enumerate(weights)]
    found = boxes(areas(files, "x"))
    for (x, y, width, height), (other_x, other_y, other_width, other_height) in combinations(found, 2):
        apart = x + width <= other_x or other_x + other_width <= x
        assert apart or y + height <= other_y or other_y + other_height <= y
    assert max(max(width / height, height / width) for _, _, width, height in found) < 10


def test_the_bar_of_a_file_stands_beside_its_number() -> None:
    assert small_bar(3, 1, 4) == (
        '<svg class="small" viewBox="0 0 100 8" aria-hidden="true">'
        '<rect class="migrated" width="75" height="8"/>'
        '<rect class="blocked" x="75" width="25" height="8"/></svg>'
    )
