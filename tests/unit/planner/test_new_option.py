"""A plan option is a row, and a field of the plan: everything that shows or reads options follows."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from app.catalog import Catalog
from app.planner.resolve.resolve import resolve
from tests.plans import changed, request, survey

PROJECT = Path(__file__).parents[3]
ROW = """\
    cool_down: int = option(
        0, WARMUP, "time", group=HOW_LONG, help="idle seconds after each session", title="Cool-down s",
        tip="Idle seconds after each session", carried=True,
    )
    contenders: tuple"""
FIELD = """\
    load_certificate: Name = ""  # SHA-256 of what the conductor shows there; another one for each start
    cool_down: Second = 0
"""
USED = """
from PySide6.QtWidgets import QApplication
from app.catalog import Catalog
from app.cli.parser import parse
from app.cli.plan_options import GivenPlanOptions
from app.comparison.differences.differences import _PLAN
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.resolve.resolve import resolve
from app.planner.kinds.again import _request
from app.planner.request.command_line import command_line
from app.planner.starting.draft import Draft
from app.protocol.plan import Plan
from tests.plans import changed, request, survey
from ui.pages.bench.plan.fields import FieldsForm

def refused(read):
    try:
        read()
    except Exception as error:
        return str(error)

asked = GivenPlanOptions.of(parse(["run", "--cool-down", "1min"])).over(request())
assert asked.cool_down == 60
assert "--cool-down 60" in command_line(asked) and "cool" not in command_line(request())
assert plan_request_of_text(plan_file_text(asked)) == asked
assert "line 1: cool_down must be between 0" in refused(lambda: plan_request_of_text("cool_down = -1"))
assert "--cool-down must be between 0" in refused(lambda: request().with_options(cool_down=-1))
plan, usual = (resolve(each, survey(), Catalog(), make_id=lambda: "0" * 26) for each in (asked, request()))
assert plan.cool_down == 60 and _request(plan).cool_down == 60
assert Plan.from_json(plan.to_json()) == plan
old = {name: value for name, value in usual.to_json().items() if name != "cool_down"}
assert Plan.from_json(old).hash == usual.hash != plan.hash and usual.work_key == plan.work_key
assert "cool_down" in _PLAN
draft = Draft().typed("cool_down", "2 min")
assert draft.request.cool_down == 120 and "cool_down" in Draft().typed("cool_down", "-1").unread
window = QApplication([])
form = FieldsForm()
form.show_draft(draft)
assert form.edits["cool_down"].text() == "120"
print(usual.hash)
"""


def test_a_new_option_is_a_row_and_a_field_of_the_plan(tmp_path: Path) -> None:
    for name in ("app", "ui", "tests", "workloads", "cnf_presets", "resources"):
        skipped = shutil.ignore_patterns("__pycache__", "data")
        shutil.copytree(PROJECT / name, tmp_path / name, ignore=skipped)
    changed(tmp_path / "app/planner/request/request.py", "    contenders: tuple", ROW)
    changed(tmp_path / "app/protocol/plan.py", FIELD.splitlines(True)[0], FIELD)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, "-c", USED], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    plan = resolve(request(), survey(), Catalog(), make_id=lambda: "0" * 26)
    assert done.stdout.strip() == plan.hash  # of a plan that leaves it out, as before
