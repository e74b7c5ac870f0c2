"""Looking at a server that runs already: the certificate first, then the password, then what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import DynoError, InputError
from app.protocol.answers import ExistingServer, ServerAddress
from app.remote.secrets import PASSWORD_FILE, SERVICE, TRIES, forget_secrets
from app.targets.server_address import fingerprint_text
from app.targets.server_login import (
    ChangedServerCertificateError,
    UnknownServerCertificateError,
    check_usable,
    log_in,
    look_at,
    offered_certificate,
)
from app.targets.servers import NamedServer
from tests.fakes import CERTIFICATE, PASSWORD, FakeExistingServer, MemoryKeyring

PROD = NamedServer("prod", "db.example", 3306, "bench", "dyno", CERTIFICATE, confirmed=True)
PLAIN = replace(PROD, certificate="", tls=False)


@pytest.fixture(autouse=True)
def keyring(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryKeyring]:
    found = MemoryKeyring()
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: found)
    forget_secrets()
    yield found
    forget_secrets()


def typing(*passwords: str) -> Callable[[str], str | None]:
    rest = list(passwords)
    return lambda _prompt: rest.pop(0) if rest else None


def test_the_certificate_is_looked_at_without_an_account() -> None:
    agent = FakeExistingServer()
    assert offered_certificate(agent, PROD) == CERTIFICATE
    assert [(each.user, each.schema, each.password) for each in agent.asked] == [("", "", "")]
    with pytest.raises(InputError, match="offers no TLS: passwords and rows would cross the network"):
        offered_certificate(FakeExistingServer(certificate=""), PROD)


def test_a_login_says_what_is_there_and_stores_the_password_it_is_to_remember(
    keyring: MemoryKeyring,
) -> None:
    agent, prod = FakeExistingServer(), replace(PROD, remember=True)
    looked = log_in(agent, replace(prod, settings=["sync_binlog"]), typing("wrong", PASSWORD), lambda: 9.0)
    assert looked.password == PASSWORD and PASSWORD not in repr(looked)
    server = looked.server
    assert (server.family, server.version, server.default_engine) == ("MySQL", "8.0.36", "innodb")
    assert server.found_settings == ["sync_binlog=1"] and server.found_at == 9.0
    assert keyring.get_password(SERVICE, "password of dyno@db.example:3306") == PASSWORD
    assert [each.password for each in agent.asked] == ["wrong", PASSWORD]
    assert all(PASSWORD not in repr(each) for each in agent.asked)
    forget_secrets()
    assert log_in(agent, prod, typing()).password == PASSWORD  # of the keyring
    forget_secrets()
    with pytest.raises(InputError, match="server prod needs the password"):
        log_in(agent, PROD, typing())  # it is of one that is to remember it


def test_without_a_wish_no_password_is_stored(keyring: MemoryKeyring) -> None:
    agent = FakeExistingServer()
    assert log_in(agent, PROD, typing(PASSWORD)).password == PASSWORD and not keyring.kept
    assert log_in(agent, PROD, typing()).password == PASSWORD  # of this process


def test_a_wrong_password_is_asked_for_again_and_then_refused(keyring: MemoryKeyring) -> None:
    agent = FakeExistingServer()
    with pytest.raises(DynoError, match="1045 Access denied for user 'dyno'") as caught:
        log_in(agent, PROD, typing(*"abcde"))
    assert len(agent.asked) == TRIES and not keyring.kept and "\n" not in str(caught.value)


def test_without_a_person_the_file_of_the_password_is_named() -> None:
    agent = FakeExistingServer()
    with pytest.raises(InputError, match=f"server prod needs the password .* in {PASSWORD_FILE}"):
        log_in(agent, PROD, typing())
    assert not agent.asked  # a server counts logins that fail


def test_the_password_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keyring: MemoryKeyring
) -> None:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    file.chmod(0o600)
    monkeypatch.setenv(PASSWORD_FILE, str(file))
    assert log_in(FakeExistingServer(), PROD, typing("never asked")).password == PASSWORD
    assert not keyring.kept
    file.write_text("another")
    with pytest.raises(DynoError, match=f"1045 .*; the password is that of {PASSWORD_FILE}"):
        log_in(FakeExistingServer(), PROD, typing(PASSWORD))
    file.chmod(0o644)
    with pytest.raises(InputError, match="others may read or change it: chmod 600 it"):
        log_in(FakeExistingServer(), PROD, typing())


def test_a_server_may_have_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the password of one server never goes to another one of the plan."""
    for name, text in (("all", "another"), ("own", PASSWORD)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o600)
    monkeypatch.setenv(PASSWORD_FILE, str(tmp_path / "all"))
    server = replace(PROD, name="prod.eu-1")
    with pytest.raises(DynoError, match=f"the password is that of {PASSWORD_FILE}$"):
        log_in(FakeExistingServer(), server, typing())
    monkeypatch.setenv(f"{PASSWORD_FILE}_PROD_EU_1", str(tmp_path / "own"))
    assert log_in(FakeExistingServer(), server, typing()).password == PASSWORD
    with pytest.raises(DynoError, match=f"the password is that of {PASSWORD_FILE}$"):
        log_in(FakeExistingServer(), PROD, typing())


def test_a_password_without_an_end_is_not_sent() -> None:
    agent = FakeExistingServer()
    with pytest.raises(InputError, match="has more than 1,000 characters"):
        log_in(agent, PROD, typing("x" * 1001))
    assert not agent.asked


def test_another_certificate_ends_the_login(keyring: MemoryKeyring) -> None:
    agent = FakeExistingServer(certificate="ab" * 32)
    with pytest.raises(ChangedServerCertificateError, match="HAS CHANGED: accepted is SHA256:5E") as caught:
        log_in(agent, PROD, typing(PASSWORD))
    assert "dyno server trust prod SHA256:AB:AB" in str(caught.value) and "\n" not in str(caught.value)
    assert not keyring.kept


def test_plain_text_is_only_what_a_person_asked_for() -> None:
    agent = FakeExistingServer(certificate="", tls="")
    looked = log_in(agent, PLAIN, typing(PASSWORD))
    assert looked.server.version == "8.0.36" and not agent.asked[0].tls
    with pytest.raises(DynoError, match="TLS failed"):
        log_in(agent, PROD, typing(PASSWORD))


def test_what_else_fails_is_not_asked_about_again() -> None:
    class Unreached(FakeExistingServer):
        def reach_server(self, address: ServerAddress) -> ExistingServer:
            self.asked.append(address)
            raise InputError("local: db.example:3306 cannot be reached: no route to host")

    agent = Unreached()
    with pytest.raises(InputError, match="no route to host"):
        log_in(agent, PROD, typing("a", "b"))
    assert [each.password for each in agent.asked] == ["a", ""]  # then its certificate is looked at
    silent = FakeExistingServer(family="", problems=["1130 host not allowed"])
    with pytest.raises(DynoError, match="did not let dyno in: 1130 host not allowed"):
        log_in(silent, PROD, typing(PASSWORD))


def test_nothing_goes_to_a_server_that_nobody_confirmed_or_accepted() -> None:
    check_usable(PROD)
    check_usable(PLAIN)
    with pytest.raises(InputError, match=r"dyno server edit prod --confirm db\.example"):
        check_usable(replace(PROD, confirmed=False))
    with pytest.raises(InputError, match="is not accepted yet: look at it with dyno server show prod"):
        check_usable(replace(PROD, certificate=""))
    unknown = UnknownServerCertificateError(PROD, CERTIFICATE)
    assert str(unknown).endswith(f"then accept it: dyno server trust prod {fingerprint_text(CERTIFICATE)}")
    assert unknown.window_text.endswith("then accept it: choose Look at the server on the Bench page")


def test_a_look_begins_with_what_a_person_has_to_decide() -> None:
    """Confirmed, then certificate, then password: each before anything of the next is sent or asked."""
    agent, asked = FakeExistingServer(certificate="ab" * 32), list[str]()
    for server, wrong in (
        (replace(PROD, confirmed=False), InputError),
        (replace(PROD, certificate=""), UnknownServerCertificateError),
        (PROD, ChangedServerCertificateError),
    ):
        with pytest.raises(wrong):
            look_at(agent, server, lambda prompt: asked.append(prompt) or PASSWORD)
    assert [each.user for each in agent.asked] == ["", ""] and not asked
    assert look_at(agent, replace(PROD, certificate="ab" * 32), typing(PASSWORD)).password == PASSWORD
