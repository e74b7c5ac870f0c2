"""Full-text search: every word is found in as many documents as were loaded with it, wherever it can be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.catalog.approval import hash_of
from tests.plans import write

from .desktop import Desktop

MARIADB = "mariadb-10.11.19:"
ROWS = 1200
SEQUENCE = f"""\
name = "texts"
title = "A few documents, for tests"
tables = 2
rows = {ROWS}
threads = [2]
seconds = 1
warmup = 0

[[step]]
workload = "text-load"

[[step]]
workload = "text-index"
"""
SEARCH = '\n[[step]]\nworkload = "text-search"\n'


def carry_out(desktop: Desktop, contender: str, code: int = 0, steps: str = SEARCH) -> list[dict[str, Any]]:
    """The steps of a session."""
    write(desktop.home / "sequences/texts.toml", SEQUENCE + steps)
    desktop.dyno("run", "--sequence", "texts", "--contender", contender, code=code)
    return list(desktop.json("session", "show", "last")["steps"])


def assert_searched(steps: list[dict[str, Any]]) -> None:
    load, index, search = steps
    assert [step["state"] for step in steps] == ["completed"] * 3, steps
    assert load["rows"] == 2 * ROWS
    assert (index["kind"], index["unit"], index["value"]) == ("text-index", "s", round(index["seconds"], 3))
    assert index["size_bytes"] > 0
    assert search["queries"] > 30 and search["errors"] == 0


SPOIL = """\
name = "spoil"
title = "Taking a document away that holds a word"
kind = "drive"
lua = "spoil.lua"
needs = ["texts"]
"""
SPOIL_LUA = """\
local dyno = require("dyno")
dyno.declare({})
function dyno.prepare() end
function event()
   dyno.connection:query("DELETE FROM texts1 WHERE content LIKE '%peroxy%' LIMIT 1")
end
"""
SPOILT = '\n[[step]]\nworkload = "spoil"\nevents = 1\nthreads = 1\n' + SEARCH


@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_every_count_is_as_planted(desktop: Desktop, engine: str) -> None:
    assert_searched(carry_out(desktop, MARIADB + engine))


@pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param("mysql-5.6", "5.6.", marks=pytest.mark.build("mysql-5.6")),
        pytest.param("mysql-9.7", "9.", marks=pytest.mark.build("mysql-9.7")),
    ],
)
def test_other_servers_find_the_same(
    desktop: Desktop, build_path: Callable[[str], Path], name: str, version: str
) -> None:
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path(name)))
    builds = desktop.json("target", "survey", "local")["builds"]
    build = next(each["name"] for each in builds if each["version"].startswith(version))
    assert_searched(carry_out(desktop, f"{build}:innodb"))


def test_a_wrong_count_fails_the_step(desktop: Desktop) -> None:
    write(desktop.home / "workloads/spoil.toml", SPOIL)
    write(desktop.home / "workloads/spoil.lua", SPOIL_LUA)
    catalog = Catalog(desktop.home)
    desktop.dyno("workload", "approve", "spoil", hash_of(catalog.workload_files(catalog.workload("spoil"))))
    *before, search = carry_out(desktop, MARIADB + "innodb", code=1, steps=SPOILT)
    assert {step["state"] for step in before} == {"completed"}
    assert search["state"] == "failed"
    assert search["reason"] == "wrong count: 1 documents hold the word peroxy, the server finds it in 0"
