"""Builds are started once before a search compares them: one that does not start is passed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.catalog import Catalog
from app.core.errors import TargetError
from app.protocol.answers import Survey
from app.remote.reach import reached
from app.remote.target import Ask, Target

from .bisect_search import Pair
from .bisecting import BisectionBuilds


@dataclass
class BuildStarts:
    """What is known of the builds on a target: those that start, and those that do not."""

    target: Target
    ask: Ask
    survey: Survey
    directory: str = ""
    broken: set[str] = field(default_factory=set)
    good: set[str] = field(default_factory=set)

    def do_start(self, search: BisectionBuilds, pair: Pair, tell: Callable[[str], None]) -> bool:
        """Whether both builds start; one that does not is told, and passed over from now on."""
        wanted = [search.builds[at] for at in pair if search.builds[at] not in self.good]
        with reached(self.target, self.ask, self.directory) as agent:
            for build in wanted:
                why = search.why_not(agent, self.survey, Catalog(), build)
                (self.broken if why else self.good).add(build)
                if why and build in (search.builds[0], search.builds[-1]):
                    raise TargetError(
                        f"{build} does not start: {why}; choose builds of which both ends start"
                    )
                if why:
                    tell(f"{build} does not start, and is passed over: {why}")
        return self.broken.isdisjoint(wanted)
