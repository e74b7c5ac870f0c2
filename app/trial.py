"""A preset tried: what the builds of a target say to it, and what they have in force once started with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .catalog import Catalog
from .checks import FAIL
from .choices import Survey, rendered
from .errors import InputError, TargetError
from .planner import ContenderRequest, PlanRequest, resolve
from .presets import Preset
from .protocol.plan import Plan

REJECTED, REFUSED = "rejected", "refused"
_WITHOUT_BUILD = ("sysbench", "busy")  # checks of the target, which end a trial where they fail
# the names of the checks that pass, or warn of no option
_WORDS = {"options": "accepted", "in force": "changed", "rehearsal": "started"}


class Agent(Protocol):
    """As much of `remote.Agent` as a trial needs."""

    def check(self, plan: Plan, *, start: bool = False, allow_busy: bool = False) -> list[dict[str, Any]]: ...


@dataclass(frozen=True)
class Answer:
    """What one build says, to one option where it names one."""

    build: str
    # accepted rejected ignored adjusted, "left out"; of a start: started changed refused compression
    state: str
    option: str
    text: str

    @property
    def is_refusal(self) -> bool:
        return self.state in (REJECTED, REFUSED)


def try_preset(
    agent: Agent,
    survey: Survey,
    catalog: Catalog,
    preset: Preset,
    builds: Sequence[str] = (),
    start: bool = False,
) -> list[Answer]:
    """Ask these builds, or all that have the engine; `start` starts each once on an empty directory."""
    names = list(builds) or _with_engine(survey, preset.engine)
    contenders = tuple(ContenderRequest(each, preset.engine, preset.name, name=each) for each in names)
    plan = resolve(PlanRequest(sequence="duel", contenders=contenders), survey, catalog)
    left_out = [
        Answer(name, "left out", each.option, f"line {each.line}: {each.reason}")
        for name in names
        for each in rendered(preset, name, survey).dropped
    ]
    return left_out + [one for each in agent.check(plan, start=start) for one in _answers(each)]


def _with_engine(survey: Survey, engine: str) -> list[str]:
    names = [
        str(each["name"])
        for each in survey.get("builds", ())
        if not each.get("problem") and engine in [one.lower() for one in each.get("engines", ())]
    ]
    if not names:
        raise InputError(f"no build of this target has the engine {engine} and can start")
    return names


def _answers(check: Mapping[str, Any]) -> list[Answer]:
    build, text = str(check.get("contender", "")), str(check["text"])
    if check["name"] in _WITHOUT_BUILD:
        if check["state"] == FAIL:
            raise TargetError(f"{text}: {check.get('todo', '')}")
        return []
    if check.get("answers"):
        return [Answer(build, each["state"], each["option"], each["text"]) for each in check["answers"]]
    if check["state"] == FAIL:
        return [Answer(build, REFUSED, "", text)]
    return [Answer(build, _WORDS.get(check["name"], check["name"]), "", text)]
