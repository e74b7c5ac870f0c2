"""`dyno server`: servers that run already are added, looked at, trusted, changed and removed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.protocol.answers import ExistingServer, ServerAddress
from app.remote.secrets import PASSWORD_FILE, forget_secrets
from app.targets.server_address import fingerprint_text, parse_server_url
from app.targets.servers import Servers
from tests.fakes import CERTIFICATE, PASSWORD, FakeExistingServer, MemoryKeyring
from tests.hostile import TEXT, finds
from tests.unit.cli.words import refused, said

URL = "mysql://dyno@db.example:3307/bench"
SHOWN = fingerprint_text(CERTIFICATE)


class Terminal:
    """A person at a terminal, with answers to what Dyno asks."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.answers: list[str] = []
        self.asked: list[str] = []
        self._patch = patch

    def sits(self, *answers: str) -> None:
        self.answers = list(answers)
        self._patch.setattr("sys.stdin.isatty", lambda: True)
        self._patch.setattr("builtins.input", self._answer)
        self._patch.setattr("getpass.getpass", self._answer)

    def _answer(self, prompt: str) -> str:
        self.asked.append(prompt)
        return self.answers.pop(0)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: None)
    forget_secrets()
    yield Terminal(monkeypatch)
    forget_secrets()


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> FakeExistingServer:
    """A fake of a server that runs already, reached from any target."""
    server = FakeExistingServer()

    @contextmanager
    def reached(*_: Any) -> Iterator[FakeExistingServer]:
        yield server

    monkeypatch.setattr("app.targets.server_actions.reached", reached)
    return server


@pytest.fixture
def with_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "password-of-a-server"
    file.write_text(PASSWORD)
    file.chmod(0o600)
    monkeypatch.setenv(PASSWORD_FILE, str(file))


def test_a_person_adds_a_server(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, terminal: Terminal
) -> None:
    terminal.sits("DB.example", "y", PASSWORD)
    options = ("--settings", "sync-binlog", "--max-queries", "2k", "--price", "0.52 USD")
    shown = said(capsys, "server", "add", "prod", URL, *options)
    assert [each.user for each in running.asked] == ["", "", "dyno"], "the certificate comes first"
    assert "Type the host db.example" in terminal.asked[0]
    assert SHOWN in terminal.asked[1] and "password of dyno@db.example:3307" in terminal.asked[2]
    assert "prod: MySQL 8.0.36 (Source distribution), mysql://dyno@db.example:3307/bench" in shown
    assert f"TLS: TLSv1.3, {SHOWN}" in shown and "engines: innodb (default), memory, myisam" in shown
    assert "SELECT 1 takes 0.42 ms" in shown and "setting: sync_binlog=1" in shown
    assert "note: CPU and memory of its machine" in shown
    kept = Servers().get("prod")
    assert (kept.certificate, kept.confirmed, kept.max_queries) == (CERTIFICATE, True, 2000)
    assert kept.price == "0.52 USD" and kept.version == "8.0.36" and kept.target == "local"
    assert PASSWORD not in Servers().path.read_text() and PASSWORD not in shown


def test_a_replica_is_added_to_its_primary(
    capsys: pytest.CaptureFixture[str],
    running: FakeExistingServer,
    terminal: Terminal,
    with_password: None,
) -> None:
    own, url = "mysql://me@localhost/bench", "mysql://me@localhost:3308/bench"
    assert "no server 'own'" in refused(capsys, "server", "add", "r1", url, "--no-tls", "--replica-of", "own")
    assert not running.asked
    said(capsys, "server", "add", "own", own, "--no-tls")
    shown = said(capsys, "server", "add", "r1", url, "--no-tls", "--replica-of", "own")
    assert "replica of own, takes only reads" in shown
    assert [each.is_replica for each in running.asked] == [False, True]
    assert "r1 is a replica, where Dyno makes nothing: write dyno server clean own" in refused(
        capsys, "server", "clean", "r1"
    )
    assert "replica of" in said(capsys, "server", "list", "--wide")
    assert "has the replica r1: remove that first" in refused(capsys, "server", "remove", "own")
    said(capsys, "server", "edit", "r1", "--replica-of", "")
    said(capsys, "server", "remove", "own")


def test_who_is_not_sure_adds_nothing(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, terminal: Terminal
) -> None:
    terminal.sits("db2.example")
    assert "not the one that was typed: nothing is kept" in refused(capsys, "server", "add", "prod", URL)
    assert not running.asked
    terminal.sits("db.example", "n")
    assert "is not accepted: no account was sent to it" in refused(capsys, "server", "add", "prod", URL)
    assert [each.user for each in running.asked] == [""] and not Servers().all()


def test_without_a_terminal_the_fingerprint_comes_first(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, with_password: None
) -> None:
    adding = ("server", "add", "prod", URL)
    assert "confirm it with --confirm db.example" in refused(capsys, *adding)
    assert main([*adding, "--confirm", "db.example"]) == 1
    error = capsys.readouterr().err
    assert f"then accept it: dyno server trust prod {SHOWN}" in error and error.count("\n") == 1
    assert not any(each.password for each in running.asked)
    assert main(["server", "show", "prod"]) == 1  # nobody has accepted it yet
    capsys.readouterr()
    wrong = SHOWN.replace("5E", "5F")
    assert f"shows {SHOWN}: that is not the fingerprint" in refused(capsys, "server", "trust", "prod", wrong)
    assert "accepted; next: dyno server show prod" in said(capsys, "server", "trust", "prod", SHOWN)
    entry = json.loads(said(capsys, "server", "show", "prod", "--json"))
    assert entry["name"] == "prod" and entry["found"]["version"] == "8.0.36" and entry["version"] == "8.0.36"
    assert PASSWORD not in json.dumps(entry)


def test_a_server_on_loopback_needs_no_confirmation_and_may_be_plain(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, with_password: None
) -> None:
    shown = said(capsys, "server", "add", "own", "mysql://me@localhost/bench", "--no-tls")
    assert "TLS: none: plain text" in shown and [each.tls for each in running.asked] == [False]
    kept = Servers().get("own")
    assert not kept.tls and not kept.certificate and not kept.confirmed
    assert "is used without TLS" in refused(capsys, "server", "trust", "own", SHOWN)
    again = refused(capsys, "server", "add", "own", "mysql://me@[::1]/bench")
    assert "server 'own' exists already" in again


def test_a_password_is_stored_only_if_a_person_says_so(
    capsys: pytest.CaptureFixture[str],
    running: FakeExistingServer,
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keyring = MemoryKeyring()
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: keyring)
    monkeypatch.setattr("app.remote.secrets.system_keyring", lambda: keyring)
    terminal.sits(PASSWORD)
    said(capsys, "server", "add", "own", "mysql://me@localhost/bench", "--no-tls")
    assert not keyring.kept
    said(capsys, "server", "edit", "own", "--remember")
    said(capsys, "server", "show", "own")
    assert list(keyring.kept.values()) == [PASSWORD]
    forget_secrets()
    said(capsys, "server", "show", "own")  # by the stored one
    said(capsys, "server", "edit", "own", "--no-remember")
    assert not keyring.kept and not Servers().get("own").remember
    monkeypatch.setattr("app.remote.secrets.system_keyring", lambda: None)
    assert "this system has no keyring for the secrets of own" in refused(
        capsys, "server", "edit", "own", "--remember"
    )
    adding = ("server", "add", "prod", URL, "--remember")
    assert "this system has no keyring for the secrets of prod" in refused(capsys, *adding)
    assert [each.name for each in Servers().all()] == ["own"]


def test_a_changed_certificate_is_loud_and_nobody_is_asked_for_a_password(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, terminal: Terminal
) -> None:
    Servers().keep(replace(parse_server_url("prod", URL), certificate="ab" * 32, confirmed=True))
    terminal.sits()
    for verb in ("show", "clean"):
        assert main(["server", verb, "prod"]) == 1
        error = capsys.readouterr().err
        assert "THE CERTIFICATE OF db.example:3307 HAS CHANGED" in error and error.count("\n") == 1
        assert f"dyno server trust prod {SHOWN}" in error
    assert not terminal.asked and {each.user for each in running.asked} == {""}


def test_a_server_that_is_removed_meanwhile_does_not_come_back(
    capsys: pytest.CaptureFixture[str],
    running: FakeExistingServer,
    with_password: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said(capsys, "server", "add", "own", "mysql://me@localhost/bench", "--no-tls")
    reach = running.reach_server

    def reach_and_remove(address: ServerAddress) -> ExistingServer:
        Servers().remove("own")
        return reach(address)

    monkeypatch.setattr(running, "reach_server", reach_and_remove)
    assert "no server 'own'" in refused(capsys, "server", "show", "own")
    assert not Servers().all()


def test_problems_of_a_server_are_shown(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, with_password: None
) -> None:
    running.found = FakeExistingServer(
        schema_state="the schema has tables of others", problems=["the account may not create tables"]
    ).found
    shown = said(capsys, "server", "add", "own", "mysql://me@127.0.0.1/bench", "--no-tls")
    assert "problem: the schema has tables of others" in shown
    assert "problem: the account may not create tables" in shown


def test_what_a_hostile_server_says_is_shown_and_does_nothing(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, with_password: None
) -> None:
    texts = dict.fromkeys(("family", "version", "comment", "schema_state", "tls"), f"x{TEXT}")
    lists = {name: [f"x{TEXT}"] for name in ("notes", "problems", "engines")}
    running.found = FakeExistingServer(**texts, **lists, certificate="").found
    shown = said(capsys, "server", "add", "own", "mysql://me@localhost/bench", "--no-tls")
    shown += said(capsys, "server", "show", "own", "--json") + said(capsys, "server", "list", "--wide")
    assert "ev[il]" in shown and not finds(shown)


def test_a_server_is_changed_listed_and_removed(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, with_password: None
) -> None:
    assert said(capsys, "server", "list", "--json") == "[]\n"
    said(capsys, "server", "add", "own", "mysql://me@localhost/bench", "--no-tls")
    said(capsys, "server", "edit", "own", "--price", "2 EUR", "--settings", "a,b")
    kept = Servers().get("own")
    assert kept.price == "2 EUR" and kept.settings == ["a", "b"]
    said(capsys, "server", "edit", "own", "--settings", "", "--price", "")
    assert not Servers().get("own").settings and not Servers().get("own").price
    moving = ("server", "edit", "own", "--url", URL)
    assert "confirm it with --confirm db.example" in refused(capsys, *moving)
    assert "not the one that was typed" in refused(capsys, *moving, "--confirm", "db")
    said(capsys, *moving, "--confirm", "db.example")
    assert Servers().get("own").confirmed and not Servers().get("own").version
    assert URL in said(capsys, "server", "list")
    assert json.loads(said(capsys, "server", "list", "--json"))[0]["host"] == "db.example"
    said(capsys, "server", "remove", "own")
    assert not Servers().all()


def test_what_a_killed_plan_has_left_is_dropped(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, with_password: None
) -> None:
    said(capsys, "server", "add", "own", "mysql://me@localhost/bench", "--no-tls")
    assert said(capsys, "server", "clean", "own") == "removed table sbtest1 of bench\n"
    assert running.asked[-1].password == PASSWORD
    asked = len(running.asked)
    Servers().keep(replace(Servers().get("own"), host="db.example"))
    assert "which nobody has confirmed" in refused(capsys, "server", "clean", "own")
    assert len(running.asked) == asked


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("add", "prod", "mysql://me:s3cret@db/x"), "leave the password out of the address"),
        (("add", "Prod", URL), "the name may have a-z"),
        (("add", "prod", URL, "--target", "moon"), "no target 'moon'"),
        (("add", "prod", URL, "--settings", "a b"), "settings must be names of variables"),
        (("add", "prod", URL, "--settings", "a,,b"), "has an empty item"),
        (("add", "prod", URL, "--max-queries", "-1"), "must be a number from 0 to 10,000,000"),
        (("add", "prod", URL, "--price", "much"), "price must be that of an hour"),
        (("add", "prod", URL, "--confirm", "db"), "is db.example, not the one that was typed"),
        (("show", "prod"), "no server 'prod': add it with dyno server add"),
        (("trust", "prod", SHOWN), "no server 'prod'"),
        (("edit", "prod"), "no server 'prod'"),
        (("remove", "prod"), "no server 'prod'"),
        (("clean", "prod"), "no server 'prod'"),
    ],
)
def test_wrong_words_about_servers(
    capsys: pytest.CaptureFixture[str], running: FakeExistingServer, words: tuple[str, ...], says: str
) -> None:
    text = refused(capsys, "server", *words)
    assert says in text and "s3cret" not in text and not running.asked and not Servers().all()
