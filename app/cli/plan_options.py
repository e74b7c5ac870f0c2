"""What a plan is, as options of `dyno run` say it: they go before its plan file."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError
from app.planner.request.contender import TO_ALL, ContenderRequest
from app.planner.request.options import LISTS, PlanRequestOption
from app.planner.request.request import OPTIONS, PlanRequest

from .parser import Parser, non_empty_option, percent_type, split_word_list, typed

if TYPE_CHECKING:
    from app.comparison.verdicts.disturbing import GivenDisturbanceLimits

DISTURBING = ("others_pct", "steal_pct")  # limits for the load of other programs
_OPTIONS = {name: row for name, row in OPTIONS.items() if row.help}


@dataclass(frozen=True)
class GivenPlanOptions:
    """What the options of a command line say of a plan."""

    options: dict[str, Any]  # by name of the request; without those that were left out
    contenders: tuple[ContenderRequest, ...]
    to_all: dict[str, str]  # of contenders

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> GivenPlanOptions:
        """Raises InputError for what cannot be read."""
        given = given_options(arguments, _OPTIONS)
        if arguments.target is not None:
            given["target"] = arguments.target
        to_all = {name: text for name, row in TO_ALL.items() if (text := getattr(arguments, row.argument))}
        return cls(given, tuple(map(ContenderRequest.from_text, arguments.contender or ())), to_all)

    def at(self, target: str) -> GivenPlanOptions:
        """The same for a target."""
        return replace(self, options={**self.options, "target": target})

    def flags(self, but: Collection[str]) -> list[str]:
        """The options that were given, as they are written."""
        named = [row.flag for name, row in _OPTIONS.items() if name in self.options and name not in but]
        to_all = [TO_ALL[name].flag for name in self.to_all]
        return [f"--{flag}" for flag in (*["contender"] * bool(self.contenders), *named, *to_all)]

    def over(self, request: PlanRequest) -> PlanRequest:
        """The request with what was given in place of what it has."""
        contenders = self.with_to_all(_of_builds(request.contenders, self.contenders))
        return request.with_options(**self.options, contenders=contenders or None)

    def with_to_all(self, contenders: Iterable[ContenderRequest]) -> tuple[ContenderRequest, ...]:
        """The contenders with the options that are for all of them."""
        return tuple(replace(each, **self.to_all) for each in contenders)


def _of_builds(
    asked: tuple[ContenderRequest, ...], given: tuple[ContenderRequest, ...]
) -> tuple[ContenderRequest, ...]:
    """The given contenders, else those that were asked for; one of each build is one of each given build."""
    if not given or not any(each.is_of_each_build for each in asked):
        return given or asked
    if running := next((each.text for each in given if each.server), ""):
        raise InputError(f"the plan file has the my.cnf of each build: {running} is no build, leave it out")
    if detailed := next((each for each in given if each != ContenderRequest.from_text(each.build)), None):
        raise InputError(
            f"the plan file has the my.cnf of each build: name {detailed.build} without engine and preset"
        )
    return tuple(
        replace(each, build=build.build)
        for each in asked
        for build in (given if each.is_of_each_build else (each,))
    )


def add_plan_options(parser: Parser) -> None:
    """Options that override the plan file, by group."""
    for row in (*_OPTIONS.values(), *TO_ALL.values()):
        _add(parser, row)
    parser.add_argument(
        "--contender",
        action="append",
        metavar="BUILD:ENGINE:PRESET",
        help="what to compare, like a word without option; give it once for each contender",
    )


def unset_plan_options() -> dict[str, None]:
    """All of them as left out, for a command that has only some."""
    return {row.argument: None for row in (*_OPTIONS.values(), *TO_ALL.values())}


def given_options(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """What those of these options that were given mean, by name of the request; raises InputError."""
    texts = {name: getattr(arguments, _OPTIONS[name].argument) for name in names}
    return {name: _value(_OPTIONS[name], text) for name, text in texts.items() if text is not None}


def add_options(parser: Parser, *names: str) -> None:
    """Some of them, for a command that has no plan file."""
    for name in names:
        _add(parser, _OPTIONS[name])


def _add(parser: Parser, row: PlanRequestOption) -> None:
    more: dict[str, Any] = {"metavar": row.value_name} if row.value_name else {}
    if row.kind == "flag":
        more |= {"action": "store_true", "default": None}
    elif row.rule and row.rule.choices:
        more["choices"] = row.rule.choices
    else:
        more["type"] = _read(row)
    parser.add_argument(f"--{row.flag}", group=row.group, help=row.help, **more)


def _read(row: PlanRequestOption) -> Callable[[str], Any]:
    """How argparse reads it."""
    if row.kind == "percent":
        return percent_type(int(row.rule.high or 0) if row.rule else 0)
    return typed(row.read) if row.kind in ("count", "time", "repeats") else non_empty_option(str)


def _value(row: PlanRequestOption, given: Any) -> Any:
    """What an option means; raises InputError."""
    if row.kind == "words":
        return split_word_list(row.flag, given)
    if row.kind not in ("rows", *LISTS):
        return given
    try:
        return row.read(given)
    except InputError as error:
        raise InputError(f"--{row.flag} {error}") from None


def given_disturbance_limits(arguments: argparse.Namespace) -> GivenDisturbanceLimits:
    """The given limits for the load of other programs, also for steps that were measured with others."""
    from app.comparison.verdicts.disturbing import GivenDisturbanceLimits

    return GivenDisturbanceLimits(arguments.others_pct, arguments.steal_pct)
