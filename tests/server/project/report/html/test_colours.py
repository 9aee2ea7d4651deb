"""Every text of the page can be read on its ground."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend.project.report.html.style import DARK, LIGHT, STATES

AA = 4.5
"""What WCAG 2 asks for text of ordinary size, level AA."""
ON = {
    "text": ("ground", "panel", "sunken", "removed", "removed-strong", "added", "added-strong"),
    "faint": ("ground", "panel", "sunken"),
    "accent": ("ground", "panel", "sunken"),
    **dict.fromkeys(STATES, ("panel", "sunken")),
}
"""The grounds on which each colour of text stands."""
PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return 0.2126 * _linear(red) + 0.7152 * _linear(green) + 0.0722 * _linear(blue)


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def test_contrast_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@PALETTES
@pytest.mark.parametrize(("text", "ground"), [(text, ground) for text in ON for ground in ON[text]])
def test_a_text_stands_out_from_its_ground(palette: Mapping[str, str], text: str, ground: str) -> None:
    assert contrast(palette[text], palette[ground]) >= AA


@PALETTES
@pytest.mark.parametrize("state", STATES)
def test_a_badge_and_an_area_can_be_read(palette: Mapping[str, str], state: str) -> None:
    assert contrast(palette["panel"], palette[state]) >= AA


@PALETTES
def test_the_focus_stands_out(palette: Mapping[str, str]) -> None:
    assert contrast(palette["focus"], palette["panel"]) >= 3
