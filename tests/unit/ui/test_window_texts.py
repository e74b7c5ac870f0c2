"""What a person before the window reads names no command, and what one in a terminal reads does."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import DynoError
from app.following.follower import FollowerLinkState
from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.planner.request.contender import ContenderRequest
from app.planner.resolve.existing import find_server
from app.remote.hostkeys import HostKey, HostKeyChangedError, HostKeyUnknownError, OfferedHostKey
from app.targets.server_actions import clean_schema
from app.targets.server_login import check_usable, look_at
from app.targets.servers import Servers
from app.targets.store import Targets
from tests.existing import PROD
from tests.fakes import FakeExistingServer
from ui.core.plain import error_with_details
from ui.widgets.plan_line import link_state_text

ROOT = Path(__file__).parents[3]
IN_A_TERMINAL = {"agent", "cli", "report", "script"}  # folders of app whose texts the window never shows
COMMAND = re.compile(r"\bdyno [a-z]|(?<![\w-])--[a-z]")
# of what only the command line asks, by file: how many
OF_THE_COMMAND_LINE = {
    "app/catalog/own.py": 1,
    "app/comparison/answers/gate.py": 1,  # the dialog offers either
    "app/comparison/charts/request.py": 1,
    "app/explaining/explaining.py": 1,  # the dialog has the work of a session
    "app/explaining/settings.py": 1,
    "app/history/lists/sessions.py": 1,  # pages ask by ids
    "app/history/steps/figures.py": 2,
    "app/planner/kinds/against.py": 2,
    "app/planner/resolve/resolve.py": 1,  # Bench says it by itself
    "app/targets/queue.py": 1,
    "app/team/listing.py": 1,
}
OTHERWISE = {"app/remote/hostkeys.py": 2, "app/remote/secrets.py": 1}  # sets it; pipx, no command of Dyno
OFFER = OfferedHostKey("far", "far.lan", 22, HostKey("ssh-ed25519", b"key"))


@pytest.mark.parametrize("error", [HostKeyUnknownError(OFFER), HostKeyChangedError(OFFER, [OFFER.key])])
def test_a_host_key(error: DynoError) -> None:
    assert f"dyno target trust far {OFFER.key.fingerprint}" in str(error)
    assert OFFER.key.fingerprint in error.window_text and "dyno " not in error.window_text
    assert error.window_text.endswith("accept it on the Bench page, at the target far")


@pytest.mark.usefixtures("dyno_home")
def test_a_target_that_is_not_there() -> None:
    with pytest.raises(DynoError, match=r"dyno target add") as caught:
        Targets().get("far")
    assert caught.value.window_text.endswith("add it on the Bench page")


def wrong_servers() -> Iterator[Callable[[], object]]:
    """What may be wrong with a server that runs already, each said by an error."""
    servers, prod = Servers(), replace(PROD, version="8.0", engines=["innodb"], default_engine="innodb")
    servers.keep(prod)
    servers.keep(replace(prod, name="r1", host="r1.example", replica_of="prod"))
    servers.keep(replace(PROD, name="new"))
    yield lambda: servers.get("prd")
    yield lambda: servers.keep(replace(prod, schema="other"))
    yield lambda: check_usable(replace(prod, confirmed=False))
    yield lambda: check_usable(replace(prod, certificate=""))
    yield lambda: find_server(ContenderRequest.of_server("new"), "local")
    yield lambda: find_server(ContenderRequest.of_server("prod"), "nuc")
    yield lambda: clean_schema("r1", lambda _: None)
    yield lambda: look_at(FakeExistingServer(certificate=""), prod, lambda _: None)
    yield lambda: look_at(FakeExistingServer(certificate="ab" * 32), prod, lambda _: None)
    yield lambda: look_at(FakeExistingServer(), replace(prod, certificate=""), lambda _: None)


@pytest.mark.usefixtures("dyno_home")
def test_what_is_wrong_with_a_server_names_what_the_window_can_do() -> None:
    for act in wrong_servers():
        with pytest.raises(DynoError) as caught:
            act()
        assert COMMAND.search(str(caught.value)), caught.value
        text = caught.value.window_text
        assert text and not COMMAND.search(text) and "terminal" not in text, text


def errors_without_window_text() -> Iterator[str]:
    """The files of errors whose text names a command or option of the terminal, and no other text."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        if path.relative_to(ROOT).parts[1] in IN_A_TERMINAL:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or "window_text" in {each.arg for each in node.keywords}:
                continue
            made = ast.unparse(node.func)
            names_one = any(COMMAND.search(literal_text(each)) for each in node.args)
            if names_one and (made.endswith("Error") or made == "super().__init__"):
                yield str(path.relative_to(ROOT))


def literal_text(node: ast.expr) -> str:
    parts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)]
    return "".join(each for each in parts if isinstance(each, str))


def test_every_error_that_names_a_command_has_a_text_for_the_window() -> None:
    found = list(errors_without_window_text())
    assert {each: found.count(each) for each in found} == {**OF_THE_COMMAND_LINE, **OTHERWISE}


def test_a_damaged_history(dyno_home: Path) -> None:
    with History(dyno_home):
        pass
    with sqlite3.connect(dyno_home / "history.sqlite") as connection:
        connection.execute("DROP TABLE session")
    with History(dyno_home) as history, pytest.raises(DynoError, match=r"`dyno doctor --rebuild`$") as lost:
        history.query("SELECT * FROM session")
    with pytest.raises(DynoError, match=r"`dyno doctor --rebuild`$") as damaged:
        unpack_json(b"?")
    for error in (lost.value, damaged.value):
        assert error_with_details(error)[0].endswith(
            ": to rebuild it, close Dyno and run `dyno doctor --rebuild` in a terminal"
        )


def test_a_link_that_a_host_key_holds_up() -> None:
    error = HostKeyUnknownError(OFFER)
    link = FollowerLinkState("down", str(error), 4.0, window_text=error.window_text)
    assert "accept it on the Bench page" in link_state_text(link) and "dyno " not in link_state_text(link)
