"""Claims: holds, does not hold, or cannot be told; and what is no claim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.comparison.answers.claims import CODES, FAILS, HOLDS, ClaimsEntry, answer_claims
from app.comparison.answers.claims_file import MOST_CLAIMS, read_claims
from app.comparison.answers.gate import UNTOLD
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.core.errors import InputError
from app.history.store.history import History
from app.protocol.plan import LEVEL_MISSED, Contender, Plan
from app.stats import VerdictLimits
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, Oddities, keep, plan

OLD, NEW, FULL = (
    replace(INNODB, name=f"{build}-innodb-default", build=build, version=f"{build[6:9]}.1", fingerprint=build)
    for build in ("mysql-5.6", "mysql-9.7", "mysql-5.6-full")
)
FORM = "is no claim: write STEP: CONTENDER < FACTOR x CONTENDER"


def written(home: Path, *lines: str) -> Path:
    file = home / "claims.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def ask(
    history: History,
    *lines: str,
    factors: tuple[float, ...] = (1.0, 0.5),
    contenders: tuple[Contender, ...] = (OLD, NEW),
    odd: Oddities | None = None,
    its_plan: Plan | None = None,
    limits: VerdictLimits | None = None,
    measure: str = "value",
) -> ClaimsEntry:
    its_plan = its_plan or plan(contenders)
    if not compare_ids(history, its_plan):
        keep(history, its_plan, factors, odd)
    claims = read_claims(written(history.directory, *lines))
    return answer_claims(history, [its_plan.id], claims, measure, limits)


def compare_ids(history: History, its_plan: Plan) -> list[str]:
    return [id_ for (id_,) in history.query("SELECT id FROM session WHERE plan = ?", (its_plan.id,))]


def verdicts(found: ClaimsEntry) -> list[str]:
    return [line["verdict"] for line in found["claims"]]


def problem(home: Path, *lines: str) -> str:
    with pytest.raises(InputError) as raised:
        read_claims(written(home, *lines))
    return str(raised.value).removeprefix(f"{home / 'claims.txt'}: ")


def test_a_claim_holds_does_not_hold_or_cannot_be_told(history: History) -> None:
    found = ask(
        history,
        "# of two servers",
        "",
        "point-query: mysql-9.7 < 0.6 x mysql-5.6  # the half",
        "point-query: mysql-9.7 > 0.6 x mysql-5.6",
        "point-query: mysql-9.7 > 0.5 x mysql-5.6",
        "point-query: mysql-5.6 > 1.9 x mysql-9.7",
        "load: mysql-9.7 < mysql-5.6",
    )
    assert verdicts(found) == [HOLDS, FAILS, UNTOLD, HOLDS, HOLDS]
    assert [line["line"] for line in found["claims"]] == [3, 4, 5, 6, 7]
    first, _, third, fourth, _ = found["claims"]
    assert first["claim"] == "point-query threads=2: mysql-9.7 < 0.6 x mysql-5.6" and first["n"] == 5
    assert first["ratio"] == pytest.approx(0.5, rel=0.01) and first["low"] and first["high"]
    assert first["low"] < 0.5 < first["high"] < 0.6
    assert third["why"] == "the interval contains 0.5"
    assert fourth["ratio"] == pytest.approx(2.0, rel=0.01), "the base is the contender on the right"
    assert (found["verdict"], found["exit_code"]) == (FAILS, 1)
    assert found["sentence"].startswith(
        "1 of 5 claims does not hold, 1 cannot be told: point-query threads=2: mysql-9.7 > 0.6 x mysql-5.6 ("
    )
    assert found["remarks"] == [
        "at most 2 times 5% of such files have an interval that misses the truth: intervals hold together for"
        " steps with the same contender on the right, and for groups with the same one"
    ]


def test_ratios_and_intervals_are_those_of_compare(history: History) -> None:
    contenders = (OLD, NEW, ROCKSDB)
    found = ask(
        history, "load: mysql-5.6 < mariadb", contenders=contenders, factors=(1.0, 0.9, 1.2),
        limits=VerdictLimits(0.01),
    )  # fmt: skip
    ids = compare_ids(history, plan(contenders))
    base = next(id_ for id_, turn in zip(ids, plan(contenders).turns, strict=True) if turn.contender == 2)
    cell = compare(history, ids, base, VerdictLimits(0.01)).rows[0].cells[0]
    (line,) = found["claims"]
    assert (line["ratio"], line["low"], line["high"]) == (cell.relative, cell.low, cell.high)
    assert found["false_share"] == 0.01 and found["verdict"] == HOLDS and not found["remarks"]


@pytest.mark.parametrize(
    ("lines", "verdict", "sentence"),
    [
        (["load: mysql-9.7 < mysql-5.6"], HOLDS, "the claim holds"),
        (["load: mysql-9.7 < mysql-5.6"] * 3, HOLDS, "all 3 claims hold"),
        (
            ["load: mysql-9.7 > mysql-5.6", "load: mysql-9 > 2x mysql-5.6", "load: mysql-9 < .5 mysql-5.6"],
            FAILS, "2 of 3 claims do not hold, 1 cannot be told: load: mysql-9.7 > mysql-5.6 (",
        ),
        (
            ["load: mysql-9.7 < mysql-5.6", "load: mysql-9.7 < 0.5 mysql-5.6"], UNTOLD,
            "1 of 2 claims cannot be told: load: mysql-9.7 < 0.5 x mysql-5.6 (the interval contains 0.5)",
        ),
    ],
)  # fmt: skip
def test_the_answer_to_all(history: History, lines: list[str], verdict: str, sentence: str) -> None:
    found = ask(history, *lines)
    assert found["sentence"].startswith(sentence)
    assert (found["verdict"], found["exit_code"]) == (verdict, CODES[verdict])


def test_a_step_that_is_not_judged_cannot_be_told_for_its_reason(history: History) -> None:
    marked = {(1, 2, 1): Odd([LEVEL_MISSED]), (1, 3, 0): Odd(failed=True)}
    marked |= {(0, repeat, 2): Odd(["indebted"]) for repeat in range(1, 6)}
    claims = [f"{step}: mysql-9.7 < mysql-5.6" for step in ("load", "point-query", "update-index")]
    found = ask(history, *claims, odd=marked)
    assert verdicts(found) == [UNTOLD] * 3
    failed, missed, indebted = (line["why"] for line in found["claims"])
    assert (missed, indebted) == (LEVEL_MISSED, "indebted") and "failed" in failed


@pytest.mark.parametrize(
    ("rounds", "why"), [(1, "measured once: the noise is unknown"), (2, "fewer than 3 repeats")]
)
def test_claims_need_repeats(history: History, rounds: int, why: str) -> None:
    its_plan = plan((OLD, NEW), rounds=rounds)
    found = ask(history, "load: mysql-9.7 < mysql-5.6", factors=(1.0, 0.1), its_plan=its_plan)
    (line,) = found["claims"]
    assert (line["verdict"], line["why"]) == (UNTOLD, why) and line["ratio"] == pytest.approx(0.1, rel=0.01)


def test_plans_that_go_on_and_other_work_cannot_be_told(history: History) -> None:
    its_plan = plan((OLD, NEW))
    keep(history, its_plan, (1.0, 0.5), until=8)
    (line,) = ask(history, "load: mysql-9.7 < mysql-5.6", its_plan=its_plan)["claims"]
    assert line["verdict"] == UNTOLD and "still being measured" in line["why"]
    ids = [keep(history, plan([OLD], number=2))[0]]
    ids += [keep(history, replace(plan([NEW], number=3), rows=5), (0.1,))[0]]
    (line,) = answer_claims(history, ids, read_claims(history.directory / "claims.txt"))["claims"]
    assert line["verdict"] == UNTOLD and line["why"].startswith("different work: ")


def test_any_session_stands_for_its_repeats(history: History) -> None:
    claim = "load: mysql-9.7 < mysql-5.6"
    whole = ask(history, claim)
    ids = compare_ids(history, plan((OLD, NEW)))
    assert answer_claims(history, ids[-2:], read_claims(history.directory / "claims.txt")) == whole


def test_across_time_is_said_of_claimed_pairs_only(history: History) -> None:
    ids = [keep(history, plan([each], number=at))[0] for at, each in enumerate((OLD, NEW, MYISAM), 1)]
    claims = read_claims(written(history.directory, "load: mysql-9.7 < mysql-5.6"))
    (remark,) = answer_claims(history, ids, claims)["remarks"]
    assert "9.7" in remark and "5.6" in remark and "across time" in remark


# the names of contenders, steps and groups


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("mysql-5.6", 0), ("mysql-9", 1), ("mysql-5.6-f", 2), ("mariadb-10.11:rocksdb", 3),
        ("mariadb:MyRocks", 3), ("mariadb:myisam:default", 4), ("mysql-9.7:InnoDB", 1),
    ],
)  # fmt: skip
def test_contenders_are_named_by_the_beginning_of_their_build(
    history: History, name: str, column: int
) -> None:
    contenders = (OLD, NEW, FULL, ROCKSDB, MYISAM)
    other = "mysql-9.7" if column != 1 else "mysql-5.6"
    found = ask(
        history, f"load: {name} > 0.1 x {other}", contenders=contenders, factors=(1.0, 1.1, 1.2, 1.3, 1.4)
    )
    whole = list(found["columns"])
    assert len(whole) == 5 and found["claims"][0]["other"] == whole[column]
    again = ask(history, f"load: {whole[column]} > 0.1 x {other}", its_plan=plan(contenders))
    assert again["claims"][0]["other"] == whole[column], "as the error lists it"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("load: mysql < mysql-9.7", "'mysql' fits 2 columns: write one of mysql-5.6:innodb:"),
        ("load: mysql-9.7 < mysql-5.6:rocksdb", "'mysql-5.6:rocksdb' fits no column: write one of mysql-"),
        ("load: mysql-9.7 < mysql-5.6:innodb:default:x", "fits no column"),
        ("load: mysql-9.7:innodb:stock < mysql-5.6", "fits no column"),
        ("load: mysql-9 < mysql-9.7:innodb", "'mysql-9' and 'mysql-9.7:innodb' are the same column, "),
        ("scan: mysql-9.7 < mysql-5.6", "there is no step 'scan' to judge: choose one of load, point-"),
        ("point-qurey: mysql-9.7 < mysql-5.6", "(did you mean point-query?)"),
        ("point-query threads=4: mysql-9.7 < mysql-5.6", "there is no step 'point-query threads=4'"),
        ("group space: mysql-9.7 < mysql-5.6", "there is no group 'space' to judge: choose one of load, "),
        ("group load: mysql-9.7 < mysql-5.6", "group 'load' has no mean: name its steps"),
    ],
)  # fmt: skip
def test_names_that_fit_nothing_are_errors_with_their_line(history: History, line: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        ask(history, "load: mysql-9.7 < mysql-5.6", line)
    assert f"{history.directory / 'claims.txt'}: line 2: " in str(raised.value)
    assert said in str(raised.value) and "\n" not in str(raised.value)


def test_columns_of_one_build_engine_and_preset_are_named_by_their_names(history: History) -> None:
    cores = [replace(OLD, name=f"of {each} cores", cores=f"0-{each - 1}") for each in (1, 2)]
    with pytest.raises(InputError, match=r"'mysql' fits 2 columns: write one of of 1 cores, of 2 cores$"):
        ask(history, "load: mysql < of 1 cores", contenders=(cores[0], cores[1]))
    found = ask(history, "load: of 2 cores < of 1 cores", its_plan=plan(cores))
    assert found["verdict"] == HOLDS


def test_a_claim_on_a_swept_step_is_on_each_of_its_points(history: History) -> None:
    its_plan = plan((OLD, NEW))
    wide = replace(its_plan.steps[1], threads=4, coordinates={"threads": 4})
    its_plan = replace(its_plan, steps=[*its_plan.steps, wide])
    odd = {(1, repeat, 3): Odd(factor=3.0) for repeat in range(1, 6)}
    found = ask(history, "point-query: mysql-9.7 < mysql-5.6", its_plan=its_plan, odd=odd)
    assert [line["step"] for line in found["claims"]] == ["point-query threads=2", "point-query threads=4"]
    assert verdicts(found) == [HOLDS, FAILS] and found["sentence"].startswith(
        "the claim does not hold: point-query threads=4: mysql-9.7 < mysql-5.6 (1."
    )
    one = ask(history, "point-query threads=2: mysql-9.7 < mysql-5.6", its_plan=its_plan)
    assert one["verdict"] == HOLDS


def test_the_mean_of_a_group(history: History) -> None:
    found = ask(history, "group read: mysql-9.7 < 0.6 x mysql-5.6", "load: mysql-9.7 < mysql-5.6")
    assert verdicts(found) == [HOLDS, HOLDS]
    assert found["claims"][0]["claim"] == "group read: mysql-9.7 < 0.6 x mysql-5.6"
    assert found["remarks"][0].startswith("at most 2 times 5% of such files")


def test_smaller_is_the_figures_ratio_whatever_is_better(history: History) -> None:
    latency = ask(history, "point-query: mysql-9.7 < 0.6 x mysql-5.6", measure="p95_ms")
    (line,) = latency["claims"]
    ids = compare_ids(history, plan((OLD, NEW)))
    cell = comparison_by_measure(compare(history, ids), "p95_ms").rows[0].cells[1]
    assert line["direction"] == "lower" and line["ratio"] == cell.relative
    assert line["verdict"] == FAILS, "the latencies of both are equal"


# the file


@pytest.mark.parametrize(
    ("line", "step", "other", "sign", "factor", "base"),
    [
        ("insert: a < 0.6 x b", "insert", "a", "<", 0.6, "b"),
        ("insert:  a<0.6x b", "insert", "a", "<", 0.6, "b"),
        ("insert: a < .5 b", "insert", "a", "<", 0.5, "b"),
        ("insert: a > b", "insert", "a", ">", 1.0, "b"),
        ("insert: 5.6 > 5.7", "insert", "5.6", ">", 1.0, "5.7"),
        ("insert: 5.6 > 2 x 5.7", "insert", "5.6", ">", 2.0, "5.7"),
        ("scan threads=4: a:b:c > 1.1 x a:d", "scan threads=4", "a:b:c", ">", 1.1, "a:d"),
        ("\tinsert: a >\t1 x b # why", "insert", "a", ">", 1.0, "b"),
        ("insert: max > linux 14:35", "insert", "max", ">", 1.0, "linux 14:35"),
    ],
)  # fmt: skip
def test_lines_that_are_claims(
    tmp_path: Path, line: str, step: str, other: str, sign: str, factor: float, base: str
) -> None:
    (found,) = read_claims(written(tmp_path, line))
    assert (found.step, found.other, found.sign, found.factor, found.base) == (
        step,
        other,
        sign,
        factor,
        base,
    )
    assert read_claims(written(tmp_path, found.text_of(step)))[0] == found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("insert", FORM), ("insert: a", FORM), ("insert: a <", FORM), ("insert: < b", FORM),
        (": a < b", FORM),
        ("insert:a < b", FORM), ("a < b", FORM), ("insert: a <= b", FORM), ("insert: a < b < c", FORM),
        ("insert: a = b", FORM),
        ("insert: a < 0 x b", "the factor must be a number above 0, such as 0.6, not '0'"),
        ("insert: a < -1 x b", "not '-1'"), ("insert: a < 60% x b", "not '60%'"),
        ("insert: a < nan x b", "not 'nan'"), ("insert: a < 1e3 x b", "not '1e3'"),
        ("insert: a < 1.2.3 b", "not '1.2.3'"), (f"insert: a < {'9' * 380} x b", "must be a number above 0"),
        ("insert: a < 0.\u0663 x b", "must be a number above 0"),
        ("x" * 401, "longer than 400 characters"),
        ("insert: \x1b[31ma < b", "has characters that cannot be printed"),
        ("insert: \u202ea < b", "has characters that cannot be printed"),
    ],
)  # fmt: skip
def test_lines_that_are_none_are_named(tmp_path: Path, line: str, said: str) -> None:
    found = problem(tmp_path, "# none", line)
    assert found.startswith("line 2: ") and said in found and found.isprintable()


def test_files_that_are_none(tmp_path: Path) -> None:
    assert problem(tmp_path, "# only this", "").startswith("has no claims: write ")
    assert problem(tmp_path, "#" * 70_000) == "larger than 64 KiB"
    assert problem(tmp_path, *["a: b < c"] * (MOST_CLAIMS + 1)) == "line 1001: more than 1,000 claims"
    assert len(read_claims(written(tmp_path, *["a: b < c"] * MOST_CLAIMS))) == MOST_CLAIMS
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_claims(tmp_path / "none")
    (tmp_path / "claims.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8 text"):
        read_claims(tmp_path / "claims.txt")
