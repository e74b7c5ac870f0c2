"""Two builds: defaults that differ are settings, and what one build does not take belongs to the build."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.catalog import Catalog
from app.core.errors import TargetError
from app.explaining.builds import difference_search_on_target
from app.explaining.settings import BUILD
from app.protocol.answers import WARN, Check, OptionReply, RehearsalResult
from tests.fakes import ScriptedAgent
from tests.unit.explaining.pairs import OURS, asked, contender

OTHER = "mysql-5.6.24"
SPIN, SYNC, POOL = "innodb_spin_wait_delay", "sync_binlog", "innodb_buffer_pool_size"
IN_FORCE = {
    "A": {SPIN: "4", SYNC: "0", POOL: "67108864", "innodb_purge_threads": "4"},
    "B": {SPIN: "6", SYNC: "1", POOL: "67108864", "innodb_purge_threads": "1"},
}


class Builds(ScriptedAgent):
    """Two builds, each with its variables; one of them rejects these options."""

    def __init__(self, *rejected: str, taken: str = "") -> None:
        super().__init__(taken=taken)
        self.in_force, self.rejected = IN_FORCE, rejected
        self.more: tuple[str, ...] = ()  # options that both builds take
        self.stops = "none of them"  # a line of my.cnf with which they do not start

    def options(self) -> dict[str, list[str]]:
        return {build: [*names, *self.more] for build, names in super().options().items()}

    def rehearse(self, plan: str, contender: int) -> RehearsalResult:
        found, its = super().rehearse(plan, contender), self._plan.contenders[contender]
        starts = self.stops not in its.cnf
        crossed = {} if its.name in "AB" else IN_FORCE["A"]
        return RehearsalResult(found.checks, (found.variables or crossed) if starts else {})

    def ask(self, plan: str) -> list[Check]:
        there = [each for each in self.rejected if any(f"{each}=" in c.cnf for c in self._plan.contenders)]
        return [
            Check("options", WARN, "no", answers=tuple(OptionReply("rejected", each, "no") for each in there))
        ]


def names(agent: Builds, cnf: str = f"[mysqld]\n{POOL}=64M\n") -> tuple[str, ...]:
    its = asked(contender(cnf), contender(cnf, OTHER))
    return difference_search_on_target(agent, its, Catalog(), ()).between.names  # type: ignore[arg-type]


def test_changed_defaults_that_both_builds_take_are_settings() -> None:
    agent = Builds()
    assert names(agent) == (BUILD, SPIN, SYNC)  # purge threads are no option of these builds
    rehearsed = [each for each in agent.asked if each.startswith("rehearse")]
    assert rehearsed == [
        "rehearse A",
        "rehearse B",
        "rehearse A with build of B",
        "rehearse B with build of A",
    ]


@pytest.mark.parametrize(
    ("variable", "log_bin", "is_setting"),
    [
        ("sync_binlog", ("ON", "OFF"), True),
        ("sync_binlog", ("OFF", "0"), False),
        ("wsrep_slave_threads", ("ON", "ON"), False),
        ("innodb_buffer_pool_chunk_size", ("ON", "ON"), False),
    ],
)
def test_a_default_that_no_query_meets_belongs_to_the_build(
    variable: str, log_bin: tuple[str, str], is_setting: bool
) -> None:
    agent = Builds()
    agent.in_force = {
        name: {**IN_FORCE[name], variable: name, "log_bin": its}
        for name, its in zip("AB", log_bin, strict=True)
    }
    agent.more = (variable,)
    assert (variable in names(agent)) is is_setting


def test_a_value_that_the_other_build_rejects_belongs_to_the_build() -> None:
    assert names(Builds(SYNC)) == (BUILD, SPIN)


def test_a_value_with_which_the_other_build_does_not_start_belongs_to_the_build() -> None:
    agent = Builds()
    agent.stops = f"{SYNC}=1"  # also passes the check of options
    assert names(agent) == (BUILD, SPIN)


def test_an_option_that_one_build_does_not_know_belongs_to_it() -> None:
    assert names(Builds(), OURS) == (BUILD, SPIN, SYNC)


def test_a_target_at_work_is_refused_unless_nothing_is_started() -> None:
    agent = Builds(taken="the plan duel runs here")
    with pytest.raises(TargetError, match="the plan duel runs here: wait for it with dyno follow"):
        names(agent)
    its = replace(asked(), together=())
    assert difference_search_on_target(agent, its, Catalog(), (), is_reader=True).between.names  # type: ignore[arg-type]


def test_a_build_that_does_not_start_is_named() -> None:
    agent = Builds()
    agent.in_force = {"A": IN_FORCE["A"]}
    with pytest.raises(TargetError, match="B does not start"):
        names(agent)
