"""Replicas of servers that run already: what a plan says of them, their passwords, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.plan_text import show_plan
from app.planner.checks.existing import LookedAtServers
from app.planner.estimate.estimate import estimate
from app.planner.kinds.canary import estimated_with_canary
from app.protocol.plan import Plan, step_fields_to_hash
from app.remote.secrets import forget_secrets
from app.targets.servers import NamedServer, Servers
from tests.fakes import CERTIFICATE, PASSWORD, FakeExistingServer, ScriptedAgent
from tests.plans import MARIADB, plan, request, survey, unresolved
from tests.sequences import INDEX, LOAD, own_sequence

PROD = NamedServer("prod", "db.example", 3306, "bench", "dyno", CERTIFICATE, confirmed=True)
FIRST = replace(PROD, name="replica1", host="r1.example", user="reader", replica_of="prod")
SECOND = replace(FIRST, name="replica2", host="r2.example")
READS = 'workload = "read-only"'
WRITES = 'workload = "update-index"'
ROLES = """name = "together"
[[step.role]]
name = "reader"
workload = "read-only"
on = "replica 2"
[[step.role]]
name = "writer"
workload = "update-index"
"""


def keep(*servers: NamedServer) -> None:
    for each in servers:
        Servers().keep(each.as_found(FakeExistingServer().found, 5.0))


@pytest.fixture
def of_steps(dyno_home: Path) -> Path:
    """The file of the sequence `mine`."""
    (dyno_home / "sequences").mkdir(parents=True, exist_ok=True)
    return dyno_home / "sequences" / "mine.toml"


def planned(file: Path, steps: Sequence[str], *contenders: str) -> Plan:
    file.write_text(own_sequence("mine", LOAD, INDEX, *steps))
    return plan(*contenders, sequence="mine")


def refusal(file: Path, steps: Sequence[str], *contenders: str) -> str:
    file.write_text(own_sequence("mine", LOAD, INDEX, *steps))
    said = unresolved(*contenders, sequence="mine")
    assert "\n" not in said
    return said


def test_a_primary_takes_its_replicas_along(of_steps: Path) -> None:
    keep(PROD)
    alone = planned(of_steps, [READS], "@prod")
    keep(SECOND, FIRST)
    made = planned(of_steps, [f'{READS}\non = "replica"', ROLES], "@prod")
    (contender,) = made.contenders
    assert [(each.name, each.host, each.user) for each in contender.replicas] == [
        ("replica1", "r1.example", "reader"), ("replica2", "r2.example", "reader"),
    ]  # fmt: skip
    assert contender.host == "db.example" and not contender.is_replica
    assert [(step.name, step.on) for step in made.steps[2:]] == [
        ("read-only", 1), ("together", 2), ("together.writer", 0),
    ]  # fmt: skip
    assert Plan.from_json(made.to_json()) == made and contender.key != alone.contenders[0].key
    assert [contender.replica_of_step(step) for step in made.steps] == [0, 0, 1, 2, 0]


def test_a_replica_is_no_canary(of_steps: Path) -> None:
    keep(PROD, FIRST)
    long = f"{READS}\nseconds = 900"
    found, _ = estimated_with_canary(planned(of_steps, [long], "@prod", "@replica1"), survey())
    assert [each.name for each in found.canary] == ["prod-innodb"]


def test_plans_without_replicas_stay_as_they_are(of_steps: Path) -> None:
    keep(PROD)
    made = planned(of_steps, [READS], "@prod", f"{MARIADB}:innodb")
    data = made.to_json()
    for each in data["contenders"]:
        del each["replicas"], each["is_replica"]
    for each in data["steps"]:
        del each["on"]
    older = Plan.from_json(data)
    assert (older.hash, older.work_key) == (made.hash, made.work_key)
    assert [each.key for each in older.contenders] == [each.key for each in made.contenders]
    assert not any("on" in step_fields_to_hash(step) for step in made.steps)


def test_where_a_step_is_carried_out_is_part_of_the_work(of_steps: Path) -> None:
    keep(PROD, FIRST, SECOND)
    ons = ("", '\non = "replica"', '\non = "replica 1"', '\non = "replica 2"')
    steps = [planned(of_steps, [READS + on], "@prod").steps[-1] for on in ons]
    assert [each.on for each in steps] == [0, 1, 1, 2]
    assert step_fields_to_hash(steps[1]) == step_fields_to_hash(steps[2]) != step_fields_to_hash(steps[0])


def test_a_replica_alone_reads_there_and_has_the_rest_on_its_primary(of_steps: Path) -> None:
    keep(PROD, FIRST, SECOND)
    made = planned(of_steps, [READS], "@prod", "@replica1", "@replica2")
    of_primary, first, second = made.contenders
    assert first.is_replica and (first.build, first.host) == ("replica1", "db.example")
    assert [each.name for each in first.replicas] == ["replica1"]
    assert [first.replica_of_step(step) for step in made.steps] == [0, 0, 1]
    assert [of_primary.replica_of_step(step) for step in made.steps] == [0, 0, 0]
    assert len({of_primary.key, first.key, second.key}) == 3


def test_the_passwords_of_all_go_to_the_agent(of_steps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: None)
    forget_secrets()
    keep(PROD, FIRST, SECOND)
    file = of_steps
    for contenders, named in (
        (["@prod"], {"prod-innodb", "prod-innodb/replica1", "prod-innodb/replica2"}),
        (["@replica2"], {"replica2-innodb", "replica2-innodb/replica2"}),
    ):
        made = planned(file, [READS], *contenders)
        asked = request(*contenders, sequence="mine")
        looked = LookedAtServers.of(asked, ScriptedAgent(), lambda _: PASSWORD)
        assert looked.passwords(made) == dict.fromkeys(named, PASSWORD)


def test_a_plan_says_where_its_steps_are(of_steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keep(PROD, FIRST, SECOND)
    made = planned(of_steps, [f'{READS}\non = "replica"', ROLES], "@prod")
    show_plan(made, estimate(made, survey()))
    shown = capsys.readouterr().out
    assert "with replicas replica1 (r1.example:3306), replica2 (r2.example:3306)" in shown
    assert "read-only (on replica 1)" in shown and "on replica 2" in shown
    made = planned(of_steps, [READS], "@replica1")
    show_plan(made, estimate(made, survey()))
    assert "runs already: replica replica1 (r1.example:3306) of db.example:3306" in capsys.readouterr().out


# what is refused


@pytest.mark.parametrize(
    ("steps", "contenders", "says"),
    [
        ([WRITES + '\non = "replica"'], ["@prod"], "update-index is on a replica, which takes only reads"),
        (
            [READS + '\non = "replica 3"'], ["@prod"],
            "is on replica 3, and prod has 2 replicas: dyno server add NAME URL --replica-of prod",
        ),
        ([ROLES], [f"{MARIADB}:innodb"], "step together is on replica 2, and Dyno starts "),
        ([ROLES], ["@prod", f"{MARIADB}:innodb"], "leave the step or this contender out"),
        ([ROLES], ["@other"], "and other has 0 replicas: dyno server add NAME URL --replica-of other"),
        ([READS + '\non = "replica 2"'], ["@replica1"], "and replica1 is the only one of its contender"),
        ([READS, WRITES], ["@replica1"], "replica1 takes only reads: leave out update-index"),
        ([ROLES.replace("replica 2", "replica"), WRITES], ["@replica1"], "leave out together, update-index"),
        ([READS + '\non = "primary"'], ["@prod"], "on must be replica, or replica 2 for the second of them"),
        ([READS + '\non = "replica 0"'], ["@prod"], "on must be replica, or replica 2"),
        ([READS + '\non = "replica 9"'], ["@prod"], "on must be replica, or replica 2"),
        ([READS + "\non = 2"], ["@prod"], "on must be a text"),
        (['kind = "settle"\non = "replica"'], ["@prod"], "on is of a step with a workload, or of a role"),
        ([f'{ROLES.replace("[[", chr(10) + "[[", 1)}'.replace('"together"', '"together"\non = "replica"')],
         ["@prod"], "on is not of a step with roles: give it to the roles"),
        (['workload = "load"\nname = "again"\non = "replica"'], ["@prod"], "again is on a replica"),
        ([READS], ["@prod", "@prod"], "differ only in their names"),
    ],
)  # fmt: skip
def test_what_no_replica_can_do(steps: list[str], contenders: list[str], says: str, of_steps: Path) -> None:
    keep(PROD, FIRST, SECOND, replace(PROD, name="other", host="other.example"))
    assert says in refusal(of_steps, steps, *contenders)


def test_slices_share_neither_primary_nor_replica(of_steps: Path) -> None:
    keep(PROD, FIRST)
    of_steps.write_text(own_sequence("mine", LOAD, INDEX, READS))
    said = unresolved("@prod", "@replica1", sequence="mine", order="slices")
    assert "2 contenders are on db.example port 3306" in said


def test_too_many_replicas_are_refused(of_steps: Path) -> None:
    keep(PROD, *(replace(FIRST, name=f"r{at}", host=f"r{at}.example") for at in range(9)))
    assert "server prod has 9 replicas, 8 at most" in refusal(of_steps, [READS], "@prod")


def test_prices_of_replicas_have_the_currency_of_the_others(of_steps: Path) -> None:
    keep(replace(PROD, price="1 USD"), replace(FIRST, price="2 EUR"))
    assert "the prices of the servers are in EUR and USD" in refusal(of_steps, [READS], "@prod")


@pytest.mark.parametrize("on", [3, 1_000_001, -1])
def test_a_plan_from_elsewhere_names_replicas_that_are_there(on: int, of_steps: Path) -> None:
    keep(PROD, FIRST, SECOND)
    data = planned(of_steps, [READS], "@prod").to_json()
    data["steps"][-1]["on"] = on
    with pytest.raises(ValueError, match="plan: "):
        Plan.from_json(data)
    data["steps"][-1]["on"] = 2
    assert Plan.from_json(data).steps[-1].on == 2
    data["steps"][0]["on"] = 1
    with pytest.raises(ValueError, match="step load is on a replica that cannot take it"):
        Plan.from_json(data)
