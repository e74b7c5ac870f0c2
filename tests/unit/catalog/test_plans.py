"""The plan files that come with Dyno: they resolve, for each build, and say how they are scaled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.plans import find_plan_file, scaled_lines, shipped_plans
from app.cli.plan_options import GivenPlanOptions
from app.core.errors import InputError
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_file_text, plan_request_of_file, plan_request_of_text
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from tests.plans import MARIADB, contenders, survey

SIZES = {"ram": 16 << 30, "cores": 4}
POOLS = ("percona-32g", "percona-12g", "percona-2g")


def resolved(path: Path, *builds: str) -> Plan:
    request = GivenPlanOptions({}, contenders(*builds), {}).over(plan_request_of_file(path))
    return resolve(request, survey(), Catalog())


@pytest.mark.parametrize("name", shipped_plans())
def test_a_shipped_plan_is_carried_out_by_every_build_that_can(name: str) -> None:
    path = shipped_plans()[name]
    made = resolved(path)
    there = {each.build for each in made.contenders if each.engine == "innodb"}
    assert there == {MARIADB, "mysql-5.6.24", "mysql-9.7.4"}  # and not the one that cannot start
    assert len({each.name for each in made.contenders}) == len(made.contenders)
    assert made.name == path.stem


def test_the_matrix_has_each_pool_with_each_build_that_is_named() -> None:
    made = resolved(shipped_plans()["percona-2026.toml"], "mysql-9.7", "mysql-5.6")
    cells = {(each.build, each.preset) for each in made.contenders}
    assert cells == {(build, pool) for build in ("mysql-9.7.4", "mysql-5.6.24") for pool in POOLS}
    assert [step.threads for step in made.steps if step.name == "read-write"] == [
        1, 4, 16, 32, 64, 128, 256, 512
    ]  # fmt: skip
    warm = {step.name: (step.threads, step.seconds) for step in made.steps if step.warm}
    assert warm == {"warm-reads": (16, 180), "warm-writes": (64, 600)}
    assert 0.33 < made.tables * made.rows * 230 / SIZES["ram"] < 0.4


def test_the_settings_of_the_insert_benchmark_need_the_engine() -> None:
    path = shipped_plans()["insert-benchmark-c8r32.toml"]
    engines = [(each.build, each.engine) for each in resolved(path).contenders]
    assert engines.count((MARIADB, "rocksdb")) == 1 and len(engines) == 4
    with pytest.raises(InputError, match="lacks the engine rocksdb"):
        resolved(path, "mysql-9.7")


PUBLISHED = ("percona-2026.toml", "insert-benchmark-c8r32.toml")  # others scale nothing


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_scaled_is_said_in_sizes(name: str) -> None:
    lines = list(scaled_lines(shipped_plans()[name].read_text(), SIZES))
    assert len(lines) >= 4 and not any("{" in line for line in lines)
    assert any("GiB" in line and "there" in line and "here" in line for line in lines)


def test_each_setting_of_durability_is_a_preset_of_its_own() -> None:
    made = resolved(shipped_plans()["power-cut-settings.toml"], MARIADB)
    cnfs = {(each.engine, each.preset): each.cnf for each in made.contenders}
    assert list(cnfs)[:2] == [("innodb", "flush-0"), ("innodb", "flush-2")] and len(cnfs) == 8
    assert len({each.key for each in made.contenders}) == 8
    strictest = cnfs["innodb", "no-doublewrite"].splitlines()
    for line in ("innodb_flush_log_at_trx_commit=1", "sync_binlog=1", "innodb_doublewrite=0"):
        assert strictest.count(line) == 1
    assert not {"sync_binlog=0", "innodb_doublewrite=1"} & {*strictest}
    text = made.files["presets/innodb/no-doublewrite.cnf"]
    assert "# durability:" not in text and text.startswith("# title: baseline with innodb_flush_log")


def test_a_redo_log_has_the_size_that_its_preset_says() -> None:
    made = resolved(shipped_plans()["recovery-redo.toml"], "mysql-5.6", "mysql-9.7")
    lines = {(each.build, each.preset): each.cnf.splitlines() for each in made.contenders}
    for preset, capacity, file in (("redo-48", "48M", "24M"), ("redo-1024", "1G", "512M")):
        assert lines["mysql-5.6.24", preset].count(f"loose_innodb_log_file_size={file}") == 1
        assert f"loose_innodb_redo_log_capacity={capacity}" in lines["mysql-9.7.4", preset]
    assert [step.name for step in made.steps if step.kind == "kill"] == ["kill"]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('preset = "mine"\nsettings = "sync_binlog"', "settings must be like sync_binlog=1, log_bin=OFF"),
        ('preset = "mine"\nsettings = "sync_binlog=1;x"', "settings must be like"),
        ('settings = "sync_binlog=1"', "preset must be a new name"),
        ('preset = "stock"\nsettings = "sync_binlog=1"', "comes with Dyno and is read-only"),
        ('preset = "mine"\nbased_on = "stock"', "based_on is only for settings"),
        ('preset = "mine"\nbased_on = "none"\nsettings = "sync_binlog=1"', "none"),
    ],
)
def test_settings_that_cannot_be_are_refused(tmp_path: Path, keys: str, said: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f'sequence = "quick"\n[[contender]]\nbuild = "{MARIADB}"\nengine = "innodb"\n{keys}\n')
    with pytest.raises(InputError, match=said):
        resolved(path)


def test_an_expression_that_is_wrong_stays_as_it_is() -> None:
    text = "# scaled: {ram/0} and {open('x')} of {ram/16} on {cores}\n# scaled:\nname = 'x'\n"
    assert list(scaled_lines(text, SIZES)) == ["{ram/0} and {open('x')} of 1.0 GiB on 4"]


def test_a_file_of_ones_own_goes_before_a_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_plan_file("percona-2026.toml") == shipped_plans()["percona-2026.toml"]
    (tmp_path / "percona-2026.toml").write_text("")
    assert find_plan_file("percona-2026.toml") == Path("percona-2026.toml")
    assert find_plan_file("./none.toml") == Path("./none.toml")  # reading it says what is wrong
    assert find_plan_file("other.toml") == Path("other.toml")
    with pytest.raises(InputError, match=r"no plan file percona\.toml \(did you mean percona-2026\.toml\?\)"):
        find_plan_file("percona.toml")


def test_a_build_of_each_takes_no_preset_of_its_own() -> None:
    asked = plan_request_of_file(shipped_plans()["percona-2026.toml"])
    given = GivenPlanOptions({}, contenders("mysql-9.7:innodb:stock"), {})
    with pytest.raises(InputError, match=r"name mysql-9\.7 without engine and preset"):
        given.over(asked)
    assert plan_request_of_text(plan_file_text(asked)).contenders == asked.contenders


def test_without_a_build_that_can_there_is_no_plan() -> None:
    asked = plan_request_of_file(shipped_plans()["percona-2026.toml"])
    of_none = replace(asked, contenders=(ContenderRequest("*", "aria"),))
    with pytest.raises(InputError, match="no build on this target can start and has the engine aria"):
        resolve(of_none, survey(), Catalog())
