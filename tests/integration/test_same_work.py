"""A contender that does other work is named: a real server whose preset forbids it the plans of ranges."""

from __future__ import annotations

import pytest

from tests import builds
from tests.integration.desktop import Desktop
from tests.plans import write
from tests.sequences import INDEX, LOAD, own_sequence

CNF = "# title: x\n[mysqld]\ninnodb_flush_log_at_trx_commit=2\nskip_log_bin\n"
FORBIDDEN = CNF + "range_optimizer_max_mem_size=1\n"
STEPS = ('workload = "point-query"', 'workload = "read-only"', 'workload = "delete-each"')


@pytest.mark.full
@pytest.mark.build("mysql-9.7")
def test_whole_tables_that_are_read_for_a_range_are_named_everywhere(desktop: Desktop) -> None:
    for name, text in (("free", CNF), ("forbidden", FORBIDDEN)):
        write(desktop.home / f"presets/innodb/{name}.cnf", text)
    write(desktop.home / "sequences/ranges.toml", own_sequence("ranges", LOAD, INDEX, *STEPS, rows=5000))
    desktop.dyno("target", "edit", "local", "--search-path", str(builds.find("mysql-9.7")))
    both = [f"--contender=mysql-9.7.4:innodb:{name}" for name in ("free", "forbidden")]
    said = desktop.dyno("run", "--sequence", "ranges", *both).stdout
    assert "parity: the contenders agree in" in said
    first, second = sorted(each["id"] for each in desktop.sessions())
    check_steps(desktop, first, second)
    check_comparison(desktop, first, second)


def check_steps(desktop: Desktop, first: str, second: str) -> None:
    marks = [
        {step["name"]: step["marks"] for step in desktop.json("session", "show", session)["steps"]}
        for session in (first, second)
    ]
    assert not any("other-work" in each for each in marks[0].values())
    assert "other-work" in marks[1]["read-only"] and "other-work" not in marks[1]["point-query"]
    facts = desktop.json("session", "settings", first)["facts"]
    assert facts["estimate read-only threads=2"] == {
        "rows": 10_000,
        "estimate": pytest.approx(10_000, rel=0.1),
    }
    assert facts["work read-only threads=2"]["found"] == {
        "read": pytest.approx(406, rel=0.1), "returned": pytest.approx(308, rel=0.1),
        "sorted": pytest.approx(198, rel=0.1), "changed": 0,
    }  # fmt: skip
    deleted = facts["work delete-each threads=2"]["found"]
    assert (deleted["changed"], deleted["read"]) == (1, pytest.approx(1, rel=0.1))
    plans = facts["plans read-only threads=2"]
    assert len(plans) == 5 and all(each["begin"][0]["key"] == "PRIMARY" for each in plans)


def check_comparison(desktop: Desktop, first: str, second: str) -> None:
    said = desktop.dyno("compare", first, second).stdout
    assert said.startswith("not the same work: read-only threads=2: rows read by an event: ")
    differing = desktop.dyno("compare", first, second, "--differences").stdout
    assert "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? " in differing and "all rows" in differing
    why = desktop.dyno("compare", first, second, "--why", "read-only").stdout
    assert "range by PRIMARY in the base, all rows in the other." in why
