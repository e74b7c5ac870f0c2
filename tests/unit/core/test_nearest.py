"""Names that are like a mistyped one."""

from __future__ import annotations

from app.core.nearest import did_you_mean


def test_the_nearest_name() -> None:
    assert did_you_mean("inodb", ["rocksdb", "innodb"]) == " (did you mean innodb?)"
    assert did_you_mean("INNODB", ["InnoDB"]) == " (did you mean InnoDB?)"
    assert did_you_mean("scan", ["point-query"]) == did_you_mean("", []) == ""


def test_the_only_name_that_begins_so() -> None:
    assert did_you_mean("p95", ["p50_ms", "p95_ms"]) == " (did you mean p95_ms?)"
    assert did_you_mean("p9", ["p95_ms"]) == did_you_mean("cpu", ["cpu_user_us", "cpu_system_us"]) == ""
