"""Full-text search: every word is found in as many documents as were loaded with it, wherever it can be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.catalog.approval import hash_of
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.plans import write
from tests.sequences import own_sequence

ROWS = 1200
TEXTS = ('workload = "text-load"', 'workload = "text-index"')
SEQUENCE = own_sequence("texts", *TEXTS, rows=ROWS)
LIBRARY = Path(__file__).parents[1] / "data/ohsumed"
SEARCH = '\n[[step]]\nworkload = "text-search"\n'


def carry_out(desktop: Desktop, *contenders: str, code: int = 0, steps: str = SEARCH) -> list[list[Any]]:
    """The steps of the session of each contender."""
    write(desktop.home / "sequences/texts.toml", SEQUENCE + steps)
    words = [word for contender in contenders for word in ("--contender", contender)]
    desktop.dyno("run", "--sequence", "texts", *words, code=code)
    return [desktop.json("session", "show", each["id"])["steps"] for each in desktop.sessions()]


def assert_searched(steps: list[dict[str, Any]]) -> None:
    load, index, search = steps
    assert [step["state"] for step in steps] == ["completed"] * 3, steps
    assert load["rows"] == 2 * ROWS
    assert (index["kind"], index["unit"]) == ("text-index", "s")
    assert index["value"] == pytest.approx(index["seconds"], abs=0.002)
    assert index["size_bytes"] > 0
    assert search["queries"] > 30 and search["errors"] == 0


SPOIL = """\
name = "spoil"
title = "Taking a word out of the only document that holds it"
kind = "drive"
lua = "spoil.lua"
needs = ["texts"]
"""
SPOIL_LUA = """\
local dyno = require("dyno")
dyno.declare({})
function dyno.prepare() end
function event()
   dyno.connection:query("UPDATE texts1 SET content = REPLACE(content, 'peroxy', '')")
end
"""
SPOILT = """
[[step]]
workload = "spoil"
events = 1
threads = 1

[[step]]
name = "after"
workload = "text-search"
"""


@pytest.mark.full
def test_every_count_is_as_planted_and_a_wrong_one_fails_its_step(desktop: Desktop) -> None:
    write(desktop.home / "workloads/spoil.toml", SPOIL)
    write(desktop.home / "workloads/spoil.lua", SPOIL_LUA)
    catalog = Catalog(desktop.home)
    desktop.dyno("workload", "approve", "spoil", hash_of(catalog.workload_files(catalog.workload("spoil"))))
    contenders = (f"{MARIADB}:innodb", f"{MARIADB}:myisam")
    sessions = carry_out(desktop, *contenders, code=1, steps=SEARCH + SPOILT)
    assert len(sessions) == 2
    for *searched, spoilt, after in sessions:
        assert_searched(searched)
        assert (spoilt["state"], after["state"]) == ("completed", "failed")
        assert (
            after["reason"] == "wrong count for the word peroxy: 1 documents were loaded with it, 0 are found"
        )


OTHERS = [
    pytest.param("mysql-5.6", "5.6.", marks=[pytest.mark.build("mysql-5.6"), pytest.mark.full]),
    pytest.param("mysql-8.0", "8.", marks=[pytest.mark.build("mysql-8.0"), pytest.mark.full]),
    pytest.param("mysql-9.7", "9.", marks=[pytest.mark.build("mysql-9.7"), pytest.mark.full]),
]


def found_build(desktop: Desktop, base: Path, version: str) -> str:
    desktop.dyno("target", "edit", "local", "--search-path", str(base))
    builds = desktop.json("target", "survey", "local")["builds"]
    return str(next(each["name"] for each in builds if each["version"].startswith(version)))


@pytest.mark.parametrize(("name", "version"), OTHERS)
def test_other_servers_find_the_same(
    desktop: Desktop, build_path: Callable[[str], Path], name: str, version: str
) -> None:
    (steps,) = carry_out(desktop, found_build(desktop, build_path(name), version) + ":innodb")
    assert_searched(steps)


def assert_study(desktop: Desktop, build: str) -> None:
    """The sequence of the study, small, on both engines: every word in as many documents as published."""
    words = ["run", "--sequence", "text-search", "--rows", "17200", "--seconds", "2", "--warmup", "1"]
    words += ["--threads", "1,32", "--cores", "2,1"]
    desktop.dyno(*words, "--contender", f"{build}:innodb", "--contender", f"{build}:myisam", limit_s=280)
    sessions = [desktop.json("session", "show", each["id"])["steps"] for each in desktop.sessions()]
    for steps in sessions:
        assert {step["state"] for step in steps} == {"completed"}
        searches = [step for step in steps if step["name"] == "text-search"]
        swept = [(step["coordinates"]["cores"], step["coordinates"]["threads"]) for step in searches]
        assert swept == [(2, 1), (2, 32), (1, 1), (1, 32)]
        assert all(step["value"] > 0 and step["errors"] == 0 for step in searches)
    assert len(sessions) == 2


@pytest.mark.full
def test_the_study_of_text_search_goes_to_its_end(desktop: Desktop) -> None:
    assert_study(desktop, MARIADB)


@pytest.mark.full
@pytest.mark.parametrize(("name", "version"), OTHERS)
def test_the_study_goes_to_its_end_on_other_servers(
    desktop: Desktop, build_path: Callable[[str], Path], name: str, version: str
) -> None:
    assert_study(desktop, found_build(desktop, build_path(name), version))


def library(desktop: Desktop, rows: int, *files: Path) -> list[str]:
    """The words of dyno run for a collection of one's own."""
    load, index = TEXTS
    collection = f'{load}\noptions = {{collection = "{":".join(map(str, files))}"}}'
    steps = (collection, index, 'workload = "text-search"')
    text = own_sequence("library", *steps, tables=1, rows=rows, threads=[1])
    write(desktop.home / "sequences/library.toml", text)
    return ["run", "--sequence", "library", "--contender", f"{MARIADB}:innodb"]


@pytest.mark.parametrize(
    ("rows", "files", "complaint"),
    [
        (
            9,
            ["sample.87", "sample.88-91"],
            "the collection has 8 documents, the plan needs 9 rows per table",
        ),
        (
            8,
            ["sample.87", "sample.92"],
            "sample.92 of the collection: No such file or directory",
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
        *("run", "--sequence", "text-search", "--rows", "100", "--threads", "1", "--cores", "1"),
        *("--contender", f"{MARIADB}:innodb:cached"),
        code=1,
    )
    said = done.stdout + done.stderr
    assert "the query cache is on: it would answer instead of the full-text index" in said
    assert "skip words: innodb_ft_min_token_size is 6, innodb_ft_max_token_size is 84" in said
    assert desktop.sessions() == []
