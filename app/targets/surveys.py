"""Surveys of targets, each over its own connection; the latest is stored with its time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from app.core import settings
from app.core.private import write_private
from app.protocol.answers import Survey, to_json
from app.protocol.reading import read
from app.remote.reach import reached
from app.remote.target import Ask, OnProgress, Target

STAGES = ("resolve", "connect", "host key", "log in", "deploy", "survey")  # of the way to a survey

_PLACE = ("host", "user", "port", "jump", "directories", "python", "search_paths")


@dataclass(frozen=True)
class DatedSurvey:
    """A survey and its time."""

    at: float  # this computer's clock
    content: Survey


class Surveys:
    """DYNO_HOME/surveys: the latest of each target, so that something is known before it is reached."""

    def __init__(self, home: Path | None = None) -> None:
        self._folder = (home or settings.home()) / "surveys"

    def get(self, target: Target) -> DatedSurvey | None:
        """The stored survey; None without one, or if the target has changed."""
        try:
            raw = self._path(target.name).read_bytes()
            from app.protocol.checked import decode_json  # only where there is something to read

            kept = decode_json(raw)
            if kept["place"] != _place_of(target):
                return None
            return DatedSurvey(float(kept["at"]), read(Survey, kept["survey"]))
        except (OSError, ValueError, KeyError, TypeError):  # it is made anew with the next one
            return None

    def keep(self, target: Target, survey: DatedSurvey) -> None:
        found = {"name": target.name, **to_json(survey.content)}
        content = {"at": survey.at, "place": _place_of(target), "survey": found}
        write_private(self._path(target.name), json.dumps(content, ensure_ascii=False).encode())

    def forget(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._path(name).unlink()

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"


def _place_of(target: Target) -> dict[str, Any]:
    """What identifies the surveyed machine and directory."""
    return {key: value for key, value in asdict(target).items() if key in _PLACE}


def survey_target(
    target: Target,
    ask: Ask,
    on_progress: OnProgress = lambda _stage, _what: None,
    clock: Callable[[], float] = time.time,
) -> DatedSurvey:
    """Survey a target, stage by stage; pushes the agent file if it is missing."""
    with reached(target, ask, on_progress=on_progress) as agent:
        on_progress("survey", agent.directory)
        return DatedSurvey(clock(), agent.survey(target.search_paths))
