"""A buffer pool that is too small, and one that holds the table: what the figures of InnoDB make of them."""

from __future__ import annotations

import pytest

from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.plans import write
from tests.sequences import LOAD, own_sequence

CNF = "# title: {0}\n[mysqld]\ninnodb_buffer_pool_size = {1}\ninnodb_flush_log_at_trx_commit = 0\n"
SEQUENCE = own_sequence("pools", LOAD, 'workload = "point-query"', tables=1, rows=60_000, seconds=2, warmup=1)


@pytest.mark.full
def test_a_small_buffer_pool_misses_and_a_large_one_hits(desktop: Desktop) -> None:
    for name, size in (("small", "6M"), ("large", "128M")):
        write(desktop.home / f"presets/innodb/{name}.cnf", CNF.format(name, size))
    write(desktop.home / "sequences/pools.toml", SEQUENCE)
    contenders = [f"{MARIADB}:innodb:{name}" for name in ("small", "large")]
    desktop.dyno("run", *desktop.plan(*contenders, sequence="pools"))
    ids = [entry["id"] for entry in desktop.sessions()]
    rows = desktop.json("compare", *ids, "--measure", "cache_hits")["rows"]
    small, large = next(row["values"] for row in rows if row["workload"] == "point-query")
    assert small < 0.95 and large > 0.99
    (entry,) = desktop.json("compare", *ids, "--why", "point-query")["steps"]
    assert entry["engine"][0]["name"] in ("cache_hits", "read_ahead"), entry["engine"]
    assert "cache_hits" in {each["name"] for each in entry["engine"]}
    assert "Cache hit rate" in desktop.dyno("compare", *ids, "--why", "point-query").stdout
