"""The duel: what is compared where nobody has chosen yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import TargetError
from .request import ContenderRequest

SEQUENCE = "duel"
ENGINES = ("innodb", "rocksdb")


def duelists(survey: Mapping[str, Any], target: str) -> tuple[ContenderRequest, ...]:
    """InnoDB and MyRocks of the first build that has both and can start."""
    for build in survey.get("builds", ()):
        if can_play(build, ENGINES):
            return tuple(ContenderRequest(str(build["name"]), engine) for engine in ENGINES)
    raise TargetError(
        f"{target} has no build with InnoDB and RocksDB:"
        " install mariadb-server and mariadb-plugin-rocksdb there"
    )


def can_play(build: Mapping[str, Any], engines: tuple[str, ...]) -> bool:
    """Whether it can start, and has these engines."""
    there = {engine.lower() for engine in build.get("engines", ())}
    return not build.get("problem") and there.issuperset(engines)
