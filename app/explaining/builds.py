"""An explanation on a target that is reached; for two builds also the defaults that differ between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.core.errors import TargetError
from app.planner.checks.parity import differing_build_defaults
from app.planner.resolve.resolve import resolve
from app.planner.starting.preset_check import REJECTED, known_options
from app.protocol.my_cnf import option_key
from app.variables import option_values
from app.variables.variables import Values, is_on

from .explaining import DifferenceQuestion, ExplainedContenderPair, contenders_of_groups
from .settings import BUILD, Defaults, SettingMixContenders, between
from .squares import Group

if TYPE_CHECKING:
    from app.catalog import Catalog
    from app.protocol.answers import RehearsalResult, Survey
    from app.protocol.plan import Contender
    from app.remote.agent import RemoteAgent

_TRIES = 8  # a server names the first value that it does not take
# what no query of a session meets: other servers, directories to ignore, and how a buffer pool grows
_UNUSED = re.compile(r"ignore_db_dirs|innodb_buffer_pool_chunk_size|(slave|replica|relay|rpl|wsrep)_.*")
_SWITCHES = {"performance_schema_": "performance_schema", "binlog_": "log_bin", "sync_binlog": "log_bin"}


def difference_search_on_target(
    agent: RemoteAgent, asked: DifferenceQuestion, catalog: Catalog, approved: Iterable[str],
    search_paths: Sequence[str] = (), is_reader: bool = False,
) -> ExplainedContenderPair:  # fmt: skip
    """The explanation on this target; raises TargetError if a plan runs there, unless nothing is started."""
    taken = agent.status().taken
    if taken and not is_reader:
        raise TargetError(
            f"{taken}: wait for it with dyno follow; dyno explain then goes on",
            window_text=f"{taken}: wait until it has ended, then start again",
        )
    survey, hashes = agent.survey(search_paths), tuple(approved)
    a, b = asked.pair.contenders(survey, catalog)
    if a.fingerprint == b.fingerprint or a.engine != b.engine:
        return ExplainedContenderPair.of(asked, survey, catalog, hashes)
    defaults, unknown = _Builds(agent, asked, survey, catalog, hashes, a, b).differences()
    return ExplainedContenderPair.of(asked, survey, catalog, hashes, defaults, unknown)


@dataclass(frozen=True)
class _Builds:
    """Two builds that are asked what they do not have in common."""

    agent: RemoteAgent
    asked: DifferenceQuestion
    survey: Survey
    catalog: Catalog
    approved: tuple[str, ...]
    a: Contender
    b: Contender

    def differences(self) -> tuple[Defaults, frozenset[str]]:
        """Values of changed defaults, and the options of the my.cnf that one of the builds does not take."""
        known = known_options(self.agent.options(), self.survey, (self.a.build, self.b.build))
        common = frozenset(map(option_key, known[0])) & frozenset(map(option_key, known[1]))
        named = {name for each in (self.a, self.b) for name in option_values(each.cnf)}
        unknown = frozenset(named - common)
        values = [each.variables for each in self._rehearsed()]
        changed = [
            name
            for name in differing_build_defaults(values, named)
            if name in common and _can_matter(name, values)
        ]
        defaults = {name: (values[0][name], values[1][name]) for name in changed}
        return self._accepted(defaults, unknown)

    def _rehearsed(self) -> list[RehearsalResult]:
        """Each of the two started once, with its own my.cnf."""
        groups = [frozenset(), frozenset((BUILD,))]
        uploaded = self._uploaded(
            SettingMixContenders(self.a, self.b, between(self.a, self.b).settings[:1]), groups
        )
        found = [self.agent.rehearse(uploaded, at) for at in range(len(groups))]
        for name, each in zip("AB", found, strict=True):
            if not each.variables:
                raise TargetError(f"{name} does not start: {'; '.join(check.text for check in each.checks)}")
        return found

    def _accepted(self, defaults: Defaults, unknown: frozenset[str]) -> tuple[Defaults, frozenset[str]]:
        """Without values that the other build does not take: these belong to the build."""
        for _ in range(_TRIES):
            refused = self._refused(*self._crossed(defaults, unknown))
            if not refused:
                break
            unknown |= refused - defaults.keys()
            defaults = {name: values for name, values in defaults.items() if name not in refused}
        if self._starts(defaults, unknown):
            return defaults, unknown
        starting = {name: its for name, its in defaults.items() if self._starts({name: its}, unknown)}
        return starting, unknown

    def _crossed(
        self, defaults: Defaults, unknown: frozenset[str]
    ) -> tuple[SettingMixContenders, list[Group]]:
        """Each build with all settings of the other one."""
        pair = between(self.a, self.b, self.asked.together, defaults, unknown)
        return pair, [frozenset((BUILD,)), frozenset(pair.names) - {BUILD}]

    def _starts(self, defaults: Defaults, unknown: frozenset[str]) -> bool:
        """A value may pass the check of options and still stop a start."""
        uploaded = self._uploaded(*self._crossed(defaults, unknown))
        return all(self.agent.rehearse(uploaded, at).variables for at in (0, 1))

    def _refused(self, pair: SettingMixContenders, groups: Sequence[Group]) -> frozenset[str]:
        checks = self.agent.ask(self._uploaded(pair, groups))
        replies = [each for check in checks for each in check.answers if each.state == REJECTED]
        return frozenset(option_key(each.option) for each in replies)

    def _uploaded(self, pair: SettingMixContenders, groups: Sequence[Group]) -> str:
        request = replace(
            self.asked.request(self.catalog),
            order="interleaved",
            contenders=contenders_of_groups(pair, groups),
        )
        return self.agent.upload_plan(resolve(request, self.survey, self.catalog, self.approved))


def _can_matter(name: str, sides: Sequence[Values]) -> bool:
    """Whether a default can change a query: not if what it belongs to is off on both sides."""
    switch = next((its for start, its in _SWITCHES.items() if name.startswith(start)), "")
    is_off = all(switch in values and not is_on(values[switch]) for values in sides)
    return not is_off and not _UNUSED.fullmatch(name)
