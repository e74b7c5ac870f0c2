"""An engine is added by one file and its presets: here by a test, and it goes through a session."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.protocol.events import SeriesDeclared, StepEnded
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.sequences import CALM, SETTLED, own_sequence

ROOT = Path(__file__).parents[2]
ENGINE = '''
"""MEMORY, as a test has it."""

from dataclasses import dataclass

from .counter import rate
from .engine import Engine, rows_written


@dataclass(frozen=True, eq=False)
class Memory(Engine):
    def commit(self, values):
        return "in memory alone"

    def debt(self, query):
        (row,) = query("SELECT SUM(data_length) AS n FROM information_schema.tables WHERE engine = 'MEMORY'")
        return {"memory_bytes": int(row["n"])}


ENGINE = Memory(
    "memory",
    "Memory",
    aliases=("heap",),
    has_facts=True,
    option="max-heap-table-size",
    cache="max_heap_table_size",
    load_rate=777_000,
    no_bulk="its rows go to memory anyway",
    counters=(*rows_written("memory"), rate("memory.temporary", "created_tmp_tables", "temporary tables")),
    is_written="is_written() { true; } # it writes nothing\\n",
)
'''
PRESET = "# title: Tables of a gigabyte\n[mysqld]\nmax_heap_table_size=1G\n"
SEQUENCE = own_sequence("short", 'workload = "load"', SETTLED, f'workload = "point-query"\n{CALM}', rows=500)


@pytest.fixture
def added(desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    """A Dyno with one engine more."""
    dyno = tmp_path / "dyno"
    for room in ("app", "resources", "workloads", "cnf_presets"):
        shutil.copytree(ROOT / room, dyno / room, ignore=shutil.ignore_patterns("__pycache__"))
    (dyno / "app" / "engines" / "memory.py").write_text(ENGINE)
    (dyno / "cnf_presets" / "memory").mkdir()
    (dyno / "cnf_presets" / "memory" / "baseline.cnf").write_text(PRESET)
    (desktop.home / "sequences" / "short.toml").write_text(SEQUENCE)
    desktop.is_in_process = False
    monkeypatch.chdir(dyno)  # commands take it before the Dyno that is installed
    return desktop


@pytest.mark.full
def test_an_engine_is_added_by_one_file_and_its_presets(added: Desktop, tmp_path: Path) -> None:
    presets = [(each["engine"], each["name"], each["title"]) for each in added.json("preset", "list")]
    assert presets[-1] == ("memory", "baseline", "Tables of a gigabyte")
    builds = added.json("target", "survey", "local")["builds"]
    (build,) = (each for each in builds if each["name"] == MARIADB)
    assert build["engines"] == ["innodb", "rocksdb", "myisam", "aria", "memory"]
    assert "memory" not in build["other_engines"] and "csv" in build["other_engines"]
    words = (
        "run",
        "--sequence",
        "short",
        "--contender",
        f"{MARIADB}:heap",
        "--contender",
        f"{MARIADB}:innodb",
    )
    said = added.refused(*words, "--load-method", "bulk")
    assert f"not for {MARIADB}-memory: its rows go to memory anyway" in said

    done = added.dyno(*words, "--details")
    assert "no facts" not in done.stdout
    assert "memory 777k" in done.stdout and "memory: in memory alone" in done.stdout
    session = next(each["id"] for each in added.sessions() if each["name"] == "short-memory")
    events = added.events(session)
    (declared,) = (each for each in events if isinstance(each, SeriesDeclared))
    assert "memory.temporary" in {each.name for each in declared.series}
    ended = [each for each in events if isinstance(each, StepEnded)]
    assert [each.outcome for each in ended] == ["completed"] * 4
    assert all(each.debt["memory_bytes"] > 1 << 20 for each in ended)

    added.dyno("session", "script", session, "--out", str(tmp_path / "script"))
    assert "is_written() { true; } # it writes nothing\n" in (tmp_path / "script" / "run.sh").read_text()
