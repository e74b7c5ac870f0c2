"""The survey of a target for the command line."""

from __future__ import annotations

from typing import Any

from ..targets import Targets
from .screen import ask_secret


def survey_of(name: str) -> dict[str, Any]:
    """The survey of a target, as scripts read it; kept, so that the window knows it too."""
    from ..surveys import Surveys, survey_target

    target = Targets().get(name)
    survey = survey_target(target, ask_secret)
    Surveys().keep(target, survey)
    return survey.content
