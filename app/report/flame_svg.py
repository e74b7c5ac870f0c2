"""A flame graph as one SVG picture: for a report, or for a file without anything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from app.comparison.stacks.flame import (
    DrawnFlameFrame,
    Flame,
    Frame,
    base_text,
    change_texts,
    flame_text,
    frame_text,
    growth,
    pieces,
)
from app.comparison.stacks.flame_colours import (
    STEPS,
    colour_of,
    part_of_frame,
    parts_in,
    shade_colour,
    shade_of,
)
from app.comparison.stacks.parts import PARTS

from .svg import drawing, svg_tooltip, text

WIDTH, ROW, PAD = 1200.0, 17.0, 8.0
CHAR = 6.3  # the width of a letter, about
NARROWEST = 0.001  # of the width: 0.1 % of the samples
_INK = {False: "#202124", True: "#e8e8e8"}
_GROUND = {False: "#ffffff", True: "#1e1f22"}


def flame_svg(flame: Flame, title: str, remarks: Sequence[str] = (), is_alone: bool = True) -> str:
    """The picture; alone it has its own ground, and is a file of its own."""
    heads = [title, *remarks, _legend_hint(flame)]
    lines = [line for each in heads if each for line in wrap(each, int((WIDTH - 2 * PAD) / CHAR))]
    legend = list(_legend(flame, PAD + 18.0 * len(lines) + 4))
    top = PAD + 18.0 * len(lines) + (24.0 if legend else 6.0)
    seen = pieces(flame, narrowest=NARROWEST)
    depth = max((flame.frames[piece.at].depth for piece in seen), default=0)
    height = top + (depth + 1) * ROW + PAD
    shades = growth(flame) if flame.base_samples else []
    parts = [
        f"<style>{_style(flame)}</style>",
        *([f'<rect class="ground" width="{WIDTH:g}" height="{height:g}"/>'] if is_alone else []),
        *(
            text(PAD, PAD + 12 + 18 * at, words, "start", "title" if not at else "")
            for at, words in enumerate(lines)
        ),
        *legend,
        *(_piece(flame, piece, height - PAD, shades) for piece in seen),
    ]
    svg = drawing(WIDTH, height, parts, title).replace("<svg ", '<svg class="flame" ', 1)
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) if is_alone else svg


def _piece(flame: Flame, piece: DrawnFlameFrame, bottom: float, shades: Sequence[float]) -> str:
    frame = flame.frames[piece.at]
    wide = WIDTH - 2 * PAD
    x, width = PAD + piece.left * wide, piece.width * wide
    y = bottom - (frame.depth + 1) * ROW
    kind = (
        f"g{shade_of(shades[piece.at]) + STEPS}" if shades else f"p{PARTS.index(part_of_frame(frame.name))}"
    )
    place = f'x="{x:.1f}" y="{y:.1f}" width="{max(0.3, width - 0.5):.1f}" height="{ROW - 1:g}"'
    box = f'<rect class="{kind}" {place}/>'
    return f"<g>{svg_tooltip(frame_text(flame, frame))}{box}{_name(frame, x, y, width)}</g>"


def _name(frame: Frame, x: float, y: float, width: float) -> str:
    room = int((width - 6) / CHAR)
    if room < 3:
        return ""
    name = frame.name if len(frame.name) <= room else frame.name[: room - 2] + ".."
    return text(x + 3, y + ROW - 5, name, "start")


def _legend_hint(flame: Flame) -> str:
    if not flame.base_samples:
        return flame_text(flame)
    less, _, more = change_texts(flame)
    return f"{flame_text(flame)}, {base_text(flame)} in the base; orange: {more}; blue: {less}"


def _legend(flame: Flame, y: float) -> Iterator[str]:
    """The parts of the server with their shares."""
    x = PAD
    for part, share in {} if flame.base_samples else parts_in(flame).items():
        words = f"{part} {share:.0%}"
        width = 18 + CHAR * len(words) + 14
        if x + width > WIDTH:
            return
        yield f'<rect class="p{PARTS.index(part)}" x="{x:.1f}" y="{y:.1f}" width="12" height="12"/>'
        yield text(x + 16, y + 10, words, "start")
        x += width


def _style(flame: Flame) -> str:
    dark = _colours(flame, True)
    rules = ".flame text{font:11px sans-serif}.flame .title{font-weight:600;font-size:13px}"
    return f"{rules}{_colours(flame, False)}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def _colours(flame: Flame, is_dark: bool) -> str:
    if flame.base_samples:
        shades = range(-STEPS, STEPS + 1)
        found = {f"g{shade + STEPS}": shade_colour(shade, is_dark) for shade in shades}
    else:
        found = {f"p{at}": colour_of(part, is_dark) for at, part in enumerate(PARTS)}
    found = {**found, "ground": _GROUND[is_dark]}
    fills = "".join(f".flame .{name}{{fill:{colour}}}" for name, colour in found.items())
    return f"{fills}.flame text{{fill:{_INK[is_dark]}}}"
