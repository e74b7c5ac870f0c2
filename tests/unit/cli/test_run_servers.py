"""`dyno run @prod`: servers that run already, from words to a started plan."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.cli.plan_text import show_plan, show_plan_in_brief
from app.planner.estimate.estimate import estimate
from app.remote.secrets import PASSWORD_FILE, forget_secrets
from app.targets.servers import Servers
from tests.existing import PROD, keep_two_servers
from tests.fakes import PASSWORD, ScriptedAgent
from tests.plans import MARIADB, plan, survey, write
from tests.reaching import reach_instead
from tests.unit.cli.words import refused


@pytest.fixture
def target_of_servers(monkeypatch: pytest.MonkeyPatch) -> ScriptedAgent:
    """This computer, a fake, and two servers that were looked at."""
    keep_two_servers()
    forget_secrets()
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: None)
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    agent = ScriptedAgent()
    reach_instead(monkeypatch, agent.reached)
    return agent


@pytest.fixture
def file_of_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "password-of-prod"
    file.write_text(PASSWORD)
    file.chmod(0o600)
    monkeypatch.setenv(PASSWORD_FILE, str(file))


def test_two_servers_are_run_without_a_terminal(
    target_of_servers: ScriptedAgent, file_of_password: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "@prod", "@replica:innodb", "--sequence", "duel", "--within", "1h", "--detach"]) == 0
    shown = capsys.readouterr()
    assert "prod-innodb, replica-innodb, driven by local" in shown.out and "is running on local" in shown.out
    assert target_of_servers.passwords[-1] == {"prod-innodb": PASSWORD, "replica-innodb": PASSWORD}
    assert PASSWORD not in shown.out + shown.err


def test_a_dry_run_shows_what_is_known_of_a_server(
    target_of_servers: ScriptedAgent, file_of_password: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "@prod", f"{MARIADB}:innodb", "--sequence", "duel", "--dry-run", "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)
    assert entry["plan"]["contenders"][0]["host"] == "db.example" and PASSWORD not in json.dumps(entry)
    made = plan("@prod", f"{MARIADB}:innodb")
    show_plan(made, estimate(made, survey()))
    shown = capsys.readouterr().out
    assert "prod-innodb runs already: db.example:3306, schema bench, TLS" in shown
    alone = plan("@prod")
    show_plan_in_brief(alone, estimate(alone, survey()))
    show_plan(alone, estimate(alone, survey()))
    shown = capsys.readouterr().out
    assert "with the preset" not in shown and "the data lie on the servers" in shown


def test_a_password_is_needed(
    target_of_servers: ScriptedAgent, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = ("run", "@prod", "--sequence", "duel", "--detach")
    assert f"in {PASSWORD_FILE}" in refused(capsys, *running, "--within", "1h")
    assert "upload" not in target_of_servers.asked
    typed = iter(("wrong", PASSWORD))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(typed))
    assert main([*running, "--within", "1h"]) == 0
    assert target_of_servers.passwords[-1] == {"prod-innodb": PASSWORD}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("@nobody",), "no server 'nobody': choose one of prod, replica, or add it with dyno server add"),
        (("@prod:rocksdb",), "server prod lacks the engine rocksdb"),
        (("@prod:innodb:baseline",), "must be @SERVER or @SERVER:ENGINE"),
        (("@prod", "--taskset", "0-1"), "contender @prod: cores is not for a server that runs already"),
        (("@prod", "--allocator", "jemalloc"), "allocator is not for a server that runs already"),
        (("@prod", "--start-state", "snapshot"), "leave start out"),
        (("@prod", "--instruments", "waits"), "leave instruments out"),
        (("@prod", "--vary", "innodb_spin_wait_delay=6,96"), "leave vary out"),
        (("@prod", "--profile", "insert"), "leave profile out"),
        (("@prod", "--rows", "2x memory"), "give a number of rows, not 2x memory"),
        (("@prod", f"{MARIADB}:innodb", "--order", "slices"), "cannot mix builds and servers"),
        (("@prod", "--queue"), "cannot wait in the queue"),
        (("@prod", "--at", "23:59"), "cannot wait in the queue"),
        (("@prod", "--sequence", "work"), "is of kind count"),
    ],
)
def test_wrong_words_for_servers_before_a_password_is_asked_for(
    target_of_servers: ScriptedAgent,
    file_of_password: None,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    says: str,
) -> None:
    sequence = () if "--sequence" in words else ("--sequence", "duel")
    assert says in refused(capsys, "run", *words, *sequence, "--detach")
    assert not target_of_servers.running.asked and "start" not in target_of_servers.asked


def test_a_plan_file_for_each_build_takes_no_server(
    target_of_servers: ScriptedAgent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = 'sequence = "duel"\n[[contender]]\nbuild = "*"\nengine = "innodb"\n'
    file = write(tmp_path / "each.toml", text)
    assert "@prod is no build, leave it out" in refused(capsys, "run", str(file), "@prod")
    write(file, text.replace('build = "*"', 'server = "prod"\npreset = "baseline"'))
    said = refused(capsys, "run", str(file))
    assert "preset is not for a server that runs already" in said and "line 4" in said


def test_a_server_of_another_target_is_refused(
    target_of_servers: ScriptedAgent, capsys: pytest.CaptureFixture[str]
) -> None:
    Servers().keep(replace(Servers().get("prod"), name="far", target="nuc"))
    said = refused(capsys, "run", "@far", "--sequence", "duel")
    assert "server far is driven by nuc, not by local" in said
    Servers().keep(PROD)
    assert "is not looked at yet: dyno server show prod" in refused(
        capsys, "run", "@prod", "--sequence", "duel"
    )
    assert not target_of_servers.asked
