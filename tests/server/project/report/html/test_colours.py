"""Every text of the page can be read on its ground."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend.project.report.html.style import DARK, LIGHT, ON, STATES, contrast

AA = 4.5
"""What WCAG 2 asks for text of ordinary size, level AA."""
PALETTES = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


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
