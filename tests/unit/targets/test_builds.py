"""What the desktop does about builds: their names, directories that are named and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import InputError
from app.protocol.answers import Build, Survey
from app.remote.target import LOCAL
from app.targets.builds import install, name_of, register, remove, store_build_notes
from app.targets.store import Targets


class Agent:
    """Finds a build in each search path, or in all the folders of one that has some."""

    def __init__(self, *usual: str, folders: Mapping[str, Sequence[str]] | None = None) -> None:
        self.usual, self.folders = usual, folders or {}
        self.notes: dict[str, Mapping[str, str]] = {}

    def survey(self, paths: Sequence[str]) -> Survey:
        bases = [base for path in (*paths, *self.usual) for base in self.folders.get(path, [path])]
        return Survey(builds=[Build("b", base, f"{base}/mysqld") for base in dict.fromkeys(bases)])

    def note_build(self, base: str, notes: Mapping[str, str]) -> None:
        self.notes[base] = notes


@pytest.fixture
def search_paths(dyno_home: Path) -> Callable[[], list[str]]:
    return lambda: Targets(dyno_home).get(LOCAL).search_paths


@pytest.mark.parametrize(
    ("tarball", "name"),
    [
        ("mysql-8.0.40-linux-glibc2.28-x86_64.tar.xz", "mysql-8.0.40"),
        ("mariadb-11.4.5-linux-systemd-x86_64.tar.gz", "mariadb-11.4.5"),
        ("Percona-Server-8.0.36-28-Linux.x86_64.glibc2.35.tar.gz", "Percona-Server-8.0.36-28"),
        ("mine-5.6.tgz", "mine-5.6"),
        ("linux-built.tar", "linux-built"),
    ],
)
def test_a_build_is_called_as_its_tarball(tarball: str, name: str) -> None:
    assert name_of(Path("/downloads") / tarball) == name


def test_directories_are_named_one_after_the_other(search_paths: Any) -> None:
    agent: Any = Agent("/opt/usual")
    register(agent, LOCAL, "/opt/one/", {"source": "a friend"})
    register(agent, LOCAL, "/opt/x/../two", {})
    register(agent, LOCAL, "/opt/usual", {})
    assert register(agent, LOCAL, "/opt/one", {}).base == "/opt/one"
    assert search_paths() == ["/opt/one", "/opt/two", "/opt/usual"]
    assert agent.notes == {"/opt/one": {"source": "a friend"}}
    assert "is no longer looked at; nothing was deleted" in remove(agent, LOCAL, "/opt/two")
    assert "/opt/usual on local is found anyway" in remove(agent, LOCAL, "/opt/usual")
    assert search_paths() == ["/opt/one"]


def test_a_directory_is_one_build(search_paths: Any) -> None:
    folders = {"/opt": ["/opt/a", "/opt/b"], "/npm": ["/npm/server"], "/usr": ["/usr", "/usr/x"], "/etc": []}
    agent: Any = Agent(folders=folders)
    for path in ("/npm", "/usr"):
        register(agent, LOCAL, path, {})
    for path, said in (
        ("/opt", "there are 2 builds in /opt on local: name one of /opt/a, /opt/b"),
        ("/etc", "no server was found in /etc on local"),
        ("opt/a", "opt/a is not an absolute directory on local"),
        ("", "an empty path is not an absolute directory"),
    ):
        with pytest.raises(InputError, match=said):
            register(agent, LOCAL, path, {"text": "x"})
    assert search_paths() == ["/npm", "/usr"] and agent.notes == {}


@pytest.mark.parametrize("text", ["a\nb", "\x1b[2J", "x" * 2001])
def test_a_bad_note_is_refused_before_anything_is_sent(search_paths: Any, tmp_path: Path, text: str) -> None:
    agent: Any = Agent()
    (tmp_path / "mine.tar").touch()
    for do in (
        lambda: install(agent, tmp_path / "mine.tar", "", {"text": text}, lambda *_: None),
        lambda: register(agent, LOCAL, "/opt/one", {"text": text}),
        lambda: store_build_notes(agent, "/opt/one", {"text": text}),
    ):
        with pytest.raises(InputError, match="the note text of a build is one line of 2,000 characters"):
            do()
    assert search_paths() == [] and agent.notes == {}
