"""The versions that Dyno was tested with, and how: one table for survey, window and docs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.protocol.answers import Build, to_json

SESSIONS, RECORDED, NEVER = "tried", "recorded", "never tried"
MEANINGS = {
    SESSIONS: "Dyno's tests run sessions on it",
    RECORDED: "Dyno's tests read its recorded output, but run no sessions on it",
    NEVER: "Dyno was never tested with it",
}


@dataclass(frozen=True)
class TestedVersionSeries:
    """One series of a family."""

    family: str
    series: str
    how: str  # of MEANINGS
    what: str = ""  # the builds, or what the recording is of

    @property
    def is_tried(self) -> bool:
        return self.how == SESSIONS

    @property
    def text(self) -> str:
        """`MySQL 8.4: never tried: ...`."""
        what = f" ({self.what})" if self.what else ""
        return f"{self.family} {self.series}: {self.how}{what}: {MEANINGS[self.how]}"


TRIED = (
    TestedVersionSeries("MySQL", "5.0", NEVER),
    TestedVersionSeries("MySQL", "5.1", NEVER),
    TestedVersionSeries("MySQL", "5.5", SESSIONS, "5.5.9 of Maven Central"),
    TestedVersionSeries("MySQL", "5.6", SESSIONS, "5.6.24 of npm, 5.6.14 of Maven Central"),
    TestedVersionSeries("MySQL", "5.7", SESSIONS, "5.7.29 of npm"),
    TestedVersionSeries("MySQL", "8.0", SESSIONS, "8.0.33 of Maven Central"),
    TestedVersionSeries("MySQL", "8.4", NEVER),
    TestedVersionSeries("MySQL", "9.7", SESSIONS, "9.7.4 of Debian unstable"),
    TestedVersionSeries("Percona", "5.5", RECORDED, "--version of 5.5.49-37.9"),
    TestedVersionSeries("Percona", "5.6", RECORDED, "--version of 5.6.44-86.0"),
    TestedVersionSeries("Percona", "5.7", RECORDED, "--version of 5.7.26-29"),
    TestedVersionSeries("Percona", "8.0", RECORDED, "--version of 8.0.15-6"),
    TestedVersionSeries("Percona", "8.4", NEVER),
    TestedVersionSeries("FB MySQL", "5.6", NEVER),
    TestedVersionSeries("FB MySQL", "8.0", NEVER),
    TestedVersionSeries("MariaDB", "5.5", NEVER),
    TestedVersionSeries("MariaDB", "10.0", RECORDED, "--version of 10.0.38"),
    TestedVersionSeries("MariaDB", "10.1", RECORDED, "--version of 10.1.40"),
    TestedVersionSeries("MariaDB", "10.2", SESSIONS, "10.2.11 of Maven Central"),
    TestedVersionSeries("MariaDB", "10.3", RECORDED, "--version of 10.3.16"),
    TestedVersionSeries("MariaDB", "10.4", RECORDED, "--version of 10.4.6"),
    TestedVersionSeries("MariaDB", "10.5", NEVER),
    TestedVersionSeries("MariaDB", "10.6", NEVER),
    TestedVersionSeries("MariaDB", "10.11", SESSIONS, "10.11.19 of Debian 12"),
    TestedVersionSeries("MariaDB", "11.4", SESSIONS, "11.4.5 of Maven Central"),
    TestedVersionSeries("MariaDB", "11.8", SESSIONS, "11.8.9 of Debian unstable, with MyRocks"),
    TestedVersionSeries("MariaDB", "12", NEVER),
)


def how_tested(family: str | None, version: str | None) -> TestedVersionSeries:
    """How a build's version was tested; a series outside the table was never tried."""
    series = ".".join((version or "").split("-")[0].split(".")[:2])
    found = (
        each for each in TRIED if each.family == family and each.series in (series, series.split(".")[0])
    )
    return next(found, TestedVersionSeries(family or "unknown", series, NEVER))


def with_tested_versions(builds: Sequence[Build]) -> list[dict[str, Any]]:
    """Builds of a survey as JSON, with how their versions were tested."""
    return [{**to_json(each), "tried": how_tested(each.family, each.version).how} for each in builds]
