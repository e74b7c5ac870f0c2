"""No option takes an empty text or a list with an empty or repeated member."""

from __future__ import annotations

import argparse

import pytest

from app.cli import main
from app.cli.parser import Parser, non_empty_option
from tests.unit.cli.words import WHOLE, parsers

RUN = ("run", "--contender", "mariadb-10.11:innodb", "--sequence", "duel")
MAY_BE_EMPTY = (  # it takes away what was there
    *("target add", "target edit", "server add", "server edit", "build install", "build note"),
)


def test_every_option_with_a_text_of_its_own_refuses_an_empty_one() -> None:
    found = 0
    for parser in parsers(WHOLE):
        assert isinstance(parser, Parser)
        for action in parser._actions:
            if (
                not action.option_strings
                or action.nargs == 0
                or action.choices
                or action.type in (int, float)
            ):
                continue
            if parser.prog.removeprefix("dyno ") in MAY_BE_EMPTY and action.type is str:
                continue
            with pytest.raises((argparse.ArgumentTypeError, ValueError)):
                action.type("")  # type: ignore[operator]
            found += 1
    assert found > 25


def test_what_is_left_out_stays_empty() -> None:
    assert WHOLE.parse_args(["run"]).directory == ""
    assert non_empty_option(str)("x") == "x"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("--steps=", "argument --steps: the value is empty: give a value, or leave the option out"),
        ("--steps=,,", "--steps ',,' has an empty item: write a,b,c"),
        ("--steps=load,load", "--steps 'load,load' names load twice"),
        ("--name=", "argument --name: the value is empty"),
        ("--directory=", "argument --directory: the value is empty"),
        ("--target=", "argument -t/--target: the value is empty"),
        ("--sequence= ", "argument --sequence: the value is empty"),
        ("--threads=1,1", "--threads names 1 twice"),
        ("--threads=1,,2", "--threads must be a list of numbers such as 2,4,8"),
        ("--threads=8-1", "--threads 8-1: a range goes up, such as 1-8"),
        ("--threads=1_0", "--threads must be a list of numbers such as 2,4,8"),
        ("--cores=4,2,4", "--cores names 4 twice"),
        ("--cores=0-3", "--cores must be between 1 and 4,096, not 0; CPUs go into brackets: [0-3]"),
        ("--cores=[0-]", "--cores must be numbers of cores, or CPUs in brackets"),
        ("--contender=", "argument --contender: the value is empty"),
        ("--taskset=", "argument --taskset: the value is empty"),
    ],
)
def test_run_takes_no_empty_or_repeated_value(
    dyno_home: object, capsys: pytest.CaptureFixture[str], word: str, said: str
) -> None:
    assert main([*RUN, word]) == 2
    assert capsys.readouterr().err.startswith(f"dyno: {said}")
