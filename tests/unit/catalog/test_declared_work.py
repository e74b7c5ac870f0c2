"""The declared work of Lua: of shipped and of a person's own, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.core.shipped import shipped_folder

SHIPPED = shipped_folder("workloads")
OWN = """
[[point-query]]
text = "SELECT k FROM sbtest1 WHERE id={key}"
rows = 1
returned = "rows"
"""


def catalog(home: Path, lua: str, declared: str = "") -> Catalog:
    folder = home / "workloads"
    folder.mkdir()
    (folder / "mine.toml").write_text('name = "mine"\ntitle = "t"\nkind = "drive"\nlua = "point-query.lua"\n')
    (folder / "point-query.lua").write_text(lua)
    if declared:
        (folder / "_work.toml").write_text(declared)
    return Catalog(home)


def shipped_text() -> str:
    return (SHIPPED / "point-query.lua").read_text()


def declared(of: Catalog, name: str = "mine") -> list[str]:
    found = of.statements([of.workload(name)])
    return [each["text"] for each in found.get("point-query.lua", [])]


def test_a_changed_copy_is_not_judged_by_what_is_declared_of_the_shipped_one(tmp_path: Path) -> None:
    assert declared(catalog(tmp_path, shipped_text() + "\n")) == []


def test_a_copy_with_the_same_text_is(tmp_path: Path) -> None:
    assert declared(catalog(tmp_path, shipped_text())) == ["SELECT c FROM sbtest1 WHERE id={key}"]


def test_a_folder_declares_the_work_of_its_own_lua(tmp_path: Path) -> None:
    found = catalog(tmp_path, shipped_text() + "\n", OWN)
    assert declared(found) == ["SELECT k FROM sbtest1 WHERE id={key}"]
    assert declared(found, "point-query") == ["SELECT c FROM sbtest1 WHERE id={key}"]


def test_the_declaration_is_no_workload(tmp_path: Path) -> None:
    names, problems = catalog(tmp_path, shipped_text(), OWN).workloads()
    assert "mine" in [each.name for each in names] and problems == []
    assert "_work" not in [each.name for each in names]


def test_every_declared_lua_is_there() -> None:
    from app.catalog.declared_work import declared_statements

    assert [name for name in declared_statements(SHIPPED) if not (SHIPPED / name).is_file()] == []


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("SELECT k", "DROP k"), "text must begin with SELECT, INSERT, UPDATE, DELETE"),
        (("rows = 1", "rows = [2, 1]"), "rows must be two numbers, the least and the most"),
        (("rows = 1", 'range = "size"'), "must give the default of size"),
        (("rows = 1", 'rows = 1\nkeys = "n"'), "finds rows, keys or a range: name one of the three"),
        (("rows = 1", "row = 1"), "row is not known here"),
        (('returned = "rows"', 'returned = "all"'), "returned must be a number"),
        (("rows = 1", "rows = 1\none_of = 1"), "one_of must be between 2 and 1,000"),
        (("[[point-query]]", "[point-query]"), "must be a list of statements"),
    ],
)
def test_a_wrong_declaration_is_refused(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    found = catalog(tmp_path, shipped_text(), OWN.replace(*change))
    with pytest.raises(InputError, match=r"_work\.toml") as refused:
        declared(found)
    assert problem in str(refused.value)
