"""The line that names what differs from the defaults."""

from __future__ import annotations

from dataclasses import fields, replace

from app.catalog import Catalog
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.starting.choices import TickableStep, step_choices
from app.planner.starting.draft import first_draft
from app.planner.starting.unusual import unusual_text
from app.protocol.plan import ARRIVALS
from tests.plans import survey

# what is in view without opening More, or is part of what is in view
IN_VIEW = {
    "target", "sequence", "rows", "threads", "repeats", "time_limit", "contenders", "matters_pct",
    "false_share_pct", "others_pct", "steal_pct", "load_address", "arrivals",
}  # fmt: skip
OTHERS = {
    "name": "at night", "steps": ("load",), "profile": ("insert",), "tables": 3, "seconds": 30, "warmup": 9,
    "pause": 5, "load_method": "bulk", "order": "slices", "start": "restarted", "transport": "loopback",
    "instruments": "waits", "rate": (500,), "cores": (2, "0-1"), "cpus": "own", "vary": "a=1,2",
    "quiet_wait": 600, "repeat_if_disturbed": True, "load": ("far",), "allow_busy": True,
    "allow_small_disk": True, "time_box": 600,
}  # fmt: skip


def steps_of(name: str) -> list[TickableStep]:
    workloads = {each.name: each for each in Catalog().workloads()[0]}
    return step_choices(Catalog().sequence(name), workloads)


def test_a_plan_as_usual_has_nothing_to_name() -> None:
    for name in ("quick", "small-datum"):
        assert unusual_text(PlanRequest(sequence=name, rows=7, threads=(1, 2)), steps_of(name)) == ""


def test_each_option_below_more_is_named() -> None:
    steps = steps_of("duel")
    assert {each.name for each in fields(PlanRequest)} == IN_VIEW | set(OTHERS)
    found = {
        name: unusual_text(replace(PlanRequest(sequence="duel"), **{name: value}), steps)
        for name, value in OTHERS.items()
    }
    assert all(found.values()) and len(set(found.values())) == len(OTHERS), found
    assert (found["seconds"], found["steps"]) == ("30 s a step", "some steps left out")
    assert (found["cores"], found["vary"], found["rate"]) == (
        "core sets 2, [0-1]",
        "2 values of a",
        "500 events/s",
    )


def test_arrivals_are_named_with_their_rate() -> None:
    found = [
        unusual_text(PlanRequest(sequence="quick", rate=(5,), arrivals=each), steps_of("quick"))
        for each in ARRIVALS
    ]
    assert found == ["5 events/s", "5 events/s, evenly", "5 events/s, each second its part"]


def test_the_duel_names_its_seconds_and_its_servers() -> None:
    text = unusual_text(first_draft(survey(), "local").request, steps_of("duel"))
    assert text == "some steps left out, 4 s a step, servers take turns, from a copy of the data"


def test_slices_of_one_contender_are_one_server() -> None:
    alone = PlanRequest(order="slices", contenders=(ContenderRequest("b", "innodb"),))
    assert unusual_text(alone, []) == "slices order"
