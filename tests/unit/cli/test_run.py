"""`dyno run` up to the target: what it takes and refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.cli import main
from app.cli.compare import show_result_of
from app.cli.launching import show_launch, started_text
from app.cli.parser import parse
from app.cli.plan_options import GivenPlanOptions
from app.cli.plan_text import show_plan
from app.cli.run import plan_request_from
from app.core.errors import InputError
from app.history.exchange.publishing import import_shipped
from app.history.store.history import History
from app.planner.estimate.estimate import estimate
from app.planner.request.contender import ContenderRequest
from app.planner.resolve.resolve import resolve
from app.planner.starting.launch import Launch
from app.protocol.answers import FAIL, Check
from app.remote.secrets import NO_PASSWORDS
from tests import sliced
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, plan, request, survey
from tests.reaching import reach_instead
from tests.unit.cli.words import refused


def test_a_plan_until_decided_says_that_its_sessions_are_the_most_there_are() -> None:
    whole = plan(f"{MARIADB}:innodb", f"{MARIADB}:myisam", repeats=8)
    assert started_text(whole, "local").endswith(" is running on local, 16 sessions")
    assert started_text(replace(whole, until_decided=True), "local").endswith(", at most 16 sessions")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan.toml"], "leave the plan file out, or --duel"),
        (["--sequence", "quick"], "leave --sequence out"),
        (["--rows", "5", "--warmup", "0"], "leave --rows, --warmup out"),
        (["--start-state", "loaded"], "leave --start-state out"),
        (["--target", "moon"], "no target 'moon'"),
    ],
)
def test_a_duel_settles_what_is_played(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert said in refused(capsys, "run", "--duel", *words)


def test_wrong_words_are_refused_before_the_target_is_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_instead(monkeypatch, lambda *_: pytest.fail("it was asked"))
    assert "no sequence" in refused(capsys, "run", "--sequence", "duell", "--contender", "b:innodb")
    assert "choose a sequence: " in refused(capsys, "run")
    assert "choose a contender" in refused(capsys, "run", "--sequence", "duel")
    words = ("--sequence", "duel", "--contender", "b:innodb", "--steps", "nothing")
    assert "nothing" in refused(capsys, "run", *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("b", "--start", "snapshot"), "takes no value: write --start-state snapshot, or --dry-run --start"),
        (("b", "--dry-run", "--start", "restarted"), "write --start-state restarted"),
        (("b", "--start=snapshot"), "argument --start: takes no value, got 'snapshot'"),
        (("b", "--start"), "--start is for --dry-run: add --dry-run, or write --start-state STATE (loaded, "),
    ],
)
def test_a_state_of_the_server_is_no_value_of_start(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    """It was taken for a build that is not there."""
    reach_instead(monkeypatch, lambda *_: pytest.fail("it was asked"))
    assert said in refused(capsys, "run", *words)


def test_sessions_to_be_measured_again_are_looked_for_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert "give one of them" in refused(capsys, "run", "plan.toml", "--again", "last")
    assert "no session 'nobody'" in refused(capsys, "run", "--again", "nobody")
    assert "leave --again out" in refused(capsys, "run", "--duel", "--again", "last")


def test_a_session_to_measure_against_is_looked_for_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert "leave the plan file out" in refused(capsys, "run", "plan.toml", "--against", "last")
    assert "leave --again out" in refused(capsys, "run", "--again", "last", "--against", "last")
    assert "no session 'nobody'" in refused(capsys, "run", "--against", "nobody")
    assert "leave --against out" in refused(capsys, "run", "--duel", "--against", "last")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--others-pct", "-5%"], "--others-pct: must be from 0 to 100%, not -5%"),
        (["--steal-pct", "a few"], "--steal-pct: must be from 0 to 100%, not a few"),
        (["--difference", "51"], "--difference: must be from 0 to 50%, not 51"),
        (["--false-share", "-1%"], "--false-share: must be from 0 to 50%, not -1%"),
        (["--within", "soon"], "must be a time such as 90 (seconds), 2min or 1h30, not 'soon'"),
        (["--within", "1h90"], "2min or 1h30, not '1h90'"),
        (["--pause", "-3s"], "2min or 1h30, not '-3s'"),
        (["--pause", "-3"], "--pause must be between 0 and"),
    ],
)
def test_percentages_and_times_that_cannot_be(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert said in refused(capsys, "run", "--sequence", "quick", *words)


def test_times_and_percentages_are_taken_as_people_write_them() -> None:
    words = [
        "--repeats",
        "until-decided",
        "--within",
        "1 h 30 min",
        "--seconds",
        "2min",
        "--difference",
        "3%",
    ]
    arguments = parse(["run", "--sequence", "quick", *words, "--others-pct", "7.5%"])
    asked = plan_request_from(arguments, GivenPlanOptions.of(arguments))
    assert (asked.time_limit, asked.seconds, asked.matters_pct, asked.others_pct) == (5400, 120, 3.0, 7.5)


def test_a_plan_file_that_is_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe.toml")
    assert "pipe.toml: is no file" in refused(capsys, "run", str(tmp_path / "pipe.toml"))
    (tmp_path / "folder.toml").mkdir()
    assert "folder.toml: is no file" in refused(capsys, "run", str(tmp_path / "folder.toml"))


class Limitless(ScriptedAgent):
    """The agent of a target on which no memory limit can be set; the build takes no such option either."""

    def check(self, plan: str, passwords: Mapping[str, str] = NO_PASSWORDS) -> list[Check]:
        name = self._plan.contenders[0].name
        return [
            Check(each, FAIL, text, "take it out", name)
            for each, text in (("server memory", "cannot create a cgroup"), ("options", "no such option"))
        ]


def test_what_desktop_and_target_both_refuse_is_said_once() -> None:
    limited = request().with_options(contenders=(ContenderRequest(MARIADB, "innodb", memory_limit="4G"),))
    agent = Limitless(found=survey(memory_limit_problem="cannot create a cgroup"))
    with pytest.raises(InputError) as refusal:
        show_launch(Launch(lambda _: limited, agent.reached()).stages())
    todo = "remove the limit, or log in to the target as root"
    both = f"a memory limit is not possible: cannot create a cgroup ({todo})"
    assert str(refusal.value) == f"nothing was started: {both}; no such option (take it out)"


def test_checks_are_shown_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    said: list[str] = []
    agent = ScriptedAgent(meanwhile=lambda what: said.append(capsys.readouterr().out))
    show_launch(Launch(lambda _: request(), agent.reached()).stages())
    asked = dict(zip(agent.asked, said, strict=False))
    assert "takes about" in asked["upload"] and "pass  sysbench" in asked["upload"]
    assert "pass  options: check: accepted" in asked["rehearse innodb"]
    assert f"pass  options: {MARIADB}-innodb: accepted" in asked["start"]


@pytest.mark.parametrize(
    ("busy", "todo"),
    [
        ({"taken": "plan night (process 7)"}, "(wait for it, or stop it (dyno stop))"),
        ({"elsewhere": "plan night (process 7)"}, "(wait for it, or start beside it (--allow-busy))"),
    ],
)
def test_a_calibration_cannot_be_queued_and_no_hint_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], busy: dict[str, str], todo: str
) -> None:
    agent = ScriptedAgent(**busy)  # type: ignore[arg-type]
    reach_instead(monkeypatch, lambda *_: agent.reached())
    assert main(["target", "calibrate", "local"]) == 1
    said = capsys.readouterr()
    assert todo in said.err and "--queue" not in said.out + said.err


def test_which_cpus_server_and_load_have_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    on = survey(topology=[[[0], [1], [2], [3]]])
    for options, said in (
        ({"cpus": "own"}, "CPUs of their own: the server on CPUs 0-1, the load on 2-3\n"),
        ({"cores": [1]}, "cores=1: the server on CPUs 0, the load on 1-3\n"),
    ):
        made = resolve(request(**options), on, Catalog())
        show_plan(made, estimate(made, on))
        assert said in capsys.readouterr().out


def test_a_plan_with_two_contenders_ends_with_what_it_came_to(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = sliced.plan(rounds=3)
    with History(dyno_home) as history:
        sliced.keep(history, made, (1.0, 0.5), until=5)
    show_result_of(made.id)
    assert capsys.readouterr().out == ""  # its last session has not begun
    whole = sliced.plan(rounds=3, number=2)
    with History(dyno_home) as history:
        sliced.keep(history, whole, (1.0, 0.5))
    show_result_of(whole.id)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == said[4] == ""
    assert all("MyRocks at 0.50 of InnoDB's rate (" in line for line in said[1:4])
    assert any(line.split()[:2] == ["step", "unit"] for line in said[5:])
    assert said[-2] == f"look at it again: dyno compare {whole.id[-6:]}"
    assert said[-1].startswith(f"what may explain it: dyno compare {whole.id[-6:]} --why ")


def test_a_duel_without_room_for_two_servers_says_that_sessions_are_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dyno_home: Path
) -> None:
    agent = ScriptedAgent(found=survey(memory_bytes=1 << 30, memory_available_bytes=1 << 30))
    reach_instead(monkeypatch, lambda *_: agent.reached())
    main(["run", "--duel", "--dry-run"])
    said = capsys.readouterr().out
    assert (
        said.startswith("whole sessions A B B A, not in slices: ") and "order interleaved, 6 repeats" in said
    )


def test_published_sessions_are_set_up_for_the_target_and_options_go_before(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dyno_home: Path
) -> None:
    with History(dyno_home) as history:
        import_shipped(history)
    agent = ScriptedAgent()
    reach_instead(monkeypatch, lambda *_: agent.reached())
    names = ("--again", "innodb-5.6.35-default", "--again", "myrocks-5.6.35-default")
    main(["run", *names, "--dry-run"])
    said = capsys.readouterr().out
    assert said.startswith(
        "Set up for local as published, but for:\n80,000,000 rows of each table for 16.0 GiB"
    )
    assert "4 tables x 80,000,000 rows" in said and "\nbuild mysql-5.6.24 in place of mysql-5.6.35\n" in said
    main(["run", *names, "--rows", "1000", "--threads", "8", "--dry-run"])
    said = capsys.readouterr().out
    assert "80,000,000" not in said and "4 tables x 1,000 rows" in said
    asked = len(agent.asked)
    assert "--rows must be between" in refused(capsys, "run", *names, "--rows", "0")
    assert len(agent.asked) == asked, "the target is not asked"


def test_a_dry_run_and_the_doctor_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], dyno_home: Path
) -> None:
    agent = ScriptedAgent()
    reach_instead(monkeypatch, lambda *_: agent.reached())
    words = ["run", "--sequence", "quick", "--contender", f"{MARIADB}:innodb", "--json"]
    code = main([*words, "--dry-run"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0 and not found["failed"] and found["plan"]["sequence"] == "quick"
    assert found["estimate"]["disk_bytes"] > 0 and found["checks"][0]["state"]
    assert main(words) == 2 and "start" not in agent.asked
    assert "--json is for --dry-run" in capsys.readouterr().err
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["problem"] == ""


@pytest.mark.parametrize(
    ("words", "can_queue"),
    [
        ("run mysql-9.7", True),
        ("work mysql-9.7", False),
        ("target calibrate local", False),
        ("explain S1 S2 --step point-query", False),
    ],
)
def test_which_commands_can_queue_their_plan(words: str, can_queue: bool) -> None:
    """What they say about a busy target follows from it."""
    assert (parse(words.split()).queue is not None) is can_queue
