"""Caveats joined by cause: few lines, each with the cells that are not judged for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.comparison.answers.sentences import first_lines
from app.comparison.cells.cell import Comparison
from app.comparison.texts.caveats import MOST, joined_texts
from app.comparison.texts.text import remarks_of, to_text
from app.comparison.verdicts.compare import compare
from app.history.store.history import History
from tests.sliced import Odd, Oddities, keep, plan

STEPS = range(3)


def busy(cpu_pct: float, name: str = "dpkg", causes: Sequence[str] = ("cpu",)) -> Odd:
    programs = [{"name": name, "cpu_pct": cpu_pct, "read_kb": 4096.0}]
    others = {"cpus": 2, "cpu_pct": cpu_pct, "steal_pct": 3.0, "causes": [*causes], "programs": programs}
    return Odd(["disturbed"], others=others)


def of_all(odd: Sequence[Odd], contender: int = 1, rounds: int = 5) -> Oddities:
    return {(contender, repeat, at): odd[at % len(odd)] for repeat in range(1, rounds + 1) for at in STEPS}


def compared(history: History, odd: Oddities, rounds: int = 5, number: int = 1) -> Comparison:
    return compare(history, keep(history, plan(rounds=rounds, number=number), (1.0, 0.9), odd))


def test_one_cause_in_all_cells_is_one_line(history: History) -> None:
    found = compared(history, of_all([busy(70.0), busy(160.0, "python3")]))
    assert joined_texts(found) == [
        "other programs took 70 to 160% of 200% CPU in all 15 measurements: python3, dpkg - so 3"
        " results are not judged"
    ]
    assert len(remarks_of(found)) > 3


def test_of_servers_elsewhere_the_machine_that_drives_is_named(history: History) -> None:
    odd = busy(90.0)
    found = compared(history, of_all([replace(odd, others={**odd.others, "only_drives": True})]))
    (said,) = joined_texts(found)
    assert said.startswith("on the machine that drives, other programs took 90% of 200% CPU in all 15")


def test_each_cause_has_its_own_count(history: History) -> None:
    found = compared(history, of_all([busy(90.0), busy(90.0, causes=["cpu", "steal"]), busy(50.0)]))
    cpu, steal = joined_texts(found)
    assert cpu.endswith(" - so 3 results are not judged")
    assert steal == "the hypervisor took 3.0% of the CPU in 5 of 15 measurements - so 1 result is not judged"


def test_a_cause_that_costs_no_verdict_says_so(history: History) -> None:
    """One session of five is left out, and the others are judged."""
    found = compared(history, {(1, 1, 1): busy(90.0, causes=["disk"])})
    first, *_ = joined_texts(found)
    assert first == ("other programs and the file system read and wrote 4.0 MiB/s in 1 measurement: dpkg")
    assert "1 disturbed measurement left out" in joined_texts(found)


def test_what_met_all_alike_and_costs_no_verdict_is_one_line(history: History) -> None:
    odd = {(at, 3, 1): busy(90.0, causes=["steal"]) for at in (0, 1)}
    found = compared(history, odd)
    assert found.rows[1].cells[1].verdict and "shared-load" in found.rows[1].cells[1].marks
    assert joined_texts(found) == [
        "the hypervisor took 3.0% of the CPU in all 2 measurements - from all contenders alike: judged all"
        " the same"
    ]


def test_of_one_session_each_the_number_is_the_reason(history: History) -> None:
    first, other = joined_texts(compared(history, of_all([busy(90.0)], rounds=1), rounds=1))
    assert first == "measured once: the noise is unknown - so 3 results are not judged"
    assert other == "other programs took 90% of 200% CPU in all 3 measurements: dpkg", "no cell has it alone"


def test_causes_of_a_later_version_are_the_mark(history: History) -> None:
    odd = of_all([busy(90.0, causes=["moonlight"])])
    (said,) = joined_texts(compared(history, odd))
    assert said.startswith("disturbed: other programs or the host took") and said.endswith(
        "so 3 results are not judged"
    )


def test_never_more_than_five_lines(history: History) -> None:
    marks = [
        "indebted",
        "capped",
        "shared-cores",
        "no-statistics",
        "restarted",
        "of-all-seconds",
        "tunnelled",
    ]
    found = compared(history, {(1, repeat, 1): Odd(marks) for repeat in range(1, 6)})
    texts = joined_texts(found)
    assert len(texts) == MOST and texts[-1].endswith(" more: --details")
    assert texts[0].endswith("not judged"), "what costs verdicts comes first"
    whole = joined_texts(found, most=100)
    assert texts[-1] == f"{len(whole) - MOST + 1} more: --details"


# what the sentences say


def test_what_a_sentence_says_in_full_is_no_caveat(history: History) -> None:
    found = compared(history, {}, rounds=1)
    sentences = first_lines(found)
    assert "(measured once: the noise is unknown)" in sentences[0]
    assert joined_texts(found) == ["measured once: the noise is unknown - so 3 results are not judged"]
    assert joined_texts(found, sentences) == []
    assert to_text(found, sentences=sentences).count("the noise is unknown") == 1


def test_different_work_is_said_once(history: History) -> None:
    ours = keep(history, plan(rounds=1))
    theirs = keep(history, replace(plan(rounds=1, number=2), rows=5))
    found = compare(history, [ours[0], theirs[0]])
    text = to_text(found, sentences=first_lines(found))
    assert text.count("rows=5, in the base rows=1000") == 1
    assert "rows=5, in the base rows=1000" in to_text(found, has_details=True), "all caveats"


def test_of_a_long_meaning_the_caveat_has_the_rest(history: History) -> None:
    found = compared(history, of_all([Odd(["other-work"]), Odd(["bad-statistics"]), Odd(["other-work"])]))
    sentences = first_lines(found)
    assert any("(its events sent or changed an unexpected number of rows)" in each for each in sentences)
    assert any("(bad-statistics)" in each for each in sentences)
    work, statistics = joined_texts(found, sentences)
    assert work.startswith("other-work: the log names the statement") and work.endswith("are not judged")
    assert statistics.startswith("bad-statistics: ANALYZE TABLE failed")
