"""Settings that hurt, chosen from the manuals: does Why name each among its first three?

Each is set badly in one of two presets, which also differ in innocent settings, and its step is measured. A
setting counts if it costs 10 % or more. `python -m tests.bench causes --build mysql-8.0.46 --search-path ...`
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.catalog import Catalog
from app.catalog.approval import hash_of
from app.core.table import markdown_of
from tests.bench.figure import Figure
from tests.installed import DYNO
from tests.plans import write
from tests.sequences import INDEX, LOAD, own_sequence

COSTS, FIRST, GOAL = 0.10, 3, 0.9  # of the rate; of the list; of those that cost it
INNOCENTS = 6  # settings that differ and cost nothing, of each plan
SECONDS, ROWS, TABLES, THREADS = 5, 4_000, 16, 4
MOST = 3  # beside the base in one plan: in slices, because the machine is not the same for long
COMMON = """
innodb_buffer_pool_size=128M
loose_innodb_log_file_size=128M
loose_innodb_redo_log_capacity=256M
innodb_flush_log_at_trx_commit=2
log_bin=binlog
server_id=1
sync_binlog=0
binlog_format=ROW
loose_query_cache_type=0
loose_query_cache_size=0
loose_performance_schema=OFF
max_prepared_stmt_count=1048576
max_connections=200
"""
# of both presets: they differ, and cost nothing
INNOCENT = (
    ("innodb_log_buffer_size=16M", "innodb_log_buffer_size=24M"),
    ("table_definition_cache=1600", "table_definition_cache=1500"),
    ("table_open_cache=2000", "table_open_cache=1900"),
    ("sort_buffer_size=2M", "sort_buffer_size=3M"),
    ("join_buffer_size=512K", "join_buffer_size=384K"),
    ("thread_cache_size=120", "thread_cache_size=100"),
    ("innodb_io_capacity=1000", "innodb_io_capacity=800"),
    ("max_heap_table_size=32M", "max_heap_table_size=24M"),
    ("net_buffer_length=16384", "net_buffer_length=12288"),
    ("lock_wait_timeout=1000", "lock_wait_timeout=500"),
    ("max_connect_errors=100", "max_connect_errors=1000"),
    ("binlog_cache_size=64K", "binlog_cache_size=128K"),
)
_SQL = {  # workloads that none of the shipped ones are
    "joins": "select straight_join a.id from sbtest1 a, sbtest2 b"
    " where a.id between :id and :id + 20 and b.pad = a.pad",
}
_CONNECTS = """
local dyno = require("dyno")

dyno.declare({})

function dyno.prepare()
end

function event()
   local connection = sysbench.sql.driver():connect()
   connection:query("SELECT c FROM sbtest1 WHERE id=" .. dyno.any_id())
   connection:disconnect()
end
"""
STEPS: Mapping[str, str] = {
    "points": 'workload = "point-query"',
    "updates": 'workload = "update-index"',
    "inserts": 'workload = "insert"',
    "many": 'workload = "update-inlist"\noptions = {points = 100}',
    "sorts": 'workload = "read-only-order"\noptions = {point_selects = 0, range_size = 4000}',
    "distinct": 'workload = "read-only-distinct"\noptions = {point_selects = 0, range_size = 4000}',
    "ranges": 'workload = "range-notcovered-si"',
    "lists": 'workload = "random-points"\noptions = {points = 100}',
    "mixed": 'workload = "read-write"',
    "joins": 'workload = "joins"',
    "connects": 'workload = "connects"',
}


@dataclass(frozen=True)
class Setting:
    """Lines of a my.cnf that hurt in a step; naming one of their variables is right."""

    lines: str
    step: str
    engine: str = "innodb"
    base: str = ""  # what both need, so that it can hurt
    build: str = ""  # how the names of the builds begin that have it

    @property
    def variables(self) -> list[str]:
        return [line.partition("=")[0].removeprefix("loose_") for line in self.lines.split()]

    @property
    def group(self) -> tuple[str, str]:
        return self.engine, self.base


M, Y = "mariadb", "mysql"
ROCKSDB = "plugin_load_add=ha_rocksdb"
SETTINGS = (
    # caches of 1 or 2
    Setting("table_open_cache=2", "points"),
    Setting("table_open_cache=2 table_definition_cache=400", "updates"),
    Setting("innodb_buffer_pool_size=6M", "points"),
    Setting("innodb_buffer_pool_size=5M", "updates"),
    Setting("sort_buffer_size=32768", "sorts"),
    Setting("join_buffer_size=128", "joins"),
    Setting("tmp_table_size=1024 max_heap_table_size=16384", "distinct"),
    Setting("big_tables=ON", "distinct"),
    Setting("binlog_cache_size=4096", "many"),
    Setting("key_buffer_size=8", "updates", "myisam"),
    Setting("aria_pagecache_buffer_size=131072", "updates", "aria", build=M),
    Setting("innodb_log_buffer_size=262144", "many"),
    Setting("innodb_log_file_size=4M", "updates", build=M),
    Setting("innodb_redo_log_capacity=8M", "updates", build=Y),
    Setting("net_buffer_length=1024", "points"),
    Setting("thread_cache_size=0", "connects"),
    # logs on
    Setting("general_log=ON", "points"),
    Setting("general_log=ON log_output=TABLE", "points"),
    Setting("slow_query_log=ON long_query_time=0", "points"),
    Setting("slow_query_log=ON long_query_time=0 log_output=TABLE", "updates"),
    Setting("performance_schema=ON performance_schema_instrument='%=ON'", "points"),
    Setting("userstat=ON", "points", build=M),
    Setting("binlog_row_image=FULL binlog_rows_query_log_events=ON", "many", build=Y),
    Setting("binlog_annotate_row_events=ON", "many", build=M),
    Setting("binlog_transaction_compression=ON", "many", build=Y),
    # limits of 1
    Setting("innodb_thread_concurrency=1", "points"),
    Setting("thread_handling=pool-of-threads thread_pool_size=1", "points", build=M),
    Setting("innodb_max_purge_lag=1 innodb_max_purge_lag_delay=10000", "updates"),
    Setting("innodb_io_capacity=100 innodb_max_dirty_pages_pct=0", "updates"),
    Setting("binlog_commit_wait_count=20 binlog_commit_wait_usec=3000", "updates", build=M),
    Setting("binlog_group_commit_sync_delay=3000", "updates", build=Y),
    Setting("max_seeks_for_key=1", "ranges"),
    Setting("eq_range_index_dive_limit=0", "many"),
    # syncs on
    Setting("sync_binlog=1", "updates"),
    Setting("innodb_flush_log_at_trx_commit=1", "updates"),
    Setting("innodb_flush_log_at_trx_commit=1 sync_binlog=1", "inserts"),
    Setting("flush=ON", "updates", "myisam"),
    Setting("innodb_flush_method=O_DSYNC", "updates"),
    # of MyRocks
    Setting("rocksdb_block_cache_size=1048576", "points", "rocksdb", build=M, base=ROCKSDB),
    Setting("rocksdb_flush_log_at_trx_commit=1", "updates", "rocksdb", build=M, base=ROCKSDB),
    Setting("rocksdb_rate_limiter_bytes_per_sec=100000", "inserts", "rocksdb", build=M, base=ROCKSDB),
    Setting("rocksdb_perf_context_level=5", "points", "rocksdb", build=M, base=ROCKSDB),
    Setting(
        "rocksdb_store_row_debug_checksums=ON rocksdb_verify_row_debug_checksums=ON",
        "ranges",
        "rocksdb",
        build=M,
        base=ROCKSDB,
    ),
    Setting(
        "rocksdb_default_cf_options='write_buffer_size=65536;disable_auto_compactions=true'",
        "updates",
        "rocksdb",
        build=M,
        base=ROCKSDB,
    ),
    Setting(
        "rocksdb_deadlock_detect=ON rocksdb_lock_scanned_rows=ON", "mixed", "rocksdb", build=M, base=ROCKSDB
    ),
    Setting("rocksdb_enable_ttl_read_filtering=OFF", "points", "rocksdb", build=M, base=ROCKSDB),
    # others
    Setting("query_cache_type=1 query_cache_size=1M", "points", build=M),
    Setting("query_cache_type=1 query_cache_size=64M", "mixed", build=M),
    Setting("innodb_spin_wait_delay=5000 innodb_sync_spin_loops=5000", "mixed"),
    Setting("transaction_isolation=SERIALIZABLE", "mixed"),
    Setting("innodb_page_size=64K", "points"),
    Setting("innodb_adaptive_hash_index=OFF", "points", base="innodb_adaptive_hash_index=ON"),
    Setting(
        "innodb_change_buffering=none",
        "inserts",
        base="innodb_buffer_pool_size=6M\nloose_innodb_change_buffering=all",
    ),
    Setting("optimizer_switch='index_condition_pushdown=off,mrr=off'", "ranges"),
    Setting("innodb_use_native_aio=OFF", "updates", base="innodb_buffer_pool_size=6M"),
    Setting("innodb_doublewrite=ON", "updates", base="innodb_buffer_pool_size=6M\ninnodb_doublewrite=OFF"),
    Setting("innodb_checksum_algorithm=none", "points", base="innodb_buffer_pool_size=6M"),
    Setting("innodb_log_write_ahead_size=16384", "updates", build=Y),
)

# chosen after the table of what governs what was written, of what it does not have
UNKNOWN = (
    Setting("in_predicate_conversion_threshold=2", "lists", build=M),
    Setting("optimizer_trace='enabled=on'", "points"),
    Setting("external_locking=ON", "updates", "myisam"),
    Setting("innodb_stats_modified_counter=1", "updates", build=M),
    Setting("session_track_system_variables='*' session_track_state_change=ON", "mixed"),
    Setting("session_track_transaction_info=CHARACTERISTICS", "mixed"),
    Setting(
        "query_cache_strip_comments=ON", "points", base="query_cache_type=1\nquery_cache_size=1M", build=M
    ),
    Setting("range_alloc_block_size=4096", "lists"),
    Setting("key_cache_file_hash_size=128", "updates", "myisam", build=M),
    Setting("innodb_log_spin_wait_delay=6000", "updates", build=M),
    Setting("global_connection_memory_tracking=ON connection_memory_chunk_size=1", "sorts", build=Y),
    Setting("schema_definition_cache=256", "points", build=Y),
    Setting("transaction_write_set_extraction=MURMUR32", "many", build=Y),
    Setting("innodb_validate_tablespace_paths=OFF", "updates", build=Y),
    Setting("max_digest_length=1048576", "points", base="performance_schema=ON"),
    Setting("event_scheduler=ON", "points"),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--draw", type=int, default=12, help="settings of causes, drawn anew; 0: all (12)")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn (a new one)")
    parser.add_argument("--unknown", action="store_true", help="causes: settings of which Dyno has no line")
    parser.add_argument("--verbose", action="store_true", help="print all that Why says of each")
    parser.add_argument("--settings", default="", help="only these: parts of their lines, with commas")


def causes(options: argparse.Namespace) -> list[Figure]:
    seed = options.seed or random.SystemRandom().randrange(1, 1_000_000)
    chance = random.Random(seed)
    settings = chosen(options, chance)
    print(f"seed {seed}, {len(settings)} settings", flush=True)
    tried: list[Tried] = []
    with tempfile.TemporaryDirectory(prefix="dyno-causes-", dir=options.directory or None) as folder:
        bench = Bench(Path(folder), options, chance)
        for group in _groups(settings):
            for each in bench.tried(group):
                print(*each.row, sep="; ", flush=True)  # a run that is broken off has its figures too
                tried.append(each)
    heads = ["setting", "step", "rate over base", "first causes", "named"]
    print(markdown_of(heads, [each.row for each in tried]), end="\n\n", flush=True)
    hurting = [each for each in tried if each.ratio <= 1 - COSTS]
    found = sum(each.is_named for each in hurting)
    share = found / len(hurting) if hurting else 0.0
    return [
        Figure("settings that cost 10 % or more", len(hurting), "", len(tried), "settings", digits=0),
        Figure(f"named among the first {FIRST}", share, "", len(hurting), "settings", at_least=GOAL),
    ]


def chosen(options: argparse.Namespace, chance: random.Random) -> list[Setting]:
    of_build = [
        each for each in (UNKNOWN if options.unknown else SETTINGS) if options.build.startswith(each.build)
    ]
    parts = [part for part in options.settings.split(",") if part]
    named = [each for each in of_build if not parts or any(part in each.lines for part in parts)]
    return chance.sample(named, min(options.draw, len(named))) if options.draw else named


def _groups(settings: Sequence[Setting]) -> Iterator[list[Setting]]:
    """Those that share a base, as many as one plan takes; those of one step together."""
    found: dict[tuple[str, str], list[Setting]] = defaultdict(list)
    for each in sorted(settings, key=lambda each: each.step):
        found[each.group].append(each)
    for group in found.values():
        yield from (group[at : at + MOST] for at in range(0, len(group), MOST))


@dataclass(frozen=True)
class Tried:
    """A setting, what it cost, and what Why names."""

    setting: Setting
    ratio: float
    first: list[str]

    @property
    def is_named(self) -> bool:
        return any(name in self.setting.variables for name in self.first)

    @property
    def row(self) -> list[str]:
        said = ("yes" if self.is_named else "NO") if self.ratio <= 1 - COSTS else "-"
        setting, first = ", ".join(self.setting.lines.split()), ", ".join(self.first)
        return [setting, f"{self.setting.engine} {self.setting.step}", f"{self.ratio:.2f}", first, said]


class Bench:
    """A DYNO_HOME of its own, and this computer as its target."""

    def __init__(self, folder: Path, options: argparse.Namespace, chance: random.Random) -> None:
        self._home, self._options, self._chance = folder / "home", options, chance
        for name, sql in _SQL.items():
            head = f'name = "{name}"\ntitle = "{name}"\ngroup = "scan-heavy"\nkind = "drive"\n'
            write(self._home / f"workloads/{name}.toml", f'{head}sql = "{name}.sql"\nunit = "queries/s"\n')
            write(self._home / f"workloads/{name}.sql", f"declare\n  id int 1 rows\nbegin\n  {sql};\nend\n")
        head = 'name = "connects"\ntitle = "connects"\nkind = "drive"\nneeds = ["tables"]\n'
        write(self._home / "workloads/connects.toml", f'{head}lua = "connects.lua"\nunit = "queries/s"\n')
        write(self._home / "workloads/connects.lua", _CONNECTS)
        catalog = Catalog(self._home)
        digest = hash_of(catalog.workload_files(catalog.workload("connects")))
        self._dyno("workload", "approve", "connects", digest)
        if options.search_path:
            self._dyno("target", "edit", "local", "--search-path", options.search_path)

    def tried(self, group: Sequence[Setting]) -> Iterator[Tried]:
        """One plan: the base, and a contender for each setting."""
        first = group[0]
        innocents = self._chance.sample(INNOCENT, INNOCENTS)
        self._preset(first.engine, "base", [first.base, *(base for base, _ in innocents)])
        for at, each in enumerate(group):
            others = [other for _, other in innocents if other.partition("=")[0] not in each.variables]
            self._preset(each.engine, f"hurt{at}", [first.base, *others, *each.lines.split()])
        names = ["base", *(f"hurt{at}" for at in range(len(group)))]
        size = {"tables": TABLES, "rows": self._options.rows or ROWS, "threads": [THREADS]}
        size |= {"seconds": self._options.seconds or SECONDS, "warmup": 1}
        steps = dict.fromkeys(STEPS[each.step] for each in group)
        sequence = own_sequence("causes", LOAD, INDEX, *steps, **size)
        write(self._home / "sequences/causes.toml", sequence)
        build = self._options.build
        words = [word for name in names for word in ("--contender", f"{build}:{first.engine}:{name}")]
        before = self._sessions()
        self._dyno("run", "--allow-busy", "--order", "slices", "--sequence", "causes", *words)
        by_preset = {preset: id_ for id_, preset in self._sessions().items() if id_ not in before}
        for at, each in enumerate(group):
            pair = [by_preset.get(name, "") for name in ("base", f"hurt{at}")]
            found = self._found(*pair, workload_of(each)) if all(pair) else None
            if found is None:
                print(f"no figure of {each.lines}", flush=True)
            else:
                yield Tried(each, *found)

    def _sessions(self) -> dict[str, str]:
        """The preset of each session."""
        found = json.loads(self._dyno("session", "list", "--json"))
        return {str(each["id"]): str(each["contender"]["preset"]) for each in found}

    def _found(self, base: str, hurt: str, step: str) -> tuple[float, list[str]] | None:
        """The ratio of the rates, and the names of the first causes."""
        words = ("compare", base, hurt, "--why", step)
        said = self._dyno(*words, "--json")
        if not said:  # its server did not start, or did not come to this step
            return None
        (entry,) = json.loads(said)["steps"]
        if self._options.verbose:
            print(self._dyno(*words), flush=True)
        base_rate, rate = entry["values"]
        return (
            (rate / base_rate, [each["name"] for each in entry["causes"]][:FIRST])
            if base_rate and rate
            else None
        )

    def _preset(self, engine: str, name: str, lines: Sequence[str]) -> None:
        text = "\n".join(("[mysqld]", COMMON, *(f"loose_{line}" if line else "" for line in lines), ""))
        write(self._home / f"presets/{engine}/{name}.cnf", text)

    def _dyno(self, *words: str) -> str:
        environment = {**os.environ, "DYNO_HOME": str(self._home)}
        done = subprocess.run([*DYNO, *words], env=environment, capture_output=True, text=True, check=False)
        if done.returncode and words[0] not in ("run", "compare"):
            raise SystemExit(f"dyno {' '.join(words)}: {done.stdout}{done.stderr}")
        if done.returncode:  # a server that does not start is one setting less
            print(f"{done.stdout}{done.stderr}"[-600:], flush=True)
        return "" if done.returncode else done.stdout


def workload_of(setting: Setting) -> str:
    """The name of the step of a setting."""
    return STEPS[setting.step].split('"')[1]


FIGURES = {"causes": causes}
