"""Ten planted pairs: two my.cnf that differ in one cause, some in three innocent settings too.

`dyno explain` must name the cause and no innocent. A pair counts if its ratio is at least 5 %. A pair takes
up to 40 minutes: `python -m tests.bench explain --planted redo,commit` takes some of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

from app.explaining.search import DID
from app.planner.request.cores import OWN_CPUS
from tests.bench.figure import Figure, print_figures
from tests.installed import DYNO, MARIADB
from tests.sequences import LOAD, SETTLED, own_sequence

COUNTS = 0.05  # the least difference of a pair that counts
SECONDS, ROWS, TABLES, THREADS = 5, 100_000, 2, 4
SEQUENCE, ENGINE = "planted", "innodb"
STEPS = ("point-query", "read-only-order", "update-index", "insert")
COMMON = "innodb_buffer_pool_size=256M\ninnodb_flush_log_at_trx_commit=2"
LOG = "innodb_log_file_size=256M"
SMALL_LOG = "innodb_redo_log_capacity=16M"  # of MySQL from 8.0.30 on
FLUSHING = "innodb_log_file_size=16M"  # pages are written all the time
READING = "innodb_buffer_pool_size=8M"  # pages are read all the time
BINLOG = "log_bin=binlog\nserver_id=1\nlog_slave_updates=ON"
INNOCENT = (  # a sort of 1,000 rows fits both buffers
    "innodb_log_buffer_size=16M\nsort_buffer_size=2M\ntable_open_cache=2000",
    "innodb_log_buffer_size=24M\nsort_buffer_size=3M\ntable_open_cache=3000",
)


@dataclass(frozen=True)
class Planted:
    """One cause: the lines of A and of B, the step where it shows, and the builds that have it."""

    cause: str  # a part of the name of the setting
    a: str
    b: str
    step: str = "update-index"
    has_innocents: bool = False
    tables_of_b: str = ""  # table options, of which no preset knows
    builds: str = "mariadb-"
    log: str = LOG


PLANTED: Mapping[str, Planted] = {
    "redo": Planted("innodb_log_file_size", "innodb_log_file_size=8M", "innodb_log_file_size=512M"),
    "commit": Planted("innodb_flush_log_at_trx_commit", "innodb_flush_log_at_trx_commit=1",
                      "innodb_flush_log_at_trx_commit=2", has_innocents=True),
    "doublewrite": Planted("innodb_doublewrite", f"{FLUSHING}\ninnodb_doublewrite=ON",
                           f"{FLUSHING}\ninnodb_doublewrite=OFF"),
    "binlog": Planted("log_bin", "log_bin=binlog\nsync_binlog=0", "skip_log_bin\nsync_binlog=0",
                      has_innocents=True),
    "gtid": Planted("gtid_mode", f"{BINLOG}\ngtid_mode=OFF\nenforce_gtid_consistency=OFF",
                    f"{BINLOG}\ngtid_mode=ON\nenforce_gtid_consistency=ON", builds="mysql-5.6"),
    "pool": Planted("innodb_buffer_pool_size", "innodb_buffer_pool_size=8M", "innodb_buffer_pool_size=256M",
                    "point-query", True),
    "io": Planted("innodb_io_capacity", "innodb_io_capacity=100\ninnodb_io_capacity_max=100",
                  "innodb_io_capacity=4000\ninnodb_io_capacity_max=8000", has_innocents=True,
                  builds="mysql-9", log=SMALL_LOG),
    "compression": Planted("innodb_compression_default", f"{READING}\ninnodb_compression_default=OFF",
                           f"{READING}\ninnodb_compression_default=ON", "point-query"),
    "schema": Planted("performance_schema", "performance_schema=OFF",
                     "performance_schema=ON\nperformance_schema_instrument='%=ON'", "point-query", True),
    # of the tables, because workloads name the character set of theirs whatever the server has
    "charset": Planted("table options", "", "", "read-only-order", True, "COLLATE=latin1_german2_ci"),
}  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--planted", default="", help=f"pairs to explain: {','.join(PLANTED)} (all of --build)"
    )
    parser.add_argument("--build", default=MARIADB, help="of the pairs; GTID needs mysql-5.6, io mysql-9")
    parser.add_argument("--search-path", default="", help="where to look for that build, such as '/opt/*'")


def explain(options: argparse.Namespace) -> list[Figure]:
    of_build = [name for name, its in PLANTED.items() if options.build.startswith(its.builds)]
    names = options.planted.split(",") if options.planted else of_build
    with tempfile.TemporaryDirectory(dir=options.directory or None) as folder:
        home = Path(folder) / "home"
        _write_sequence(home, options)
        if options.search_path:
            _dyno(home, "target", "edit", "local", "--search-path", options.search_path)
        found: dict[str, dict[str, Any]] = {}
        for name in names:
            found[name] = _explained(home, name, options)
            print_figures(_figures(name, found[name]))  # a run that is broken off has its figures too
    return [figure for name, entry in found.items() for figure in _figures(name, entry)] + _summary(found)


def lines_of(name: str) -> tuple[str, str]:
    """The two my.cnf of a pair."""
    planted = PLANTED[name]
    sides, lines = (planted.a, planted.b), [*COMMON.splitlines(), planted.log]
    extra = INNOCENT if planted.has_innocents else ("", "")
    common = [line for line in lines if line.partition("=")[0] not in sides[0]]
    texts = [
        "\n".join(["[mysqld]", *common, side, more, ""]) for side, more in zip(sides, extra, strict=True)
    ]
    return texts[0], texts[1]


def _write_sequence(home: Path, options: argparse.Namespace) -> None:
    (home / "sequences").mkdir(parents=True)
    steps = [f'workload = "{each}"\nthreads = [{THREADS}]' for each in STEPS]
    text = own_sequence(SEQUENCE, LOAD, SETTLED, *steps, seconds=options.seconds or SECONDS, warmup=2)
    (home / "sequences" / f"{SEQUENCE}.toml").write_text(text)


def _explained(home: Path, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """What `dyno explain` says of a pair."""
    folder = home / "presets" / ENGINE
    folder.mkdir(parents=True, exist_ok=True)
    for side, text in zip("ab", lines_of(name), strict=True):
        (folder / f"{name}-{side}.cnf").write_text(text)
    busy = ["--allow-busy"] if options.allow_busy else []
    pair = _plan_of(home, name, options, busy) if PLANTED[name].tables_of_b else _sides(name, options)
    found: dict[str, Any] = json.loads(
        _dyno(home, "explain", *pair, "--step", PLANTED[name].step, *busy, "--json")
    )
    return found


def _sides(name: str, options: argparse.Namespace) -> list[str]:
    """Two contenders by name, and their work; on shared CPUs a second of equal servers varies by a third."""
    sides = [f"{options.build}:{ENGINE}:{name}-{side}" for side in "ab"]
    size = ["--rows", str(options.rows or ROWS), "--tables", str(TABLES)]
    return [*sides, "--sequence", SEQUENCE, *size, "--cpus", OWN_CPUS]


def _plan_of(home: Path, name: str, options: argparse.Namespace, busy: Sequence[str]) -> list[str]:
    """A plan of two contenders that was carried out: only so they can have table options."""
    text = f'name = "{name}"\nsequence = "{SEQUENCE}"\ncpus = "{OWN_CPUS}"\norder = "slices"\n'
    text += f"tables = {TABLES}\nrows = {options.rows or ROWS}\n"
    for side, tables in ("a", ""), ("b", PLANTED[name].tables_of_b):
        text += f'[[contender]]\nname = "{side}"\nbuild = "{options.build}"\nengine = "{ENGINE}"\n'
        text += f'preset = "{name}-{side}"\ntable_options = "{tables}"\n'
    plan = home / f"{name}.toml"
    plan.write_text(text)
    _dyno(home, "run", str(plan), *busy)
    return [name]


def _dyno(home: Path, *words: str) -> str:
    environment = {**os.environ, "DYNO_HOME": str(home)}
    command = [*DYNO, *words]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def _named(entry: Mapping[str, Any]) -> list[str]:
    return [each["name"] for each in entry["settings"] if each["verdict"] == DID]


def _counts(entry: Mapping[str, Any]) -> bool:
    return bool(entry["ratio"]) and abs(log(entry["ratio"]["ratio"])) >= log(1 + COUNTS)


def _is_found(name: str, entry: Mapping[str, Any]) -> bool:
    return any(PLANTED[name].cause in each for each in _named(entry))


def _figures(name: str, entry: Mapping[str, Any]) -> list[Figure]:
    rounds, ratio = entry["rounds"], entry["ratio"]
    innocents = [each for each in _named(entry) if PLANTED[name].cause not in each]
    figures = [
        Figure(f"{name}: cause named", float(_is_found(name, entry)), "", rounds, "rounds", digits=0),
        Figure(f"{name}: innocents named", len(innocents), "", rounds, "rounds", digits=0),
        Figure(
            f"{name}: took", entry["minutes"], "minutes", rounds, "rounds", at_most=entry["minutes_limit"]
        ),
    ]
    ratios = [Figure(f"{name}: B to A", ratio["ratio"], "", ratio["n"], "rounds")] if ratio else []
    return [*ratios, *figures]


def _summary(found: Mapping[str, Mapping[str, Any]]) -> Sequence[Figure]:
    counted = {name: entry for name, entry in found.items() if _counts(entry)}
    share = sum(_is_found(*each) for each in counted.items()) / max(len(counted), 1)
    return [Figure("causes named", share, "of the pairs that count", len(counted), "pairs", at_least=0.9)]


FIGURES = {"explain": explain}
