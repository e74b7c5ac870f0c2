"""Copying a data directory: whole, holes and empty folders too, checked, and out of the cache of the OS."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import pytest

from app.agent.snapshots.copying import Copying, can_reflink, files_below
from app.agent.system.errors import AgentError
from tests.unit.agent.page_cache import cached_pages


def look(_: int) -> None:
    """Nothing is to be told to anybody."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_in(tmp_path)


def data_in(place: Path) -> Path:
    folder = place / "data"
    (folder / "dyno").mkdir(parents=True)
    (folder / "empty").mkdir()
    (folder / "ibdata1").write_bytes(os.urandom(9 << 20))
    (folder / "dyno" / "t.ibd").write_bytes(b"page" * 4096)
    with open(folder / "dyno" / "holes.ibd", "wb") as file:
        file.seek(8 << 20)
        file.write(b"x" * 4096)
        file.truncate(20 << 20)
    return folder


def names(data: Path) -> list[str]:
    return list(files_below(str(data)))


def test_everything_is_copied(data: Path, tmp_path: Path) -> None:
    copying = Copying(str(data), str(tmp_path / "copy"), names(data))
    copying.copy(look)
    assert files_below(str(tmp_path / "copy")) == files_below(str(data))
    for name in names(data):
        content = (data / name).read_bytes()
        assert (tmp_path / "copy" / name).read_bytes() == content
        assert copying.checksums[name] == zlib.crc32(content)
    assert (tmp_path / "copy" / "empty").is_dir()
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o700


def test_a_hole_stays_a_hole(data: Path, tmp_path: Path) -> None:
    """Page compression punches them: a copy without would be another size, and another disk layout."""
    Copying(str(data), str(tmp_path / "copy"), names(data)).copy(look)
    allocated = os.stat(tmp_path / "copy" / "dyno" / "holes.ibd").st_blocks * 512
    assert allocated < 1 << 20


def test_no_page_stays_in_the_cache(on_disk: Path) -> None:
    data = data_in(on_disk)
    assert cached_pages(data / "ibdata1") > 0
    Copying(str(data), str(on_disk / "copy"), names(data)).copy(look)
    assert cached_pages(data / "ibdata1") == 0
    assert cached_pages(on_disk / "copy" / "ibdata1") == 0


def test_who_looks_can_end_it(data: Path, tmp_path: Path) -> None:
    class EnoughError(Exception):
        pass

    def enough(_: int) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        Copying(str(data), str(tmp_path / "copy"), names(data)).copy(enough)


def test_links_have_no_place_in_a_data_directory(data: Path) -> None:
    (data / "dyno" / "elsewhere.ibd").symlink_to("/etc/passwd")
    with pytest.raises(AgentError, match=r"elsewhere\.ibd is neither a file nor a folder"):
        files_below(str(data))


def test_blocks_are_shared_where_the_file_system_can_and_else_not_at_all(data: Path, tmp_path: Path) -> None:
    """Never by a hard link: the server would write into the snapshot."""
    copying = Copying(str(data), str(tmp_path / "copy"), names(data))
    if not can_reflink(str(tmp_path)):
        with pytest.raises(OSError, match="not supported"):
            copying.share()
        return
    copying.share()
    assert (tmp_path / "copy" / "ibdata1").read_bytes() == (data / "ibdata1").read_bytes()
    assert os.stat(data / "ibdata1").st_nlink == 1
