"""The survey of a target for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.targets.store import Targets

from .screen import ask_secret

if TYPE_CHECKING:
    from app.protocol.answers import Survey


def survey_and_store(name: str) -> Survey:
    """Survey a target, and store the survey, so that the window knows it too."""
    from app.targets.surveys import Surveys, survey_target

    target = Targets().get(name)
    survey = survey_target(target, ask_secret)
    Surveys().keep(target, survey)
    return survey.content
