"""Instruments of a plan: written and read, part of the work, and what they add to a my.cnf."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.agent.server.server import Server
from app.comparison.differences.differences import work_differences
from app.core.errors import InputError
from app.planner.request.command_line import command_line
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.protocol.plan import Plan
from app.protocol.waits import BY_NAME, PRESET
from tests.plans import plan, request
from tests.unit.planner.test_support import released


def test_they_are_said_on_the_command_line_and_in_the_plan_file() -> None:
    asked = request(instruments=BY_NAME)
    assert "--instruments waits" in command_line(asked)
    assert "--instruments" not in command_line(request())
    assert plan_request_of_text(plan_file_text(asked)).instruments == BY_NAME
    with pytest.raises(InputError, match="line 1: instruments must be one of preset, waits"):
        plan_request_of_text('instruments = "all"')


def test_sessions_with_them_are_other_work() -> None:
    usual, named = plan(), plan(instruments=BY_NAME)
    assert usual.instruments == PRESET and usual.work_key != named.work_key and usual.hash != named.hash
    told = work_differences(usual.to_json(), named.to_json())
    assert told.startswith("instruments=waits, in the base instruments=preset")


def test_plans_without_them_keep_their_keys() -> None:
    old = released()
    assert old.instruments == PRESET
    read = Plan.from_json(json.loads(json.dumps({**old.to_json(), "instruments": PRESET})))
    assert (read.hash, read.work_key) == (old.hash, old.work_key)
    assert replace(old, instruments=BY_NAME).hash != old.hash


@pytest.mark.parametrize(("instruments", "is_on"), [(BY_NAME, True), (PRESET, False)])
def test_a_server_gets_them_below_its_preset(tmp_path: Path, instruments: str, is_on: bool) -> None:
    cnf = "[mysqld]\nperformance_schema=OFF\n"
    server = Server({"cnf": cnf, "base": "", "server": ""}, str(tmp_path), {}, {}, instruments=instruments)
    server.prepare(lay=lambda _: None)
    server.clean()
    lines = Path(server.my_cnf).read_text().splitlines()
    assert ("performance_schema=ON" in lines[2:]) == is_on
    assert ("loose_performance_schema_instrument='wait/%=ON'" in lines) == is_on
