"""Surveys that are kept: read again, forgotten, of no use once the target is another place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.surveys import STAGES, Survey, Surveys, survey_target
from app.targets import FieldError, Target, Targets, check_target, problems_of
from tests.plans import survey

NUC = Target("nuc", host="nuc.lan", directories=["/data/dyno"])


@pytest.fixture
def surveys(tmp_path: Path) -> Surveys:
    return Surveys(tmp_path / "home")


def test_the_latest_survey_is_kept_for_this_user_alone(surveys: Surveys, tmp_path: Path) -> None:
    assert surveys.get(NUC) is None
    surveys.keep(NUC, Survey(1.5, survey()))
    surveys.keep(NUC, Survey(2.5, survey(kernel="é")))
    assert surveys.get(NUC) == Survey(2.5, survey(kernel="é"))
    assert (tmp_path / "home/surveys/nuc.json").stat().st_mode & 0o777 == 0o600
    surveys.forget("nuc")
    surveys.forget("nuc")
    assert surveys.get(NUC) is None


@pytest.mark.parametrize("change", [{"host": "other"}, {"directories": ["/x"]}, {"search_paths": ["/opt/*"]}])
def test_a_target_that_is_elsewhere_by_now_has_no_survey(surveys: Surveys, change: dict[str, object]) -> None:
    surveys.keep(NUC, Survey(1.0, survey()))
    assert surveys.get(replace(NUC, **change)) is None  # type: ignore[arg-type]
    assert surveys.get(replace(NUC, identity="~/.ssh/other", remember=True)) == Survey(1.0, survey())


def test_a_kept_survey_that_an_older_dyno_made_otherwise_is_as_none(surveys: Surveys) -> None:
    surveys.keep(NUC, Survey(1.0, survey(cpu={"threads": "four"})))
    assert surveys.get(NUC) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"at": 1, "place": {}}', "\xff"])
def test_a_broken_file_is_as_none(surveys: Surveys, tmp_path: Path, text: str) -> None:
    surveys.keep(NUC, Survey(1.0, survey()))
    (tmp_path / "home/surveys/nuc.json").write_text(text, encoding="latin-1")
    assert surveys.get(NUC) is None


def test_this_computer_is_surveyed_stage_by_stage(dyno_home: Path) -> None:
    told: list[str] = []
    local = Targets().get("local")
    survey = survey_target(local, lambda _: None, lambda stage, what: told.append(stage), clock=lambda: 7.0)
    assert survey.at == 7.0
    assert survey.content["name"] == "local" and survey.content["cpu"]["threads"] > 0
    assert told == list(STAGES[-2:])


def test_every_wrong_field_is_told_at_once() -> None:
    wrong = Target("Bad", host="-x", user="a b", port=70000, jump="-o", directories=["x", "y"], python="sh")
    problems = problems_of(wrong)
    assert list(problems) == ["name", "host", "user", "port", "jump", "directories", "python"]
    assert "'x' is no absolute directory" in problems["directories"]
    with pytest.raises(FieldError) as caught:
        check_target(wrong)
    assert (caught.value.field, str(caught.value)) == ("name", problems["name"])
    assert problems_of(NUC) == {} and problems_of(replace(NUC, jump="me@gate:22, [::1]:2200")) == {}
    assert problems_of(replace(NUC, jump="none")) == {}
