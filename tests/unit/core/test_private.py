"""Files of a person are readable by nobody else, whatever the umask and whoever made the folder."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.own import write_preset
from app.cli import main
from app.core.errors import InputError
from app.core.private import read_private
from app.core.settings import write_settings_table
from app.history.store.history import History
from app.remote.target import Target
from app.targets.store import Targets
from ui.core.memory import WindowStateFile
from ui.shell.application import log_to


@pytest.fixture(params=[0o022, 0o000, 0o077])
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
def test_every_file_below_dyno_home_is_private(dyno_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dyno_home.mkdir(mode=0o777)
    with History(dyno_home):
        assert set(modes(dyno_home).values()) == {0o600}
    assert main(["import", "--published"]) == 0
    Targets(dyno_home).add(Target("far", host="far.example", directories=["/srv/dyno"]))
    write_settings_table({"appearance": "dark"}, dyno_home)
    write_preset(Catalog(), "innodb", "mine", "[mysqld]\n")
    WindowStateFile(dyno_home / "window.ini").keep("x", 1)
    monkeypatch.setattr("app.cli.doctor.say", None)
    assert main(["doctor"]) == 1  # something that it did not expect
    log_to(dyno_home / "log")
    logging.getLogger("ui").handlers[-1].handle(logging.makeLogRecord({"msg": "something to be kept"}))
    close_logs()
    found = modes(dyno_home)
    assert set(found) >= {
        "targets.toml",
        "settings.toml",
        "mine.cnf",
        "errors.log",
        "window.log",
        "history.sqlite",
    }
    assert {name: mode for name, mode in found.items() if mode != 0o600} == {}


def test_a_history_that_others_could_read_is_closed_to_them(dyno_home: Path) -> None:
    with History(dyno_home):
        pass
    (dyno_home / "history.sqlite").chmod(0o644)
    with History(dyno_home) as history, history.transaction():
        assert set(modes(dyno_home).values()) == {0o600}


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_private_file_is_read(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "secret"
    path.write_text("word")
    path.chmod(mode)
    assert read_private(path, "the file", 4) == b"word"
    with pytest.raises(InputError, match="more than 3 bytes"):
        read_private(path, "the file", 3)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o610, 0o601, 0o644])
def test_a_file_that_others_reach_is_not_read(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "secret"
    path.write_text("word")
    path.chmod(mode)
    with pytest.raises(InputError, match="the file: others may read or change it"):
        read_private(path, "the file", 4)


@pytest.mark.root
def test_a_file_of_another_user_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.touch(0o600)
    os.chown(path, 12345, 12345)
    with pytest.raises(InputError, match="the file: it belongs to another user"):
        read_private(path, "the file", 4)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match="the file: it is not a file"):
            read_private(path, "the file", 4)


def modes(home: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in home.rglob("*") if path.is_file()}


def close_logs() -> None:
    for name in ("ui", "app"):
        for handler in list(logging.getLogger(name).handlers):
            logging.getLogger(name).removeHandler(handler)
            handler.close()
