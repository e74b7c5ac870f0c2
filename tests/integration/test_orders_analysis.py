"""Five analytical queries over the tables of orders, and what they and orders cost each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.generated import ENGINES, Server, analyse, completed, loaded_anew, shipped
from tests.integration.test_rows_read import BUILDS_IN_FULL, Build, running

WAREHOUSES, ROWS = 2, 1000
# of each query: districts, districts, the ten of its LIMIT, warehouses, warehouses with good and bad credit
RETURNED = {"revenue": 20, "backlog": 20, "best-sellers": 10, "low-stock": 2, "customers": 4}


def analysed(server: Server, engine: str) -> dict[str, Any]:
    """Two of each query on freshly loaded tables; what was counted of each kind."""
    size = {"rows": ROWS, "tables": WAREHOUSES}
    loaded_anew(server, "orders-load", engine, options={"form": "specified"}, **size)
    analyse(server, engine)
    outcome = completed(server, shipped("orders-analysis", engine, threads=1, events=10, **size))
    kinds: dict[str, Any] = outcome.of("kinds")[-1]["kinds"]
    return kinds


def check_queries(kinds: dict[str, Any]) -> None:
    assert {name: each["events"] for name, each in kinds.items()} == dict.fromkeys(RETURNED, 2)
    assert {name: each["rows"]["read"] / 2 for name, each in kinds.items()} == RETURNED
    assert all(each["reads"] == 2 and not each["writes"] and not each["errors"] for each in kinds.values())


@pytest.mark.parametrize("engine", ENGINES)
def test_each_of_five_queries_reads_the_tables_of_orders(server: Server, engine: str) -> None:
    check_queries(analysed(server, engine))


@pytest.mark.parametrize("build", BUILDS_IN_FULL)
def test_every_build_takes_the_five_queries(build: Build, tmp_path: Path) -> None:
    with running(build, tmp_path) as found:
        check_queries(analysed(Server(Path(found.private)), "innodb"))


@pytest.mark.full
def test_what_orders_and_analysis_cost_each_other_is_said(desktop: Desktop) -> None:
    words = desktop.plan(f"{MARIADB}:innodb", rows=1000, tables=2, seconds=3, warmup=0)
    words[words.index("tiny")] = "orders-and-analysis"
    desktop.dyno("run", *words, "--allow-busy", limit_s=240)
    found = desktop.dyno("compare", "last").stdout
    said = found[found.index("roles beside each other") :]
    assert "together threads=2" in said and "orders threads=2" in said
    assert "together.analyst threads=2" in said and "analysis threads=2" in said
    shown = desktop.dyno("session", "show", "last").stdout
    assert "conditions: 10 conditions held after the load and after the last step" in shown
    steps = {step["name"]: step for step in desktop.json("session", "show", "last")["steps"]}
    for name in ("together", "orders"):
        assert steps[name]["unit"] == "new orders/min"
        kinds = [each for step, each in steps.items() if step.startswith(f"{name}/")]
        assert len(kinds) == 5
        assert sum(each["of_kind"]["share_pct"] for each in kinds) == pytest.approx(100, abs=0.01)
        assert steps[name]["value"] == steps[f"{name}/new-order"]["value"] > 0
