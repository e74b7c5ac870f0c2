"""The duel: what is compared where nobody has chosen yet."""

from __future__ import annotations

from app.core.errors import TargetError
from app.engines import DUEL
from app.protocol.answers import Survey

from .request import ContenderRequest

SEQUENCE = "duel"
ENGINES = tuple(each.name for each in DUEL)


def duelists(survey: Survey, target: str) -> tuple[ContenderRequest, ...]:
    """InnoDB and MyRocks of the first build that has both and can start."""
    for build in survey.builds:
        if build.has(*ENGINES):
            return tuple(ContenderRequest(build.name, engine) for engine in ENGINES)
    raise TargetError(
        f"{target} has no build with InnoDB and RocksDB:"
        " install mariadb-server and mariadb-plugin-rocksdb there"
    )
