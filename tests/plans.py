"""A target to plan for, and plans made for it, without a machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.answers import Survey
from app.protocol.plan import Plan, Step
from app.protocol.reading import read

GB = 1 << 30
NOW = 1_800_000_000.0
VERSION = "10.11.19"  # recorded keys of plans contain it
MARIADB = f"mariadb-{VERSION}"  # of the made-up target; that of this system is in tests/installed.py
THREE = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb", f"{MARIADB}:myisam")


def survey(**changes: Any) -> Survey:
    """A quiet machine of four threads and 16 GiB with three builds, and one that cannot start."""
    return read(Survey, surveyed(**changes))


def surveyed(**changes: Any) -> dict[str, Any]:
    """The same as an agent says it."""
    return {
        "machine_id": "f00",
        "cpu": {"model": "i3", "sockets": 1, "cores": 2, "threads": 4},
        "memory_bytes": 16 * GB,
        "memory_available_bytes": 15 * GB,
        "disk": {"model": "850 EVO", "kind": "ssd", "filesystem": "xfs", "free_bytes": 200 * GB},
        "governor": "performance",
        "turbo": False,
        "huge_pages": "madvise",
        "load": [0.0, 0.0, 0.0],
        "clock_utc": NOW,
        "clock_ahead_s": 0.0,
        "distribution": "Debian GNU/Linux 12 (bookworm)",
        "kernel": "6.1.0",
        "python": "3.11.2",
        "sysbench": "1.0.20",
        "warnings": [],
        "builds": [
            build(MARIADB, "MariaDB", VERSION, ["innodb", "rocksdb", "myisam"]),
            build("mysql-5.6.24", "MySQL", "5.6.24", ["innodb", "myisam"]),
            build("mysql-9.7.4", "MySQL", "9.7.4", ["InnoDB", "MyISAM"]),
            build("mysql-8.0.40", "MySQL", "8.0.40", [], "libaio.so.1 is missing"),
        ],
        **changes,
    }


def build(
    name: str, family: str, version: str, engines: list[str], problem: str | None = None
) -> dict[str, Any]:
    return {
        "name": name,
        "base": f"/opt/{name}",
        "server": f"/opt/{name}/bin/mysqld",
        "family": family,
        "version": version,
        "engines": engines,
        "problem": problem,
        "fingerprint": f"hash of {name}",
    }


def contenders(*texts: str) -> tuple[ContenderRequest, ...]:
    return tuple(ContenderRequest.from_text(text) for text in texts)


def request(*texts: str, **options: Any) -> PlanRequest:
    """The duel of the named contenders, InnoDB alone if none is."""
    chosen = contenders(*(texts or (f"{MARIADB}:innodb",)))
    return PlanRequest().with_options(**{"sequence": "duel", "contenders": chosen, **options})


def plan(*texts: str, **options: Any) -> Plan:
    return resolve(request(*texts, **options), survey(), Catalog())


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def unresolved(*texts: str, **options: Any) -> str:
    """Why such a plan is refused, in one line."""
    with pytest.raises(InputError) as caught:
        plan(*texts, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def labels(steps: Sequence[Step]) -> list[str]:
    return [step.label for step in steps]


def changed(path: Path, old: str, new: str) -> None:
    """A file of a copy of the project, with one place changed."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
