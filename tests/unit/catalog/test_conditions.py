"""The keys `condition` and `figure_kind` of a workload."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.resolve.resolve import resolve_before_approval
from app.protocol.conditions import Condition
from tests.plans import request, survey, write
from tests.sequences import keep_own

LOAD = """\
name = "mine"
title = "t"
kind = "load"
lua = "mine.lua"

[[condition]]
name = "2"
title = "no a without b"
sql = \"\"\"
SELECT id FROM a
WHERE b IS NULL  # there is none
LIMIT 1
\"\"\"

[[condition]]
name = "sums"
title = "the sums are equal"
sql = "SELECT 1 FROM a HAVING SUM(b) <> 0;"
"""
DRIVE = """\
name = "mine"
title = "t"
kind = "drive"
lua = "mine.lua"
unit = "orders/min"
kinds = ["new-order", "payment"]
figure_kind = "new-order"
"""


def written(home: Path, text: str) -> Catalog:
    write(home / "workloads/mine.toml", text)
    write(home / "workloads/mine.sql", "begin select 1; end")
    return Catalog()


def complaint(home: Path, text: str) -> str:
    with pytest.raises(InputError) as refused:
        written(home, text).workload("mine")
    return str(refused.value).rpartition("mine.toml: ")[2]


def test_a_load_has_conditions_each_statement_in_one_line(dyno_home: Path) -> None:
    assert written(dyno_home, LOAD).workload("mine").condition == (
        Condition("2", "no a without b", "SELECT id FROM a WHERE b IS NULL  LIMIT 1"),
        Condition("sums", "the sums are equal", "SELECT 1 FROM a HAVING SUM(b) <> 0"),
    )


SQL = 'sql = "SELECT 1 FROM a HAVING SUM(b) <> 0;"'


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ('kind = "load"', 'kind = "drive"', "condition is of a load, not of kind drive"),
        ('"sums"', '"2"', "line 16: name '2' is the name of an earlier condition too"),
        (
            '"sums"',
            '"Sums!"',
            "line 16: name has up to 20 lower-case letters, digits and dashes, not 'Sums!'",
        ),
        (SQL, "", "sql is missing"),
        (SQL, SQL + "\nlimit = 1", "line 19: limit is not known here; known are name, title, sql"),
        (SQL, 'sql = "DELETE FROM a"', "line 18: sql must be one SELECT"),
        (SQL, 'sql = ""', "line 18: sql must be one SELECT"),
        (SQL, 'sql = "SELECT 1; DROP TABLE a"', "line 18: sql must be one SELECT"),
        (SQL, 'sql = "SELECT :id"', "line 18: sql takes no variables"),
        (SQL, "sql = \"SELECT 1 INTO OUTFILE 'x'\"", "line 18: sql INTO: files and variables of the server"),
        (SQL, 'sql = "SELECT 1 FROM mysql.user"', "line 18: sql mysql. is outside of the tables"),
        (SQL, f'sql = "SELECT {"1," * 2000} 1"', "line 18: sql must have at most 4000 characters"),
    ],
)
def test_a_condition_that_cannot_be_is_refused(dyno_home: Path, old: str, new: str, wrong: str) -> None:
    assert wrong in complaint(dyno_home, LOAD.replace(old, new))


def test_a_load_has_twenty_conditions_at_most(dyno_home: Path) -> None:
    many = "".join(f'[[condition]]\nname = "{at}"\ntitle = "t"\nsql = "SELECT 1"\n' for at in range(21))
    assert "condition is there 21 times, 20 at most" in complaint(dyno_home, LOAD.split("[[")[0] + many)


def test_the_figure_of_a_workload_may_be_that_of_a_kind(dyno_home: Path) -> None:
    found = written(dyno_home, DRIVE).workload("mine")
    assert (found.figure_kind, found.unit) == ("new-order", "orders/min")
    assert Catalog().workload("read-write").figure_kind == ""


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        (
            'kind = "new-order"',
            'kind = "delivery"',
            "must be one of its kinds, new-order, payment, not 'delivery'",
        ),
        ('kinds = ["new-order", "payment"]\n', "", "must be one of its kinds, none, not 'new-order'"),
        ('unit = "orders/min"', 'unit = "orders/s"', "line 5: unit must end in /min"),
        ('unit = "orders/min"\n', "", "unit must end in /min"),
        ('unit = "orders/min"', 'figure = "size"', "figure_kind is counted as a rate, not as a size"),
        ('figure_kind = "new-order"', "", "unit needs figure_kind, as it ends in /min"),
        ('lua = "mine.lua"', 'sql = "mine.sql"', "kinds follows from the statements of mine.sql"),
        (
            'lua = "mine.lua"\nunit = "orders/min"\nkinds = ["new-order", "payment"]',
            'sql = "mine.sql"',
            "figure_kind needs a workload with Lua",
        ),
    ],
)
def test_a_figure_of_a_kind_that_cannot_be_is_refused(
    dyno_home: Path, old: str, new: str, wrong: str
) -> None:
    assert wrong in complaint(dyno_home, DRIVE.replace(old, new))


@pytest.mark.parametrize("made", ["orders", "accounts"])
def test_orders_and_accounts_need_a_load_of_their_own(dyno_home: Path, made: str) -> None:
    write(dyno_home / "workloads/mine.lua", "")
    written(dyno_home, f'name = "mine"\ntitle = "t"\nkind = "drive"\nlua = "mine.lua"\nneeds = ["{made}"]\n')
    keep_own(dyno_home, 'workload = "mine"')
    with pytest.raises(InputError) as refused:
        resolve_before_approval(request(sequence="own"), survey(), Catalog())
    missing = f"that loads {made}, like {made}-load,"
    assert str(refused.value) == f"step mine needs a step {missing} before it"
