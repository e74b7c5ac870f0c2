"""What would spoil a measurement on a machine, in the words of a survey and of the checks of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from app.protocol.answers import PASS, Cpu, Disk, Machine, OtherActiveAgent
from app.protocol.machine_checks import machine_checks, program_checks, warnings_of


def quiet(**changes: Any) -> Machine:
    """A machine nothing is to be said about, but for the changes."""
    said = {
        "governor": "performance", "turbo": False, "huge_pages": "madvise", "swap_bytes": 0, "swappiness": 60,
        "load": [0.1, 0.1, 0.1], "cpu": Cpu(threads=4), "sysbench": "1.0.20", "python": "3.8.0",
        "sysbench_path": "/usr/bin/sysbench", "disk": Disk("/data", kind="nvme", filesystem="xfs"),
    }  # fmt: skip
    return Machine(**{**said, **changes})


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ""),
        ({"governor": None, "turbo": None, "huge_pages": None, "swappiness": None, "disk": None}, ""),
        ({"governor": "powersave"}, "governor is powersave"),
        ({"turbo": True}, "turbo is on"),
        ({"huge_pages": "always"}, "huge pages"),
        ({"swap_bytes": 1}, "swappiness is 60"),
        ({"load": [2.0, 0.0, 0.0]}, "load of the target is 2.0"),
        ({"load": [2.0, 0.0, 0.0], "cpu": Cpu(threads=64)}, ""),
        ({"sysbench_path": None, "sysbench": None}, "sysbench is missing"),
        ({"sysbench": "1.0.9"}, "sysbench 1.0.9 is too old"),
        ({"sysbench": None}, "/usr/bin/sysbench reports no version"),
        ({"agents": [OtherActiveAgent(7, "/d")]}, "another plan is running on this machine, in /d"),
        ({"disk": Disk("/d", kind="memory", filesystem="tmpfs")}, "/d is in memory (tmpfs)"),
    ],
)
def test_warnings(changes: dict[str, Any], expected: str) -> None:
    found = warnings_of(quiet(**changes))
    assert len(found) == bool(expected)
    assert expected in "".join(found)


def test_a_survey_warns_in_the_words_of_the_checks() -> None:
    bad = quiet(governor="powersave", turbo=True, huge_pages="always", load=[9.0], sysbench=None)
    checks = [each for each in (*program_checks(bad), *machine_checks(bad)) if each.state != PASS]
    assert len(checks) == 5 and all(each.todo for each in checks)
    assert warnings_of(bad) == [f"{each.text}; {each.todo}" for each in checks]
