"""What rows, servers and statements take on disk: measured once, used for estimates alone.

Measured with MariaDB 10.11.19 and the shipped workloads on one table of 1,000,000 rows: apparent size
of the files after the load, again after the index on k; for MyRocks after a flush and a compaction of
the default column family.
100,000 rows gave 304 (whole extents), 210 and 210 bytes. Binary log in row format: its size over the
statements of 5 seconds of update-index, update-nonindex, insert and write-only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from app.engines import engine_of, engines_with_caches, server
from app.engines.engine import Engine
from app.engines.server import as_number
from app.protocol.plan import Contender
from app.variables import option_values

BINLOG_BYTES = 750  # of a statement that writes one row, in a transaction of its own: 600 to 720 measured
SORT_BYTES = 16  # of a row in the sort files of an index build
TEXT_SORT_BYTES = 4300  # of a text: the sort files of a full-text index, and the table written anew with it


def bytes_per_row(contender: Contender, said: Iterable[Mapping[str, float]] = ()) -> float:
    """Bytes of a row and its index entry: of classic tables, unless workloads say otherwise."""
    engine = engine_of(contender.engine)
    own = sum(value_for_engine(each, engine, max) for each in said)
    return engine.bytes_per_row(own or engine.table_bytes + engine.index_bytes, contender.table_options)


def value_for_engine(
    values: Mapping[str, float], engine: Engine, worst: Callable[[Iterable[float]], float]
) -> float:
    """A workload's value for an engine; for unknown engines the worst of the others. 0: none."""
    if engine.name in values or engine.has_facts or not values:
        return values.get(engine.name, 0)
    return worst(values.values())


def cache_bytes(contender: Contender) -> int:
    """The size of the engine's own cache, from the preset or its default."""
    return _cache_bytes(engine_of(contender.engine), option_values(contender.cnf))


def server_caches_bytes(contender: Contender) -> int:
    """All caches that a server allocates, whichever engine is driven."""
    values = option_values(contender.cnf)
    return sum(_cache_bytes(each, values) for each in engines_with_caches(engine_of(contender.engine)))


def _cache_bytes(engine: Engine, values: Mapping[str, str]) -> int:
    return as_number(values, engine.cache, engine.cache_bytes)


def is_mariadb(contender: Contender) -> bool:
    return server.is_mariadb(contender.family)


def writes_binary_log(contender: Contender) -> bool:
    """Whether the server writes a binary log: by preset, else on from MySQL 8.0."""
    said = option_values(contender.cnf).get("log_bin")
    if said is not None:
        return said not in ("OFF", "0")
    return not is_mariadb(contender) and not contender.version.startswith("5.")
