"""Where the names of curves stand beside their ends, if they fit there."""

from __future__ import annotations

from collections.abc import Sequence

_AWAY = 1.5  # heights of a name: further away from its curve's end it would be unclear


def spread(wanted: Sequence[float], height: float, low: float, high: float) -> list[float] | None:
    """Middles for names of this height, near their wanted places and without overlap; or None."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    found, least = list(wanted), low + height / 2
    for at in order:
        found[at] = max(found[at], least)
        least = found[at] + height
    most = high - height / 2
    for at in reversed(order):
        found[at] = min(found[at], most)
        most = found[at] - height
    far = max((abs(ours - theirs) for ours, theirs in zip(found, wanted, strict=True)), default=0.0)
    has_room = not order or found[order[0]] >= low + height / 2 - 1e-6
    return found if has_room and far <= _AWAY * height else None
