"""Before the history is read, plans that were left to their targets are fetched."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from app.cli import main
from app.core.errors import LinkError
from app.following.left import LeftPlan, LeftPlans
from app.protocol.answers import Queue, QueuedPlan
from app.remote.route import Hop
from app.remote.secrets import PASSWORD_FILE, label_of_file
from app.remote.target import Target
from app.targets.store import Targets
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB
from tests.reaching import reach_instead

PLAN = "01M8574T62A8KD1ZYD6TE6M4B8"
READS = [
    ["session", "list"],
    ["plan", "list"],
    ["history", "sync"],
    ["compare", "x"],
    ["run", "--again", "x"],
]
READS_NOTHING = [
    ["target", "list"],
    ["build", "--help"],
    ["compare", "--help"],
    ["--version"],
    ["sequence", "list"],
]


@pytest.fixture
def contacted_targets(dyno_home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A plan was left to a target that is away; the targets that were asked."""
    Targets(dyno_home).add(Target("far", host="far.invalid", directories=["/d"]))
    LeftPlans(dyno_home).add(PLAN, "far", "/other")
    found: list[str] = []

    def fetch_left(target: Target, plans: list[LeftPlan], *_: object) -> None:
        found.extend(f"{target.name}:{target.directory}:{each.plan}" for each in plans)
        raise LinkError("far does not answer")

    monkeypatch.setattr("app.following.fetching.fetch_left", fetch_left)
    return found


@pytest.mark.parametrize("words", READS)
def test_what_reads_the_history_asks_first(
    contacted_targets: list[str], capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    main(words)
    assert contacted_targets == [f"far:/other:{PLAN}"]
    assert capsys.readouterr().err.startswith("dyno: nothing new was fetched from far: far does not answer\n")


@pytest.mark.parametrize("words", READS_NOTHING)
def test_what_reads_none_of_it_does_not(contacted_targets: list[str], words: list[str]) -> None:
    try:
        main(words)
    except SystemExit as ended:  # of --help
        assert not ended.code
    assert contacted_targets == []


def test_json_stays_alone_on_standard_output(
    contacted_targets: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["session", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_target_that_was_removed_is_said_once(
    contacted_targets: list[str], dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Targets(dyno_home).remove("far")
    main(["session", "list"])
    assert f"plan {PLAN} is not fetched any more: its target far was removed" in capsys.readouterr().err
    main(["session", "list"])
    assert capsys.readouterr().err == "" and contacted_targets == []


def test_a_plan_that_is_started_and_left_is_remembered(
    dyno_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reach_instead(monkeypatch, lambda *_: ScriptedAgent().reached())
    run = ["run", MARIADB, "--sequence", "duel"]
    assert main([*run, "--dry-run"]) == 0 and LeftPlans(dyno_home).all() == []
    assert main([*run, "--detach"]) == 0
    (found,) = LeftPlans(dyno_home).all()
    assert (found.target, found.directory) == ("local", "/target")
    assert found.begins_by - time.time() == pytest.approx(3600, abs=60)
    assert f"plan {found.plan} is running" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "days"), [(["--queue"], 14), (["--at", "2026-11-24 06:00"], 16)])
def test_a_plan_that_waits_in_a_queue_is_remembered_until_it_is_removed(
    dyno_home: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], days: float
) -> None:
    agent = ScriptedAgent()
    reach_instead(monkeypatch, lambda *_: agent.reached())
    monkeypatch.setattr("app.targets.queue.seconds_until", lambda _: 2 * 86400.0)
    assert main(["run", MARIADB, "--sequence", "duel", *words]) == 0
    (found,) = LeftPlans(dyno_home).all()
    assert found.begins_by - time.time() == pytest.approx(days * 86400, abs=60)
    waiting = Queue([QueuedPlan(found.plan, "duel", "0" * 64, "f0", 1)])
    monkeypatch.setattr("app.targets.queue.queue_of", lambda *_: waiting)
    assert main(["queue", "remove", found.plan]) == 0
    assert LeftPlans(dyno_home).all() == []


def test_a_plan_from_which_a_person_detaches_is_remembered(
    dyno_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_instead(monkeypatch, lambda *_: ScriptedAgent().reached())
    monkeypatch.setattr("app.cli.follow.watch_plan", lambda *_: None)
    assert main(["run", MARIADB, "--sequence", "duel"]) == 0
    assert [each.target for each in LeftPlans(dyno_home).all()] == ["local"]


def test_a_target_that_the_command_does_not_name_gets_no_password_of_a_file(
    dyno_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Targets(dyno_home).add(Target("far", host="far.invalid", directories=["/d"]))
    LeftPlans(dyno_home).add(PLAN, "far", "/other")
    monkeypatch.setenv(PASSWORD_FILE, "/nowhere")
    hop, given = Hop("far.invalid", 22, "me"), list[str]()

    def find_plans(*_: object) -> list[object]:  # on a thread of its own
        given.append(label_of_file([hop]))
        return []

    monkeypatch.setattr("app.following.fetching.find_plans", find_plans)
    assert main(["session", "list"]) == 0
    assert given == [""] and label_of_file([hop]) == hop.password_label
