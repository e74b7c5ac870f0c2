"""What an agent says of the machine that it runs on: in a survey, and as a fact of each session."""

from __future__ import annotations

from typing import TypedDict

from . import Count, Moment, Name, Number, Text, Texts


class Cpu(TypedDict, total=False):
    model: Name | None
    sockets: Count | None
    cores: Count | None
    threads: Count | None


class Disk(TypedDict, total=False):
    path: Text | None
    device: Name | None
    disks: list[Name]
    model: Name | None
    kind: Name | None
    filesystem: Name | None
    mount_options: Text | None
    scheduler: Name | None
    free_bytes: Count | None
    total_bytes: Count | None


class OtherAgent(TypedDict, total=False):
    pid: Count | None
    directory: Text


class Machine(TypedDict, total=False):
    """What a machine does not tell is null; what an older agent did not look for is missing."""

    hostname: Name | None
    machine_id: Name | None
    cpu: Cpu | None
    governor: Name | None
    turbo: bool | None
    memory_bytes: Count | None
    memory_available_bytes: Count | None
    swap_bytes: Count | None
    kernel: Name | None
    distribution: Name | None
    huge_pages: Name | None
    swappiness: Count | None
    load: list[Number]
    disk: Disk | None
    agents: list[OtherAgent]
    kill_user_processes: bool | None
    user: Name | None
    clock_utc: Moment | None
    python: Name | None
    python_path: Text | None
    sysbench: Name | None
    sysbench_path: Text | None


class Build(TypedDict, total=False):
    """A server, as the session names it that ran on it."""

    build: Name
    base: Text
    server: Text
    family: Name
    version: Name
    fingerprint: Name
    notes: Texts | None
