"""The contender of a session measured again with new ones, as the base of a plan of the same work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.catalog import Catalog
from app.core.errors import InputError
from app.history.lists.sessions import sessions_of_reference
from app.history.steps.figures import plans_by_session
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.protocol.answers import Survey
from app.protocol.plan import Plan
from app.stats.at_target.verdicts import LEAST
from app.variables import parse_preset, preset_file

from .again import contenders_again, request_again

if TYPE_CHECKING:
    from app.history.store.history import History


@dataclass(frozen=True)
class BaseSession:
    """The work and the contender of a stored session."""

    session: str
    fingerprint: str  # of its server, as it was
    request: PlanRequest  # the same work; its one contender is that of the session

    @classmethod
    def of(cls, history: History, reference: str, catalog: Catalog) -> BaseSession:
        """The stored session; raises InputError if it is missing, or Dyno did not run it."""
        id_ = sessions_of_reference(history, reference)[0]
        asked = request_again(history, [id_])
        plan = plans_by_session(history, [id_])[id_]
        base = contenders_again(plan)[plan.turn_of(id_).contender]
        base = _as_it_was(base, plan, id_, catalog)
        fingerprint = plan.contender_of(plan.turn_of(id_)).fingerprint
        repeats = asked.repeats if plan.until_decided else max(plan.repeats, LEAST)
        return cls(id_, fingerprint, replace(asked, contenders=(base,), repeats=repeats))

    def with_base(self, others: Sequence[ContenderRequest]) -> tuple[ContenderRequest, ...]:
        """The base, and the new contenders."""
        if not others:
            raise InputError(
                f"nothing to measure against session {self.session}: write --contender BUILD:ENGINE:PRESET"
            )
        return *self.request.contenders, *others

    def check_build(self, survey: Survey) -> None:
        """Raise InputError if the build of the session is gone from the target."""
        if self.request.contenders[0].server:
            return
        name = self.request.contenders[0].build
        build = next((each for each in survey.builds if each.name == name), None)
        if build is None:
            there = ", ".join(each.name for each in survey.builds) or "none"
            raise InputError(
                f"the build {name} of session {self.session} is not on this target any more;"
                f" there are {there}: install it again"
            )
        if (build.fingerprint or "") != self.fingerprint:
            raise InputError(
                f"the build {name} is another server than the one of session {self.session}: its fingerprint"
                f" was {_shown(self.fingerprint)} and is {_shown(build.fingerprint or '')};"
                " install the earlier one again, or name the new one with --contender alone"
            )


def _as_it_was(base: ContenderRequest, plan: Plan, session: str, catalog: Catalog) -> ContenderRequest:
    """The contender with its old preset, under another name if that preset has changed since."""
    recorded = plan.contender_of(plan.turn_of(session)).preset  # may be a name that it no longer has
    text = plan.files.get(preset_file(base.engine, recorded), "")
    if not text or _options(base, text) == _options_now(base, catalog):
        return base
    name = f"{base.preset[:50]}-{session[-6:]}"
    catalog.own_preset_path(base.engine, name)  # a journal of others may have any text for a name
    return replace(base, preset=name, preset_text=text)


def _options(base: ContenderRequest, text: str) -> list[tuple[str, str]]:
    """The options of a preset by group: what its header and comments say does not matter."""
    return [(each.group, each.text) for each in parse_preset(text, base.preset, base.engine).options]


def _options_now(base: ContenderRequest, catalog: Catalog) -> list[tuple[str, str]] | None:
    """None if the preset is gone."""
    try:
        return _options(base, catalog.preset(base.engine, base.preset).text)
    except InputError:
        return None


def _shown(fingerprint: str) -> str:
    return fingerprint[:12] or "unknown"
