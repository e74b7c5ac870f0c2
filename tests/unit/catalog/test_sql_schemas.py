"""Custom SQL on a server that runs already names no schema of others."""

from __future__ import annotations

import pytest

from app.catalog import Catalog
from app.catalog.custom_sql import parse_custom_sql
from app.catalog.sql_schemas import foreign_name, foreign_name_in


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("select a from other.t", "other.t"),
        ("select a from `other` . `t` where a = ?", "`other`.`t`"),
        ("select a from t, other.u", "other.u"),
        ("select a from t x join other.u y on x.a = y.a", "other.u"),
        ("select a from t x join u y on x.a = y.a, other.z", "other.z"),
        ("select a from t x join u on f(x.a, u.b), t.z", "t.z"),
        ("select a from (t, other.u)", "other.u"),
        ("select a from (select b from other.u) t", "other.u"),
        ("select a from (select b from u) t, t.u", "t.u"),
        ("select a from t where b in (select c from other.u)", "other.u"),
        ("select a from t where exists (select 1 from u, other.z)", "other.z"),
        ("select other.t.a from t", "other.t"),
        ("select other.f(a) from t", "other.f"),
        ("select nextval(other.s) from t", "other.s"),
        ("insert into other.t values (?)", "other.t"),
        ("insert other.t values (?)", "other.t"),
        ("insert ignore into t select a from other.u", "other.u"),
        ("update other.t set a = ?", "other.t"),
        ("update t, other.u set a = ?", "other.u"),
        ("delete from other.t where a = ?", "other.t"),
        ("delete t, other.u from t join u", "other.u"),
        ("delete from t using t join other.u", "other.u"),
        ("create table t (a int, foreign key (a) references other.u (a))", "other.u"),
        ("select x.a from t x, x.u", "x.u"),
    ],
)
def test_a_name_of_another_schema_is_found(statement: str, name: str) -> None:
    assert foreign_name_in(statement) == name


@pytest.mark.parametrize(
    "statement",
    [
        "select a from t where b = ?",
        "select t.a, t.b from t where t.c = ? order by t.a, t.b limit 10",
        "select x.a, y.b from t x join u as y on x.a = y.a and f(x.b, y.c) = 1 where x.a in (?, ?)",
        "select x.a from t x left join u y using (a) group by x.a having count(y.b) > 1",
        "select `x`.`a` from `t` `x`",
        "select extract(year from t.d), trim(both 'x' from t.s), substring(t.s from 2) from t",
        "select a from t where b > 1.5 and c < .5 and d = 'other.t'",
        "select * from (select u.a, u.b from u) v, t where v.a = t.a",
        "select t.* from t",
        "insert into t (a, b) select u.a, u.b from u where u.c = ?",
        "update t x, u y set x.a = y.a, x.b = y.b where x.c = y.c",
        "delete x from t x join u y on x.a = y.a where y.b = ?",
        "create table t (a int default 1, b decimal(5,2) default 1.5, primary key (a))",
    ],
)
def test_tables_and_aliases_of_a_statement_are_no_schemas(statement: str) -> None:
    assert foreign_name_in(statement) == ""


def test_each_part_of_a_file_is_looked_at() -> None:
    text = "tables\n  create table t (a int primary key);\nfill\n  insert into {} values (1);\nbegin\n"
    text += "  select a from t;\nend\n"
    assert foreign_name(parse_custom_sql(text.format("t"))) == ""
    assert foreign_name(parse_custom_sql(text.format("other.t"))) == "other.t"
    shipped = [each for each in Catalog().workloads()[0] if each.sql]
    assert shipped and not any(foreign_name(Catalog().custom_sql(each)) for each in shipped)
