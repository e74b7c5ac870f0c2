"""Data sets are named by what shapes their bytes, and by nothing else."""

from __future__ import annotations

from dataclasses import replace

from app.agent.snapshots.snapshots import snapshot_key
from app.protocol.plan import Plan
from tests import plans


def plan(**options: object) -> Plan:
    return plans.plan(**{"start": "snapshot", "rows": 1000, **options})


def key(made: Plan, **changes: str) -> str:
    return snapshot_key(made, replace(made.contenders[0], **changes))


def with_option(made: Plan, line: str) -> str:
    return key(made, cnf=f"{made.contenders[0].cnf}\n{line}\n")


def test_what_shapes_the_data_is_in_the_key() -> None:
    base = plan()
    others = [
        key(plan(rows=1001)), key(plan(tables=3)), key(plan(load_method="parallel")),
        key(base, fingerprint="another server"), key(base, engine="myisam"),
        key(base, table_options="ROW_FORMAT=COMPRESSED"),
        key(replace(base, steps=[replace(step, analyse=False) for step in base.steps])),
        with_option(base, "innodb_page_size=8k"), with_option(base, "rocksdb_default_cf_options=x"),
    ]  # fmt: skip
    assert len({key(base), *others}) == 1 + len(others)


def test_what_does_not_shape_the_data_is_not() -> None:
    base = plan()
    assert key(base, preset="renamed", name="other", cores="0-1") == key(base)
    assert key(plan(seconds=7, repeats=3, transport="loopback", threads=[4])) == key(base)
    assert with_option(base, "innodb-buffer-pool-size=77M") == key(base)
    assert with_option(base, "loose_max_connections = 77") == key(base)


def test_another_load_is_another_data_set_and_another_query_is_not() -> None:
    base = plan()

    def edited(name: str) -> str:
        return key(replace(base, files={**base.files, name: base.files[name] + "\n# edited\n"}))

    assert edited("workloads/load.lua") != key(base)
    assert edited("workloads/load.toml") != key(base)
    assert edited("workloads/dyno.lua") != key(base)
    assert edited("workloads/transaction.lua") == key(base)
    assert edited("workloads/point-query.toml") == key(base)
    assert edited("workloads/point-query.lua") == key(base)
    assert edited("sequences/duel.toml") == key(base)
