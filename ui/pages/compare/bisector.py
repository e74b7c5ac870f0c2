"""A search for the build that made a step faster or slower: `dyno bisect` in the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .explainer import SearchSoFar

if TYPE_CHECKING:
    from app.explaining.bisecting import BisectionBuilds, BisectionRequest
    from app.explaining.starting_builds import BuildStarts
    from app.history.store.history import History
    from app.remote.target import Ask, Target


@dataclass(frozen=True)
class SettledSearch:
    """The builds of a search on its target, and which of them start."""

    builds: BisectionBuilds
    starts: BuildStarts


class BuildSearch:
    """Which build makes the difference."""

    def __init__(self, asked: BisectionRequest) -> None:
        self.asked = asked
        self._search: SettledSearch | None = None

    @property
    def target(self) -> str:
        return self.asked.request.target

    def settle(self, target: Target, ask: Ask) -> None:
        self._search = _settled(target, ask, self.asked)

    def known(self, history: History, is_going_on: bool, tell: Callable[[str], None]) -> SearchSoFar:
        """What is known; before the next comparison both builds are started once."""
        from app.explaining.bisect_text import bisect_entry

        assert self._search is not None  # it was settled
        builds, starts, request = self._search.builds, self._search.starts, None
        found, evidence = builds.state(history, starts.broken)
        while is_going_on and request is None and found.next and not builds.is_late(evidence):
            tell(f"starts {' and '.join(builds.builds[at] for at in found.next)} once")
            if starts.do_start(builds, found.next, tell):
                request = builds.next_request(found.next)
            else:
                found, evidence = builds.state(history, starts.broken)
        return SearchSoFar(bisect_entry(builds, found, evidence), len(evidence.rounds), request)


def _settled(target: Target, ask: Ask, asked: BisectionRequest) -> SettledSearch:
    from app.catalog import Catalog, approved_hashes
    from app.core.errors import TargetError
    from app.explaining.bisecting import BisectionBuilds
    from app.explaining.starting_builds import BuildStarts
    from app.remote.reach import reached

    asked.check(Catalog())  # what is wrong on every target comes before what the target says
    with reached(target, ask) as agent:
        if taken := agent.status().taken:
            raise TargetError(f"{taken}: wait until it ends, then measure")
        survey = agent.survey(target.search_paths)
    builds = BisectionBuilds.of(asked, survey, Catalog(), approved_hashes())
    return SettledSearch(builds, BuildStarts(target, ask, survey))
