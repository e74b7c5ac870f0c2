"""Files of mydbtest become workloads: their statements as they are, their tables as told from these."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.custom_sql import parse_custom_sql
from app.catalog.mydbtest import import_mydbtest_file, is_mydbtest, mydbtest_to_sql
from app.catalog.own_sql import sql_problems
from app.cli import main
from app.core.errors import InputError
from tests.plans import plan, write

# of the study of MyRocks against MySQL 5.7 at Tencent, as it is printed there: in one line
PRINTED = (
    "option name mysql_test loop 25000 user mydbtest/mydbtest@10.62.19.103:3700:mysqlslap declare "
    "a int 10 30000 id0 char 1 32 id1 char 1 32 charcol1 char 512 1024 intcol1 int 1 10000000 "
    "intcol2 int 1 10000000 intcol3 int 1 10000000 begin "
    "insert into tmp_nocompress set id0 = :id0 ,id1 = :id1 , intcol1 = :intcol1 , "
    "intcol2 = :intcol2 , intcol3 = :intcol3 ; insert into tmp_lz4compress set id0 = :id0 ,"
    "id1 = :id1 , intcol1 = :intcol1 , intcol2 = :intcol2 , intcol3 = :intcol3 ; end"
)
SECRETS = ("10.62", "3700", "mysqlslap", "mydbtest", "tiger", "example.org")
ORDERS = """\
option
  user scott/ti'ger#@example.org:3306:shop   # tiger, too
  tran yes
  commit 10
  log /tmp/%p.log
  show 10
declare
  id    sequence 1 1000000
  st    intlist 1,2,3
  s     char 16 64
  note  char 300 900
  big   int 1 9000000000
  price double 0 10
  day   date -5 5
begin
  # example.org
  insert into orders (id, st, s, `note`, price, day, made) values (:id, :st, :s, :note, :price, :day, now());
  update orders set s = :s where id = :id - 1 and note like :note;
  select s, note from orders where price between :price and :price + 1 and big = :big limit 3;
  insert into plain values (:id, 'a, b', 7);
  delete from plain where c1 in (:id + 1, :id + 2);
end
"""


def tables(text: str) -> dict[str, str]:
    return {each.table: each.text.partition("(")[2] for each in parse_custom_sql(text, "load").tables}


def test_the_file_of_the_study_as_it_is_printed() -> None:
    taken = mydbtest_to_sql(PRINTED, "conf")
    assert sql_problems(taken.text) == []
    found = parse_custom_sql(taken.text)
    assert found.options == {"loop": 25000}
    assert [each.table for each in found.tables] == ["tmp_nocompress", "tmp_lz4compress"]
    assert tables(taken.text)["tmp_nocompress"] == (
        "dyno_id bigint not null auto_increment, id0 varchar(32), id1 varchar(32), intcol1 int, intcol2 int, "
        "intcol3 int, primary key (dyno_id))"
    )
    assert [each.text for each in found.fill] == [each.text for each in found.drive]
    assert "charcol1 is declared but not used" in taken.notes
    assert any(note.startswith("loop 25,000 counts for all threads together") for note in taken.notes)


def test_columns_and_keys_are_told_from_the_statements() -> None:
    taken = mydbtest_to_sql(ORDERS, "conf")
    assert sql_problems(taken.text) == []
    assert tables(taken.text) == {
        "orders": "dyno_id bigint not null auto_increment, id bigint, st int, s varchar(64), "
        "note varchar(900), price double, day date, made varchar(255), big bigint, "
        "primary key (dyno_id), key (id), key (note(255)), key (price), key (big))",
        "plain": "c1 bigint, c2 varchar(255), c3 bigint, key (c1))",
    }
    found = parse_custom_sql(taken.text)
    assert [each.written for each in found.drive] == [
        each.written for each in parse_custom_sql(ORDERS, of_mydbtest=True).drive
    ]
    assert (found.options, len(found.fill)) == ({"tran": 1, "commit": 10}, 2)


def test_who_and_where_is_neither_used_nor_kept(dyno_home: Path) -> None:
    for number, text in enumerate((PRINTED, ORDERS)):
        file = write(dyno_home / f"conf{number}.txt", text)
        import_mydbtest_file(Catalog(), file, title="mine")
    kept = [path for folder in ("workloads", "sequences") for path in (dyno_home / folder).iterdir()]
    assert len(kept) == 8
    for path in kept:
        assert not [secret for secret in SECRETS if secret in path.read_text()], path


def test_tables_of_the_classic_load_are_not_added() -> None:
    text = "option time 5m declare id int 1 rows begin select c from sbtest1 where id = :id; end"
    taken = mydbtest_to_sql(text, "conf")
    assert parse_custom_sql(taken.text).tables == ()
    assert parse_custom_sql(taken.text).options == {"time": 300}


def test_what_is_custom_sql_already_stays_as_it_is() -> None:
    text = Path("workloads/tencent.sql").read_text()
    assert mydbtest_to_sql(text, "conf").text == text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("option\n  wait 5\nbegin\n  select 1;\nend", "conf: line 2: wait: Dyno does not pause"),
        ("begin\n  select a from t where b = 1;\nend", "no statement inserts into t"),
        ("begin\n  insert into t select * from u;\nend", "line 2: the columns of t are not clear from this"),
        ("begin\n  { begin insert into t set a = 1; end }\nend", "conf: line 2: blocks in braces"),
    ],
)
def test_what_of_mydbtest_cannot_be_honoured_is_refused_by_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        mydbtest_to_sql(text, "conf")
    assert complaint in str(caught.value)


def test_a_file_becomes_a_workload_and_a_sequence_that_can_be_planned(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(dyno_home / "Their file.conf", PRINTED)
    assert is_mydbtest(file) and not is_mydbtest(dyno_home / "none")
    assert main(["import", str(file)]) == 0
    assert "dyno run --sequence their-file" in capsys.readouterr().out
    found = plan(sequence="their-file")
    assert (found.tables, [step.name for step in found.steps][-1]) == (2, "their-file")
    assert (found.steps[-1].events, found.steps[-1].figure) == (25_000, "latency")
    assert main(["workload", "import", str(file)]) == 2
    assert main(["workload", "import", str(file), "--over", "--figure", "rate"]) == 0
    assert plan(sequence="their-file").steps[-1].figure == "rate"


def test_problems_are_told_by_line_on_the_command_line(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(dyno_home / "bad.sql", "declare\n  a int 1\nbegin\n  drop table t;\nend\n")
    assert main(["workload", "check", str(file)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.rpartition("bad.sql: ")[2].partition(":")[0] for line in said] == ["line 2", "line 4"]


def test_all_of_custom_sql_is_written_as_it_was_read() -> None:
    plain = """\
option
  tran on
  rollback 10 %
declare
  id int 1 rows zipf 0.99
  n int
tables
  create table t (id int not null primary key, n int);
fill
  insert into t values (:id, 1);
begin weight 8
  select n from t where id = :id into :n;
  update t set n = :n + 1 where id = :id;
end
begin weight 2
  select 1;
end
"""
    whole = plain.replace("option\n", "option\n  user scott/tiger@db:1:x\n")
    assert mydbtest_to_sql(whole, "conf").text == plain
    assert mydbtest_to_sql(plain, "conf").text == plain
