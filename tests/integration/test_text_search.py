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
from .generated import drive, shipped, started_server

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
COLLECTION = """\
name = "library"
title = "Eight references made up in the form of OHSUMED"
tables = 1
rows = {rows}
threads = [1]
seconds = 1
warmup = 0

[[step]]
workload = "text-load"
options = {{collection = "{files}"}}

[[step]]
workload = "text-index"

[[step]]
workload = "text-search"
"""
LIBRARY = Path(__file__).parents[1] / "data/ohsumed"
# as a person counts them, of the words that are there at all
IN_LIBRARY = {"phase": 2, "Meyers": 2, "Tsukamoto": 1, "microliter": 2, "Earlier": 1, "Heilbrun": 1}
IN_LIBRARY |= {"athletes": 2, "jejuni": 1, "REPORTS": 1}
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


def library(desktop: Desktop, rows: int, *files: Path) -> list[str]:
    """The words of dyno run for a collection of one's own."""
    text = COLLECTION.format(rows=rows, files=":".join(map(str, files)))
    write(desktop.home / "sequences/library.toml", text)
    return ["run", "--sequence", "library", "--contender", MARIADB + "innodb"]


@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_a_collection_of_ones_own_is_read(desktop: Desktop, engine: str) -> None:
    line = library(desktop, 8, LIBRARY / "sample.87", LIBRARY / "sample.88-91")
    desktop.dyno(*line[:-1], MARIADB + engine)
    load, index, search = desktop.json("session", "show", "last")["steps"]
    assert [step["state"] for step in (load, index, search)] == ["completed"] * 3, search["reason"]
    assert load["rows"] == 8


def test_words_of_a_collection_are_counted_as_a_person_counts_them() -> None:
    files = f"{LIBRARY / 'sample.87'}:{LIBRARY / 'sample.88-91'}"
    with started_server() as server:
        server.query("CREATE DATABASE dyno")
        work = shipped("text-load", "innodb", tables=1, rows=8, options={"collection": files})
        assert drive(server, work).code == 0
        found = dict(server.query("SELECT word, documents FROM dyno.words1 WHERE documents > 0"))
        (content,) = server.query("SELECT content FROM dyno.texts1 WHERE docid = 5")[0]
    assert found == IN_LIBRARY
    assert content.splitlines() == [
        "Athletes; Campylobacter jejuni/*.",
        "One with a backslash \\ and quotes ' '' \" in it.",
        " . a line that begins with a dot, and one that looks like",
        ".5 microliter of a field.",
    ]


@pytest.mark.parametrize(
    ("rows", "files", "complaint"),
    [
        (
            9,
            ["sample.87", "sample.88-91"],
            "the collection has 8 documents, the plan wants 9 rows of a table",
        ),
        (
            8,
            ["sample.87", "sample.92"],
            "sample.92 of the collection cannot be read: No such file or directory",
        ),
    ],
)
def test_a_collection_that_is_not_there_is_told_beforehand(
    desktop: Desktop, rows: int, files: list[str], complaint: str
) -> None:
    done = desktop.dyno(*library(desktop, rows, *(LIBRARY / name for name in files)), code=1)
    assert complaint in done.stdout + done.stderr
    assert desktop.sessions() == []


def test_a_query_cache_is_refused(desktop: Desktop) -> None:
    preset = "[mysqld]\nquery_cache_type = 1\nquery_cache_size = 1M\ninnodb_ft_min_token_size = 6\n"
    write(desktop.home / "presets/innodb/cached.cnf", preset)
    done = desktop.dyno(
        *("run", "--sequence", "text-search", "--rows", "100", "--threads", "1"),
        *("--contender", MARIADB + "innodb:cached"),
        code=1,
    )
    said = done.stdout + done.stderr
    assert "the query cache is on: it would answer in place of the full-text index" in said
    assert "leave words out: innodb_ft_min_token_size is 6, innodb_ft_max_token_size is 84" in said
    assert desktop.sessions() == []
