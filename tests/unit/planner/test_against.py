"""The contender of a kept session beside a new one: the same work, in slices where that is possible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.planner.kinds.against import BaseSession
from app.planner.kinds.chosen import sliced_or_interleaved
from app.planner.request.contender import ContenderRequest
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.planner.starting.launch import Launch
from app.protocol.answers import Survey
from app.protocol.plan import Plan
from tests import journals
from tests.fakes import ScriptedAgent
from tests.plans import GB, MARIADB, VERSION, build, request, survey, write

MACHINE = survey()
MYISAM, OTHER_BUILD = ContenderRequest(MARIADB, "myisam"), ContenderRequest("mysql-5.6.24", "innodb")
TUNED = ContenderRequest(
    MARIADB, "innodb", "optimized", "tuned", "ROW_FORMAT=COMPRESSED", cores="0-1", memory_limit="2G"
)


def kept(history: History, *contenders: str, catalog: Catalog | None = None, **values: Any) -> Plan:
    """A plan whose sessions have begun."""
    made = resolve(request(*contenders, **values), MACHINE, catalog or Catalog())
    for turn in made.turns:
        JournalStorer(history).append(
            made.id, turn.session, 0, journals.Maker(made, turn.session).begin().raw
        )
    return made


def request_of(found: BaseSession, *others: ContenderRequest) -> PlanRequest:
    return replace(found.request, contenders=found.with_base(others))


def test_the_kept_contender_is_the_base_and_does_the_same_work(history: History) -> None:
    before = kept(
        history, contenders=(TUNED, MYISAM), rows=5000, threads=(1, 4), steps=("read-only",), repeats=4
    )
    found = BaseSession.of(history, before.turns[0].session, Catalog())
    plan = resolve(request_of(found, OTHER_BUILD), MACHINE, Catalog())
    assert plan.contenders[0].key == before.contenders[0].key
    assert [each.name for each in plan.contenders] == ["tuned", "mysql-5.6.24-innodb"]
    assert plan.work_key == before.work_key
    assert (plan.repeats, plan.first_turns[0].contender) == (4, 0)


def test_other_contenders_of_its_plan_are_left_out(history: History) -> None:
    before = kept(history, contenders=(TUNED, MYISAM))
    found = BaseSession.of(history, before.turns[1].session, Catalog())
    assert [each.engine for each in found.request.contenders] == ["myisam"]
    assert found.request.repeats == 3  # one would show nothing


def test_steps_are_in_slices_where_that_is_possible(history: History) -> None:
    found = BaseSession.of(history, kept(history).turns[0].session, Catalog())
    given, why = sliced_or_interleaved(request_of(found, MYISAM), MACHINE, Catalog())
    assert (given.order, why) == ("slices", "")
    assert any(step.sliced for step in resolve(given, MACHINE, Catalog()).steps)


@pytest.mark.parametrize(
    ("values", "others", "why"),
    [
        ({"repeat_if_disturbed": True}, 1, "the order slices cannot repeat disturbed steps"),
        ({}, 4, "the order slices needs 2 to 4 servers, not 5"),
        ({"sequence": "space"}, 1, "the servers cannot take turns within a step"),
    ],
)
def test_else_whole_sessions_alternate_and_it_is_said_why(
    history: History, values: dict[str, Any], others: int, why: str
) -> None:
    found = BaseSession.of(history, kept(history, **values).turns[0].session, Catalog())
    news = [
        replace(MYISAM, name=f"new-{at}", table_options=f"AVG_ROW_LENGTH={100 + at}") for at in range(others)
    ]
    given, said = sliced_or_interleaved(request_of(found, *news), MACHINE, Catalog())
    assert (given.order, said) == ("interleaved", why)


def test_servers_that_do_not_fit_together_alternate_whole(history: History, tmp_path: Path) -> None:
    """Each has 10 of the 16 GiB."""
    text = "[mysqld]\ninnodb_buffer_pool_size={}\n"
    for name, size in (("large", "10G"), ("larger", "11G")):
        write(tmp_path / f"presets/innodb/{name}.cnf", text.format(size))
    catalog = Catalog(tmp_path)
    before = kept(history, f"{MARIADB}:innodb:large", catalog=catalog)
    found = BaseSession.of(history, before.turns[0].session, catalog)
    larger = ContenderRequest(MARIADB, "innodb", "larger")
    given, why = sliced_or_interleaved(request_of(found, larger), survey(memory_bytes=16 * GB), catalog)
    assert given.order == "interleaved" and "for 2 servers at once" in why


def test_a_preset_that_was_changed_since_is_as_it_was(history: History, tmp_path: Path) -> None:
    """Under a name of its own, so that the new one of its name can be the other contender."""
    path = write(tmp_path / "presets/innodb/mine.cnf", "[mysqld]\ninnodb_buffer_pool_size=1G\n")
    before = kept(history, f"{MARIADB}:innodb:mine", catalog=Catalog(tmp_path))
    session = before.turns[0].session
    path.write_text("[mysqld]\ninnodb_buffer_pool_size=2G\n")
    catalog = Catalog(tmp_path)
    found = BaseSession.of(history, session, catalog)
    plan = resolve(request_of(found, ContenderRequest(MARIADB, "innodb", "mine")), MACHINE, catalog)
    assert [each.preset for each in plan.contenders] == [f"mine-{session[-6:]}", "mine"]
    assert plan.contenders[0].key == before.contenders[0].key != plan.contenders[1].key
    assert f"presets/innodb/mine-{session[-6:]}.cnf" in plan.files
    path.unlink()
    gone = BaseSession.of(history, session, catalog)
    assert resolve(request_of(gone, MYISAM), MACHINE, catalog).contenders[0].key == before.contenders[0].key


def test_a_journal_of_others_cannot_name_a_file_elsewhere(history: History) -> None:
    made = resolve(request(), MACHINE, Catalog())
    evil = [replace(made.contenders[0], preset="../../evil")]
    files = {**made.files, "presets/innodb/../../evil.cnf": "[mysqld]\nmax_connections=7\n"}
    plan = replace(made, contenders=evil, files=files)
    session = plan.turns[0].session
    JournalStorer(history).append(plan.id, session, 0, journals.Maker(plan, session).begin().raw)
    with pytest.raises(InputError, match="the name of a preset may have"):
        BaseSession.of(history, session, Catalog())


@pytest.mark.parametrize("line", ["init_file=/etc/passwd", "slow_query_log_file=x\nplugin_dir=/tmp"])
def test_a_preset_of_others_may_say_no_more_than_any_other(history: History, line: str) -> None:
    made = resolve(request(), MACHINE, Catalog())
    plan = replace(made, files={**made.files, "presets/innodb/baseline.cnf": f"[mysqld]\n{line}\n"})
    session = plan.turns[0].session
    JournalStorer(history).append(plan.id, session, 0, journals.Maker(plan, session).begin().raw)
    found = BaseSession.of(history, session, Catalog())
    with pytest.raises(InputError, match="itself: remove the line"):
        resolve(request_of(found, MYISAM), MACHINE, Catalog())


def test_a_preset_that_is_the_same_keeps_its_name(history: History) -> None:
    found = BaseSession.of(history, kept(history).turns[0].session, Catalog())
    assert found.request.contenders[0].preset == "baseline" and not found.request.contenders[0].preset_text


def test_the_server_must_be_the_one_that_was_measured(history: History) -> None:
    session = kept(history).turns[0].session
    found = BaseSession.of(history, session, Catalog())
    found.check_build(MACHINE)
    others = [build("mysql-5.6.24", "MySQL", "5.6.24", ["innodb"])]
    with pytest.raises(InputError) as gone:
        found.check_build(survey(builds=others))
    assert f"the build {MARIADB} of session {session} is not on this target any more" in str(gone.value)
    other = {**build(MARIADB, "MariaDB", VERSION, ["innodb"]), "fingerprint": "another hash"}
    with pytest.raises(InputError) as changed:
        found.check_build(survey(builds=[other]))
    assert f"the build {MARIADB} is another server than the one of session {session}" in str(changed.value)
    assert "another hash" in str(changed.value)
    assert "\n" not in f"{gone.value}{changed.value}"


def test_what_is_the_same_is_refused(history: History) -> None:
    found = BaseSession.of(history, kept(history).turns[0].session, Catalog())
    same = request_of(found, ContenderRequest(MARIADB, "innodb"))
    with pytest.raises(InputError, match="differ only in their names"):
        resolve(same, MACHINE, Catalog())
    with pytest.raises(InputError, match="differ only in their names"):
        sliced_or_interleaved(same, MACHINE, Catalog())


def test_there_must_be_a_session_and_something_new(history: History) -> None:
    with pytest.raises(InputError, match="no session 'nobody'"):
        BaseSession.of(history, "nobody", Catalog())
    found = BaseSession.of(history, kept(history).turns[0].session, Catalog())
    with pytest.raises(InputError, match="write --contender BUILD:ENGINE:PRESET"):
        found.with_base(())


def test_a_plan_file_has_no_text_of_a_preset() -> None:
    text = plan_file_text(PlanRequest(contenders=(replace(MYISAM, preset_text="[mysqld]"),)))
    assert "preset_text" not in text
    with pytest.raises(InputError, match="preset_text"):
        plan_request_of_text(text + 'preset_text = "[mysqld]"\n')


def test_a_launch_takes_it_as_any_other(history: History) -> None:
    found = BaseSession.of(history, kept(history).turns[0].session, Catalog())

    def settled(seen: Survey) -> PlanRequest:
        return sliced_or_interleaved(request_of(found, MYISAM), seen, Catalog())[0]

    launch = Launch(settled, ScriptedAgent(found=MACHINE).reached())
    plan = next(stage.plan for stage in launch.stages() if stage.plan)
    assert plan.order == "slices" and [each.engine for each in plan.contenders] == ["innodb", "myisam"]


def test_what_was_measured_until_decided_is_measured_so_again(history: History) -> None:
    until = {"repeats": "until decided", "time_limit": 1800, "matters_pct": 3}
    before = kept(history, f"{MARIADB}:innodb", f"{MARIADB}:myisam", **until)
    found = BaseSession.of(history, before.turns[0].session, Catalog())
    assert {name: getattr(found.request, name) for name in until} == until
    assert resolve(request_of(found, OTHER_BUILD), MACHINE, Catalog()).until_decided
