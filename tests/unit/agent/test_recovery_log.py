"""The phases of a start after a crash, from error logs of real servers that were killed at full rate."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.agent.server.recovery import LogTail, phases_of
from app.engines import engine_of
from app.engines.server import RECOVERY

LOGS = Path(__file__).parents[2] / "data/recovery"  # seconds since the kill, a tab, the line
# read by hand; the seconds that the servers themselves write agree, where they write parts of them
PHASES = {
    "mariadb-10.11-aria": {"recover": 1.093, "binary log": 0.0},
    "mariadb-10.11-innodb": {"scan redo": 0.347, "apply redo": 0.303, "roll back": 1.015, "binary log": 0.0},
    "mariadb-10.11-rocksdb": {"replay log": 0.44, "binary log": 0.0},
    "mysql-5.6-innodb": {"scan redo": 1.661, "apply redo": 1.582, "roll back": 2.33, "binary log": 0.081},
    "mysql-5.7-innodb": {"scan redo": 0.881, "apply redo": 0.964, "roll back": 1.963, "binary log": 0.083},
    "mysql-8.0-innodb": {"scan redo": 2.273, "apply redo": 1.905, "binary log": 0.798, "roll back": 7.925},
    "mysql-9.7-innodb": {"scan redo": 0.82, "apply redo": 0.759, "binary log": 0.144, "roll back": 2.841},
}


def lines_of(name: str) -> list[tuple[float, str]]:
    pairs = (line.split("\t", 1) for line in (LOGS / f"{name}.log").read_text().splitlines())
    return [(float(at), text) for at, text in pairs]


def phases(name: str, lines: list[tuple[float, str]]) -> dict[str, float]:
    return phases_of((*engine_of(name.rpartition("-")[2]).recovery, *RECOVERY), lines)


@pytest.mark.parametrize("name", PHASES)
def test_each_family_tells_its_phases_in_their_order(name: str) -> None:
    found = phases(name, lines_of(name))
    assert found == PHASES[name] and list(found) == list(PHASES[name])


def test_every_log_is_read() -> None:
    assert {path.stem for path in LOGS.iterdir()} == set(PHASES)


@pytest.mark.parametrize("name", PHASES)
def test_a_phase_without_its_end_has_no_seconds(name: str) -> None:
    lines = lines_of(name)
    for most in range(len(lines)):
        found = phases(name, lines[:most])
        assert all(0 <= seconds <= PHASES[name][phase] for phase, seconds in found.items())
    assert phases(name, []) == {}


def test_new_lines_have_the_moment_at_which_they_were_seen(tmp_path: Path) -> None:
    path = tmp_path / "error.log"
    path.write_text("old\n")
    tail = LogTail(str(path))
    tail.look(1.0)
    with path.open("a") as file:
        file.write("first\nhalf")
        file.flush()
        tail.look(2.0)
        file.write(" of it\n")
    tail.look(3.0)
    assert tail.lines == [(2.0, "first"), (3.0, "half of it")]


def test_a_log_that_is_not_there_is_none(tmp_path: Path) -> None:
    tail = LogTail(str(tmp_path / "none.log"))
    tail.look(1.0)
    assert tail.lines == []
