"""servers.toml: what is kept of a server that runs already, what is refused, what a broken file is told."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import InputError
from app.protocol.answers import ExistingServer
from app.remote.secrets import SERVICE
from app.targets.server_address import fingerprint_text, parse_fingerprint, parse_server_url
from app.targets.servers import NamedServer, Servers, check_server
from app.variables import option_values
from tests.fakes import CERTIFICATE, FakeExistingServer, MemoryKeyring

PROD = NamedServer("prod", "db.example", 3307, "bench", "dyno", CERTIFICATE, confirmed=True)


@pytest.fixture
def servers(dyno_home: Path) -> Servers:
    return Servers(dyno_home)


@pytest.mark.parametrize(
    ("url", "host", "port", "schema", "user"),
    [
        ("mysql://me@db/bench", "db", 3306, "bench", "me"),
        ("mysql://me@db.example:3307/bench", "db.example", 3307, "bench", "me"),
        ("mysql://me@10.0.0.5:1/B_1$", "10.0.0.5", 1, "B_1$", "me"),
        ("mysql://me@[2001:db8::7]:3307/x", "2001:db8::7", 3307, "x", "me"),
        ("mysql://a%40b.c@db/x", "db", 3306, "x", "a@b.c"),
    ],
)
def test_the_address_of_a_server(url: str, host: str, port: int, schema: str, user: str) -> None:
    found = parse_server_url("prod", url)
    assert (found.host, found.port, found.schema, found.user) == (host, port, schema, user)
    assert found.tls and not found.certificate and found.target == "local"
    assert parse_server_url("prod", found.url) == found


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://me:s3cret@db/x", "leave the password out of the address"),
        ("mysql://me:s3@cret/@db/x", "leave the password out of the address"),
        ("mysql://me:@db/x", "from the file that DYNO_PASSWORD_FILE names"),
        ("mysql://db/x", "must be mysql://USER@HOST[:PORT]/SCHEMA"),
        ("mysql://me@db", "must be mysql://"),
        ("mysql://me@db/", "schema must be 1 to 64 letters"),
        ("mysql://me@db/x/y", "must be mysql://"),
        ("mysql://me@db/x?password=s3cret", "must be mysql://"),
        ("mysql://me@db/x#s3cret", "must be mysql://"),
        ("postgresql://me@db/x", "must be mysql://"),
        ("me@db/x", "must be mysql://"),
        ("", "must be mysql://"),
        ("mysql://me@db:0/x", "port must be 1 to 65535, got 0"),
        ("mysql://me@db:65536/x", "got 65536"),
        ("mysql://me@db:٣٣/x", "port of the address must be 1 to 65535"),
        ("mysql://me@db:+3/x", "port of the address must be 1 to 65535"),
        ("mysql://me@db:/x", "port of the address must be 1 to 65535"),
        ("mysql://me@/x", "host must be a name or an address"),
        ("mysql://me@-db/x", "host must be a name or an address"),
        ("mysql://me@d b/x", "host must be a name or an address"),
        ("mysql://me@db\n/x", "host must be a name or an address"),
        (f"mysql://me@{'d' * 300}/x", "host must be a name or an address"),
        ("mysql://me@2001:db8::7/x", "port of the address"),
        ("mysql://me@[10.0.0.1]/x", "one of IPv6"),
        ("mysql://me@[fe80::1%eth0]/x", "one of IPv6"),
        ("mysql://me@[::1/x", "must be mysql://"),
        ("mysql://@db/x", "user must be 1 to 80 printable characters"),
        (f"mysql://{'u' * 81}@db/x", "user must be 1 to 80 printable characters"),
        ("mysql://a%0Ab@db/x", "user must be 1 to 80 printable characters"),
        ("mysql://me@db/a-b", "schema must be 1 to 64 letters, digits, _ and $"),
        (f"mysql://me@db/{'x' * 65}", "schema must be 1 to 64"),
        ("mysql://me@db/MySQL", "schema MySQL is the server's own"),
        ("mysql://me@db/sys", "is the server's own"),
        ("mysql://me@db/information_schema", "is the server's own"),
        ("mysql://me@db/performance_schema", "is the server's own"),
    ],
)
def test_what_is_no_address_of_a_server(url: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_server_url("prod", url)
    text = str(caught.value)
    assert says in text and "\n" not in text and "s3" not in text


def test_where_a_server_is() -> None:
    loopback = [NamedServer("x", host) for host in ("localhost", "127.0.0.1", "127.1.2.3", "::1")]
    assert all(each.is_loopback and not each.needs_confirmation for each in loopback)
    elsewhere = replace(PROD, confirmed=False)
    assert elsewhere.needs_confirmation and not PROD.needs_confirmation
    assert PROD.password_label == "password of dyno@db.example:3307"
    assert NamedServer("x", "::1", user="me").password_label == "password of me@[::1]:3306"


def test_servers_are_kept_for_this_user_alone(servers: Servers) -> None:
    assert servers.all() == [] and not servers.path.exists()
    servers.check_new(PROD)
    servers.keep(PROD)
    plain = NamedServer("a-1", "::1", schema="x", user="me", tls=False, price="0.52 USD")
    servers.keep(replace(plain, settings=["sync_binlog"], max_queries=500))
    assert servers.get("prod") == PROD
    assert [each.name for each in servers.all()] == ["a-1", "prod"]
    assert not servers.get("a-1").tls and servers.get("a-1").max_queries == 500
    assert servers.path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="server 'prod' exists already"):
        servers.check_new(PROD)
    with pytest.raises(InputError, match=r"no server 'prd' \(did you mean prod\?\): choose one of a-1, prod"):
        servers.get("prd")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": "Prod"}, "the name may have a-z"),
        ({"name": "x" * 65}, "the name may have a-z"),
        ({"host": ""}, "host must be"),
        ({"certificate": "AB" * 32}, "certificate must be a SHA-256 of 64 hexadecimal digits"),
        ({"tls": False}, "certificate must be a SHA-256 of 64 hexadecimal digits, with tls"),
        ({"settings": ["a;b"]}, "settings must be names of variables, such as sync_binlog, not 'a;b'"),
        ({"settings": ["a", "a"]}, "settings names a variable twice"),
        ({"settings": [f"v{n}" for n in range(51)]}, "settings may name 50 variables at most"),
        ({"max_queries": -1}, "max_queries must be 0 to 10,000,000 queries a second, got -1"),
        ({"price": "cheap"}, "price must be that of an hour, such as 0.52 USD"),
        ({"price": "0 USD"}, "price must be that of an hour"),
        ({"price": "0.5"}, "price must be that of an hour"),
        ({"price": "1 \x1b[31m"}, "price must be that of an hour"),
        ({"target": "a b"}, "target must be the name of a target"),
    ],
)
def test_what_cannot_be_a_server(servers: Servers, changes: dict[str, object], says: str) -> None:
    with pytest.raises(InputError) as caught:
        servers.keep(replace(PROD, **changes))  # type: ignore[arg-type]
    assert says in str(caught.value) and "\n" not in str(caught.value)
    assert not servers.path.exists()


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[prod]\nhost = \n", "line 2", "Invalid value"),
        ("[prod]\nhost = 'x'\npassword = 's3cret'\n", "line 3", "[prod] has the unknown key password"),
        ("[prod]\nhost = 'x'\nport = '1'\n", "line 3", "port of [prod] must be a number"),
        ("[prod]\ntls = 1\n", "line 2", "must be true or false"),
        ("[prod]\nfound_at = 1\n", "line 2", "must be a number with a point"),
        ("host = 'x'\n", "line 1", "host is not a table"),
        (
            "\n[prod]\nhost = 'x'\nuser = 'me'\nschema = 'mysql'\n",
            "line 2",
            "schema mysql is the server's own",
        ),
        ("[prod]\nuser = 'me'\nschema = 'x'\n", "line 1", "host must be"),
    ],
)
def test_a_broken_list_of_servers_is_told_with_its_line(
    servers: Servers, text: str, line: str, says: str
) -> None:
    servers.path.parent.mkdir()
    servers.path.write_text(text)
    with pytest.raises(InputError) as caught:
        servers.all()
    message = str(caught.value)
    assert str(servers.path) in message and line in message and says in message and "\n" not in message
    assert "s3cret" not in message


def test_another_place_is_another_server(servers: Servers) -> None:
    servers.keep(PROD.as_found(FakeExistingServer().found, 5.0))
    assert servers.changed("prod", price="1 EUR").version == "8.0.36"
    other = servers.changed("prod", host="db2.example")
    assert (other.certificate, other.confirmed, other.version, other.found_at) == ("", False, "", 0.0)
    port = servers.changed("prod", port=3308)
    assert (port.certificate, port.confirmed, port.version) == ("", True, "")
    account = servers.changed("prod", user="me")
    assert (account.certificate, account.version, account.engines) == (CERTIFICATE, "", [])
    with pytest.raises(InputError, match="a server has no colour: choose from host, port"):
        servers.changed("prod", colour="red")


def test_a_removed_server_takes_its_password_along(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    keyring = MemoryKeyring()
    monkeypatch.setattr("app.remote.secrets.system_keyring", lambda: keyring)
    keyring.set_password(SERVICE, PROD.password_label, "s3cret")
    remembers = replace(PROD, remember=True)
    servers.keep(remembers)
    servers.keep(replace(remembers, name="same", schema="other"))
    servers.keep(replace(PROD, name="forgets", schema="third"))
    servers.remove("prod")
    assert keyring.kept  # of the other one, too
    servers.remove("same")
    assert not keyring.kept
    servers.remove("forgets")
    assert servers.all() == []
    with pytest.raises(InputError, match="no server 'prod': add it with dyno server add"):
        servers.remove("prod")


@pytest.mark.parametrize("changes", [{"remember": False}, {"user": "me"}, {"port": 3308}])
def test_a_password_that_no_server_remembers_leaves_the_keyring(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object]
) -> None:
    keyring = MemoryKeyring()
    monkeypatch.setattr("app.remote.secrets.system_keyring", lambda: keyring)
    keyring.set_password(SERVICE, PROD.password_label, "s3cret")
    servers.keep(replace(PROD, remember=True))
    servers.update(servers.changed("prod", price="1 EUR"))
    assert keyring.kept
    servers.update(servers.changed("prod", **changes))
    assert not keyring.kept


def test_only_what_is_there_is_changed_and_only_what_is_new_is_added(servers: Servers) -> None:
    with pytest.raises(InputError, match="no server 'prod'"):
        servers.update(PROD)
    servers.add(PROD)
    servers.update(replace(PROD, price="1 EUR"))
    with pytest.raises(InputError, match="server 'prod' exists already"):
        servers.add(PROD)
    assert servers.get("prod").price == "1 EUR"


def test_what_a_server_says_of_itself_is_bounded_and_harmless() -> None:
    found = ExistingServer(
        family="MySQL",
        version="8.0\x1b[31m" + "x" * 5000,
        comment="a\nb",
        engines=["InnoDB", "drop table", "x" * 100, *(f"e{n}" for n in range(100))],
        default_engine="none of them",
        settings={"sync_binlog": "1\nlog_bin=OFF # é", "other": "2"},
    )
    kept = check_server(replace(PROD, settings=["sync_binlog"]).as_found(found, 7.0))
    assert kept.engines[:2] == ["innodb", "e0"] and len(kept.engines) == 50 and not kept.default_engine
    assert kept.found_settings == [r"sync_binlog=1\nlog_bin=OFF \x23 \xe9"] and kept.comment == r"a\nb"
    assert list(option_values("\n".join(("[mysqld]", *kept.found_settings)))) == ["sync_binlog"]
    assert kept.version.startswith("8.0\\x1b") and len(kept.version) < 300 and kept.found_at == 7.0


def test_fingerprints_in_each_form() -> None:
    shown = fingerprint_text(CERTIFICATE)
    assert shown.startswith("SHA256:5E:5E:") and len(shown) == 7 + 95
    for text in (shown, shown.lower(), CERTIFICATE, f"SHA256:{CERTIFICATE}", f" {CERTIFICATE.upper()}\n"):
        assert parse_fingerprint(text) == CERTIFICATE
    empty = hashlib.sha256(b"")
    coded = base64.b64encode(empty.digest()).decode()
    for text in (coded, coded.rstrip("="), f"SHA256:{coded}"):
        assert parse_fingerprint(text) == empty.hexdigest()
    for wrong in ("", "SHA256:", "SHA256:47DEQpj8HBSa+/TImW", CERTIFICATE[1:], CERTIFICATE + "5"):
        with pytest.raises(InputError, match="a fingerprint must be SHA256: and 64 hexadecimal digits"):
            parse_fingerprint(wrong)


REPLICA = replace(PROD, name="replica1", host="r1.example", replica_of="prod")


def test_a_replica_has_a_primary_of_the_list(servers: Servers) -> None:
    servers.keep(PROD)
    servers.check_new(REPLICA)
    servers.keep(replace(REPLICA, name="replica2", host="r2.example"))
    servers.keep(REPLICA)
    assert servers.primary_of(REPLICA) == PROD == servers.primary_of(PROD)
    assert [each.name for each in servers.replicas_of("prod")] == ["replica1", "replica2"]
    assert (
        servers.replicas_of("replica1") == [] and REPLICA.asked().is_replica and not PROD.asked().is_replica
    )
    with pytest.raises(InputError, match="server prod has the replica replica1: remove that first"):
        servers.remove("prod")
    servers.remove("replica2")
    servers.keep(servers.changed("replica1", replica_of=""))
    servers.remove("prod")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"replica_of": "prd"}, "no server 'prd' (did you mean prod?)"),
        ({"replica_of": "replica1"}, "replica_of must be the name of another server"),
        ({"replica_of": "a\nb"}, "replica_of must be the name of another server"),
        ({"replica_of": "replica2"}, "replica2 is a replica too: name its primary prod"),
        ({"schema": "other"}, "it must have the schema of its primary prod, bench, not other"),
        ({"target": "nuc"}, "it must have the target of its primary prod, local, not nuc"),
        ({"host": "db.example"}, "it is at db.example:3307 like its primary prod: name the address of the"),
    ],
)
def test_what_cannot_be_a_replica(servers: Servers, changes: dict[str, str], says: str) -> None:
    servers.keep(PROD)
    servers.keep(replace(REPLICA, name="replica2", host="r2.example"))
    wrong = replace(REPLICA, **changes)  # type: ignore[arg-type]
    for refuse in (servers.check_new, servers.keep):
        with pytest.raises(InputError) as caught:
            refuse(wrong)
        assert says in str(caught.value) and "\n" not in str(caught.value)
        assert caught.value.field == "replica_of"
    assert [each.name for each in servers.all()] == ["prod", "replica2"]


def test_a_primary_stays_one_while_it_has_replicas(servers: Servers) -> None:
    servers.keep(PROD)
    servers.keep(replace(PROD, name="first", host="first.example"))
    servers.keep(REPLICA)
    for changes in ({"schema": "other"}, {"target": "nuc"}, {"replica_of": "first"}):
        with pytest.raises(InputError, match="server replica1: "):
            servers.keep(servers.changed("prod", **changes))


def test_a_file_with_a_replica_of_nobody_can_be_put_right(servers: Servers) -> None:
    servers.keep(PROD)
    servers.keep(REPLICA)
    servers.path.write_text(servers.path.read_text().replace('replica_of = "prod"', 'replica_of = "gone"'))
    with pytest.raises(InputError, match="no server 'gone'"):
        servers.primary_of(servers.get("replica1"))
    servers.keep(servers.changed("replica1", replica_of="prod"))
    assert servers.primary_of(servers.get("replica1")) == PROD
