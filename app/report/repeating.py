"""How to do the same again, in words that anybody can follow, and as a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from app.comparison.cells.cell import Column
from app.core.errors import InputError
from app.core.units import count_text
from app.history.steps.figures import plan_of
from app.history.steps.step_text import time_of_steps
from app.history.store.history import History
from app.imported.session import is_imported


@dataclass(frozen=True)
class ColumnScript:
    """The shell script of a column."""

    name: str
    text: str


def how_to_repeat(
    history: History, columns: Sequence[Column], names: Sequence[str], base: int
) -> Iterator[str]:
    """How to repeat the plans; little is known of those that Dyno did not run."""
    own = _own(history, columns, base)
    if foreign := [names[at] for at in range(len(columns)) if at not in own]:
        yield f"Dyno did not measure {', '.join(foreign)}: the source is named above."
    if not own:
        return
    yield _work(plan_of(history, columns[own[0]].id))
    ids = ", ".join(f"{names[at]} {columns[at].id}" for at in own)
    yield (
        "Without Dyno: `dyno session script SESSION --out FOLDER` writes a session as a shell script with "
        "its my.cnf and its Lua; the script needs only the server, its client and sysbench. "
        f"The sessions are {ids}."
    )
    yield (
        "With Dyno: `dyno session export SESSION FILE` writes a session to one file, with its plan, presets, "
        "workloads and measurements, for `dyno import FILE`."
    )


def base_session_script(
    history: History, columns: Sequence[Column], names: Sequence[str], base: int
) -> ColumnScript | None:
    """The script of the base, else of the first session that Dyno ran; None without one."""
    from app.script.recipe import read_recipe
    from app.script.writing import render_session_script

    for at in _own(history, columns, base)[:1]:
        with suppress(InputError):
            return ColumnScript(
                names[at], render_session_script("run.sh", read_recipe(history, columns[at].id))
            )
    return None


def _own(history: History, columns: Sequence[Column], base: int) -> list[int]:
    """The columns that Dyno ran, the base first."""
    ordered = [base, *(at for at in range(len(columns)) if at != base)]
    return [at for at in ordered if not is_imported(plan_of(history, columns[at].id))]


def _work(plan: Mapping[str, Any]) -> str:
    over = {"socket": "a socket", "network": "a network"}.get(plan["transport"], plan["transport"])
    clients = ", ".join(each["name"] for each in plan.get("load", ()))
    over += f" from {clients}" if clients else ""
    timed = f", timed steps of {found}" if (found := time_of_steps(plan)) else ""
    order = f", {plan['order']}" if plan["repeats"] > 1 else ""
    return (
        f"{count_text(plan['tables'], 'table')} of {plan['rows']:,} rows, the sequence {plan['sequence']}"
        f"{timed}, over {over}; {count_text(plan['repeats'], 'repeat')}{order}."
    )
