"""The file system in a file that a power cut needs: what stays, what is lost, what is left of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.agent.cleanup import clean
from app.agent.system.directory import MARKER, MarkedDirectory
from app.agent.system.errors import AgentError
from app.agent.system.loop_disk import LoopDisk, loop_disk_problem, remove_leftover, try_loop_disk

pytestmark = pytest.mark.root
SIZE = 32 << 20
ODD = """it's a "disk", of mine"""


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[MarkedDirectory]:
    place = tmp_path / ODD
    place.mkdir(mode=0o700)
    (place / MARKER).touch()
    found = MarkedDirectory(str(place))
    yield found
    clean(found)
    assert str(place) not in mounts()


def mounts() -> str:
    return Path("/proc/self/mountinfo").read_text().replace("\\040", " ")


def devices(disk: LoopDisk) -> list[str]:
    """The loop devices of its file."""
    found = subprocess.run(["losetup", "-j", disk.file], check=True, capture_output=True, text=True)
    return found.stdout.splitlines()


def made(marked: MarkedDirectory, session: str = "A1") -> LoopDisk:
    os.mkdir(marked.session(session), 0o700)
    disk = LoopDisk(marked.session(session))
    disk.make(SIZE)
    return disk


def write(disk: LoopDisk, name: str, sync: bool) -> None:
    with open(os.path.join(disk.place, name), "wb") as file:
        file.write(b"x" * 10_000)
        file.flush()
        if sync:
            os.fsync(file.fileno())


def test_what_is_synced_stays_and_the_rest_is_lost(marked: MarkedDirectory) -> None:
    disk = made(marked)
    assert os.listdir(disk.place) == []
    assert (os.stat(disk.place).st_mode & 0o777, os.stat(disk.file).st_mode & 0o777) == (0o700, 0o600)
    assert {"nosuid", "nodev"} < {
        *next(line for line in mounts().splitlines() if disk.place in line).split()[-5].split(",")
    }
    write(disk, "synced", sync=True)
    write(disk, "lost", sync=False)
    disk.cut()
    with pytest.raises(OSError, match="Input/output error"):
        write(disk, "later", sync=True)
    disk.unmount()
    disk.mount()
    assert os.listdir(disk.place) == ["synced"]
    assert os.path.getsize(os.path.join(disk.place, "synced")) == 10_000
    disk.remove()
    assert (devices(disk), os.path.exists(disk.file)) == ([], False)


def test_all_that_is_there_stays_once_the_file_system_is_synced(marked: MarkedDirectory) -> None:
    disk = made(marked)
    write(disk, "early", sync=False)
    disk.sync()
    write(disk, "lost", sync=False)
    disk.cut()
    disk.unmount()
    disk.mount()
    assert os.listdir(disk.place) == ["early"]


def test_its_space_is_taken_when_it_is_made(marked: MarkedDirectory) -> None:
    """A disk that becomes full later would be an I/O error to the server."""
    disk = made(marked)
    assert os.stat(disk.file).st_blocks * 512 >= SIZE
    assert disk.facts()["bytes"] == SIZE
    assert not disk.has_less_than(1 << 20)
    assert disk.has_less_than(SIZE)


def test_a_disk_without_that_much_space_is_refused(marked: MarkedDirectory) -> None:
    os.mkdir(marked.session("A1"), 0o700)
    disk = LoopDisk(marked.session("A1"))
    free = os.statvfs(marked.path)
    with pytest.raises(
        AgentError, match=r"no file of [\d,]+ MiB for the data in .*: No space left on device"
    ):
        disk.make(free.f_bavail * free.f_frsize + (1 << 30))
    disk.remove()
    assert not os.path.exists(disk.file)


def test_two_at_the_same_time_do_not_touch_each_other(marked: MarkedDirectory) -> None:
    one, other = made(marked, "A1"), made(marked, "A2")
    write(other, "lost", sync=False)
    one.cut()
    write(other, "synced", sync=True)
    one.remove()
    assert sorted(os.listdir(other.place)) == ["lost", "synced"]


def test_a_process_that_is_in_it_is_named_and_does_not_keep_it(
    marked: MarkedDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.agent.system.loop_disk.BUSY_S", 0.2)
    disk = made(marked)
    with subprocess.Popen(["sleep", "60"], cwd=disk.place) as process:
        disk.cut()
        with pytest.raises(
            AgentError, match=rf"cannot be unmounted: sleep \(process {process.pid}\) is using it"
        ):
            disk.unmount()
        assert "file system of the data of session A1" in clean(marked).removed
        assert disk.place not in mounts()
        process.kill()


@pytest.mark.parametrize("state", ["mounted", "cut off", "attached", "mounted twice", "deleted"])
def test_what_a_killed_agent_left_goes(state: str, marked: MarkedDirectory) -> None:
    disk = made(marked)
    if state == "cut off":
        disk.cut()
    elif state == "attached":
        disk.unmount()
        subprocess.run(["losetup", "--find", disk.file], check=True)
    elif state == "mounted twice":
        disk.mount()
    elif state == "deleted":
        os.unlink(disk.file)
    clean(marked)
    assert disk.place not in mounts()
    assert (devices(disk) if state != "deleted" else [], os.path.exists(disk.file)) == ([], False)
    assert os.listdir(marked.session("A1")) == []


def test_nothing_else_is_unmounted(marked: MarkedDirectory, tmp_path: Path) -> None:
    """A file system of memory, and one in a file elsewhere, both where the data would be."""
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(SIZE)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
    disk = LoopDisk(marked.session("A1"))
    os.makedirs(disk.place)
    for what in (["-t", "tmpfs", "tmpfs"], ["-o", "loop", str(image)]):
        subprocess.run(["mount", *what, disk.place], check=True)
        remove_leftover(marked, marked.session("A1"))
        assert disk.place in mounts()
        subprocess.run(["umount", disk.place], check=True)


def test_nothing_outside_the_marked_directory_is_unmounted(marked: MarkedDirectory, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    disk = LoopDisk(str(tmp_path / "elsewhere"))
    disk.make(SIZE)
    os.symlink(tmp_path / "elsewhere", marked.session("A1"))
    assert not remove_leftover(marked, marked.session("A1"))
    assert disk.place in mounts()
    disk.remove()
    os.unlink(marked.session("A1"))


def test_a_link_where_it_is_mounted_is_refused(marked: MarkedDirectory, tmp_path: Path) -> None:
    disk = made(marked)
    disk.unmount()
    os.rmdir(disk.place)
    os.symlink(tmp_path, disk.place)
    with pytest.raises(AgentError, match="is a link: nothing is mounted there"):
        disk.mount()
    os.unlink(disk.place)


def test_without_a_free_loop_device(
    marked: MarkedDirectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "losetup"
    fake.write_text("#!/bin/sh\necho losetup: cannot find an unused loop device >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    os.mkdir(marked.session("A1"), 0o700)
    with pytest.raises(AgentError, match=r"^losetup: cannot find an unused loop device$"):
        try_loop_disk(marked.session("A1"))
    assert os.listdir(marked.session("A1")) == []


def test_the_trial_leaves_nothing(marked: MarkedDirectory) -> None:
    assert loop_disk_problem() == ""
    os.mkdir(marked.session("A1"), 0o700)
    try_loop_disk(marked.session("A1"))
    assert os.listdir(marked.session("A1")) == []


def test_root_of_a_container_without_the_capability() -> None:
    code = "from app.agent.system.loop_disk import *; print(loop_disk_problem())"
    command = [
        "setpriv",
        "--bounding-set",
        "-sys_admin",
        "--inh-caps",
        "-sys_admin",
        sys.executable,
        "-c",
        code,
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == "root may not mount file systems here: give the container CAP_SYS_ADMIN\n"
