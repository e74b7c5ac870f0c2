"""Checks a preset while it is edited, and on builds: problems, answers of builds, values in force."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.catalog import Catalog
from app.catalog.own import diff_presets
from app.core.errors import InputError, TargetError
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.answers import FAIL, Check, Survey
from app.protocol.my_cnf import option_in, option_key
from app.protocol.plan import Plan
from app.variables import Preset, RenderedPreset, check_sendable, parse_preset

from .choices import rendered
from .launch import Agent

REJECTED, REFUSED, CHANGED, UNANSWERED = "rejected", "refused", "changed", "no answer"
IGNORED = "ignored"
_WITHOUT_BUILD = ("sysbench", "busy")  # checks of the target, which end a trial where they fail
# the names of the checks that pass, or warn of no option
_WORDS = {"options": "accepted", "in force": CHANGED, "rehearsal": "started"}


@dataclass(frozen=True)
class BuildReply:
    """The answer of a build, about one option if it names one."""

    build: str
    # accepted rejected ignored adjusted, "left out", "no answer"; of a start: started changed refused
    # compression
    state: str
    option: str  # as the preset has it, where it has it
    text: str
    line: int = 0  # of the preset, the one that counts; 0: none

    @property
    def is_refusal(self) -> bool:
        return self.state in (REJECTED, REFUSED)

    @property
    def is_information(self) -> bool:
        """Whether it is only information: the preset allows the build to ignore it."""
        return self.state == IGNORED and self.option.startswith(("loose_", "loose-"))


class _CatalogWith(Catalog):
    """The catalog with one preset changed, saved or not."""

    def __init__(self, preset: Preset) -> None:
        super().__init__()
        self._one = preset

    def preset(self, engine: str, name: str) -> Preset:
        is_it = (engine, name) == (self._one.engine, self._one.name)
        return self._one if is_it else super().preset(engine, name)


def try_preset(
    agent: Agent, survey: Survey, preset: Preset, builds: Sequence[str] = (), start: bool = False
) -> list[BuildReply]:
    """Ask these builds, or all with the engine; `start` starts each once. Refusals come first."""
    names = list(builds) or _with_engine(survey, preset.engine)
    contenders = tuple(ContenderRequest(each, preset.engine, preset.name, name=each) for each in names)
    plan = resolve(PlanRequest(sequence="duel", contenders=contenders), survey, _CatalogWith(preset))
    got = {name: rendered(preset, name, survey) for name in names}
    left_out = [
        BuildReply(name, "left out", each.option, each.reason, each.line)
        for name in names
        for each in got[name].dropped
    ]
    answers = [one for each in _checks(agent, plan, start) for one in _answers(each)]
    placed = [_placed(each, got[each.build]) for each in answers]
    return sorted(placed, key=lambda each: not each.is_refusal) + left_out


def _checks(agent: Agent, plan: Plan, start: bool) -> list[Check]:
    """The answers of the builds; those without refusals are started, if the target is idle."""
    uploaded = agent.upload_plan(plan)
    if not start:
        return agent.ask(uploaded)
    found = agent.check(uploaded)
    refused = {each.contender for each in found if each.state == FAIL}
    for at, contender in enumerate(plan.contenders):
        if not refused & {contender.name, ""}:
            found += agent.rehearse(uploaded, at).checks
    return found


def _placed(answer: BuildReply, got: RenderedPreset) -> BuildReply:
    """The reply with its option, as the preset spells it, and the line."""
    named = [answer.option] if answer.option else []
    if answer.state in (CHANGED, REFUSED):
        named = re.findall(r"\w+", answer.text)
    keys = set(map(option_key, named))
    found = next((option for option in reversed(got.options) if option.key in keys), None)
    return replace(answer, option=found.name, line=found.line) if found else answer


def _with_engine(survey: Survey, engine: str) -> list[str]:
    names = [each.name for each in survey.builds if each.has(engine)]
    if not names:
        raise InputError(f"no build of this target starts with the engine {engine}")
    return names


def _answers(check: Check) -> list[BuildReply]:
    build, text = check.contender, check.text
    if check.name in _WITHOUT_BUILD:
        if check.state == FAIL:
            raise TargetError(f"{text}: {check.todo}")
        return []
    if check.name == "answer":  # the build said nothing: that is no word about the preset
        return [BuildReply(build, UNANSWERED, "", text)]
    if check.answers:
        return [BuildReply(build, each.state, each.option, each.text) for each in check.answers]
    if check.state == FAIL:
        return [BuildReply(build, REFUSED, "", text)]
    return [BuildReply(build, _WORDS.get(check.name, check.name), "", text)]


def known_options(
    options: Mapping[str, Iterable[str]], survey: Survey, builds: Iterable[str]
) -> list[frozenset[str]]:
    """The options of each build, from the agent's answer about all server programs."""
    servers = {each.name: each.server for each in survey.builds}
    return [frozenset(options.get(servers.get(name, ""), ())) for name in builds]


def written_options(presets: Iterable[Preset]) -> frozenset[str]:
    """Options set by shipped presets: builds list plugin options only with the plugin loaded."""
    lines = (line for preset in presets for line in preset.text.splitlines())
    return frozenset(option_key(found[0]) for line in lines if (found := option_in(line)))


@dataclass(frozen=True)
class PresetPreview:
    """The text next to a draft; for a wrong draft the reason and its line."""

    text: str = ""
    problem: str = ""
    line: int = 0


def preset_preview(
    preset: Preset, text: str, build: str, survey: Survey | None, other: Preset | None
) -> PresetPreview:
    """The preview of a new text: as a build would get it, or compared with another preset."""
    try:
        draft = parse_preset(text, preset.name, preset.engine, preset.label, preset.shipped)
        check_sendable(draft)
        if other is not None:
            return PresetPreview("\n".join(diff_presets(other, draft)) or "the files do not differ")
        return PresetPreview(rendered(draft, build, survey).text if build and survey is not None else "")
    except InputError as error:
        label = f"{preset.label}: " if error.line else ""
        return PresetPreview(problem=str(error).removeprefix(label), line=error.line)
