"""`dyno gate`: its exit codes, its table, and that no failure is read as an answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.cli import main
from app.comparison.answers.gate import GateRequest, gate_answer
from app.comparison.answers.gate_reports import gate_junit
from app.comparison.verdicts.compare import compare
from app.history.store.history import History
from tests import comparable
from tests.sliced import keep, plan


@pytest.fixture
def pairs(dyno_home: Path) -> dict[str, tuple[str, str]]:
    """A session of each contender: of equals, of one that loses 7 %, and of one round."""
    found = {}
    with History(dyno_home) as history:
        for number, (name, rounds, factor) in enumerate(
            (("equal", 5, 1.0), ("slower", 5, 0.93), ("once", 1, 0.5)), 1
        ):
            sessions = keep(history, plan(rounds=rounds, number=number), (1.0, factor))
            found[name] = (sessions[0], sessions[1])
    return found


@pytest.mark.parametrize(("name", "code"), [("equal", 0), ("slower", 1), ("once", 3)])
def test_the_exit_code_is_the_verdict(
    pairs: dict[str, tuple[str, str]], name: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gate", *pairs[name], "--difference", "3%"]) == code
    said = capsys.readouterr()
    last, blank, head, *lines = said.out.splitlines()
    assert not blank
    assert head.split() == ["step", "unit", "ratio", "interval", "n", "verdict"] and not said.err
    assert [line.split()[0] for line in lines] == ["load", "point-query", "update-index"]
    assert last.startswith({0: "not worse: ", 1: "worse: ", 3: "cannot be told: "}[code])
    assert main(["gate", *pairs[name], "--difference", "3", "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["exit_code"] == code and found["sentence"] == last and found["worse_pct"] == 3.0
    assert [step["verdict"] for step in found["steps"]] == [found["verdict"]] * 3
    assert main(["gate", *pairs[name], "--difference", "3", "--quiet"]) == code
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "tag"), [("equal", "system-out"), ("slower", "failure"), ("once", "skipped")]
)
def test_junit_and_markdown_have_the_same_answer(
    pairs: dict[str, tuple[str, str]],
    name: str,
    tag: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, words = tmp_path / "gate.xml", ["gate", *pairs[name], "--difference", "3%"]
    code = main(words)
    sentence = capsys.readouterr().out.splitlines()[0]
    assert main([*words, "--markdown", "--junit", str(file)]) == code
    told = capsys.readouterr().out
    assert told.startswith(f"### {sentence}\n\n| step |") and "| point-query" in told
    suite = ElementTree.parse(file).getroot()[0]
    cases = [(case.get("name"), [each.tag for each in case]) for case in suite]
    answer = "error" if tag == "skipped" else tag  # skipped steps alone would look like an answer
    assert [tags for _, tags in cases] == [[tag]] * 3 + [[answer]] and cases[-1][0] == "gate"
    counted = {name: int(suite.get(name, "")) for name in ("tests", "failures", "errors", "skipped")}
    assert counted == {
        "tests": 4, "failures": 4 * (tag == "failure"), "errors": int(tag == "skipped"),
        "skipped": 3 * (tag == "skipped"),
    }  # fmt: skip
    assert all(found.get("message") for case in suite for found in case if found.tag != "system-out")
    assert sentence in {suite[-1][0].text, suite[-1][0].get("message")}
    assert main([*words, "--junit", str(tmp_path / "none" / "gate.xml")]) == 2


def test_the_junit_of_an_earlier_run_is_no_answer_of_one_that_fails(
    pairs: dict[str, tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, link, words = tmp_path / "gate.xml", tmp_path / "link.xml", ["--difference", "3%", "--junit"]
    assert main(["gate", *pairs["equal"], *words, str(file)]) == 0 and file.exists()
    assert main(["gate", *pairs["equal"][:1], "nobody", *words, str(file)]) == 2 and not file.exists()
    link.symlink_to(file)  # as /dev/stdout is one
    assert main(["gate", *pairs["equal"][:1], "nobody", *words, str(link)]) == 2 and link.is_symlink()
    assert main(["gate", *pairs["equal"], *words, str(tmp_path)]) == 2
    assert f"{tmp_path} cannot be written: Is a directory" in capsys.readouterr().err


def test_without_a_step_to_judge_the_gate_is_an_error(history: History) -> None:
    found = compare(history, comparable.keep(history.path.parent, comparable.plan(2, 3)))
    entry = gate_answer(replace(found, rows=[]), GateRequest(3))
    assert entry["exit_code"] == 3
    ((case,),) = ElementTree.fromstring(gate_junit(entry))
    assert [(each.tag, each.get("message")) for each in case] == [("error", entry["sentence"])]


HOSTILE = "a<b & \"c\" ]]> \x1b[31m\x00\x85\u2028\u202e\ufffe\uffff\ud800 \n'd' " + "x" * 200_000


def test_junit_of_hostile_names_is_well_formed_bounded_and_harmless(history: History) -> None:
    found = gate_answer(
        compare(history, comparable.keep(history.path.parent, comparable.plan(2, 3))), GateRequest(50)
    )
    lines = [{**line, "step": HOSTILE, "why": HOSTILE} for line in found["steps"]]
    xml = gate_junit({**found, "steps": lines, "sentence": HOSTILE, "remarks": [HOSTILE]})  # type: ignore[typeddict-item]
    suite = ElementTree.fromstring(xml)[0]
    assert len(suite) == len(lines) + 1 and len(xml) < 40_000 * len(suite)
    name = suite[0].get("name") or ""
    assert name.startswith('a<b & "c" ]]> \\x1b[31m\\x00\\x85\\u2028\\u202e\\ufffe\\uffff\\ud800 ')
    assert all(each in "\t\n" or each.isprintable() for each in xml.decode())


def test_steps_and_limits_for_other_load_are_options(
    pairs: dict[str, tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    words = [
        "gate",
        *pairs["equal"],
        "--difference",
        "3%",
        "--step",
        "load",
        "--step",
        "point-query threads=2",
    ]
    assert main([*words, "--others-pct", "20", "--steal-pct", "3"]) == 0
    last, _, _, *lines, remark = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["load", "point-query"] and "each of 2 steps" in last
    assert remark.endswith(
        "other programs took more than 20% or the hypervisor took more than 3% of the CPUs"
    )


def test_a_line_has_the_ratio_with_its_interval(
    pairs: dict[str, tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["gate", *pairs["slower"], "--difference", "3%"])
    line = capsys.readouterr().out.splitlines()[4].split()
    assert line[:3] == ["point-query", "threads=2", "queries/s"] and line[-2:] == ["5", "worse"]
    assert (
        line[5] == "to"
        and float(line[3]) == pytest.approx(0.93, rel=0.01)
        and float(line[4]) < 0.93 < float(line[6]) < 0.97
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--difference", "0"], "must be above 0, up to 50%, not 0"),
        (["--difference", "51%"], "must be above 0, up to 50%, not 51%"),
        (["--difference", "-3%"], "--difference: must be above 0, up to 50%, not -3%"),
        (["--difference", "3%", "--false-share", "-.5%"], "--false-share: must be from 0 to 50%, not -.5%"),
        (["--difference", "nan"], "must be above 0"),
        (["--difference", "much"], "must be above 0"),
        ([], "one of the arguments --difference --claims is required"),
        (["--difference", "3%", "--measure", "beauty"], "no measure 'beauty'"),
        (["--difference", "3%", "--false-share", "60"], "must be from 0 to 50"),
        (
            ["--difference", "3%", "--step", "scan"],
            "no step 'scan' to judge: choose one of load, point-query, ",
        ),
        (["--difference", "3%", "--step", "load", "--groups"], "leave --step or --groups out"),
        (["--difference", "3%", "--others-pct", "101"], "--others-pct: must be from 0 to 100%"),
    ],
)
def test_wrong_input_is_2_and_one_line(
    pairs: dict[str, tuple[str, str]],
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["gate", *pairs["equal"], *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("dyno: ") and said in error and error.count("\n") == 1


@pytest.fixture
def claims(pairs: dict[str, tuple[str, str]], tmp_path: Path) -> Callable[..., list[str]]:
    """The words of a gate on the slower pair by claims."""

    def words(*lines: str) -> list[str]:
        file = tmp_path / "claims.txt"
        file.write_text("\n".join(lines))
        return ["gate", *pairs["slower"], "--claims", str(file)]

    return words


@pytest.mark.parametrize(
    ("lines", "code", "tags", "sentence"),
    [
        (["load: mariadb:rocksdb < mariadb:innodb"], 0, ["system-out"] * 2, "the claim holds"),
        (
            ["load: mariadb:rocksdb < 0.95 x mariadb:innodb", "load: mariadb:rocksdb > mariadb:innodb"],
            1, ["system-out", "failure", "failure"], "1 of 2 claims does not hold: ",
        ),
        (
            ["load: mariadb:rocksdb < 0.95 x mariadb:innodb", "load: mariadb:rocksdb < .93 mariadb:innodb"],
            3, ["system-out", "skipped", "error"], "1 of 2 claims cannot be told: ",
        ),
    ],
)  # fmt: skip
def test_claims_have_the_same_codes_and_forms(
    claims: Callable[..., list[str]],
    lines: list[str],
    code: int,
    tags: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words, junit = claims(*lines), tmp_path / "claims.xml"
    assert main([*words, "--junit", str(junit)]) == code
    first, blank, head, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith(sentence) and not blank
    assert head.split() == ["claim", "unit", "ratio", "interval", "n", "verdict"] and len(rest) >= len(lines)
    suite = ElementTree.parse(junit).getroot()[0]
    assert [[each.tag for each in case] for case in suite] == [[tag] for tag in tags]
    assert main([*words, "--markdown"]) == code
    assert capsys.readouterr().out.startswith(f"### {sentence}")
    assert main([*words, "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["exit_code"] == code and found["sentence"].startswith(sentence)
    assert [each["line"] for each in found["claims"]] == [*range(1, len(lines) + 1)]
    assert [case.get("name") for case in suite] == [*(each["claim"] for each in found["claims"]), "gate"]
    assert len(found["columns"]) == 2 and found["false_share"] == 0.05
    assert main([*words, "--quiet"]) == code and capsys.readouterr() == ("", "")


def test_claims_take_plans_of_several_contenders(
    claims: Callable[..., list[str]], dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = claims("group read: mariadb:rocksdb < mariadb:innodb")
    assert main(["gate", plan(number=2).id, *words[3:]]) == 0
    assert main(words) == 0 and main(["gate", words[1], *words[3:], words[2]]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("line", "words", "said"),
    [
        ("load: mariadb:rocksdb < nothing", [], "line 1: 'nothing' fits no column: write one of mariadb"),
        ("load", [], "claims.txt: line 1: 'load' is no claim: write STEP: "),
        ("", [], "claims.txt: has no claims"),
        (
            "load: a < b",
            ["--step", "load"],
            "claims name their steps and groups: leave --step and --groups out",
        ),
        ("load: a < b", ["--groups"], "claims name their steps and groups"),
        ("load: a < b", ["--difference", "3%"], "not allowed with argument"),
        ("load: mariadb:rocksdb < mariadb:innodb", ["--measure", "beauty"], "no measure 'beauty'"),
    ],
)
def test_wrong_claims_are_2_and_one_line(
    claims: Callable[..., list[str]],
    line: str,
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*claims(line), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("dyno: ") and said in error and error.count("\n") == 1


def test_sessions_that_are_not_there_or_the_same_are_2(
    pairs: dict[str, tuple[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    first = pairs["equal"][0]
    for words in ((first, "nobody"), (first, first), (first,), (first, "")):
        assert main(["gate", *words, "--difference", "3%"]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_failure_is_no_verdict(
    pairs: dict[str, tuple[str, str]], dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A history that cannot be read, a defect, an interrupt: 1 would say that it is worse."""
    words = ["gate", *pairs["equal"], "--difference", "3%"]
    for error, code in ((RuntimeError("a defect"), 3), (KeyboardInterrupt(), 130)):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("app.comparison.answers.gate.gate", _raising(error))
            assert main(words) == code
    for name in ("history.sqlite", "history.sqlite-wal", "history.sqlite-shm"):
        (dyno_home / name).unlink(missing_ok=True)
    (dyno_home / "history.sqlite").write_bytes(b"no history at all" * 100)
    assert main(words) == 3
    assert capsys.readouterr().err.splitlines()[-1].startswith("dyno: ")


def _raising(error: BaseException) -> object:
    def gate(*_: object) -> None:
        raise error

    return gate


def test_a_reader_that_goes_away_does_not_make_it_fine(
    pairs: dict[str, tuple[str, str]], dyno_home: Path
) -> None:
    """`dyno gate ... | true`: what was not said is no 0."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "app.cli", "gate", *pairs["slower"], "--difference", "3%"]
    environment = {**os.environ, "DYNO_HOME": str(dyno_home)}
    with os.fdopen(writing, "wb") as pipe:
        assert subprocess.run(command, stdout=pipe, env=environment, check=False).returncode == 3


def test_as_a_process(pairs: dict[str, tuple[str, str]], dyno_home: Path) -> None:
    environment = {**os.environ, "DYNO_HOME": str(dyno_home)}
    for name, code in (("equal", 0), ("slower", 1), ("once", 3)):
        command = [sys.executable, "-m", "app.cli", "gate", *pairs[name], "--difference", "3%"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == code and not done.stderr


@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_closed_streams_and_no_terminal_leave_the_answer(
    pairs: dict[str, tuple[str, str]], dyno_home: Path, tmp_path: Path, closed: tuple[int, ...]
) -> None:
    file = tmp_path / "gate.xml"
    shut = " ".join(f"{number}>&-" for number in closed)
    words = ["gate", *pairs["slower"], "--difference", "3%", "--junit", str(file)]
    shell = ["sh", "-c", f'exec "$@" {shut}', "sh", sys.executable, "-m", "app.cli", *words]
    environment = {**os.environ, "DYNO_HOME": str(dyno_home)}
    environment.pop("TERM", None)
    done = subprocess.run(shell, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("worse: ") == (1 not in closed)
    assert ElementTree.parse(file).getroot()[0].get("failures") == "4"
    assert main(["doctor"]) == 0  # nothing was written into the history
