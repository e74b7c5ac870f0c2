"""What was asked for and what is compiled in, against what is in force."""

from __future__ import annotations

from app.agent.asked import not_default


def test_a_default_is_known_in_every_spelling() -> None:
    compiled = {"a-b": "128M", "c": "TRUE", "d": "utf8mb4", "e": "", "f": "0"}
    in_force = {"a_b": str(128 << 20), "c": "ON", "d": "latin1", "e": "", "f": "OFF", "version": "9.7"}
    assert not_default(compiled, in_force) == ["d", "version"]
