from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog import Catalog, Sequence, UnapprovedLuaError, approve, approved_hashes
from app.catalog.own import copy_preset, delete_preset, diff_presets, write_preset
from app.catalog.studies import STUDIES, by_study
from app.core.errors import InputError
from app.core.toml_text import line_of, read_document, read_text
from app.engines import KNOWN
from tests.plans import write

WORKLOAD = """\
name = "mine"
title = "What I measure"
kind = "drive"
lua = "mine.lua"

[options]
depth = 3
"""
LUA = 'local dyno = require("dyno")\n'
SEQUENCE = """\
name = "own"
title = "Mine"

[[step]]
name = "load"
workload = "load"

[[step]]
name = "a"
workload = "point-query"
"""


@pytest.fixture
def own(dyno_home: Path) -> Path:
    """A workload and a sequence of the person's own."""
    write(dyno_home / "workloads/mine.toml", WORKLOAD)
    write(dyno_home / "workloads/mine.lua", LUA)
    write(dyno_home / "sequences/own.toml", SEQUENCE)
    return dyno_home


def refused(text: str, kind: str = "workloads", stem: str = "mine") -> str:
    """The complaint about a file of the person's own."""
    import os

    write(Path(os.environ["DYNO_HOME"]) / kind / f"{stem}.toml", text)
    catalog = Catalog()
    with pytest.raises(InputError) as caught:
        catalog.workload(stem) if kind == "workloads" else catalog.sequence(stem)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# what is shipped


def test_everything_shipped_can_be_read() -> None:
    catalog = Catalog()
    workloads, problems = catalog.workloads()
    sequences, more = catalog.sequences()
    presets, most = catalog.presets()
    assert not [*problems, *more, *most]
    assert {"load", "index", "point-query", "read-write", "insert"} <= {each.name for each in workloads}
    assert {"duel", "quick"} <= {each.name for each in sequences}
    assert {(each.engine, each.name) for each in presets} >= {
        (engine, "baseline") for engine in ("innodb", "rocksdb", "myisam")
    }
    everything: list[Any] = [*workloads, *sequences, *presets]
    assert all(each.shipped and each.title for each in everything)


def test_every_shipped_sequence_says_whose_it_is_and_what_it_does() -> None:
    for study, sequences in by_study(Catalog().sequences()[0]).items():
        assert study in STUDIES
        for each in sequences:
            assert each.about.endswith(".") and len(each.about) < 260, each.name


def test_studies_stand_in_their_order_and_ones_own_last() -> None:
    names = ("", "Zoo", "Dimitri Kravtchuk", "Aardvark", "Dyno", "Small-datum")
    found = by_study(Sequence(f"s{at}", "", (), study=name) for at, name in enumerate(names))
    assert list(found) == ["Dyno", "Small-datum", "Dimitri Kravtchuk", "Aardvark", "Zoo", "Own"]


def test_every_shipped_sequence_names_shipped_workloads_and_their_options() -> None:
    catalog = Catalog()
    for sequence in catalog.sequences()[0]:
        for step in sequence.steps:
            for each in step.role or (step,):
                if each.workload:
                    assert set(each.options) <= set(catalog.workload(each.workload).options), step.name


def test_a_workload_brings_the_lua_it_requires() -> None:
    catalog = Catalog()
    files = catalog.workload_files(catalog.workload("read-only"))
    assert set(files) >= {"workloads/read-only.toml", "workloads/transaction.lua", "workloads/dyno.lua"}


def test_what_is_not_there_is_told_with_what_is() -> None:
    for ask in (Catalog().workload, Catalog().sequence):
        with pytest.raises(InputError, match=r"no \w+ nothing: choose one of .*"):
            ask("nothing")
    with pytest.raises(InputError, match="no preset nothing for innodb: choose one of baseline, c8r32"):
        Catalog().preset("innodb", "nothing")
    with pytest.raises(InputError, match=r"no engine \.\./x: choose one of innodb"):
        Catalog().preset("../x", "baseline")
    with pytest.raises(InputError, match="no preset nothing for csv: choose one of baseline, stock"):
        Catalog().preset("csv", "nothing")


def test_an_engine_without_facts_has_a_baseline_and_one_that_sets_nothing(dyno_home: Path) -> None:
    catalog = Catalog()
    assert (catalog.preset("csv", "stock").options, catalog.preset_names("csv")) == (
        (),
        ["baseline", "stock"],
    )
    assert {each.key for each in catalog.preset("csv", "baseline").options} < {
        each.key for each in catalog.preset("myisam", "baseline").options
    }
    assert catalog.engines() == list(KNOWN)
    write(dyno_home / "presets/example/large.cnf", "[mysqld]\nmax_heap_table_size=1G\n")
    write(dyno_home / "presets/No Engine/x.cnf", "[mysqld]\n")
    assert catalog.engines() == [*KNOWN, "example"]
    assert [each.name for each in catalog.presets("example")[0]] == ["baseline", "stock", "large"]
    assert [(each.engine, each.name) for each in catalog.presets()[0]][-3:] == [
        ("example", "baseline"),
        ("example", "stock"),
        ("example", "large"),
    ]


@pytest.mark.parametrize("name", ["../duel", "/etc/passwd", "", "..", "duel\0", "*"])
def test_a_name_is_no_path(name: str) -> None:
    for ask in (Catalog().workload, Catalog().sequence, lambda name: Catalog().preset("innodb", name)):
        with pytest.raises(InputError):
            ask(name)


# the person's own


@pytest.mark.usefixtures("own")
def test_own_files_are_found_beside_the_shipped_ones() -> None:
    catalog = Catalog()
    assert not catalog.workload("mine").shipped
    assert not catalog.sequence("own").shipped
    assert catalog.workload("mine").options == {"depth": 3}
    assert "mine" in {each.name for each in catalog.workloads()[0]}


@pytest.mark.usefixtures("own")
def test_own_lua_finds_the_shipped_lua_it_requires() -> None:
    catalog = Catalog()
    files = catalog.workload_files(catalog.workload("mine"))
    assert set(files) >= {"workloads/mine.toml", "workloads/mine.lua", "workloads/dyno.lua"}


def test_one_bad_file_hides_no_other(own: Path) -> None:
    write(own / "workloads/bad.toml", 'name = "bad')
    found, problems = Catalog().workloads()
    assert "mine" in {each.name for each in found}
    assert len(problems) == 1
    assert "bad.toml" in problems[0]


def test_an_own_file_does_not_replace_a_shipped_one(own: Path) -> None:
    write(own / "sequences/duel.toml", SEQUENCE.replace("own", "duel"))
    assert Catalog().sequence("duel").shipped
    assert any("duel comes with Dyno" in problem for problem in Catalog().sequences()[1])


def test_lua_that_is_missing_is_told(own: Path) -> None:
    (own / "workloads/mine.lua").unlink()
    with pytest.raises(InputError, match=r"lua: there is no mine\.lua in the same folder"):
        Catalog().workload_files(Catalog().workload("mine"))


# approval


@pytest.mark.usefixtures("own")
def test_own_lua_must_be_approved_by_its_hash() -> None:
    catalog = Catalog()
    with pytest.raises(UnapprovedLuaError) as caught:
        catalog.check_approved(catalog.workload("mine"), approved_hashes())
    assert caught.value.files["workloads/mine.lua"] == LUA
    approve(caught.value.sha256, "mine")
    catalog.check_approved(catalog.workload("mine"), approved_hashes())


def test_changed_lua_must_be_approved_again(own: Path) -> None:
    catalog = Catalog()
    with pytest.raises(UnapprovedLuaError) as caught:
        catalog.check_approved(catalog.workload("mine"), ())
    approve(caught.value.sha256, "mine")
    write(own / "workloads/mine.lua", LUA + "os.execute('true')\n")
    with pytest.raises(UnapprovedLuaError):
        catalog.check_approved(catalog.workload("mine"), approved_hashes())


def test_shipped_lua_needs_no_approval() -> None:
    Catalog().check_approved(Catalog().workload("read-write"), ())


def test_approving_keeps_the_other_settings(dyno_home: Path) -> None:
    path = write(dyno_home / "settings.toml", 'theme = "dark"\n')
    approve("ab" * 32, "mine")
    assert 'theme = "dark"' in path.read_text()
    assert approved_hashes() == {"ab" * 32}


def test_settings_that_cannot_be_read_are_told(dyno_home: Path) -> None:
    write(dyno_home / "settings.toml", "theme = ")
    with pytest.raises(InputError, match=r"settings\.toml: line 1: theme is no TOML"):
        approved_hashes()


# bad files, each with its line


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ('title = "What', "line 2: title is no TOML: Illegal character"),
        ("title =", "line 2: title is no TOML: Invalid value"),
        ("size = 4\nsize = 5", "line 9: size is no TOML: Cannot overwrite a value"),
        ("[", "line 8: is no TOML: "),
    ],
)
def test_malformed_toml_is_told_with_its_line(change: str, complaint: str) -> None:
    text = WORKLOAD.replace('title = "What I measure"', change) if "title" in change else WORKLOAD + change
    assert complaint in refused(text)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('kind = "drive"', 'kind = "drive"\nspeed = 1', "line 4: speed is not known here; known are name, "),
        ('kind = "drive"', 'kind = "settle"', "line 3: kind must be one of load, index, warmup"),
        ('kind = "drive"', "", "kind is missing"),
        ('title = "What I measure"', "title = 3", "line 2: title must be a text, not 3"),
        ('name = "mine"', 'name = "yours"', "line 1: name must be 'mine' like the file"),
        ('lua = "mine.lua"', 'lua = "../mine.lua"', "line 4: lua must be a file in the same folder"),
        ("depth = 3", "depth = [1]", "line 7: depth must be a number, a text, true or false"),
        ("depth = 3", "Depth = 3", "line 7: Depth is not an option name"),
        ("depth = 3", 'mysql_host = "x"', "line 7: mysql_host is set by the plan"),
        ("depth = 3", "report_fd = 1", "line 7: report_fd is set by the plan"),
        ("depth = 3", "gate_fd = 1", "line 7: gate_fd is set by the plan"),
        ("depth = 3", "event_rate = 1", "line 7: event_rate is set by the plan"),
        ("depth = 3", 'depth = "a\\nb"', "line 7: depth must be"),
        (
            'lua = "mine.lua"',
            'lua = "mine.lua"\nneeds = ["gold"]',
            "line 5: needs must be one of tables, index, text-index, texts, purchases, purchases-index",
        ),
        (
            'lua = "mine.lua"',
            'lua = "mine.lua"\nignore_errors = [-1]',
            "line 5: ignore_errors must be between",
        ),
        ("depth = 3", "depth = 3\n[ignore_errors_by_engine]\nmyisam = 1062", "line 9: myisam must be"),
        ("depth = 3", "depth = 3\n[engines]\nmyisam = 5", "line 9: myisam must be a text"),
        (
            "depth = 3",
            'depth = 3\n[engines]\nmyisam = ""',
            "engines_because must say why other engines cannot run it",
        ),
    ],
)
def test_a_workload_that_cannot_be_is_told_with_line_and_key(old: str, new: str, complaint: str) -> None:
    assert complaint in refused(WORKLOAD.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "a"', 'name = "a"\nsecond = 3', "line 10: second is not known here"),
        ('name = "a"', 'name = "load"', "line 9: name 'load' is the name of an earlier step too"),
        ('name = "a"', 'name = "a"\nseconds = -1', "line 10: seconds must be between 1 and 86,400, not -1"),
        ('name = "a"', 'name = "a"\nthreads = [1, 0]', "line 10: threads must be between 1 and 4,095"),
        ('name = "a"', 'name = "a"\nwarm = 1', "line 10: warm must be true or false, not 1"),
        ('name = "a"', 'name = "a"\nkind = "settle"', "line 10: kind needs a workload"),
        ('name = "a"\nworkload = "point-query"', 'name = "a"', "kind needs a workload"),
        (
            'title = "Mine"',
            'title = "Mine"\nrows = "3x ram"',
            "line 3: rows must be a number such as 1000, 10k, 1M or 1e6",
        ),
    ],
)
def test_a_sequence_that_cannot_be_is_told_with_line_and_key(old: str, new: str, complaint: str) -> None:
    assert complaint in refused(SEQUENCE.replace(old, new), "sequences", "own")


def test_a_sequence_without_steps_is_refused() -> None:
    assert "step is missing" in refused('name = "own"\ntitle = "x"\n', "sequences", "own")
    assert "step needs at least one step" in refused(
        'name = "own"\ntitle = "x"\nstep = []\n', "sequences", "own"
    )


def test_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_text(tmp_path / "a.toml")
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_text(tmp_path / "b.toml")
    with pytest.raises(InputError, match="is no file"):
        read_text(tmp_path)
    (tmp_path / "c.toml").write_bytes(b"#" * 2000)
    with pytest.raises(InputError, match="larger than 1 KiB"):
        read_text(tmp_path / "c.toml", 1024)


def test_a_line_is_found_in_the_right_table() -> None:
    text = "a = 1\n[[step]]\na = 2\n[[step]]\nb = {c = 1, d = 2}\n[x.y]\na = 3\n"
    assert [line_of(text, where) for where in (("a",), ("step", 0, "a"), ("step", 1, "b"))] == [1, 3, 5]
    assert line_of(text, ("step", 1, "b", "d")) == 5
    assert line_of(text, ("x", "y", "a")) == 7
    assert line_of(text, ("step", 1, "missing")) == 4


@given(st.text(max_size=200))
def test_no_toml_text_is_more_than_a_complaint(text: str) -> None:
    try:
        document = read_document(text, "x.toml")
    except InputError as error:
        assert str(error).startswith("x.toml: ")
    else:
        assert isinstance(document.data, dict)


# presets of one's own


def test_a_preset_is_copied_changed_and_deleted() -> None:
    catalog = Catalog()
    path = copy_preset(catalog, "innodb", "baseline", "mine")
    assert not catalog.preset("innodb", "mine").shipped
    write_preset(catalog, "innodb", "mine", path.read_text().replace("=512", "=99"))
    changed = diff_presets(catalog.preset("innodb", "baseline"), catalog.preset("innodb", "mine"))
    assert "+max_connections=99" in changed
    delete_preset(catalog, "innodb", "mine")
    assert "mine" not in catalog.preset_names("innodb")


def test_a_folder_is_no_preset_whatever_its_name(dyno_home: Path) -> None:
    (dyno_home / "presets/innodb/folder.cnf").mkdir(parents=True)
    assert "folder" not in Catalog().preset_names("innodb")


def test_shipped_presets_are_read_only() -> None:
    catalog = Catalog()
    for act in (
        lambda: write_preset(catalog, "innodb", "baseline", ""),
        lambda: delete_preset(catalog, "innodb", "baseline"),
        lambda: copy_preset(catalog, "innodb", "baseline", "baseline"),
    ):
        with pytest.raises(InputError, match="comes with Dyno and is read-only"):
            act()


def test_what_cannot_be_read_is_not_written() -> None:
    catalog = Catalog()
    path = copy_preset(catalog, "innodb", "baseline", "mine")
    before = path.read_text()
    with pytest.raises(InputError, match="line 1: an option before the first group"):
        write_preset(catalog, "innodb", "mine", "back_log=3\n")
    assert path.read_text() == before
    with pytest.raises(InputError, match="exists already"):
        copy_preset(catalog, "innodb", "baseline", "mine")
    with pytest.raises(InputError, match="the name of a preset may have"):
        write_preset(catalog, "innodb", "../x", "")
    with pytest.raises(InputError, match="you have no preset other"):
        delete_preset(catalog, "innodb", "other")
