"""`dyno run` with words: plan files, contenders, and the time in which all has to end."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from app.cli import main
from app.cli.choosing import split_plan_file, with_end, with_until_decided
from app.cli.parser import parse
from app.cli.plan_options import GivenPlanOptions
from app.cli.report import report_plan
from app.core.errors import InputError
from app.history.exchange.publishing import import_shipped
from app.history.store.history import History
from app.targets.queue import seconds_until_clock
from tests import sliced
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB
from tests.reaching import reach_instead
from tests.unit.cli.words import refused

PLAN = f'sequence = "quick"\n{{}}[[contender]]\nbuild = "{MARIADB}"\nengine = "myisam"\n'
TWO = ("run", "mysql-5.6", "mysql-9.7")
SMALL = ("--rows", "1000")


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch, dyno_home: Path) -> ScriptedAgent:
    """In place of the target."""
    found = ScriptedAgent()
    reach_instead(monkeypatch, lambda *_: found.reached())
    return found


def answer(monkeypatch: pytest.MonkeyPatch, text: str | type[BaseException]) -> list[str]:
    """A terminal on which this is typed; returns what is asked."""
    asked: list[str] = []

    def typed(prompt: str) -> str:
        asked.append(prompt)
        if not isinstance(text, str):
            raise text
        return text

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", typed)
    return asked


# words


def test_words_are_contenders_and_a_plan_file(tmp_path: Path) -> None:
    arguments = parse(["run", "a", "--seconds", "5", "b:myisam", "plan.toml", "--contender", "c:innodb", "d"])
    split_plan_file(arguments)
    assert arguments.plan == "plan.toml" and not arguments.is_short
    assert [each.build for each in GivenPlanOptions.of(arguments).contenders] == ["a", "b", "d", "c"]
    short = parse(["run", "--seconds", "5", "a", "b"])
    split_plan_file(short)
    assert short.is_short and short.plan is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.toml", "b.toml"], "a.toml and b.toml are both plan files: give one"),
        (["./mysql-5.6"], "./mysql-5.6 is a path: a contender begins with the name of a build"),
        (["/opt/mysql:innodb"], "is a path"),
        (["nowhere.toml"], "nowhere.toml: cannot be read: No such file"),
        (["mysql-5.6:"], "contender must be BUILD, BUILD:ENGINE or BUILD:ENGINE:PRESET"),
        ([""], "contender must be BUILD"),
        (["a", "--bogus", "b"], "unrecognized arguments: --bogus"),
        (["a", "--by", "soon"], "--by must be a time of day such as 07:00, not 'soon'"),
        (["a", "--by", "2026-11-24 06:00"], "--by must be a time of day"),
        (["a", "--by", "07:00", "--within", "3h"], "--within and --by exclude each other"),
        (["a", "--by", "07:00", "--queue"], "--by needs the start of the plan"),
        (["a", "b", "--within", "8h", "--repeats", "4"], 'a time limit needs repeats "until decided"'),
        (["--duel", "a"], "leave the contenders out, or --duel"),
        (["--duel", "--by", "07:00"], "leave --by out, or --duel"),
        (["--duel", "--within", "1h"], "leave --within out, or --duel"),
    ],
)
def test_words_that_cannot_be(
    agent: ScriptedAgent, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert said in refused(capsys, "run", *words)
    assert agent.asked == []


def test_a_folder_called_like_a_build_is_not_looked_at(
    agent: ScriptedAgent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mysql-5.6").mkdir()
    monkeypatch.chdir(tmp_path)
    main([*TWO, "--dry-run"])
    assert "mysql-5.6.24-innodb" in capsys.readouterr().out


def test_two_builds_are_enough(agent: ScriptedAgent, capsys: pytest.CaptureFixture[str]) -> None:
    main([*TWO, "--dry-run"])
    first, *rest = capsys.readouterr().out.splitlines()
    assert (
        first == "Dyno chose the tests of quick, repeats until all is decided, 4 threads (one for each CPU)"
    )
    assert rest[0].startswith("quick: sequence quick on local, 4 tables x 1,000,000 rows")
    assert "3 to 8 repeats, until decided" in rest[2]


def test_contenders_replace_those_of_the_plan_file(
    agent: ScriptedAgent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text(PLAN.format("repeats = 3\n"))
    main([*TWO, str(tmp_path / "mine.toml"), "--dry-run"])
    said = capsys.readouterr().out
    assert "mysql-9.7.4-innodb" in said and "myisam" not in said and "3 repeats" in said
    assert "Dyno chose" not in said


# in time


def test_what_was_chosen_is_said_before_the_plan(
    agent: ScriptedAgent, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*TWO, *SMALL, "--within", "1h30", "--dry-run"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("Dyno chose ") and lines[1].endswith(" of 1 h 30 min")
    assert lines[2].startswith("quick: ") and "until decided, within 1 h 30 min" in lines[4]


def test_a_time_that_is_too_short_is_refused(
    agent: ScriptedAgent, capsys: pytest.CaptureFixture[str]
) -> None:
    for time in ("1min", "0"):
        assert "is too short: 4 repeats of 3 timed steps of 5 s in short turns" in refused(
            capsys, *TWO, *SMALL, "--within", time
        )


def test_repeats_are_until_decided_unless_the_plan_file_says_them(tmp_path: Path) -> None:
    arguments = parse(["run", "x.toml", "--within", "8h"])
    given = GivenPlanOptions.of(arguments)
    assert with_until_decided(given, None).options["repeats"] == "until decided"
    silent, numbered = tmp_path / "silent.toml", tmp_path / "numbered.toml"
    silent.write_text(PLAN.format(""))
    numbered.write_text(PLAN.format("repeats = 1\n"))
    assert with_until_decided(given, str(silent)).options["repeats"] == "until decided"
    assert "repeats" not in with_until_decided(given, str(numbered)).options


@pytest.mark.parametrize(
    ("clock", "seconds"), [("07:00", 3600), ("06:01", 60), ("06:00", 86400), ("5:59", 86340)]
)
def test_a_time_of_day_is_the_next_one(clock: str, seconds: int) -> None:
    assert seconds_until_clock(clock, datetime(2026, 11, 28, 6, 0)) == seconds


def test_until_a_time_of_day_counts_from_the_start_that_was_asked_for() -> None:
    arguments = parse(["run", "a", "--by", "07:00", "--at", "22:30"])
    assert with_end(GivenPlanOptions.of(arguments), arguments).options["time_limit"] == int(8.5 * 3600)
    with pytest.raises(InputError, match="needs the start"):
        arguments.at, arguments.queue = None, True
        with_end(GivenPlanOptions.of(arguments), arguments)


def test_what_a_slow_survey_takes_is_not_there_any_more(
    agent: ScriptedAgent, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0])
    monkeypatch.setattr("app.cli.choosing.time.monotonic", lambda: next(clock, 3000.0))
    monkeypatch.setattr("app.cli.choosing._seconds_until_end", lambda _: 7200.0)
    main([*TWO, *SMALL, "--by", "07:00", "--dry-run"])
    assert " of 1 h 10 min" in capsys.readouterr().out.splitlines()[1]


def test_published_or_earlier_work_keeps_its_seconds(
    agent: ScriptedAgent, dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with History(dyno_home) as history:
        import_shipped(history)
    names = ("--again", "innodb-5.6.35-default", "--again", "myrocks-5.6.35-default", "--rows", "1000")
    said = refused(capsys, "run", *names, "--within", "2h")
    assert "2 h 00 min is too short: 4 repeats of 31 timed steps take about 1 day" in said


# long plans


def test_a_long_plan_of_builds_is_asked_about(
    agent: ScriptedAgent, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = answer(monkeypatch, "n")
    assert main([*TWO, "--detach"]) == 1
    assert capsys.readouterr().err == "dyno: cancelled: nothing was started\n"
    assert asked[0].startswith("takes ") and asked[0].endswith(": start it? [y/N] ")
    assert "start" not in agent.asked and "upload" not in agent.asked
    for no in ("", EOFError):
        answer(monkeypatch, no)
        assert main([*TWO, "--detach"]) == 1
    answer(monkeypatch, KeyboardInterrupt)
    main([*TWO, "--detach"])
    assert "dyno: interrupted" in capsys.readouterr().err and "start" not in agent.asked
    answer(monkeypatch, "Y ")
    assert main([*TWO, "--detach"]) == 0
    assert agent.asked[-2] == "start"


def test_without_a_terminal_a_long_plan_says_what_to_write(
    agent: ScriptedAgent, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    said = refused(capsys, *TWO, "--detach")
    assert "there is no terminal to ask" in said and "such as --within " in said
    hours = said.rsplit(" ", 1)[1].strip()
    assert main([*TWO, "--detach", "--within", hours]) == 0
    assert "start" in agent.asked


def test_short_plans_and_plans_in_time_are_not_asked_about(
    agent: ScriptedAgent, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = answer(monkeypatch, "n")
    assert main([*TWO, *SMALL, "--seconds", "5", "--repeats", "3", "--detach"]) == 0
    assert main([*TWO, "--within", "8h", "--detach"]) == 0
    assert main(["run", "--contender", MARIADB, "--sequence", "quick", "--repeats", "20", "--detach"]) == 0
    assert asked == []


# its report


def test_the_report_is_a_new_file_in_the_current_directory(
    dyno_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    made = sliced.plan(rounds=3)
    report_plan(made)
    assert capsys.readouterr().out == "" and not list(tmp_path.glob("*.html"))  # nothing of it is here
    with History(dyno_home) as history:
        sliced.keep(history, made, (1.0, 0.5))
    assert made.name == "a plan"
    for name in ("a-plan.html", "a-plan-2.html"):
        report_plan(made)
        assert capsys.readouterr().out == f"report: {tmp_path / name}\n"
        assert "<html" in (tmp_path / name).read_text()


def test_a_directory_that_takes_no_report_is_said(
    dyno_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    made = sliced.plan(rounds=3)
    with History(dyno_home) as history:
        sliced.keep(history, made, (1.0, 0.5))
    report_plan(made)
    assert capsys.readouterr().err.startswith("dyno: no report was written: ")
