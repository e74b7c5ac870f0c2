"""Surveys that are kept: read again, forgotten, of no use once the target is another place."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.protocol.answers import Survey, to_json
from app.protocol.reading import read
from app.remote.target import Target
from app.targets.store import TargetFieldError, Targets, check_target_fields, problems_of
from app.targets.surveys import STAGES, DatedSurvey, Surveys, survey_target
from tests.plans import survey

KEPT = Path(__file__).parents[2] / "data/survey-0.1.0.json"
NUC = Target("nuc", host="nuc.lan", directories=["/data/dyno"])


@pytest.fixture
def surveys(tmp_path: Path) -> Surveys:
    return Surveys(tmp_path / "home")


def test_the_latest_survey_is_kept_for_this_user_alone(surveys: Surveys, tmp_path: Path) -> None:
    assert surveys.get(NUC) is None
    surveys.keep(NUC, DatedSurvey(1.5, survey()))
    surveys.keep(NUC, DatedSurvey(2.5, survey(kernel="é")))
    assert surveys.get(NUC) == DatedSurvey(2.5, survey(kernel="é"))
    assert (tmp_path / "home/surveys/nuc.json").stat().st_mode & 0o777 == 0o600
    surveys.forget("nuc")
    surveys.forget("nuc")
    assert surveys.get(NUC) is None


@pytest.mark.parametrize("change", [{"host": "other"}, {"directories": ["/x"]}, {"search_paths": ["/opt/*"]}])
def test_a_target_that_is_elsewhere_by_now_has_no_survey(surveys: Surveys, change: dict[str, object]) -> None:
    surveys.keep(NUC, DatedSurvey(1.0, survey()))
    assert surveys.get(replace(NUC, **change)) is None  # type: ignore[arg-type]
    assert surveys.get(replace(NUC, identity="~/.ssh/other", remember=True)) == DatedSurvey(1.0, survey())


def test_a_kept_survey_that_an_older_dyno_made_otherwise_is_as_none(surveys: Surveys, tmp_path: Path) -> None:
    surveys.keep(NUC, DatedSurvey(1.0, survey()))
    path = tmp_path / "home/surveys/nuc.json"
    path.write_text(path.read_text().replace('"threads": 4', '"threads": "four"'))
    assert surveys.get(NUC) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"at": 1, "place": {}}', "\xff"])
def test_a_broken_file_is_as_none(surveys: Surveys, tmp_path: Path, text: str) -> None:
    surveys.keep(NUC, DatedSurvey(1.0, survey()))
    (tmp_path / "home/surveys/nuc.json").write_text(text, encoding="latin-1")
    assert surveys.get(NUC) is None


def test_this_computer_is_surveyed_stage_by_stage(dyno_home: Path) -> None:
    told: list[str] = []
    local = Targets().get("local")
    survey = survey_target(local, lambda _: None, lambda stage, what: told.append(stage), clock=lambda: 7.0)
    assert survey.at == 7.0
    assert (survey.content.cpu.threads or 0) > 0
    assert told == list(STAGES[-2:])


def test_every_wrong_field_is_told_at_once() -> None:
    wrong = Target("Bad", host="-x", user="a b", port=70000, jump="-o", directories=["x", "y"], python="sh")
    problems = problems_of(wrong)
    assert list(problems) == ["name", "host", "user", "port", "jump", "directories", "python"]
    assert "'x' is not absolute" in problems["directories"]
    with pytest.raises(TargetFieldError) as caught:
        check_target_fields(wrong)
    assert (caught.value.field, str(caught.value)) == ("name", problems["name"])
    assert problems_of(NUC) == {} and problems_of(replace(NUC, jump="me@gate:22, [::1]:2200")) == {}
    assert problems_of(replace(NUC, jump="none")) == {}


def test_a_survey_that_0_1_0_has_kept_is_read_with_all_that_it_says(surveys: Surveys, tmp_path: Path) -> None:
    """Its keys are those of `dyno target survey --json` too."""
    kept = json.loads(KEPT.read_text())
    (tmp_path / "home/surveys").mkdir(parents=True)
    shutil.copy(KEPT, tmp_path / "home/surveys/nuc.json")
    found = surveys.get(NUC)
    assert found is not None and found.at == kept["at"]
    assert is_in(kept["survey"], {"name": "nuc", **to_json(found.content)})
    surveys.keep(NUC, found)
    assert is_in(kept, json.loads((tmp_path / "home/surveys/nuc.json").read_text()))


def is_in(part: Any, whole: Any) -> bool:
    """Whether all that is said stays as it was; what came later may stand beside it."""
    if isinstance(part, dict):
        return part.keys() <= whole.keys() and all(is_in(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(is_in, part, whole))
    return bool(part == whole)


def test_what_a_newer_dyno_has_kept_is_read(surveys: Surveys, tmp_path: Path) -> None:
    kept = json.loads(KEPT.read_text())
    kept["survey"]["later"] = kept["survey"]["cpu"]["later"] = kept["survey"]["builds"][0]["later"] = [{}]
    (tmp_path / "home/surveys").mkdir(parents=True)
    (tmp_path / "home/surveys/nuc.json").write_text(json.dumps(kept))
    assert surveys.get(NUC) == DatedSurvey(kept["at"], read(Survey, json.loads(KEPT.read_text())["survey"]))
