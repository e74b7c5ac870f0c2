"""targets.toml: what is kept, what is refused, what is said of a broken file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import InputError
from app.remote.connection import LocalConnection
from app.remote.reach import connect, reached
from app.remote.target import LOCAL, Target
from app.targets.store import Targets, check_target_fields
from tests.fakes import MemoryKeyring

NUC = Target("nuc-i3", host="nuc.lan", user="me", port=2200, directories=["/data/dyno", "~/dyno"])


@pytest.fixture
def targets(dyno_home: Path) -> Targets:
    return Targets(dyno_home)


def test_this_computer_is_always_there(targets: Targets) -> None:
    local = targets.get(LOCAL)
    assert targets.all() == [local] and local.is_local
    assert local.directory == str(targets.home / "target")
    assert local.interpreter == sys.executable
    assert not targets.path.exists()


def test_added_targets_are_kept_for_this_user_alone(targets: Targets) -> None:
    targets.add(NUC)
    targets.add(Target("a.b_c-1", host="x", directories=["/x"], search_paths=["/opt/*"]))
    assert [target.name for target in Targets(targets.home).all()] == [LOCAL, "a.b_c-1", "nuc-i3"]
    assert Targets(targets.home).get("nuc-i3") == NUC
    assert NUC.directory == "/data/dyno" and NUC.interpreter == "python3"
    assert targets.path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="target 'nuc-i3' exists already: edit it, or choose another name"):
        targets.add(NUC)


def test_a_target_is_changed_and_removed(targets: Targets) -> None:
    targets.add(NUC)
    assert targets.edit("nuc-i3", port=22, python="/opt/python3.12/bin/python3").port == 22
    assert targets.get("nuc-i3").interpreter == "/opt/python3.12/bin/python3"
    targets.remove("nuc-i3")
    with pytest.raises(InputError, match="no target 'nuc-i3': choose one of local"):
        targets.get("nuc-i3")
    for unknown in (lambda: targets.remove("x"), lambda: targets.edit("x", port=1)):
        with pytest.raises(InputError, match="no target 'x'"):
            unknown()


def test_this_computer_can_be_changed_but_not_removed(targets: Targets) -> None:
    assert targets.edit(LOCAL, directories=["/ssd/dyno"]).directory == "/ssd/dyno"
    assert targets.get(LOCAL).directories == ["/ssd/dyno"]
    targets.edit(LOCAL, search_paths=["~/b/*"])
    assert targets.get(LOCAL).directory == "/ssd/dyno"
    with pytest.raises(InputError, match="Dyno cannot remove it"):
        targets.remove(LOCAL)
    with pytest.raises(InputError, match="this computer has no host"):
        targets.edit(LOCAL, host="x")
    with pytest.raises(InputError, match="exists already"):
        targets.add(Target(LOCAL))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"name": "Nuc"}, "got 'Nuc'"),
        ({"name": "-x"}, "the name of a target may have"),
        ({"name": "a/b"}, "the name of a target may have"),
        ({"name": ""}, "the name of a target may have"),
        ({"name": "x" * 65}, "the name of a target may have"),
        ({"host": ""}, "has no host"),
        ({"host": "-oProxyCommand=x"}, "is not a host"),
        ({"host": "a b"}, "is not a host"),
        ({"user": "-l"}, "is not a user"),
        ({"port": -1}, "port must be 1 to 65535, got -1"),
        ({"port": 65536}, "got 65536"),
        ({"directories": []}, "has no directory"),
        ({"directories": ["dyno"]}, "'dyno' is not absolute"),
        ({"directories": ["/"]}, "is not absolute"),
        ({"directories": ["~/"]}, "is not absolute"),
        ({"directories": ["~root/x"]}, "is not absolute"),
        ({"directories": ["/a\nb"]}, "is not absolute"),
        ({"python": "python3; rm -rf"}, "is not a Python"),
        ({"python": "perl"}, "is not a Python"),
    ],
)
def test_what_cannot_be_a_target(targets: Targets, changes: dict[str, object], text: str) -> None:
    fields = {**vars(NUC), **changes}
    with pytest.raises(InputError) as caught:
        targets.add(Target(**fields))
    assert text in str(caught.value) and "\n" not in str(caught.value)
    assert not targets.path.exists()


def test_unknown_changes_are_refused(targets: Targets) -> None:
    targets.add(NUC)
    with pytest.raises(InputError, match="a target has no colour: choose from host, user"):
        targets.edit("nuc-i3", colour="red")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[nuc]\nhost = \n", "line 2", "Invalid value"),
        ("[nuc]\nhost = 'x'\ndirectories = ['/d']\ncolour = 1\n", "line 4", "unknown key colour"),
        (
            "[a]\nhost='a'\ndirectories=['/d']\n[nuc]\nhost='x'\nport='22'\n",
            "line 6",
            "port of [nuc] must be a number",
        ),
        ("[nuc]\nhost = 'x'\ndirectories = [1]\n", "line 3", "must be a list of texts"),
        ("[nuc]\nport = true\n", "line 2", "must be a number"),
        ("[nuc]\nremember = 1\n", "line 2", "must be true or false"),
        ("host = 'x'\n", "line 1", "host is not a table"),
        (f"[nuc]\nport = {'9' * 5000}\n", "line 2", "a number too long to be read"),
        (f"[nuc]\nport = {'[' * 5000}\n", "", "nested too deeply"),
        ("\n\n[nuc]\nhost = 'x'\n", "line 3", "has no directory"),
        (
            '[a]\nhost="a"\ndirectories=["/d"]\n["Nuc"]\nhost = "x"\n',
            "line 4",
            "the name of a target may have",
        ),
    ],
)
def test_a_broken_file_is_told_with_its_line(targets: Targets, text: str, line: str, says: str) -> None:
    targets.home.mkdir()
    targets.path.write_text(text)
    with pytest.raises(InputError) as caught:
        targets.all()
    message = str(caught.value)
    assert str(targets.path) in message and line in message and says in message and "\n" not in message


def test_a_file_that_cannot_be_read(targets: Targets) -> None:
    targets.path.mkdir(parents=True)
    with pytest.raises(InputError, match="cannot be read"):
        targets.all()
    targets.path.rmdir()
    targets.path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="cannot be read"):
        targets.all()


@pytest.mark.parametrize("pattern", ["opt/*", "", "../b", "/opt/\x07"])
def test_where_builds_are_looked_for_is_no_matter_of_the_folder_one_is_in(pattern: str) -> None:
    with pytest.raises(InputError, match=r"is not absolute: start it with / or ~/"):
        check_target_fields(replace(NUC, search_paths=["/opt/*", pattern]))
    assert check_target_fields(replace(NUC, search_paths=["/opt/*", "~/b/*"]))


@pytest.mark.root  # others are refused before
def test_a_home_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNO_HOME", "/sys/dyno")
    with pytest.raises(InputError, match=r"/sys/dyno cannot be made: .*: set DYNO_HOME to another one"):
        connect(Targets().get(LOCAL), lambda prompt: None)


def test_this_computer_is_reached_without_ssh(targets: Targets) -> None:
    local = targets.get(LOCAL)
    with reached(local, lambda prompt: None) as agent:
        assert isinstance(agent.connection, LocalConnection)
        assert agent.directory == local.directory
    with reached(local, lambda prompt: None, str(targets.home / "second")) as agent:
        assert agent.directory == str(targets.home / "second")


def test_secrets_are_remembered_only_where_something_keeps_them(
    targets: Targets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    targets.add(NUC)
    for change in (
        lambda: targets.edit("nuc-i3", remember=True),
        lambda: targets.add(Target("other", host="x", directories=["/x"], remember=True)),
    ):
        with pytest.raises(InputError, match="this system has no keyring for the secrets"):
            change()
    keyring = MemoryKeyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    assert targets.edit("nuc-i3", remember=True).remember


def test_a_target_that_goes_takes_its_secrets_along(
    targets: Targets, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DYNO_SSH_CONFIG", str(tmp_path / "config"))
    keyring = MemoryKeyring()
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    targets.add(replace(NUC, remember=True))
    label = "password of me@nuc.lan port 2200"
    keyring.kept = {("dyno", label): "word", ("other", label): "word"}
    targets.edit("nuc-i3", port=2200)
    assert len(keyring.kept) == 2
    targets.edit("nuc-i3", remember=False)
    assert keyring.kept == {("other", label): "word"}
    targets.edit("nuc-i3", remember=True)
    keyring.kept["dyno", label] = "word"
    targets.remove("nuc-i3")
    assert keyring.kept == {("other", label): "word"}


def test_a_checked_target_comes_back_as_it_was() -> None:
    assert check_target_fields(NUC) is NUC
