"""A calibration: the latest sessions of equals of a machine, and what they differ by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.catalog import Catalog
from app.comparison.texts.calibration_text import calibration_table, repeats_in
from app.core.errors import TargetError
from app.history.lists.sessions import latest_machine_key
from app.history.machines.calibration import calibration
from app.history.machines.measured import MachineHistory
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import estimate
from app.planner.kinds.calibration import calibration_request
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Step
from tests import journals, plans

MACHINE = "m" * 64
BOTH = (f"{plans.MARIADB}:innodb", f"{plans.MARIADB}:rocksdb")
STEPS = [
    Step("load", "load", "load", unit="rows/s", writes=True),
    *(
        Step(name, "drive", name, threads=2, seconds=7, coordinates={"threads": 2, "cores": cores})
        for name in ("point-query", "insert")
        for cores in (2, 1)
    ),
]
SHARED, OWN = (100.0, 106.0, 94.0, 103.0), (100.0, 101.0, 99.0, 100.5)


def calibrated(history: History, number: int = 1, disturbed: int = 0, factor: float = 1.0) -> None:
    """Four sessions, of which the first so many were disturbed."""
    plan = replace(journals.plan(repeats=4, number=number, its_steps=STEPS), sequence="calibration")
    for at, turn in enumerate(plan.turns):
        maker = journals.Maker(plan, turn.session).begin()
        maker.step(0)
        for step in range(1, len(STEPS)):
            figure = (SHARED if STEPS[step].coordinates["cores"] == 2 else OWN)[at]
            marks = ["disturbed"] if at < disturbed else []
            maker.step(step, value=100 * (figure / 100) ** factor, marks=marks)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)


def best(history: History) -> float | None:
    """The noise of a plan as usual; None without a calibration."""
    found = calibration(history, MACHINE)
    return found.best if found else None


def test_the_noise_of_shared_and_of_own_cpus(history: History) -> None:
    calibrated(history)
    found = calibration(history, MACHINE)
    assert found is not None and found.shared is not None and found.own is not None
    assert (found.sessions, found.shared.freedom, found.own.freedom, found.disturbed) == (4, 6, 6, 0)
    assert found.shared.deviation == pytest.approx(0.0514, abs=0.0001)
    assert found.own.deviation == pytest.approx(0.0085, abs=0.0001)
    assert best(history) == found.shared.deviation
    assert latest_machine_key(history, "local") == MACHINE


def test_engines_have_a_noise_each(history: History) -> None:
    """Figures of two engines are never pooled into one series: MyRocks commits at another speed."""
    contenders = [journals.contender("innodb"), journals.contender("rocksdb")]
    plan = replace(journals.plan(contenders, 3, its_steps=STEPS), sequence="calibration")
    for turn in plan.turns:
        maker = journals.Maker(plan, turn.session).begin()
        maker.step(0)
        for step in range(1, len(STEPS)):
            maker.step(
                step, value=(100.0, 9_000.0)[turn.contender] * (1 + 0.01 * turn.repeat * turn.contender)
            )
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    found = calibration(history, MACHINE)
    assert found is not None and found.shared is not None and found.shared.freedom == 8
    assert found.engines["innodb"].deviation == 0
    assert found.engines["rocksdb"].deviation == pytest.approx(0.0098, abs=0.0001)
    said = calibration_table(found).remarks
    assert "6 sessions of InnoDB and MyRocks" in said[0]
    assert "By engine, on shared CPUs: InnoDB 0.0%, MyRocks 1.0%." in said


def test_the_latest_one_counts(history: History) -> None:
    calibrated(history)
    before = best(history)
    calibrated(history, number=2, factor=2.0)
    after = best(history)
    assert before and after == pytest.approx(2 * before, rel=0.01)


def test_what_was_disturbed_is_left_out_where_others_remain(history: History) -> None:
    calibrated(history, disturbed=2)
    found = calibration(history, MACHINE)
    assert found is not None and found.shared is not None
    assert (found.shared.freedom, found.disturbed) == (2, 8)
    calibrated(history, number=2, disturbed=4)
    found = calibration(history, MACHINE)
    assert found is not None and found.shared is not None
    assert (found.shared.freedom, found.disturbed) == (6, 16)
    assert "Other programs disturbed 16 measurements." in calibration_table(found).remarks


def test_another_machine_and_none(history: History) -> None:
    calibrated(history)
    assert calibration(history, "another") is None
    assert latest_machine_key(history, "nas") == ""


def test_it_is_told_with_what_would_be_calmer(history: History) -> None:
    calibrated(history)
    found = calibration(history, MACHINE)
    assert found is not None
    table = calibration_table(replace(found, session_s=60.0))
    assert [line[:2] for line in table.lines] == [("10 min", "5"), ("30 min", "15"), ("120 min", "60")]
    shares = [[float(cell.rstrip("%")) for cell in line[2:]] for line in table.lines]
    assert all(shared > own for shared, own in shares)
    assert shares[0][0] > shares[1][0] > shares[2][0]
    assert any("choose cores" in remark for remark in table.remarks)
    assert repeats_in(10, replace(found, session_s=0.0)) == 300


def test_the_check_of_repeats_goes_by_what_was_measured() -> None:
    survey = plans.survey()
    plan = resolve(plans.request(*BOTH, repeats=5), survey, Catalog())

    def said(noise: float | None) -> str:
        checks = check_plan(plan, survey, estimate(plan, survey, MachineHistory(noise)), lambda: plans.NOW)
        return next(each.text for each in checks if each.name == "repeats")

    assert said(None).startswith("which difference 5 of each find is not known here yet: ")
    assert said(0.053).endswith("where repeats vary by 5.3%, as its calibration says")
    least = [estimate(plan, survey, MachineHistory(noise)).least_text for noise in (0.01, 0.053)]
    assert least == [f"finds differences from {share}% on, four times in five" for share in (3.0, 16.7)]
    assert estimate(replace(plan, repeats=1), survey, MachineHistory(0.01)).least_text == ""


def test_a_machine_without_a_build_is_not_calibrated() -> None:
    survey = plans.survey(topology=[[[0], [1]], [[2], [3]]])
    request = calibration_request(survey, "local")
    assert (request.repeats, request.cores) == (3, (4, 2))
    assert [each.engine for each in request.contenders] == ["innodb", "rocksdb"]
    bare = calibration_request(
        plans.survey(builds=[plans.build("only", "MySQL", "9.7.4", ["innodb"])]), "nas"
    )
    assert (len(bare.contenders), bare.repeats) == (1, 6)
    assert resolve(request, survey, Catalog()).sequence == "calibration"
    assert calibration_request(plans.survey(topology=[[[0]]]), "local").cores is None
    with pytest.raises(TargetError, match="no build with InnoDB that starts"):
        calibration_request(plans.survey(builds=[]), "nas")
