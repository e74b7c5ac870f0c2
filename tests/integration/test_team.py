"""Desktops that share their history through a real server: certificate, password, grants, going away."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from app.agent.survey.builds import find_builds
from app.core.errors import DynoError, InputError
from app.history.lists import edits
from app.history.lists.browsing import Filter, Order
from app.history.lists.browsing import page as page_of
from app.history.lists.sessions import sessions
from app.history.store.history import History
from app.remote.secrets import SecretNeededError, forget_secrets
from app.team.address import TeamHistoryChoice, keep_history_choice, read_team_history
from app.team.certificate import CertificateChangedError, CertificateError, CertificateUnknownError
from app.team.connection import PasswordError
from app.team.exchange import Exchanger
from app.team.listing import find_team_sessions, team_session_page
from app.team.local_sessions import team_server_id
from app.team.login import PASSWORD_FILE, connect_to_team_server, join_team_history
from app.team.plugin import PlainPasswordPluginError
from app.team.schema import STATEMENTS
from app.team.store import TeamError, TeamServerAwayError
from app.team.syncing import sync
from tests.installed import BUILD
from tests.integration.desktop import Desktop
from tests.journals import contender, plan, store, whole
from tests.team_server import PASSWORD, READER, WRITER, Database, certify, started
from tests.unit.team.test_merging import desktops, edit_something, state_of
from tests.waiting import wait_until

__all__ = ["desktops"]


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with started(BUILD) as found:
        yield found


@pytest.fixture(autouse=True)
def no_secret_of_another_test() -> Iterator[None]:
    forget_secrets()
    yield
    forget_secrets()


def ask(_prompt: str) -> str:
    return PASSWORD


def choice(database: Database, user: str = WRITER, password: str = PASSWORD) -> TeamHistoryChoice:
    found = TeamHistoryChoice(database.address(user), user)
    try:
        join_team_history(Path("/nonexistent"), found, lambda _: password)
    except CertificateUnknownError as error:
        return TeamHistoryChoice(found.address, user, certificate=error.fingerprint)
    raise AssertionError("a certificate that nobody vouches for was accepted")


def test_desktops_on_a_real_server_are_equal_in_the_end(
    database: Database, desktops: list[History], tmp_path: Path
) -> None:
    join_team_history(tmp_path / "settings", choice(database), ask)
    chance, server = random.Random(23), connect_to_team_server(choice(database), ask)
    for at in range(40):
        who = chance.randrange(len(desktops))
        for _ in range(3):
            edit_something(desktops[who], chance, at)
        sync(desktops[who], server, f"person {who}")
    for _ in range(2):
        for history in desktops:
            sync(history, server, "")
    states = [state_of(history) for history in desktops]
    assert states[1:] == states[:-1] and states[0][0]
    in_force = database.query("SELECT subject, kind, item, author, number FROM team.in_force")
    assert sorted(in_force) == sorted(states[0][-1])
    reader = connect_to_team_server(choice(database, READER), ask)
    with History(tmp_path / "reader") as history:
        assert sync(history, reader, "Ben").fetched_sessions == 10
        edits.tag(history, sessions(history)[0]["id"], "mine")
        assert "you may only read: 1 change of yours" in sync(history, reader, "Ben").text


def test_a_server_that_goes_away_is_one_line_and_comes_back(
    database: Database, desktops: list[History], tmp_path: Path
) -> None:
    wanted = choice(database)
    join_team_history(tmp_path / "settings", wanted, ask)
    history, exchanger = desktops[0], Exchanger()
    database.stop()
    with pytest.raises(TeamServerAwayError) as caught:
        exchanger.exchange(history, wanted, ask)
    assert str(caught.value).isprintable() and "does not answer" in str(caught.value)
    database.start()
    assert exchanger.exchange(history, wanted, ask).text
    database.stop()
    with pytest.raises(TeamServerAwayError):
        exchanger.exchange(history, wanted, ask)
    database.start()
    assert exchanger.exchange(history, wanted, ask).text == "up to date"
    exchanger.close()


def test_a_connection_that_was_closed_as_idle_is_made_anew(
    database: Database, desktops: list[History], tmp_path: Path
) -> None:
    wanted = choice(database)
    join_team_history(tmp_path / "settings", wanted, ask)
    database.query("SET GLOBAL wait_timeout = 1")
    try:
        with closing(Exchanger()) as exchanger:
            exchanger.exchange(desktops[0], wanted, ask)
            wait_until(lambda: not _connections(database), "the server closes the idle connection", 20)
            assert exchanger.exchange(desktops[0], wanted, ask).text == "up to date"
    finally:
        database.query("SET GLOBAL wait_timeout = 28800")


def _connections(database: Database) -> list[tuple[object, ...]]:
    return database.query(f"SELECT id FROM information_schema.processlist WHERE user = '{WRITER}'")


FILTERS = (
    Filter(), Filter("100%"), Filter("full"), Filter("ZETA"), Filter("rocksdb local"), Filter("f_st"),
    Filter("\\"),
    Filter("", {"target": ("shelf",)}), Filter("", {"tag": ("alpha", "x")}), Filter("00002"),
    Filter("", {"state": ("completed", "lost")}),
)  # fmt: skip


def test_lists_are_the_same_on_the_server_and_sessions_come_when_they_are_chosen(
    database: Database, tmp_path: Path
) -> None:
    wanted = replace(choice(database), fetches_all=False)
    join_team_history(tmp_path / "settings", wanted, ask)
    exchanger = Exchanger()
    lists = exchanger.lists(wanted, ask)
    with History(tmp_path / "one") as one, History(tmp_path / "two") as two:
        two_engines = plan([contender(), contender("rocksdb")], number=91, repeats=2)
        elsewhere = plan([contender("myisam")], number=92, target="shelf")
        store(one, *(whole(its_plan, turn.session) for its_plan in (two_engines, elsewhere)
                     for turn in its_plan.turns))  # fmt: skip
        ids = [id_ for (id_,) in one.query("SELECT id FROM session ORDER BY id")]
        edits.rename(one, ids[0], "it's 100% \\ fast_")
        for tag in ("Zeta", "alpha"):
            edits.tag(one, ids[1], tag)
        edits.note(one, ids[2], "the disk was full")
        edits.delete(one, ids[3])
        assert "sent 4 sessions" in exchanger.exchange(one, wanted, ask).text
        of_others = {each["id"] for each in team_session_page(lists, Filter())} - set(ids)
        for each in FILTERS:
            there = [line for line in team_session_page(lists, each) if line["id"] not in of_others]
            here = page_of(one, each, Order(), 0, 100)
            assert there == [{**line, "colour": 0} for line in here], each
        assert exchanger.exchange(two, wanted, ask).fetched_sessions == 0
        assert two.query("SELECT count(*) FROM session") == [(0,)]
        assert (
            exchanger.fetch(two, wanted, ask, find_team_sessions(lists, ids[0])).text == "received 1 session"
        )
        assert [entry["name"] for entry in sessions(two)] == ["it's 100% \\ fast_"]
        with pytest.raises(DynoError, match="the team has no session"):
            find_team_sessions(lists, "nothing")
    exchanger.close()


def test_who_is_asked_for_what(database: Database) -> None:
    prompts: list[str] = []

    def refuse(prompt: str) -> None:
        prompts.append(prompt)

    wanted = choice(database)
    with pytest.raises(SecretNeededError):
        connect_to_team_server(wanted, refuse)
    with pytest.raises(SecretNeededError):
        connect_to_team_server(
            wanted, lambda prompt: (prompts.append(prompt), "wrong" if len(prompts) < 4 else None)[1]
        )
    assert set(prompts) == {f"password of anna@127.0.0.1 port {database.port} (team's history): "}
    connect_to_team_server(wanted, ask).close()
    connect_to_team_server(wanted, refuse).close()  # it is remembered for reconnects


def test_wrong_passwords_are_not_followed_by_a_login_without_one(database: Database) -> None:
    database.query("CREATE USER open@localhost", "GRANT SELECT ON team.* TO open@localhost")
    wanted = choice(database, "open", "")
    with pytest.raises(PasswordError):
        connect_to_team_server(wanted, lambda _: "wrong")
    connect_to_team_server(wanted, lambda _: "").close()


@pytest.mark.parametrize("certificate", ["", "SHA256:00"])
def test_nobody_is_asked_for_a_password_before_the_certificate_is_known(
    database: Database, certificate: str
) -> None:
    prompts: list[str] = []
    with pytest.raises(CertificateError):
        connect_to_team_server(
            TeamHistoryChoice(database.address(), "Anna", certificate=certificate), prompts.append
        )
    assert prompts == []


def test_a_machine_takes_the_password_from_a_private_file(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted, file = choice(database), tmp_path / "password"
    forget_secrets()
    monkeypatch.setenv(PASSWORD_FILE, str(file))
    with pytest.raises(InputError, match=f"{PASSWORD_FILE} {file}: it is not a file"):
        connect_to_team_server(wanted, None)
    for content in (f"{PASSWORD}\n", PASSWORD):
        file.write_text(content)
        file.chmod(0o600)
        connect_to_team_server(wanted, None).close()
    for content in ("", "\n", f"{PASSWORD}\nmore\n", "\0"):
        file.write_text(content)
        with pytest.raises(InputError, match="the password alone"):
            connect_to_team_server(wanted, None)
    file.write_text("wrong")
    with pytest.raises(PasswordError, match=f"that of {PASSWORD_FILE}"):
        connect_to_team_server(wanted, None)
    file.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        connect_to_team_server(wanted, ask)


FOREIGN = {
    "a shop": ("CREATE TABLE orders (id INT)", "CREATE TABLE plan (id INT)"),
    "names of Dyno": ("CREATE TABLE plan (id INT)", "CREATE VIEW session AS SELECT id FROM plan"),
    "another about": ("CREATE TABLE about (id INT)",),
    "an about alike": (
        "CREATE TABLE about (name INT, value INT)",
        "INSERT INTO about VALUES (1, 1)",
    ),
    "about and orders": (
        "CREATE TABLE about (name INT, value INT)",
        "CREATE TABLE orders (id INT)",
    ),
}


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN)
def test_a_schema_with_tables_of_others_is_refused_untouched(
    database: Database, statements: tuple[str, ...], tmp_path: Path
) -> None:
    database.query("CREATE DATABASE shop", f"GRANT ALL ON shop.* TO {WRITER}@localhost")
    try:
        database.query("USE shop", *statements)
        tables = database.query("SHOW TABLES FROM shop")
        wanted = replace(choice(database), address=database.address().replace("/team", "/shop"))
        with pytest.raises(TeamError, match=r"has tables of others \((about|orders|plan)"):
            join_team_history(tmp_path, wanted, ask)
        assert database.query("SHOW TABLES FROM shop") == tables and read_team_history(tmp_path) is None
        with History(tmp_path) as history:
            assert team_server_id(history) == ""
    finally:
        database.query("DROP DATABASE shop")


@pytest.mark.parametrize("count", [1, 3, len(STATEMENTS)])
def test_an_interrupted_creation_goes_on(database: Database, count: int, tmp_path: Path) -> None:
    database.query("CREATE DATABASE begun", f"GRANT ALL ON begun.* TO {WRITER}@localhost")
    try:
        database.query("USE begun", *STATEMENTS[:count])
        if count > 1:
            database.query("INSERT INTO begun.about VALUES ('version', '1')")
        join_team_history(
            tmp_path, replace(choice(database), address=database.address().replace("/team", "/begun")), ask
        )
        assert len(database.query("SHOW TABLES FROM begun")) == len(STATEMENTS)
    finally:
        database.query("DROP DATABASE begun")


def test_another_team_is_refused_before_anything_is_created_or_chosen(
    database: Database, tmp_path: Path
) -> None:
    mine, others = choice(database), "another"
    join_team_history(tmp_path, mine, ask)
    with History(tmp_path) as history, closing(Exchanger()) as exchanger:
        exchanger.exchange(history, mine, ask)
    database.query(f"CREATE DATABASE {others}", f"GRANT ALL ON {others}.* TO {WRITER}@localhost")
    try:
        wanted = replace(mine, address=database.address().replace("/team", f"/{others}"))
        with pytest.raises(TeamError, match="shared with another team"):
            join_team_history(tmp_path, wanted, ask)
        assert database.query(f"SHOW TABLES FROM {others}") == []
        kept = read_team_history(tmp_path)
        assert kept is not None and kept.address == mine.address
        join_team_history(tmp_path, wanted, ask, merge_teams=True)
        assert database.query(f"SHOW TABLES FROM {others}")
    finally:
        database.query(f"DROP DATABASE {others}")


@pytest.mark.full
@pytest.mark.build("mysql-9.7")
def test_an_altered_account_shows_its_password_only_to_who_accepts_it(
    build_path: Callable[[str], Path], tmp_path: Path
) -> None:
    base, before, after = build_path("mysql-9.7"), "caching_sha2_password", "sha256_password"
    build = next(each for each in find_builds((str(base),)) if each.base != "/usr")
    with started(build) as other:
        wanted = choice(other)
        join_team_history(tmp_path, wanted, ask)
        kept = read_team_history(tmp_path)
        assert kept == replace(wanted, plugin=before)
        other.query("FLUSH PRIVILEGES")  # the server asks for the password once more
        connect_to_team_server(kept, ask).close()
        other.query(f"ALTER USER {WRITER}@localhost IDENTIFIED WITH {after} BY '{PASSWORD}'")
        with pytest.raises(PlainPasswordPluginError, match=f"--auth-plugin {after}"):
            connect_to_team_server(kept, ask)
        with pytest.raises(PlainPasswordPluginError):
            join_team_history(tmp_path, replace(wanted, certificate=""), ask)
        assert read_team_history(tmp_path) == kept
        join_team_history(tmp_path, replace(wanted, certificate="", plugin=after), ask)
        assert read_team_history(tmp_path) == replace(wanted, plugin=after)


def test_a_plugin_that_shows_nothing_needs_no_word(database: Database, tmp_path: Path) -> None:
    database.query("INSTALL SONAME 'auth_ed25519'",
                   f"CREATE USER cara@localhost IDENTIFIED BY '{PASSWORD}'",
                   "GRANT SELECT ON team.* TO cara@localhost")  # fmt: skip
    join_team_history(tmp_path, choice(database), ask)
    wanted = choice(database, "cara")
    join_team_history(tmp_path, wanted, ask)
    assert read_team_history(tmp_path) == replace(wanted, plugin="mysql_native_password")
    database.query(f"ALTER USER cara@localhost IDENTIFIED VIA ed25519 USING PASSWORD('{PASSWORD}')")
    join_team_history(tmp_path, wanted, ask)
    assert read_team_history(tmp_path) == replace(wanted, plugin="client_ed25519")


def test_the_plugin_of_an_earlier_dyno_is_remembered_at_the_next_exchange(
    database: Database, tmp_path: Path
) -> None:
    wanted = choice(database)
    join_team_history(tmp_path, wanted, ask)
    keep_history_choice(tmp_path, wanted)  # an earlier one stored no plugin
    with History(tmp_path) as history, closing(Exchanger()) as exchanger:
        exchanger.exchange(history, wanted, ask)
    assert read_team_history(tmp_path) == replace(wanted, plugin="mysql_native_password")


def test_another_certificate_is_refused_loudly(database: Database) -> None:
    wanted = choice(database)
    database.stop()
    certify(database.folder)
    database.start()
    with pytest.raises(CertificateChangedError, match="HAS CHANGED"):
        connect_to_team_server(wanted, ask)


def test_a_server_without_tls_is_refused() -> None:
    with started(BUILD, tls=False) as other:
        with pytest.raises(TeamError, match="offers no TLS"):
            connect_to_team_server(TeamHistoryChoice(other.address(), "Anna", certificate="SHA256:00"), ask)
        connect_to_team_server(TeamHistoryChoice(other.address(), "Anna", tls=False), ask).close()


def test_the_command_line_of_a_team(database: Database, desktop: Desktop) -> None:
    """A person without a terminal is told what is missing; nothing is stored then."""
    address = database.address()
    said = desktop.dyno("history", "use", address, code=1).stderr
    assert "is not verified" in said and len(said.splitlines()) == 1
    fingerprint = said.split("--certificate ")[1].split()[0]
    words = ("history", "use", address, "--certificate", fingerprint, "--as", "Anna B")
    assert "needs the password of anna@127.0.0.1" in desktop.dyno(*words, code=2).stderr
    assert desktop.dyno("history", "show").stdout.startswith("this computer's own history")
    connect_to_team_server(choice(database), ask).close()  # a person has entered it, and it is remembered
    with History(desktop.home) as history:
        store(history, whole(plan(number=88)))
    assert "sent 1 session" in desktop.dyno(*words).stdout
    assert "up to date" in desktop.dyno("history", "use", address, "--as", "Anna B").stdout  # it is known
    desktop.dyno("session", "rename", "last", "fast")
    assert "0 sessions, 1 edit" in desktop.dyno("history", "show").stdout
    assert desktop.dyno("history", "sync").stdout.splitlines()[-1] == "sent 1 edit"
    assert 'Anna B  named it "fast"' in desktop.dyno("history", "edits", "fast").stdout
    assert desktop.dyno("history", "use", "mysql://anna:secret@db/team", code=2).stderr.count("secret") == 0
    assert "fast" in desktop.dyno("history", "list", "--text", "fast").stdout
    assert desktop.dyno("history", "fetch", "0" * 26, code=2).stderr.startswith(
        "dyno: the team has no session"
    )
    assert "own history" in desktop.dyno("history", "use", "local").stdout
    assert "choose a team" in desktop.dyno("history", "sync", code=2).stderr
