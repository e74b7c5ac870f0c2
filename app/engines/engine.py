"""A storage engine: what Dyno does with any of them, and what a file of this folder may say of one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .cause import Cause
from .counter import StatusCounter, StatusWait, rate
from .panel import EngineFigure
from .query import Query

Debt = Dict[str, int]  # what is still to be written, by its parts: bytes or counts
IsSteady = Callable[[str, Any, int], bool]  # whether a value has stayed within so much for a while
Rules = Tuple[Tuple[str, str], ...]  # the part of the data that files belong to, and how their names begin

# phases of the start after a crash: name, what the error log says when it begins, and when it ends
Phases = Tuple[Tuple[str, str, str], ...]

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")  # of an engine as plans have it
MIB = 1 << 20
DEFINITIONS = MIB  # bytes: files of tables that take less hold no rows
UNKNOWN_COMMIT = "unknown to Dyno"


@dataclass(frozen=True, eq=False)
class Engine:
    """The general engine: every value and answer here holds until a file of this folder knows better.

    Rates and bytes are guesses: the slowest and the largest of the engines that were measured.
    """

    name: str  # in plans, folders of presets and names of series: small letters
    title: str = ""  # as people write it
    aliases: Tuple[str, ...] = ()  # other names that people give it, in small letters
    has_facts: bool = False  # whether a file of this folder is about it

    # in a build
    option: str = ""  # in the help of a server that has it compiled in
    only_compiled_in: str = ""  # the one family that has it compiled in
    plugin: str = ""  # the file of a build that has it as a plugin

    # in a my.cnf
    cache: str = ""  # the option with the size of its cache
    cache_bytes: int = 0  # where that is not set
    paths: Tuple[str, ...] = ()  # options that say where its files are: Dyno places them
    file_names: Tuple[str, ...] = ()  # options that name a file in the data directory: they may keep the name
    other_forms: Tuple[str, ...] = ()  # options that a server gives back in another form
    outside_data: Tuple[str, ...] = ()  # options that leave the bytes of settled tables as they are

    # estimates: rows a second of one client, bytes of a row of the classic tables
    load_rate: int = 63_000
    index_rate: int = 200_000
    analyse_rate: int = 0  # of ANALYZE TABLE; 0: it takes samples
    table_bytes: float = 234.9
    index_bytes: float = 12.6
    own_bytes: int = 0  # of its logs
    undo_bytes: int = 0  # of a row written, while nothing is purged
    rewrites: bool = False  # an index build writes the table anew before it lets the old files go

    # tables
    has_transactions: bool = True
    isolation_levels: Tuple[str, ...] = ()  # that it takes; none: all
    no_bulk: str = "Dyno knows of nothing that it has for it"  # why it has no load method bulk; '': it has
    has_column_families: bool = False
    key_cache: str = ""  # the variable with the size of a key cache, where each table can have its own
    word_lengths: Tuple[str, str] = ("", "")  # variables: letters of a word of its full-text index
    before_create: Tuple[str, ...] = ()  # sent before a table is tried: what is left out is said then
    before_analyse: Tuple[str, ...] = ()  # sent before ANALYZE TABLE

    # files in the data directory
    files: Rules = ()
    folders: Mapping[str, Union[str, Rules]] = field(default_factory=dict)  # one part, or rules for files

    # what is read from a server
    counters: Tuple[StatusCounter, ...] = ()
    panel: Tuple[EngineFigure, ...] = ()  # the figures that matter
    causes: Tuple[Cause, ...] = ()  # that only this engine has
    status_waits: Tuple[StatusWait, ...] = ()  # that the Performance Schema does not have by name
    has_status: bool = True  # SHOW ENGINE ... STATUS says something
    read_views: str = ""  # counts as `n` the read views of the connection that asks; '': none is needed
    table_facts: Tuple[Tuple[str, str], ...] = ()  # facts once the tables are loaded: name, statement

    # in stacks
    functions: Tuple[Tuple[str, str], ...] = ()  # its parts, and how the names of their functions begin
    threads: Rules = ()  # kinds of its background threads, and how their names begin

    is_cloned: bool = False  # the clone plugin of MySQL copies its tables

    recovery: Phases = ()  # what it does when it starts after a crash

    # settling
    nudges: Tuple[str, ...] = ()  # variables that make it write when set, and fall back by themselves
    unflushed: Tuple[str, str] = ("", "")  # the debt that FLUSH TABLES writes, and its name for people
    debt_limits: Mapping[str, int] = field(default_factory=dict)  # beyond: a step that reads is marked
    debt_words: Sequence[Tuple[str, str]] = ()  # how each part is called for people
    is_written: str = "is_written() { true; } # it is unknown what this engine still has to write\n"

    def rate(self, kind: str) -> int:
        """Rows per second of one client in a step that prepares the tables."""
        return self.load_rate if kind == "load" else self.index_rate

    def no_slices(self, workload: str, writes: bool) -> str:
        """Why its steps of a workload are not cut into slices; '' if they are."""
        return ""

    def bytes_per_row(self, row: float, table_options: str) -> float:
        """Bytes per row of plain tables, adjusted for these table options."""
        return row

    def data_bytes(self, sizes: Mapping[str, Any]) -> Optional[float]:
        """Bytes of tables and indexes, from sizes by part; of the shared file if it holds them."""
        tables, shared = sizes.get("tables"), sizes.get("shared", 0)
        if tables is None:
            return None
        has_shared = any(part == "shared" for part, _ in self.files)
        return float(max(tables, shared) if has_shared and tables < DEFINITIONS else tables)

    # durability and caching, from options or variables

    def commit(self, values: Mapping[str, str]) -> str:
        """When a committed transaction is on the disk."""
        return UNKNOWN_COMMIT

    def keeps_commits(self, operation: str, variables: Mapping[str, str]) -> Optional[bool]:
        """Whether each answered commit is there after an operation; None: Dyno does not know it."""
        return None

    def file_access(self, values: Mapping[str, str]) -> str:
        """Whether files are `direct` (cached by the engine alone) or `buffered` (also by the system).

        '' where these values do not say.
        """
        return "buffered"

    # what a server says

    def seldom(self, query: Query, status: Mapping[str, str]) -> Dict[str, str]:
        """What needs dearer statements than SHOW GLOBAL STATUS, read every ten seconds; each name has a dot.

        status: the latest answer to SHOW GLOBAL STATUS; what it has needs no other statement.
        """
        return {}

    def debt(self, query: Query) -> Debt:
        """What it still has to write back, merge or purge."""
        return {}

    def compression(self, query: Query) -> str:
        """The compression in force, in words; '' if the engine does not say."""
        return ""

    def forced(self, variables: Mapping[str, str]) -> Dict[str, str]:
        """Variables that force delayed writes, set in this order and reset in reverse."""
        return {}

    def unwritten(self, debt: Debt, is_steady: IsSteady, query: Query) -> List[str]:
        """What a settle step still waits for."""
        name, words = self.unflushed
        return [words] if debt.get(name) else []

    # key caches

    def give_key_cache(self, table: str, size: int) -> Tuple[str, str]:
        """The statements that create a key cache for this table, named like it."""
        given = "SET GLOBAL {}.{}={}".format(table, self.key_cache, size)
        return given, "CACHE INDEX dyno.{0} IN {0}".format(table)

    def take_key_cache(self, table: str) -> Tuple[str, str]:
        """The statements that return the table to the shared key cache."""
        gone = "SET GLOBAL {}.{}=0".format(table, self.key_cache)
        return "CACHE INDEX dyno.{} IN default".format(table), gone


ENDING = ("kill", "power-cut")  # operations that end the server without its doing


def keeps(operation: str, is_synced: bool, is_written: bool, variables: Mapping[str, str]) -> bool:
    """Whether commits survive whose log was synced, or written to the system, before they were answered.

    With a binary log recovery goes by it, so that has to be synced too.
    """
    if operation == "power-cut":
        has_log = variables.get("log_bin", "OFF").upper() in ("ON", "1")
        return is_synced and (not has_log or variables.get("sync_binlog") == "1")
    return operation != "kill" or is_synced or is_written


def rows_written(engine: str) -> Tuple[StatusCounter, ...]:
    """Rows written by the handler counters of the server, for engines without their own counters."""
    return (
        rate(engine + ".rows_written", "handler_write", "rows inserted"),
        rate(engine + ".rows_updated", "handler_update", "rows updated"),
        rate(engine + ".rows_deleted", "handler_delete", "rows deleted"),
    )


def lock_waits(engine: str) -> StatusCounter:
    """Table lock waits, for engines that lock whole tables."""
    return rate(engine + ".lock_waits", "table_locks_waited", "table lock waits", direction="lower")


def table_lock_counters(engine: str) -> Tuple[StatusCounter, ...]:
    """Table locks that waited and that did not."""
    return lock_waits(engine), rate(engine + ".locks", "table_locks_immediate", "table locks at once")


def table_lock_wait(title: str) -> StatusWait:
    """How often a table lock was waited for, for engines that lock whole tables."""
    return StatusWait(title + " table lock", "table_lock", "table_locks_waited")


def words(text: str) -> Tuple[str, ...]:
    """A list over several lines."""
    return tuple(text.split())


def generic_engine(name: str) -> Engine:
    """An engine that Dyno does not know."""
    return Engine(name, name, counters=(*rows_written(name), lock_waits(name)))
