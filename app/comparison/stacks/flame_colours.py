"""Colours of a flame graph: by part of the server, or by growth where it is compared with a base."""

from __future__ import annotations

from collections.abc import Mapping

from app.comparison.cells.palette import FLAME_GREYS, FLAMES, VERDICTS
from app.engines import KNOWN

from .flame import ALL, Flame
from .parts import KERNEL, PARTS, SQL, UNNAMED, server_code_part

STEPS = 8  # shades of growth


def _places() -> dict[str, int]:
    """The place of each part in the palette: parts of one engine differ."""
    of_engines = {part: at for engine in KNOWN.values() for at, (part, _) in enumerate(engine.functions)}
    rest = [part for part in PARTS if part not in of_engines and part not in (SQL, KERNEL, UNNAMED)]
    last = len(FLAMES[False])
    return {**of_engines, **{part: last - 1 - at for at, part in enumerate(rest)}}


_PLACES = _places()


def colour_of(part: str, is_dark: bool) -> str:
    """The colour of a part of the server."""
    if part in _PLACES:
        return FLAMES[is_dark][_PLACES[part]]
    return FLAME_GREYS[is_dark][(SQL, KERNEL, UNNAMED).index(part)]


def part_of_frame(name: str) -> str:
    return UNNAMED if name == ALL else server_code_part(name)


def shade_of(growth: float) -> int:
    """From -STEPS, shrunk, to STEPS, grown."""
    return round(growth * STEPS)


def shade_colour(shade: int, is_dark: bool) -> str:
    """The colour of a shade: of what grew that of worse, of what shrank that of better."""
    towards = VERDICTS[is_dark]["worse" if shade > 0 else "better"]
    return _mixed(FLAME_GREYS[is_dark][3], towards, abs(shade) / STEPS * 0.8)


def _mixed(one: str, other: str, part: float) -> str:
    parts = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in parts)


def parts_in(flame: Flame) -> Mapping[str, float]:
    """The parts with their share of the samples, the largest first: the legend."""
    found: dict[str, int] = {}
    for frame in flame.frames[1:]:
        if frame.own:
            part = part_of_frame(frame.name)
            found[part] = found.get(part, 0) + frame.own
    ordered = sorted(found.items(), key=lambda each: -each[1])
    return {part: own / flame.samples for part, own in ordered}
