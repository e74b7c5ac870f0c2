"""The two contenders and the work of an explanation: from sessions of the history, or by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.core.errors import InputError
from app.history.lists.sessions import find_all
from app.history.steps.figures import plans_by_session
from app.planner.kinds.again import request_again
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.contenders import find_build, resolve_contenders

if TYPE_CHECKING:
    from app.catalog import Catalog
    from app.history.store.history import History
    from app.protocol.answers import Survey
    from app.protocol.plan import Contender

AT_ONCE = 4  # contenders of a plan


@dataclass(frozen=True)
class ContenderPair:
    """A and B as asked for, and the work of both."""

    request: PlanRequest  # without contenders
    stored: tuple[Contender, ...] = ()  # of sessions; else they have names
    named: tuple[ContenderRequest, ...] = ()

    @classmethod
    def of_sessions(cls, history: History, references: Sequence[str]) -> ContenderPair:
        """The contenders of two sessions, or of a plan that has two."""
        sides = [_contenders(history, each) for each in references]
        found = [each for side in sides for each in side]
        if len(references) == 2:
            for reference, side in zip(references, sides, strict=True):
                if len(side) > 1:
                    raise InputError(
                        f"{reference!r} has {len(side)} contenders: name one session for A, one for B"
                    )
        if len(found) != 2:
            raise InputError(
                f"there must be two contenders, not {len(found)}: name a session for A and one for B"
            )
        return cls(replace(request_again(history, references), contenders=()), stored=tuple(found))

    @classmethod
    def of_names(cls, names: Sequence[str], request: PlanRequest) -> ContenderPair:
        """BUILD:ENGINE:PRESET twice, and the work."""
        if len(names) != 2:
            raise InputError("there must be two contenders: write A and B as BUILD:ENGINE:PRESET")
        return cls(request, named=tuple(map(ContenderRequest.from_text, names)))

    def contenders(self, survey: Survey, catalog: Catalog) -> tuple[Contender, Contender]:
        """A and B on this target; raises InputError if a build or preset is missing."""
        running = [each.server for each in self.named] + [each.host and each.build for each in self.stored]
        if name := next(filter(None, running), ""):
            raise InputError(
                f"server {name} runs already: Dyno sets none of its variables, so it cannot tell which makes"
                " the difference; choose two builds with these settings"
            )
        if self.named:
            found = [resolve_contenders([each], survey, catalog, AT_ONCE)[0][0] for each in self.named]
        else:
            found = [_there(each, survey) for each in self.stored]
        return found[0], found[1]


def _contenders(history: History, reference: str) -> list[Contender]:
    """The contenders that a reference means, each once."""
    ids = find_all(history, [reference])
    plans = plans_by_session(history, ids)
    found = [plans[id_].contender_of(plans[id_].turn_of(id_)) for id_ in ids]
    return list({(each.key, each.build): each for each in found}.values())


def _there(contender: Contender, survey: Survey) -> Contender:
    """The contender, if its server is still on the target."""
    build = find_build(ContenderRequest(contender.build, contender.engine), survey)
    if (build.fingerprint or "") != contender.fingerprint:
        raise InputError(
            f"the build {contender.build} is another server than the one that was measured: install that one"
            " again, or name the contenders as BUILD:ENGINE:PRESET"
        )
    return contender
