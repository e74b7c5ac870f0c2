"""Custom SQL: what its files say, what is refused by line, and the Lua that is made from them."""

from __future__ import annotations

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.custom_sql import (
    custom_sql_problems,
    parse_custom_sql,
    sql_workload_fields,
)
from app.catalog.sql_lua import lua_quoted, made_lua
from app.catalog.sql_variables import SqlDeclaredNumber

WHOLE = """\
option
  tran on
  commit 10
  loop 25000
declare
  id    int 1 rows      # of the plan
  next  seq rows+1 2000000000
  state intlist 1, 2, 3
  body  char 512 1024 zlib 0.4
  price float 0 99.5
  born  date -10 10
tables
  create table t (id int not null primary key, state int, body varchar(1024), born date);
fill
  insert into t (id, state, body, born) values (:next, :state, :body, :born + 1);
begin
  -- a comment; with a semicolon
  select body from t where id = :id - 1;
  update t set state = :state where id = :id;
end
"""


def driven(statement: str, declared: str = "id int 1 9") -> str:
    return f"declare\n  {declared}\nbegin\n  {statement}\nend\n"


def test_a_whole_file_is_read() -> None:
    found = parse_custom_sql(WHOLE)
    assert found.problems == ()
    assert found.options == {"tran": 1, "commit": 10, "loop": 25000}
    numbers = {each.name: (each.kind, each.numbers, each.zlib) for each in found.variables}
    assert numbers["id"] == ("int", (SqlDeclaredNumber(1), SqlDeclaredNumber(0, of_rows=True)), None)
    assert numbers["next"] == (
        "seq",
        (SqlDeclaredNumber(1, of_rows=True), SqlDeclaredNumber(2_000_000_000)),
        None,
    )
    assert numbers["state"] == (
        "intlist",
        (SqlDeclaredNumber(1), SqlDeclaredNumber(2), SqlDeclaredNumber(3)),
        None,
    )
    assert numbers["body"] == ("char", (SqlDeclaredNumber(512), SqlDeclaredNumber(1024)), 0.4)
    assert numbers["price"] == ("float", (SqlDeclaredNumber(0.0), SqlDeclaredNumber(99.5)), None)
    assert [each.table for each in found.tables] == ["t"]
    assert [(each.verb, each.text, each.line) for each in found.drive] == [
        ("select", "select body from t where id = ?", 18),
        ("update", "update t set state = ? where id = ?", 19),
    ]
    assert [(bind.name, bind.offset) for each in found.fill for bind in each.binds][-1] == ("born", 1)


def test_line_breaks_mean_nothing_but_in_comments() -> None:
    plain = re.sub(r"(#|--).*", "", WHOLE)
    one_line, whole = parse_custom_sql(" ".join(plain.split())), parse_custom_sql(WHOLE)
    assert one_line.problems == ()
    assert [each.text for each in one_line.drive] == [each.text for each in whole.drive]
    assert [each.numbers for each in one_line.variables] == [each.numbers for each in whole.variables]


def test_the_statements_decide_what_a_workload_is() -> None:
    keys = sql_workload_fields(parse_custom_sql(WHOLE), "drive")
    assert (keys["writes"], keys["changes_rows"], keys["removes_rows"]) == (True, False, False)
    assert (keys["queries_per_event"], keys["latency_per"], keys["events"]) == (4, "transaction", 25000)
    keys = sql_workload_fields(parse_custom_sql(WHOLE), "load")
    assert (keys["changes_rows"], keys["latency_per"], keys["tables"]) == (True, "insert", 1)
    assert 768 < keys["row_bytes"]["rocksdb"] < 900
    reading = sql_workload_fields(parse_custom_sql(driven("select 1 from t where id = :id;")), "drive")
    assert (reading["writes"], reading["latency_per"]) == (False, "query")
    taking = sql_workload_fields(
        parse_custom_sql(driven("delete from t where id = :id; select 1 from t;")), "drive"
    )
    assert (taking["removes_rows"], taking["latency_per"]) == (True, "loop")


MIXED = """\
declare
  id int 1 rows
begin weight 45
  select a from t where id = :id;
end
begin weight 5
  update t set a = 1 where id = :id;
  select a from t where id = :id;
  delete from t where id = :id + 1;
end
"""


def test_blocks_have_weights() -> None:
    found = parse_custom_sql(MIXED, "drive")
    assert found.problems == ()
    assert [(each.weight, len(each.statements)) for each in found.blocks] == [(45, 1), (5, 3)]
    keys = sql_workload_fields(found, "drive")
    assert (keys["writes"], keys["latency_per"], keys["queries_per_event"]) == (True, "loop", 1)  # 1.2
    lua = made_lua(found, "drive", "mixed.sql")
    assert lua.index('require("dyno-weights")') < lua.index('require("dyno-sql")')
    drawn = 'weights.block("block-1", 45, 1)\nweights.block("block-2", 5, 3)\nweights.drive()\n'
    assert lua.endswith(f"sql.drive(0)\n{drawn}")
    one_line = parse_custom_sql(" ".join(MIXED.split()))
    assert (one_line.problems, made_lua(one_line, "drive", "mixed.sql")) == ((), lua)
    singles = sql_workload_fields(
        parse_custom_sql("begin weight 1 select 1; end begin weight 2 select 2; end"), "drive"
    )
    assert singles["latency_per"] == "query"


NAMED = """\
begin weight 45 as new-order
  select 1;
end
begin weight 43 as payment
  select 2;
end
begin weight 12
  select 3;
end
"""


def test_blocks_have_names() -> None:
    found = parse_custom_sql(NAMED, "drive")
    assert found.problems == () and found.kinds == ("new-order", "payment", "block-3")
    assert sql_workload_fields(found, "drive")["kinds"] == found.kinds
    assert 'weights.block("payment", 43, 1)' in made_lua(found, "drive", "named.sql")
    assert parse_custom_sql("begin select 1; end", "drive").kinds == ()
    assert sql_workload_fields(found, "load")["kinds"] == ()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("as Payment", "as needs a name of up to 30 lower-case letters, digits and dashes"),
        ("as " + "a" * 31, "as needs a name"),
        ('as a"}', "as needs a name"),
        ("as", "as needs a name"),
        ("as new-order", "new-order is the name of an earlier block too"),
        ("as block-3", "block-3 is the name of an earlier block too"),
    ],
)
def test_names_of_blocks_are_checked(name: str, problem: str) -> None:
    found = parse_custom_sql(NAMED.replace("as payment", name), "drive")
    assert [each.text.partition(":")[0] for each in found.problems if each.text.startswith(problem)]


def test_a_file_has_at_most_twenty_blocks() -> None:
    blocks = "begin weight 1\n  select 1;\nend\n"
    assert parse_custom_sql(blocks * 20, "drive").problems == ()
    assert [each.text for each in parse_custom_sql(blocks * 22, "drive").problems] == ["more than 20 blocks"]


KEEPING = """\
declare
  id int 1 rows
  n  int
  m  int
begin
  select max(a), b into :n, :m from t where id in (:id, 2);
  update t set a = :n + 1, b = :id where id = :m - 2;
end
"""


def test_values_are_kept_for_the_next_statements() -> None:
    found = parse_custom_sql(KEEPING, "drive")
    assert found.problems == ()
    assert [each.into for each in found.drive] == [("n", "m"), ()]
    lua = made_lua(found, "drive", "a.sql")
    assert lua.index('require("dyno-kept")') < lua.index('require("dyno-sql")')
    assert 'kept.variable("n", "int")\nkept.variable("m", "int")\n' in lua
    into = 'kept.into({"select max(a), b from t where id in (", ", 2)"}, {"n", "m"}),\n   {"id", 0})'
    assert f'sql.statement("select", {into}' in lua
    taking = (
        'kept.taking("update t set a = ?, b = ? where id = ?", {1, "n", 1}, {3, "m", -2}),\n   {"id", 0})'
    )
    assert f'sql.statement("update", {taking}' in lua
    assert lua.endswith("sql.drive(0)\nkept.drive()\n")


@pytest.mark.parametrize("written", ["into :n, :m from t", "into :n , :m: from t", "from t into :n,\n :m"])
def test_into_is_where_mysql_takes_it(written: str) -> None:
    found = parse_custom_sql(driven(f"select t.*, a * 2 {written};", "n int\n  m int"))
    assert (found.problems, found.drive[0].into) == ((), ("n", "m"))
    assert "into" not in found.drive[0].text
    again = parse_custom_sql(driven(f"{found.drive[0].written};", "n int\n  m int"))
    assert again.drive[0].into == ("n", "m")


def test_keys_have_laws() -> None:
    text = "declare\n a int 1 rows zipf\n b int 1 rows+5 latest 0.8\nbegin select :a, :b, :a + 1; end"
    lua = made_lua(parse_custom_sql(text, "drive"), "drive", "a.sql")
    assert 'local keys = require("dyno-keys")\n' in lua
    assert 'sql.variable("a", "intlist", keys.zipf(1, sql.rows(0), 0.99))\n' in lua
    assert 'sql.variable("b", "intlist", keys.latest(1, sql.rows(5), 0.8))\n' in lua


NEWEST = """\
declare
  fresh int 1 added latest 1.5
  added seq rows+1 2000000000
begin
  insert into t values (:added, :fresh);
end
"""


def test_the_latest_are_those_of_a_seq() -> None:
    lua = made_lua(parse_custom_sql(NEWEST, "drive"), "drive", "a.sql")
    rising = 'sql.variable("added", "intlist", keys.rising("added", sql.rows(1), 2000000000))\n'
    assert rising + 'sql.variable("fresh", "intlist", keys.newest("added", 1, 1.5))\n' in lua
    assert (
        'sql.statement("insert", keys.inserting("insert into t values (?, ?)", "added"),\n   {"added", 0}'
        in lua
    )
    without = made_lua(parse_custom_sql(NEWEST.replace(", :fresh", "")), "drive", "a.sql")
    assert "dyno-keys" not in without and 'sql.variable("added", "seq", sql.rows(1), 2000000000)' in without


def test_a_variable_may_have_the_name_of_a_law() -> None:
    found = parse_custom_sql("declare a int 1 9 zipf int 1 2 latest seq 1 9 begin select :zipf; end")
    assert found.problems == ()
    assert [(each.name, each.law) for each in found.variables] == [("a", ""), ("zipf", ""), ("latest", "")]
    assert "dyno-keys" not in made_lua(found, "drive", "a.sql")


def test_transactions_are_rolled_back_by_chance() -> None:
    for written in ("5 %", "5%"):
        found = parse_custom_sql(f"option tran on rollback {written} commit 2 begin select 1; end", "drive")
        assert (found.problems, found.options) == ((), {"tran": 1, "rollback": 5, "commit": 2})
        lua = made_lua(found, "drive", "a.sql")
        assert 'local rollback = require("dyno-rollback")\n' in lua
        assert lua.endswith("sql.drive(2)\nrollback.by_chance(5)\n")


def test_one_block_needs_no_weight() -> None:
    plain = driven("select 1 from t where id = :id;")
    weighted = parse_custom_sql(plain.replace("begin", "begin weight 7"))
    assert made_lua(weighted, "drive", "a.sql") == made_lua(parse_custom_sql(plain), "drive", "a.sql")


@pytest.mark.parametrize(
    ("written", "text", "offsets"),
    [
        ("id = :id - 1", "id = ?", [-1]),
        ("id in (:id+1, :id + 20)", "id in (?, ?)", [1, 20]),
        ("id = :id - 1 * 2", "id = ? - 1 * 2", [0]),
        ("id = 2 * :id + 1", "id = 2 * ? + 1", [0]),
        ("id = :id - 1.5", "id = ? - 1.5", [0]),
        ("id = :id -id", "id = ? -id", [0]),
        ("a = ':id - 1 it''s ; \\' # no' and id = :id:", "a = ':id - 1 it''s ; \\' # no' and id = ?", [0]),
        ("@n := :id", "@n := ?", [0]),
    ],
)
def test_offsets_are_added_where_that_means_the_same(written: str, text: str, offsets: list[int]) -> None:
    found = parse_custom_sql(driven(f"select 1 from t where {written};"))
    assert found.problems == ()
    assert found.drive[0].text == f"select 1 from t where {text}"
    assert [bind.offset for bind in found.drive[0].binds] == offsets


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("", 1, "contains no statement"),
        ("hello\n", 1, "expected one of option, declare"),
        ("option\n  speed 9\nbegin select 1; end", 2, "unknown option speed"),
        ("option\n  tran maybe\nbegin select 1; end", 2, "tran must be on or off"),
        ("option\n  loop 0\nbegin select 1; end", 2, "loop must be a whole number"),
        ("option\n  loop 9\n  time 5m\nbegin select 1; end", 3, "loop and time"),
        ("option\n  time h5m\nbegin select 1; end", 2, "time must be"),
        ("option\n  commit 3\nbegin select 1; end", 2, "commit needs tran"),
        ("option\n  rollback 5 %\nbegin select 1; end", 2, "rollback needs tran on"),
        ("option tran on\n  rollback 5\nbegin select 1; end", 2, "rollback must be a share"),
        ("option tran on\n  rollback 0 %\nbegin select 1; end", 2, "rollback must be a share"),
        ("option tran on\n  rollback 101%\nbegin select 1; end", 2, "rollback must be a share"),
        ("option tran on\n  rollback 1.5 %\nbegin select 1; end", 2, "rollback must be a share"),
        ("option\n  user a/b@c:1:d\nbegin select 1; end", 2, "user is an option of mydbtest"),
        ("option\n  wait 10\nbegin select 1; end", 2, "set a rate"),
        (driven("select 1;", "id number 1 2"), 2, "needs one of the types intlist, int"),
        (driven("select 1;", "id int 1"), 2, "needs two numbers"),
        (driven("select 1;", "id int 9 1"), 2, "larger than the second"),
        (driven("select 1;", "id int 1 99999999999999999"), 2, "must be between"),
        (driven("select 1;", "id char -1 5"), 2, "must be between 0"),
        (driven("select 1;", "id char 1 rows"), 2, "only with int and seq"),
        (driven("select 1;", "id char 1 9 zlib 0.9"), 2, "zlib needs a share"),
        (driven("select 1;", "id intlist 1,x"), 2, "separated by commas"),
        (driven("select 1;", "9x int 1 2"), 2, "the name of a variable"),
        (driven("select 1;", "id int 1 2\n  id int 1 2"), 3, "declared twice"),
        (driven("select 1 from t where id = :no;"), 4, ":no is not declared"),
        (driven("select :id + 1;", "id char 1 9"), 4, "is text"),
        (driven("select 'a;\n"), 4, "' is not closed"),
        (driven("select 1"), 4, "does not end with ;"),
        (driven("select /*!50000 1 */ 2;"), 4, "write comments with"),
        (driven("select 1 where id = ?;"), 4, "? has no value"),
        (driven("select : id;"), 4, ": needs a name after it"),
        (driven("select 'é';"), 4, "ASCII"),
        (driven("replace into t values (1);"), 4, "REPLACE does not show"),
        (driven("insert into t values (1)\n  on duplicate key update a = 1;"), 5, "ON DUPLICATE KEY"),
        (driven("begin; select 1;"), 4, "use the option tran"),
        (driven("drop table t;"), 4, "DROP is not allowed"),
        (driven("load data infile 'x' into table t;"), 4, "LOAD is not allowed"),
        (driven("set global max_connections = 1;"), 4, "SET is not allowed"),
        (driven("select 1 into\n  outfile 'x';"), 4, "INTO: files"),
        (driven("select load_file('x');"), 4, "LOAD_FILE: files"),
        (driven("update `mysql` . user set a = 1;"), 4, "outside of the tables"),
        (driven("{ begin select 1; end }"), 4, "braces are not supported"),
        ("begin\n  select 1;\n", 1, "begin is not closed by end"),
        ("begin\nselect 1;\nend\nbegin\nselect 1;\nend", 1, "begin is in this file twice"),
        (driven("select a into :id from t;"), 4, ":id is drawn in each loop"),
        (driven("select a into :no from t;"), 4, ":no is not declared: write no int"),
        (driven("select a into @a from t;"), 4, "INTO: files and variables of the server"),
        (driven("select a into :n, @b from t;", "n int"), 4, "2 columns"),
        (driven("select a, max(b, c) into :n from t;", "n int"), 4, "2 columns, but 1 after INTO"),
        (driven("select a from t where b = (select c into :n from u);", "n int"), 4, "INTO: files"),
        (driven("select a into :n from t into :n;", "n int"), 4, "INTO: files"),
        (driven("select 1 from t where a = :n;\n  select a into :n from t;", "n int"), 4, "no value here"),
        (driven("select a into :n from t; select :n + 1;", "n char"), 4, "is text"),
        ("declare n int\nfill insert into t values (:n);\ntables create table t (a int);", 2, "no value"),
        ("declare n int begin weight 1\nselect 1 into :n; end\nbegin weight 1 select :n; end", 3, "no value"),
        (driven("select 1;", "born date"), 2, "needs two numbers"),
        (driven("select 1;", "id float 1 9 zipf"), 2, "zipf works only with int"),
        (driven("select 1;", "id seq 1 9 latest"), 2, "latest works only with int"),
        (driven("select 1;", "id int 1 9 zipf 0"), 2, "the exponent of zipf must be above 0"),
        (driven("select 1;", "id int 1 9 latest 9"), 2, "the exponent of latest must be above 0"),
        (NEWEST.replace("added seq", "added int"), 2, "added is not declared as a seq"),
        (NEWEST.replace("(:added", "(:added + 1"), 2, "no INSERT between begin and end takes :added"),
        (NEWEST.replace("(:added", "(1"), 2, "no INSERT between begin and end takes :added"),
        (NEWEST + "fill insert into t values (:fresh);", 2, "fill cannot take"),
        (NEWEST.replace(" latest 1.5", ""), 2, "fresh needs two numbers"),
        ("begin weight 3\nselect 1;\nend\nbegin\nselect 1;\nend", 4, "give each a weight, begin weight 3"),
        ("begin weight 0\nselect 1;\nend", 1, "weight must be a whole number"),
        ("begin weight\nselect 1;\nend", 1, "weight must be a whole number"),
        ("begin weight 1\nselect 1;\nend\nbegin weight 2\nend", 4, "needs a statement"),
        ("tables\n create table t (a int) engine=x;\nfill insert into t values (1);", 2, "contender sets"),
        ("tables\n create table t like u;\nfill insert into t values (1);", 2, "must be CREATE TABLE"),
        ("tables\n create table `a b` (a int);\nfill insert into t values (1);", 2, "the name of a table"),
        ("tables\n create table t (a int default :x);\nfill insert into t values (1);", 2, "no variables"),
        ("tables create table t (a int);\nfill update t set a = 1;", 2, "fill may contain INSERT"),
    ],
)  # fmt: skip
def test_what_cannot_be_honoured_is_refused_by_line(text: str, line: int, word: str) -> None:
    found = custom_sql_problems(text)
    assert [(problem.line, word in problem.text) for problem in found][:1] == [(line, True)], found


def test_a_load_and_what_is_driven_need_their_parts() -> None:
    assert "a load needs tables" in custom_sql_problems("begin select 1; end", "load")[0].text
    only_load = "tables create table t (a int);\nfill insert into t values (1);"
    assert custom_sql_problems(only_load, "load") == []
    assert "no statements to run" in custom_sql_problems(only_load, "drive")[0].text


def test_all_problems_are_told_at_once_in_the_order_of_their_lines() -> None:
    text = "option\n  speed 9\ndeclare\n  a int x\nbegin\n  drop table t;\n  select :b;\nend\n"
    assert [problem.line for problem in custom_sql_problems(text)] == [2, 4, 6, 7]


def test_no_problem_repeats_who_and_where() -> None:
    for text in ("user scott/tiger@db:1:x", "user scott/ti#ger'@db", "scott/tiger@db"):
        assert not any(
            "tiger" in each.text for each in custom_sql_problems(f"option\n  {text}\nbegin select 1; end")
        )


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for problem in custom_sql_problems(text):
        assert 1 <= problem.line <= text.count("\n") + 1


@given(st.text())
def test_a_quoted_text_cannot_end_its_string(text: str) -> None:
    found = lua_quoted(text)
    assert re.fullmatch(r'"([ !#-\[\]-~]|\\\d{3})*"', found)
    encoded = re.sub(rb"\\(\d{3})", lambda match: bytes([int(match[1])]), found[1:-1].encode())
    assert encoded == text.encode("utf-8", "surrogatepass")


def test_the_lua_holds_texts_and_numbers_only() -> None:
    hostile = driven("""select '"); os.execute("x") --', "]]", '\\\\' from t where id = :id - 1;""")
    assert custom_sql_problems(hostile) == []
    lua = made_lua(parse_custom_sql(hostile), "drive", 'x\n"]].sql')
    code = re.sub(r'"(?:[^"\\]|\\\d{3})*"', '""', lua)
    assert code == (
        "-- Made by Dyno from x]].sql; what is to be changed is changed there.\n\n"
        'local sql = require("")\n\n'
        'sql.variable("", "", 1, 9)\n\nsql.statement("", "",\n   {"", -1})\n\nsql.drive(0)\n'
    )


def test_the_lua_reads_like_the_file() -> None:
    drive = made_lua(parse_custom_sql(WHOLE), "drive", "whole.sql")
    assert 'sql.variable("id", "int", 1, sql.rows(0))' in drive
    assert '"next"' not in drive  # only a load takes it
    assert 'sql.statement("select", "select body from t where id = ?",\n   {"id", -1})' in drive
    assert drive.endswith("sql.drive(10)\n")
    assert "sql.table" not in drive
    load = made_lua(parse_custom_sql(WHOLE), "load", "whole.sql")
    assert 'sql.table("t", "create table t (' in load
    assert 'sql.variable("next", "seq", sql.rows(1), 2000000000)' in load
    assert 'sql.variable("body", "char", 512, 1024, 0.4)' in load
    assert load.endswith("sql.fill(1000)\n")
    assert "update" not in load


def test_the_lua_of_files_is_as_it_was() -> None:
    """It is part of the key of the work: what is compared with earlier sessions."""
    found = parse_custom_sql(WHOLE)
    of_kinds = [
        hashlib.sha256(made_lua(found, kind, "w.sql").encode()).hexdigest() for kind in ("drive", "load")
    ]
    assert [each[:16] for each in of_kinds] == ["56e06ef57125a53d", "acede570c11eda05"]
