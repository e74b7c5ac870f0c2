"""What an earlier Dyno called `default`: plans, sessions and commands that say so mean `baseline`."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.own import copy_preset
from app.core.errors import InputError
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.planner.kinds.again import request_again
from app.planner.kinds.against import BaseSession
from app.planner.kinds.published import PublishedPlan
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_request_of_text
from app.planner.resolve.contenders import server_machine_share
from app.planner.resolve.resolve import resolve
from app.planner.starting.draft import draft_from_file, restore_last_draft
from app.protocol.plan import Plan
from app.variables import render
from tests import journals
from tests.plans import MARIADB, VERSION, build, plan, request, survey, unresolved, write

FILE = f'sequence = "duel"\n[[contender]]\nbuild = "{MARIADB}"\nengine = "innodb"\npreset = "default"\n'
OWN = "[mysqld]\ninnodb_buffer_pool_size=1G\n"
# hashes of what `default` was as rendered for the target of tests/plans.py, when `baseline` got its name
RENDERED = {
    "innodb": ("7386273aec571a52", "96343c4e4faa61ac", "7818e429aeb35ee6"),
    "rocksdb": ("b72c4b7c928b5cfb", "d436bf2f71c1e4e1", "1e8e1890aef6792e"),
    "myisam": ("3f723bd1985cee17", "6b81a2bea45ff276", "bc9b044fd160b185"),
    "aria": ("4bad45379ee8c487",) * 3,
}


def earlier(made: Plan) -> Plan:
    """The plan as an earlier Dyno made it: the presets and contenders have the earlier name."""
    text = made.files["presets/innodb/baseline.cnf"].replace("Same relaxed durability", "Engine defaults")
    files = {name: each for name, each in made.files.items() if not name.endswith("/baseline.cnf")}
    return replace(
        made,
        contenders=[
            replace(each, preset=_renamed(each.preset), name=_renamed(each.name)) for each in made.contenders
        ],
        files={**files, "presets/innodb/default.cnf": text},
    )


def _renamed(name: str) -> str:
    return name.replace("baseline", "default")


def stored(history: History, *contenders: str) -> Plan:
    """A plan of an earlier Dyno whose sessions have begun."""
    made = earlier(plan(*contenders))
    for turn in made.turns:
        JournalStorer(history).append(
            made.id, turn.session, 0, journals.Maker(made, turn.session).begin().raw
        )
    return made


@pytest.mark.parametrize("engine", RENDERED)
def test_the_content_is_that_of_the_earlier_default(engine: str) -> None:
    preset, machine = Catalog().preset(engine, "baseline"), server_machine_share(survey(), "")
    found = [
        render(preset, family, version, machine).text
        for family, version in (("MariaDB", VERSION), ("MySQL", "5.6.24"), ("MySQL", "9.7.4"))
    ]
    assert [hashlib.sha256(each.encode()).hexdigest()[:16] for each in found] == [*RENDERED[engine]]


def test_both_names_are_one_contender() -> None:
    old, new = plan(f"{MARIADB}:innodb:default"), plan(f"{MARIADB}:innodb:baseline")
    assert old.contenders == new.contenders and old.contenders[0].preset == "baseline"
    assert old.files == new.files and "presets/innodb/baseline.cnf" in old.files
    assert old.contenders == plan(f"{MARIADB}:innodb").contenders
    assert "differ only in their names" in unresolved(
        f"{MARIADB}:innodb:default", f"{MARIADB}:innodb:baseline"
    )
    assert [
        each.name for each in plan(f"{MARIADB}:innodb:default", f"{MARIADB}:innodb:stock").contenders
    ] == [
        f"{MARIADB}-innodb-baseline",
        f"{MARIADB}-innodb-stock",
    ]


def test_an_engine_without_facts_still_gets_nothing() -> None:
    server = build(MARIADB, "MariaDB", VERSION, ["innodb"])
    target = survey(builds=[{**server, "other_engines": {"example": ""}}])
    found = resolve(request(f"{MARIADB}:example:default"), target, Catalog()).contenders[0]
    assert (found.preset, found.cnf) == ("stock", "[mysqld]\n")


def test_a_plan_file_and_the_draft_of_last_time_are_ticked_at_the_baseline() -> None:
    for draft in (draft_from_file(FILE, "x.toml"), restore_last_draft(FILE)):
        assert draft is not None and draft.is_ticked(MARIADB, "innodb", "baseline")
    assert resolve(plan_request_of_text(FILE), survey(), Catalog()).contenders == plan().contenders


def test_ones_own_default_wins(dyno_home: Path, history: History) -> None:
    before = stored(history, f"{MARIADB}:innodb:default")
    write(dyno_home / "presets/innodb/default.cnf", OWN)
    catalog = Catalog()
    assert catalog.preset("innodb", "default").text == OWN
    assert [each.name for each in catalog.presets("innodb")[0]][:4] == [
        "baseline",
        "stock",
        "c8r32",
        "default",
    ]
    assert catalog.presets("innodb")[1] == []
    found = resolve(plan_request_of_text(FILE), survey(), catalog).contenders[0]
    assert (found.preset, "buffer_pool_size=1G" in found.cnf) == ("default", True)
    assert draft_from_file(FILE, "x.toml").is_ticked(MARIADB, "innodb", "default")
    assert plan().contenders[0].preset == "baseline"  # named none
    base = BaseSession.of(history, before.turns[0].session, catalog).request.contenders[0]
    found = resolve(request(contenders=(base,)), survey(), catalog).contenders[0]
    assert found.key == before.contenders[0].key  # as it was


def test_a_new_one_of_that_name_is_refused() -> None:
    with pytest.raises(InputError, match="plans of an earlier Dyno mean baseline by default: choose another"):
        copy_preset(Catalog(), "innodb", "optimized", "default")
    with pytest.raises(InputError, match="mean stock by default"):
        copy_preset(Catalog(), "example", "baseline", "default")


def test_sessions_are_measured_again_as_baseline(history: History) -> None:
    before = stored(history, f"{MARIADB}:innodb:baseline", f"{MARIADB}:innodb:optimized")
    assert [each.name for each in before.contenders] == [
        f"{MARIADB}-innodb-default",
        f"{MARIADB}-innodb-optimized",
    ]
    again = resolve(request_again(history, [before.id]), survey(), Catalog())
    assert [each.name for each in again.contenders] == [
        f"{MARIADB}-innodb-baseline",
        f"{MARIADB}-innodb-optimized",
    ]
    assert [each.key for each in again.contenders] == [each.key for each in before.contenders]
    named = stored(history, f"{MARIADB}:myisam", f"{MARIADB}:innodb")
    assert [each.preset for each in request_again(history, [named.id]).contenders] == ["baseline"] * 2


def test_a_session_is_the_base_of_new_ones_as_baseline(history: History) -> None:
    before = stored(history, f"{MARIADB}:innodb:baseline")
    found = BaseSession.of(history, before.turns[0].session, Catalog())
    (base,) = found.request.contenders
    assert (base.preset, base.preset_text) == ("baseline", "")
    with pytest.raises(InputError, match="differ only in their names"):
        both = found.with_base([ContenderRequest(MARIADB, "innodb", "default")])
        resolve(replace(found.request, contenders=both), survey(), Catalog())


def test_a_session_of_another_default_keeps_its_options(history: History) -> None:
    """The presets of a Dyno before that had other options."""
    made = earlier(plan())
    files = {**made.files, "presets/innodb/default.cnf": OWN}
    made = replace(made, files=files)
    session = made.turns[0].session
    JournalStorer(history).append(made.id, session, 0, journals.Maker(made, session).begin().raw)
    (base,) = BaseSession.of(history, session, Catalog()).request.contenders
    assert (base.preset, base.preset_text) == (f"baseline-{session[-6:]}", OWN)


def test_published_sessions_of_an_earlier_dyno(history: History) -> None:
    names = ("default", "baseline", "")
    found = PublishedPlan(
        "duel", tuple(replace(plan().contenders[0], preset=each) for each in names), tuple(plan().steps)
    ).set_up("local", survey(), Catalog())
    assert found.request.contenders == (ContenderRequest(MARIADB, "innodb", "baseline"),)
