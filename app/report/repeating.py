"""How to do the same again, in words that anybody can follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..units import count_text


def how_to_repeat(plan: Mapping[str, Any]) -> Iterator[str]:
    """Of a plan as it was carried out; of what somebody else has published nothing is known."""
    if not plan.get("files"):
        return
    yield (
        f"{count_text(plan['tables'], 'table')} of {plan['rows']:,} rows, the sequence {plan['sequence']}, "
        f"{plan['seconds']} s a step after {plan['warmup']} s of warm-up, "
        f"over {'a socket' if plan['transport'] == 'socket' else 'loopback'}."
    )
    yield (
        "With Dyno: save the plan of a session on the Bench page, or ask for its sessions "
        "(`dyno session export`); presets, workloads and Lua files are part of it."
    )
