"""Colours of contenders are told apart: by CIEDE2000, also where an eye lacks one kind of cone."""

from __future__ import annotations

from itertools import combinations
from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

import pytest

from app.comparison.cells.palette import CONTENDERS

APART = 12.0
GROUNDS = {False: ("#ffffff", "#f4f5f7"), True: ("#22262b", "#1b1e22")}  # of charts and pages
CONTRAST = {False: 2.7, True: 3.0}

Triple = tuple[float, ...]
Matrix = tuple[Triple, ...]

TO_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041),
)  # fmt: skip
WHITE = (0.95047, 1.0, 1.08883)  # D65
EYES: dict[str, Matrix] = {  # on linear RGB: Machado, Oliveira and Fernandes, 2009, severity 1
    "none": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip


def times(matrix: Matrix, colour: Triple) -> Triple:
    return tuple(sum(a * b for a, b in zip(row, colour, strict=True)) for row in matrix)


def linear(colour: str) -> Triple:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return tuple(each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts)


def lab(colour: Triple) -> Triple:
    """Of linear RGB."""
    parts = [each / white for each, white in zip(times(TO_XYZ, colour), WHITE, strict=True)]
    x, y, z = (each ** (1 / 3) if each > 216 / 24389 else (24389 / 27 * each + 16) / 116 for each in parts)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one: Triple, other: Triple) -> float:
    """As Sharma, Wu and Dalal write it down, 2005."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    grey = 0.5 * (1 - _chroma_share((hypot(a1, b1) + hypot(a2, b2)) / 2))
    a1, a2 = a1 * (1 + grey), a2 * (1 + grey)
    c1, c2 = hypot(a1, b1), hypot(a2, b2)
    h1, h2 = degrees(atan2(b1, a1)) % 360, degrees(atan2(b2, a2)) % 360
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = (
        1 - 0.17 * cos(radians(hue - 30)) + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6)) - 0.20 * cos(radians(4 * hue - 63))
    )  # fmt: skip
    by_l = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / sqrt(20 + (lightness - 50) ** 2))
    by_c = (c2 - c1) / (1 + 0.045 * chroma)
    by_h = 2 * sqrt(c1 * c2) * sin(radians(turn / 2)) / (1 + 0.015 * chroma * t)
    rotation = -sin(radians(60 * exp(-(((hue - 275) / 25) ** 2)))) * 2 * _chroma_share(chroma)
    return sqrt(by_l**2 + by_c**2 + by_h**2 + rotation * by_c * by_h)


def _chroma_share(chroma: float) -> float:
    return sqrt(chroma**7 / (chroma**7 + 25**7))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((50.0, 2.49, -0.001), (50.0, -2.49, 0.0011), 7.2195),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_formula_gives_what_its_authors_published(one: Triple, other: Triple, apart: float) -> None:
    assert ciede2000(one, other) == pytest.approx(apart, abs=1e-4)
    assert ciede2000(other, one) == pytest.approx(apart, abs=1e-4)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("is_dark", [False, True])
def test_any_two_contenders_are_apart(is_dark: bool, eye: str) -> None:
    seen = {
        each: lab(tuple(min(max(part, 0.0), 1.0) for part in times(EYES[eye], linear(each))))
        for each in CONTENDERS[is_dark]
    }
    assert len(seen) == 8
    near = {
        pair: apart for pair in combinations(seen, 2) if (apart := ciede2000(*map(seen.get, pair))) < APART
    }  # type: ignore[arg-type]
    assert near == {}


@pytest.mark.parametrize("is_dark", [False, True])
def test_they_stand_out_from_the_ground(is_dark: bool) -> None:
    for ground in GROUNDS[is_dark]:
        behind = times(TO_XYZ, linear(ground))[1]
        for colour in CONTENDERS[is_dark]:
            light = times(TO_XYZ, linear(colour))[1]
            assert (max(light, behind) + 0.05) / (min(light, behind) + 0.05) >= CONTRAST[is_dark], colour
