"""The memory of a server in words: only what is not as it is anyway."""

from __future__ import annotations

from app.protocol.answers import Survey
from app.variables.memory_text import memory_settings_of, memory_settings_text, supported_memory_settings

USUAL = {
    "allocator": "system",
    "numa": "default",
    "limit_bytes": None,
    "used_bytes": None,
    "peak_bytes": None,
}


def test_what_was_in_force_is_told_before_what_was_asked_for() -> None:
    asked = {"allocator": "jemalloc", "numa": "", "memory_limit": 1 << 30}
    assert memory_settings_text(asked) == "allocator jemalloc, memory limit 1.0 GiB"
    found = {**USUAL, "allocator": "/lib/libjemalloc.so.2", "limit_bytes": 1 << 30, "peak_bytes": 1 << 29}
    told = "allocator /lib/libjemalloc.so.2, memory limit 1.0 GiB, 512.0 MiB of it used at most"
    assert memory_settings_text(asked, found) == told


def test_the_usual_is_no_news_and_yet_something_that_can_differ() -> None:
    assert memory_settings_text({}, USUAL) == memory_settings_text({}) == ""
    assert memory_settings_of({}, USUAL) == {"allocator": "system", "numa": "default"}
    assert memory_settings_of({}, None) == {}


def test_a_target_says_what_its_servers_can_be_given() -> None:
    had = Survey(allocators={"jemalloc": "/x"}, numactl="/usr/bin/numactl", memory_limit_problem="")
    assert [text for _, text in supported_memory_settings(had)] == [
        "system, jemalloc",
        "numactl",
        "can be set",
    ]
    bare = Survey(allocators={}, memory_limit_problem="cannot create a cgroup in /x: No")
    told = ["system", "numactl is not installed", "none: cannot create a cgroup in /x: No"]
    assert [text for _, text in supported_memory_settings(bare)] == told
    assert supported_memory_settings(Survey()) == []
