"""The canary runs of a machine as text: its speed before each session, and its variance for verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from app.core.table import Table
from app.core.units import count_text, date_text
from app.history.machines.canaries import CanaryRun, comparable_canary_results, runs_of_machine
from app.stats.between import ENOUGH, between_plan_variance

FIGURES = ("reads", "commits")
NONE = "No canary run yet: plans of more than ten minutes measure a small server before each session."


def canary_table(runs: Sequence[CanaryRun]) -> Table:
    """A line for each canary run, the newest first."""
    shares = {name: canary_ratios(runs, name) for name in FIGURES}
    lines = tuple(
        (
            *(date_text(run.at), run.session, run.build, run.disturbed),
            *(f"{getattr(run, name):,.0f} ({shares[name][at] - 1:+.1%})" for name in FIGURES),
        )
        for at, run in enumerate(runs)
    )
    heads = ("began", "before session", "server", "disturbed by", "reads/s", "commits/s")
    return Table(
        "Speed of the machine before each session (canary runs)",
        heads,
        lines,
        4,
        (machine_variation_text(runs),),
    )


def canary_ratios(runs: Sequence[CanaryRun], figure: str) -> list[float]:
    """Each run divided by the median of the undisturbed runs of the same server: 1 is as usual."""
    usual = {}
    for key in {run.key for run in runs}:
        same = [run for run in runs if run.key == key]
        quiet = [run for run in same if not run.disturbed] or same
        usual[key] = median(getattr(run, figure) for run in quiet)
    return [getattr(run, figure) / usual[run.key] if usual[run.key] else 1.0 for run in runs]


def machine_variation_text(runs: Sequence[CanaryRun]) -> str:
    """What comparisons across time add for the machine, and what it rests on."""
    of_machine = runs_of_machine(runs)
    if not of_machine:
        return NONE
    figures = comparable_canary_results(of_machine)
    found = between_plan_variance(figures)
    if found.canaries:
        return (
            f"The machine varies by {found.deviation:.1%} between sessions ({found.canaries} undisturbed"
            " canary runs). Comparisons across time add this to the noise."
        )
    return (
        f"{count_text(len(figures), 'undisturbed canary run')} of the present server."
        f" Comparisons across time assume {found.deviation:.0%} until there are {ENOUGH} runs."
    )
