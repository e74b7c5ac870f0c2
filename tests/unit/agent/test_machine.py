"""The survey: what files of /proc, /sys and /etc say, and this machine as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.agent.survey import machine
from app.agent.survey.machine import (
    machine_facts,
    parse_cpuinfo,
    parse_meminfo,
    parse_os_release,
    sysbench_version,
)
from app.agent.system import disk
from app.agent.system.disk import (
    describe_disk,
    devices_of,
    disks_behind,
    kind_of,
    mount_of,
    nearest_existing,
    parse_mountinfo,
    survey_disk,
)
from app.agent.system.other_agents import agent_directory_of, other_agents
from app.agent.system.scope import logind_kill_setting
from app.protocol.answers import Cpu, Machine, OtherActiveAgent, to_json
from app.protocol.reading import read

# two sockets of two cores with two threads each, as Xeons show them
CPUINFO = "\n\n".join(
    f"processor\t: {number}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) E5-2687W v2\n"
    f"physical id\t: {number // 4}\ncore id\t\t: {number % 2}\nflags\t\t: fpu vme"
    for number in range(8)
)
# Raspberry Pi OS on a Pi 4
CPUINFO_ARM = """\
processor\t: 0
BogoMIPS\t: 108.00
CPU part\t: 0xd08

processor\t: 1
BogoMIPS\t: 108.00
CPU part\t: 0xd08

Revision\t: c03112
"""
MOUNTINFO = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
25 24 0:23 / /dev/shm rw,relatime - tmpfs tmpfs rw,size=24684084k
40 27 8:17 / /data/my\\040disk rw,noatime shared:3 master:1 - xfs /dev/sdb1 rw,attr2
41 27 0:45 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w
this is no line of it
"""


def test_sockets_cores_and_threads() -> None:
    assert parse_cpuinfo(CPUINFO) == Cpu("Intel(R) Xeon(R) E5-2687W v2", sockets=2, cores=4, threads=8)
    arm = parse_cpuinfo(CPUINFO_ARM)
    assert (arm.sockets, arm.cores, arm.threads) == (1, 2, 2)
    assert arm.model
    assert parse_cpuinfo("").model is None


def test_small_files_are_read() -> None:
    assert parse_meminfo("MemTotal:   16 kB\nHugePages_Total:  0\n") == {"MemTotal": 16384}
    assert parse_os_release('ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n') == (
        "Debian GNU/Linux 12 (bookworm)"
    )
    assert parse_os_release("") is None


def test_the_last_word_on_killing_processes_counts() -> None:
    assert logind_kill_setting(["[Login]\n#KillUserProcesses=yes\n"]) is None
    assert (
        logind_kill_setting(["[Login]\nKillUserProcesses=no\n", "[Login]\nKillUserProcesses = yes\n"]) is True
    )


def test_mounts_are_read_with_blanks_in_their_names() -> None:
    mounts = parse_mountinfo(MOUNTINFO)
    assert [(each.path, each.device, each.filesystem) for each in mounts] == [
        ("/", "254:0", "ext4"),
        ("/dev/shm", "0:23", "tmpfs"),
        ("/data/my disk", "8:17", "xfs"),
        ("/merged", "0:45", "overlay"),
    ]
    assert mounts[2].source == "/dev/sdb1" and mounts[2].options == "rw,noatime"


@pytest.mark.parametrize(
    ("name", "model", "rotational", "expected"),
    [
        ("nvme0n1", "Samsung SSD 960 EVO 250GB", "0", "nvme"),
        ("sda", "ATA Samsung SSD 850", "0", "ssd"),
        ("sdb", "ATA WDC WD10EZEX", "1", "hdd"),
        ("vda", "", "1", "virtual"),
        ("sda", "QEMU QEMU HARDDISK", "1", "virtual"),
        ("nvme0n1", "Amazon Elastic Block Store", "0", "virtual"),
        ("loop3", "", "0", "file"),
        ("sdz", "", None, None),
    ],
)
def test_the_kind_of_a_disk(name: str, model: str, rotational: str | None, expected: str | None) -> None:
    assert kind_of(name, model, rotational) == expected


def test_the_mount_of_a_directory_that_is_not_there_yet(tmp_path: Path) -> None:
    there, missing = mount_of(str(tmp_path)), mount_of(str(tmp_path / "not" / "yet"))
    assert there == missing
    assert nearest_existing(str(tmp_path / "not" / "yet")) == str(tmp_path)
    assert there is None or str(tmp_path).startswith(there.path)  # None: in a chroot that is no mount point


def test_an_overlay_whose_upper_directory_is_named_like_one_of_its_own_has_no_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container: the path is one of the host, and the container has it too."""
    number = os.stat(tmp_path).st_dev
    overlay = (
        f"1 0 0:{os.minor(number)} / / rw - overlay overlay rw,lowerdir=/,upperdir={tmp_path},workdir=/w"
    )
    monkeypatch.setattr(disk, "read_text", lambda _: overlay)
    assert devices_of(str(tmp_path)) == []


def test_in_a_chroot_that_is_no_mount_point_the_device_is_that_of_the_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "read_text", lambda _: "")
    number = os.stat(tmp_path).st_dev
    found = [f"{os.major(number)}:{os.minor(number)}"] if os.major(number) else []
    assert (mount_of(str(tmp_path)), devices_of(str(tmp_path))) == (None, found)


def test_a_memory_filesystem_has_no_disk() -> None:
    found = survey_disk("/proc")
    assert devices_of("/proc") == [] and found.disks == []
    assert found.filesystem == "proc"
    assert disks_behind("999:999") == []


def test_this_machine_is_described() -> None:
    found = machine_facts("/")
    assert found.cpu.threads >= 1 and found.memory_bytes > 1 << 28
    assert found.disk.free_bytes <= found.disk.total_bytes
    assert len(found.machine_id or "0" * 32) == 32
    assert read(Machine, json.loads(json.dumps(to_json(found)))) == found


@pytest.fixture
def sys_of_a_pc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A /sys with an SSD of two partitions, a rotating disk, and a logical volume over both."""
    devices = tmp_path / "devices"
    for number, path in (
        ("8:0", "sda"),
        ("8:1", "sda/sda1"),
        ("8:2", "sda/sda2"),
        ("8:16", "sdb"),
        ("254:0", "dm-0"),
    ):
        folder = devices / path
        (folder / "slaves").mkdir(parents=True)
        (folder / "dev").write_text(number + "\n")
        if folder.name in ("sda1", "sda2"):
            (folder / "partition").write_text("1\n")
        link = tmp_path / "dev" / "block" / number
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(folder)
    for slave in ("sda/sda2", "sdb"):
        (devices / "dm-0" / "slaves" / Path(slave).name).symlink_to(devices / slave)
    for name, rotational, model in (("sda", "0", "Samsung SSD 850 "), ("sdb", "1", "WDC WD10EZEX")):
        (devices / name / "queue").mkdir()
        (devices / name / "device").mkdir()
        (devices / name / "queue" / "rotational").write_text(rotational)
        (devices / name / "queue" / "scheduler").write_text("none [mq-deadline] kyber\n")
        (devices / name / "device" / "vendor").write_text("ATA     \n")
        (devices / name / "device" / "model").write_text(model)
    (tmp_path / "block").symlink_to(devices)
    monkeypatch.setattr(disk, "SYS", str(tmp_path))


@pytest.mark.usefixtures("sys_of_a_pc")
def test_disks_are_found_through_partitions_and_volumes() -> None:
    assert disks_behind("8:1") == ["sda"]
    assert disks_behind("8:16") == ["sdb"]
    assert disks_behind("254:0") == ["sda", "sdb"]
    assert describe_disk("sda") == {"model": "ATA Samsung SSD 850", "kind": "ssd", "scheduler": "mq-deadline"}
    assert describe_disk("sdb")["kind"] == "hdd"
    assert describe_disk("sdq") == {"model": None, "kind": None, "scheduler": None}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/sys/devices/system/cpu/intel_pstate/no_turbo": "0"}, True),
        ({"/sys/devices/system/cpu/intel_pstate/no_turbo": "1"}, False),
        ({"/sys/devices/system/cpu/cpufreq/boost": "1"}, True),
        ({"/sys/devices/system/cpu/cpufreq/boost": "0"}, False),
        ({}, None),
    ],
)
def test_turbo_as_each_driver_tells_it(
    monkeypatch: pytest.MonkeyPatch, files: dict[str, str], expected: bool | None
) -> None:
    monkeypatch.setattr(machine, "read_text", files.get)
    assert machine.turbo() is expected


def test_an_agent_is_known_by_its_command_line() -> None:
    agent = ["python3", "-I", "-S", "/d/agents/0123456789abcdef.pyz"]
    assert agent_directory_of([*agent, "start", "--directory", "/d"]) == "/d"
    assert agent_directory_of([*agent, "start", "--directory=/d"]) == "/d"
    assert agent_directory_of([*agent, "follow", "--directory", "/d", "--plan", "start"]) is None
    assert agent_directory_of(["vi", "start", "--directory", "/d"]) is None


def test_agents_of_this_machine_are_found_while_they_live() -> None:
    words = ["/somewhere/agents/0123456789abcdef.pyz", "start", "--directory", "/some where"]
    child = subprocess.Popen([sys.executable, "-c", "print(1, flush=True); input()", *words],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert child.stdout is not None
    child.stdout.readline()
    assert OtherActiveAgent(child.pid, "/some where") in other_agents()
    child.communicate(b"\n")
    assert child.pid not in [each.pid for each in other_agents()]


def test_a_sysbench_that_is_none_has_no_version(tmp_path: Path) -> None:
    assert sysbench_version("") is None
    assert sysbench_version(str(tmp_path)) is None
    assert sysbench_version("/bin/true") is None
