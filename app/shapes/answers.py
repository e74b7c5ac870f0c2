"""The shape of each answer of an agent: required is what is read without asking whether it is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from . import Count, Few, Moment, Name, Number, Text, Texts, check
from .journal import Id
from .machine import Disk, Machine

Sha = Annotated[str, Meta(max_length=64, pattern="^[0-9a-f]*$")]  # of an agent file; '' where it is gone
Processor = Annotated[int, Meta(ge=0, le=9999)]  # by its number


class SurveyedCpu(TypedDict):
    model: Name | None
    sockets: Count | None
    cores: Count | None
    threads: Few | None


class FoundBuild(TypedDict):
    name: Annotated[str, Meta(min_length=1, max_length=255)]
    base: Text
    server: Text
    family: Name | None
    version: Name | None
    problem: Text | None
    engines: list[Name]


class SurveyedBuild(FoundBuild, total=False):
    version_text: Text | None
    lacking: Texts
    other_engines: Texts
    fingerprint: Name | None
    notes: Texts | None
    installed: bool


class _Snapshot(TypedDict):
    key: Name
    problem: Text
    made_at: Moment | None
    size_bytes: Count | None
    contender: dict[Name, Any] | None
    tables: Count | None
    rows: Count | None
    load_method: Name | None


class Snapshot(_Snapshot, total=False):
    session: Name | None


class _Survey(TypedDict):
    cpu: SurveyedCpu
    disk: Disk | None
    memory_bytes: Count | None
    builds: list[SurveyedBuild]
    warnings: list[Text]
    distribution: Name | None
    kernel: Name | None
    python: Name | None
    sysbench: Name | None


class Survey(_Survey, total=False):
    """What it has besides a `Machine`."""

    topology: list[list[list[Processor]]]
    open_files: Count | None
    is_root: bool
    allocators: Texts
    numactl: Text | None
    memory_limit_problem: Text | None
    snapshots: list[Snapshot]


class _Reply(TypedDict):
    state: Name
    option: Text
    text: Text


class _Checked(TypedDict):
    name: Name
    state: Name
    text: Text


class Check(_Checked, total=False):
    contender: Name
    todo: Text
    answers: list[_Reply]


class Checks(TypedDict):
    checks: list[Check]


class PlannedSession(TypedDict):
    session: Id
    size: Count
    ended: bool


class FoundPlan(TypedDict):
    plan: Id
    name: Name
    agent: Sha
    locked: bool
    sessions: list[PlannedSession]


class Plans(TypedDict):
    plans: list[FoundPlan]


class _Build(TypedDict):
    build: SurveyedBuild


class _Received(TypedDict):
    received: Count


class _Removed(TypedDict):
    removed: list[Text]


class _Snapshots(TypedDict):
    snapshots: list[Snapshot]


class _Started(TypedDict):
    plan: Id


class Status(TypedDict):
    locked: bool
    plan: Name | None
    pid: Number | None


class Pushed(TypedDict, total=False):
    directory: Text
    there: bool
    python: Name


ANSWERS: Mapping[str, tuple[Any, ...]] = {
    "push": (Pushed,),
    "survey": (Survey, Machine),
    "check": (Checks,),
    "start": (_Started,),
    "status": (Status,),
    "list": (Plans,),
    "clean": (_Removed,),
    "snapshots": (_Snapshots,),
    "upload": (_Received,),
    "install": (_Build,),
}


def check_answer(verb: str, answer: Any) -> None:
    """Raise ShapeError where the answer to a verb is not as it is read."""
    for shape in ANSWERS.get(verb, ()):
        check(answer, shape)
