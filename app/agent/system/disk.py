"""The storage of a directory: its mount, the block devices that count its reads and writes, the disks."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Dict, List

from app.protocol.answers import Disk

SYS = "/sys"

_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "glusterfs", "fuse.sshfs")
_VIRTUAL = re.compile(r"QEMU|VMware|Virtual|VBOX|Msft|PersistentDisk|Amazon|BlockVolume", re.IGNORECASE)


@dataclass(frozen=True)
class Mount:
    """One line of /proc/self/mountinfo."""

    path: str
    device: str  # "8:1"; 0:N where the filesystem has no device of its own
    filesystem: str
    source: str
    options: str
    super_options: str


def read_text(path: str) -> str | None:
    """The stripped text of a small file of /proc or /sys; None where it cannot be read."""
    try:
        with open(path, errors="replace") as file:
            return file.read().strip()
    except OSError:
        return None


def parse_mountinfo(text: str) -> List[Mount]:
    mounts = []
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        before, after = left.split(), right.split()
        if len(before) < 6 or len(after) < 3:
            continue
        path, source = (_unescape(before[4]), _unescape(after[1]))
        mounts.append(Mount(path, before[2], after[0], source, before[5], after[2]))
    return mounts


def _unescape(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found.group(1), 8)), text)


def mount_of(directory: str) -> Mount | None:
    """The mount a directory is in; of one that does not exist yet, its nearest parent's."""
    path = nearest_existing(directory)
    mounts = [m for m in parse_mountinfo(read_text("/proc/self/mountinfo") or "") if _holds(m.path, path)]
    device = _number_of(path)
    # a later mount on the same path hides the earlier one; btrfs answers stat with another number
    fitting = [m for m in mounts if m.device == device] or mounts
    return max(enumerate(fitting), key=lambda each: (len(each[1].path), each[0]))[1] if fitting else None


def _number_of(directory: str) -> str:
    """The device of a directory, or of its nearest parent that exists, as the kernel numbers it."""
    number = os.stat(nearest_existing(directory)).st_dev
    return "{}:{}".format(os.major(number), os.minor(number))


def nearest_existing(directory: str) -> str:
    """The real path of a directory, or of its nearest parent that exists."""
    path = os.path.realpath(os.path.expanduser(directory))
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path


def _holds(mount: str, path: str) -> bool:
    return mount == "/" or path == mount or path.startswith(mount + "/")


def devices_of(directory: str) -> List[str]:
    """The block devices ("8:1") that count what is read and written there; none for memory or network."""
    mount = mount_of(directory)
    if mount is None:  # a chroot that is no mount point is not listed
        return [each for each in [_number_of(directory)] if not each.startswith("0:")]
    if not mount.device.startswith("0:"):
        return [mount.device]
    upper = re.search(r"(?:^|,)upperdir=([^,]+)", mount.super_options)
    if mount.filesystem == "overlay" and upper and os.path.isdir(upper.group(1)):
        # in a container the path is one of the host: what it names here may be in the same overlay
        return devices_of(upper.group(1)) if mount_of(upper.group(1)) != mount else []
    return _btrfs_devices(mount.source) if mount.source.startswith("/dev/") else []


def _btrfs_devices(source: str) -> List[str]:
    """The device of a source path, with its fellows where btrfs spreads over several."""
    try:
        number = os.stat(source).st_rdev
    except OSError:
        return []
    own = "{}:{}".format(os.major(number), os.minor(number))
    for pool in _names(SYS + "/fs/btrfs"):
        folder = "{}/fs/btrfs/{}/devices".format(SYS, pool)
        found = [read_text("{}/{}/dev".format(folder, name)) for name in _names(folder)]
        if own in found:
            return sorted(device for device in found if device)
    return [own]


def _names(folder: str) -> List[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def disks_behind(device: str) -> List[str]:
    """The names of the whole disks under a device, through partitions, LVM, encryption and RAID."""
    folder = os.path.realpath(SYS + "/dev/block/" + device)
    if not os.path.isdir(folder):
        return []
    if os.path.exists(folder + "/partition"):
        folder = os.path.dirname(folder)
    slaves = _names(folder + "/slaves")
    if not slaves:
        return [os.path.basename(folder)]
    found: List[str] = []
    for slave in slaves:
        for disk in disks_behind(read_text("{}/slaves/{}/dev".format(folder, slave)) or ""):
            if disk not in found:
                found.append(disk)
    return found


def describe_disk(name: str) -> Dict[str, str | None]:
    """Model, kind and scheduler of a whole disk, as far as /sys tells."""
    folder = "{}/block/{}".format(SYS, name)
    vendor = read_text(folder + "/device/vendor") or ""
    model = read_text(folder + "/device/model")
    if model and vendor and not vendor.startswith("0x"):
        model = "{} {}".format(vendor, model)
    rotational = read_text(folder + "/queue/rotational")
    scheduler = read_text(folder + "/queue/scheduler")
    active = re.search(r"\[([^]]+)\]", scheduler or "")
    return {
        "model": model or None,
        "kind": kind_of(name, model or "", rotational),
        "scheduler": active.group(1) if active else scheduler,
    }


def kind_of(name: str, model: str, rotational: str | None) -> str | None:
    if name.startswith(("vd", "xvd")) or _VIRTUAL.search(model):
        return "virtual"  # what it says about rotation is made up
    for start, kind in (("nvme", "nvme"), ("loop", "file"), ("zram", "memory"), ("ram", "memory")):
        if name.startswith(start):
            return kind
    return {"0": "ssd", "1": "hdd"}.get(rotational or "")


def survey_disk(directory: str) -> Disk:
    """The disk behind a directory, for the survey; what is unknown is null."""
    path = nearest_existing(directory)
    mount = mount_of(path)
    disks = [disk for device in devices_of(path) for disk in disks_behind(device)]
    each = [describe_disk(disk) for disk in disks]
    space = os.statvfs(path)
    return Disk(
        path=path,
        device=mount.source if mount else None,
        disks=disks,
        model=_together(each, "model"),
        kind=_together(each, "kind") or (_kind_of_filesystem(mount.filesystem) if mount else None),
        filesystem=mount.filesystem if mount else None,
        mount_options=_options(mount) if mount else None,
        scheduler=_together(each, "scheduler"),
        free_bytes=space.f_bavail * space.f_frsize,
        total_bytes=space.f_blocks * space.f_frsize,
    )


def _together(each: List[Dict[str, str | None]], key: str) -> str | None:
    values = sorted({value for value in (disk[key] for disk in each) if value})
    return " + ".join(values) or None


def _kind_of_filesystem(filesystem: str) -> str | None:
    if filesystem in ("tmpfs", "ramfs"):
        return "memory"
    if filesystem in _NETWORK:
        return "network"
    return filesystem if filesystem == "overlay" else None


def _options(mount: Mount) -> str:
    words = mount.options.split(",") + mount.super_options.split(",")
    return ",".join(dict.fromkeys(word for word in words if word))
