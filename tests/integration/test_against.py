"""A new contender measured beside that of a kept session."""

from __future__ import annotations

import pytest

from app.protocol.events import SessionPlanned
from app.protocol.plan import Plan
from tests.installed import MARIADB
from tests.integration.desktop import Desktop


def plan_of(desktop: Desktop, session: str) -> Plan:
    first = desktop.events(session)[0]
    assert isinstance(first, SessionPlanned)
    return Plan.from_json(first.plan)


@pytest.mark.full
def test_a_kept_contender_is_measured_again_beside_a_new_one(recorded: Desktop) -> None:
    (kept,) = recorded.sessions()
    words = (
        "run",
        "--against",
        kept["id"],
        "--repeats",
        "1",
        "--seconds",
        "1",
        "--table-options",
        "CHECKSUM=1",
    )
    said = recorded.dyno(*words, "--contender", f"{MARIADB}:myisam")
    assert "in slices" in said.stdout.splitlines()
    new = [each for each in recorded.sessions() if each["id"] != kept["id"]]
    assert [each["state"] for each in new] == ["completed"] * 2
    before, plan = plan_of(recorded, kept["id"]), plan_of(recorded, new[0]["id"])
    assert plan.order == "slices" and (plan.sequence, plan.rows) == (before.sequence, before.rows)
    assert [step.name for step in plan.steps if step.sliced] == ["point-query", "update-index"]
    assert [each.engine for each in plan.contenders] == ["innodb", "myisam"]
    assert [each.table_options for each in plan.contenders] == ["", "CHECKSUM=1"]  # the base is as it was
    assert plan.contenders[0].fingerprint == before.contenders[0].fingerprint


@pytest.mark.full
def test_what_cannot_be_is_refused_in_one_line(recorded: Desktop) -> None:
    same = f"{MARIADB}:innodb"
    assert "differ only in their names" in recorded.refused("run", "--against", "last", "--contender", same)
    assert "write --contender" in recorded.refused("run", "--against", "last")
    order = ("--order", "slices", "--repeat-if-disturbed")
    other = f"{MARIADB}:myisam"
    assert "cannot repeat disturbed steps" in recorded.refused(
        "run", "--against", "last", "--contender", other, *order
    )
