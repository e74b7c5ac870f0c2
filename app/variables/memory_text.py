"""The memory of a server in words: what a contender asks for, what was in force in a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.core.units import bytes_text
from app.protocol.answers import Survey
from app.protocol.plan import MEMORY

_USUAL = (None, "", "system", "default")


def memory_settings_of(contender: Mapping[str, Any], in_force: Mapping[str, Any] | None) -> dict[str, str]:
    """Memory settings by the keys of a contender: in force if the server started, else requested."""
    said = {name: contender.get(name) for name in MEMORY}
    if in_force is not None:
        said = {**in_force, "memory_limit": in_force.get("limit_bytes")}
    limit = said["memory_limit"]
    texts = {
        "allocator": said.get("allocator"),
        "numa": said.get("numa"),
        "memory_limit": limit and bytes_text(limit),
    }
    return {name: str(text) for name, text in texts.items() if text}


def memory_settings_text(contender: Mapping[str, Any], in_force: Mapping[str, Any] | None = None) -> str:
    """The memory settings that differ from the defaults, in one line; '' if none do."""
    said = {
        name: text for name, text in memory_settings_of(contender, in_force).items() if text not in _USUAL
    }
    words = {"allocator": "allocator {}", "numa": "NUMA policy {}", "memory_limit": "memory limit {}"}
    parts = [words[name].format(text) for name, text in said.items()]
    peak = (in_force or {}).get("peak_bytes")
    return ", ".join([*parts, f"{bytes_text(peak)} of it used at most"] if peak else parts)


def supported_memory_settings(survey: Survey) -> list[tuple[str, str]]:
    """The memory settings that a target supports; empty if the survey does not say."""
    if survey.allocators is None:
        return []
    problem = survey.memory_limit_problem
    return [
        ("Allocators", ", ".join(["system", *survey.allocators])),
        ("NUMA", "numactl" if survey.numactl else "numactl is not installed"),
        ("Memory limit", f"none: {problem}" if problem else "can be set"),
    ]
