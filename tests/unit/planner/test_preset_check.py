"""What builds say to a preset, as it comes from the agent."""

from __future__ import annotations

from typing import Any

import pytest

from app.catalog import Catalog
from app.catalog.own import write_preset
from app.core.errors import InputError, TargetError
from app.planner.starting.preset_check import BuildReply, known_options, try_preset, written_options
from app.protocol.answers import FAIL, PASS, Check, OptionReply, RehearsalResult
from app.protocol.plan import Plan
from app.variables import parse_preset
from tests.plans import MARIADB, survey

BUSY = Check("busy", PASS, "nobody is here")


class Agent:
    """Answers what it was given; remembers the plan."""

    def __init__(self, *checks: Check) -> None:
        self.checks = [BUSY, *checks]
        self.plans: list[Plan] = []
        self.started: list[str] = []

    def upload_plan(self, plan: Plan) -> str:
        self.plans.append(plan)
        return "5ba"

    def check(self, plan: str) -> list[Check]:
        return self.checks

    def ask(self, plan: str) -> list[Check]:
        return [each for each in self.checks if each.name not in ("busy", "sysbench")]

    def rehearse(self, plan: str, contender: int) -> RehearsalResult:
        self.started.append(self.plans[-1].contenders[contender].name)
        return RehearsalResult([])


def check(name: str, state: str, text: str, *answers: dict[str, str]) -> Check:
    return Check(name, state, text, "", "mysql-9.7.4", tuple(OptionReply(**each) for each in answers))


def line_of(text: str) -> int:
    """In the preset that is tried here."""
    return Catalog().preset("innodb", "baseline").text.splitlines().index(text) + 1


def tried(agent: Agent, name: str = "baseline", engine: str = "innodb", **options: Any) -> list[BuildReply]:
    return try_preset(agent, survey(), Catalog().preset(engine, name), **options)


def test_all_builds_with_the_engine_are_asked() -> None:
    agent = Agent()
    assert tried(agent) == []
    assert [each.build for each in agent.plans[0].contenders] == [
        MARIADB,
        "mysql-5.6.24",
        "mysql-9.7.4",
    ]
    tried(agent, engine="rocksdb", start=True)
    assert [each.build for each in agent.plans[1].contenders] == [MARIADB]
    assert agent.started == [MARIADB]


def test_each_answer_is_told_with_its_option() -> None:
    unknown = {"option": "nonsense", "state": "rejected", "text": "unknown variable 'nonsense=1'"}
    loose = {"option": "loose_ssl", "state": "ignored", "text": "unknown variable 'loose_ssl=0'"}
    agent = Agent(
        check("options", "fail", unknown["text"], unknown),
        check("options", "warn", "mysql-9.7.4 ignores loose_ssl", loose),
    )
    found = tried(agent, builds=["mysql-9.7.4"])
    assert found == [
        BuildReply("mysql-9.7.4", "rejected", "nonsense", "unknown variable 'nonsense=1'"),
        BuildReply("mysql-9.7.4", "ignored", "loose_ssl", loose["text"], line_of("loose_ssl=0")),
    ]
    assert [each.is_refusal for each in found] == [True, False]


@pytest.mark.parametrize(
    ("name", "state", "word"),
    [
        ("options", "pass", "accepted"),
        ("in force", "warn", "changed"),
        ("rehearsal", "pass", "started"),
        ("rehearsal", "fail", "refused"),
        ("engine", "fail", "refused"),
    ],
)
def test_what_comes_of_a_start_is_told(name: str, state: str, word: str) -> None:
    (found,) = tried(Agent(check(name, state, "so it is")), start=True)
    assert (found.state, found.text) == (word, "so it is")


def test_lines_that_are_dynos_are_told_as_left_out() -> None:
    write_preset(Catalog(), "innodb", "mine", "[mysqld]\ndatadir=/data\n")
    (found,) = tried(Agent(), "mine", builds=["mysql-5.6.24"])
    assert (found.state, found.option, found.line) == ("left out", "datadir=/data", 2)


def test_a_change_is_told_with_the_line_that_asked_for_it() -> None:
    text = "max_connections should be 512, in force is 214"
    (found,) = tried(Agent(check("in force", "warn", text)), builds=["mysql-9.7.4"], start=True)
    assert found == BuildReply(
        "mysql-9.7.4", "changed", "max_connections", text, line_of("max_connections=512")
    )


def test_a_server_that_does_not_start_leads_to_the_option_that_it_names() -> None:
    text = "the server did not start: InnoDB: Unrecognized value SOMEHOW for innodb_flush_method"
    (found,) = tried(Agent(check("rehearsal", "fail", text)), builds=["mysql-9.7.4"], start=True)
    assert (found.state, found.option) == ("refused", "innodb_flush_method")
    assert found.line == line_of("innodb_flush_method=O_DIRECT")


def test_what_refuses_its_options_is_not_started() -> None:
    agent = Agent(check("options", "fail", "unknown variable 'x=1'"))
    tried(agent, builds=["mysql-9.7.4", "mysql-5.6.24"], start=True)
    assert agent.started == ["mysql-5.6.24"]


def test_refusals_stand_first_and_what_dyno_leaves_out_last() -> None:
    write_preset(Catalog(), "innodb", "mine", "[mysqld]\ndatadir=/data\nx=1\n")
    loose = {"option": "loose_ssl", "state": "ignored", "text": "unknown variable 'loose_ssl=0'"}
    wrong = {"option": "x", "state": "rejected", "text": "unknown variable 'x=1'"}
    agent = Agent(check("options", "warn", "ignores", loose), check("options", "fail", wrong["text"], wrong))
    states = [each.state for each in tried(agent, "mine", builds=["mysql-9.7.4"])]
    assert states == ["rejected", "ignored", "left out"]


def test_an_option_is_named_as_the_preset_has_it() -> None:
    said = {"option": "innodb-flush-method", "state": "rejected", "text": "Error while setting value"}
    (found,) = tried(Agent(check("options", "fail", said["text"], said)), builds=["mysql-9.7.4"])
    assert (found.option, found.line) == ("innodb_flush_method", line_of("innodb_flush_method=O_DIRECT"))


def test_what_is_not_written_yet_is_tried_as_it_stands() -> None:
    agent = Agent()
    draft = parse_preset("[mysqld]\nback_log=7\n", "draft", "innodb")
    try_preset(agent, survey(), draft, ["mysql-5.6.24"])
    assert agent.plans[0].contenders[0].cnf == "[mysqld]\nback_log=7\n"


def test_a_target_that_cannot_answer_ends_it() -> None:
    with pytest.raises(TargetError, match="plan X is running"):
        tried(Agent(Check("busy", FAIL, "plan X is running", "wait")), start=True)
    with pytest.raises(InputError, match="no build of this target starts with the engine rocksdb"):
        bare = survey(builds=[])
        try_preset(Agent(), bare, Catalog().preset("rocksdb", "baseline"))


def test_names_to_complete_come_from_builds_and_presets() -> None:
    known = known_options({"/opt/mysql-9.7.4/bin/mysqld": ["a"]}, survey(), ["mysql-9.7.4", "mysql-5.6.24"])
    assert known == [{"a"}, set()]
    written = parse_preset("# b=1\n[mysqld]\nloose-rocksdb-x = 7\nskip_log_bin\n", "draft", "innodb")
    assert written_options([written]) == {"rocksdb_x", "log_bin"}


def test_a_busy_target_is_asked_all_the_same() -> None:
    agent = Agent(Check("busy", FAIL, "plan X is running"), check("options", "pass", "accepts all"))
    assert [each.state for each in tried(agent)] == ["accepted"]


def test_a_build_that_gives_no_answer_does_not_refuse_the_preset() -> None:
    agent = Agent(
        check("answer", "fail", "mysql-9.7.4 did not answer about its options: it did not answer within 60 s")
    )
    (answer,) = try_preset(agent, survey(), parse_preset("[mysqld]\n", "mine", "innodb"), ["mysql-9.7.4"])
    assert (answer.state, answer.is_refusal) == ("no answer", False)
