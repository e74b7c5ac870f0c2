"""What can be told from what is around it."""

from __future__ import annotations

import pytest

from ui.core.theme import colours_of

FIELD_RATIO = 3.0  # of the border of a control (WCAG 1.4.11)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize("ground", ["base", "window", "raised"])
def test_the_border_of_a_field_is_seen(is_dark: bool, ground: str) -> None:
    colours = colours_of(is_dark)
    assert contrast(colours["field"], colours[ground]) >= FIELD_RATIO


def test_contrast_is_what_the_norm_says() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
