"""How to do the same again, in words that anybody can follow, and as a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..compare import ColumnEntry
from ..errors import InputError
from ..history.figures import plan_of
from ..history.history import History
from ..units import count_text


def how_to_repeat(history: History, columns: Sequence[ColumnEntry], base: int) -> Iterator[str]:
    """Of plans as they were carried out; of what somebody else has published nothing is known."""
    plan = plan_of(history, columns[base]["id"])
    if not plan.get("files"):
        return
    yield _work(plan)
    own = [column for column in columns if plan_of(history, column["id"]).get("files")]
    ids = ", ".join(f"{column['contender']['name']} {column['id']}" for column in own)
    yield (
        "Without Dyno: `dyno session script SESSION --out FOLDER` writes down what a session did as a shell "
        "script, with its my.cnf and its Lua beside it; it needs the server, its client and sysbench. "
        f"The sessions are {ids}."
    )
    yield (
        "With Dyno: `dyno session export SESSION FILE` gives a session as one file, with its plan, presets, "
        "workloads and all figures, for `dyno import FILE`."
    )


def _work(plan: Mapping[str, Any]) -> str:
    over = "a socket" if plan["transport"] == "socket" else "loopback"
    return (
        f"{count_text(plan['tables'], 'table')} of {plan['rows']:,} rows, the sequence {plan['sequence']}, "
        f"{plan['seconds']} s a step after {plan['warmup']} s of warm-up, over {over}; "
        f"{count_text(plan['repeats'], 'repeat')}, {plan['order']}."
    )


def script_of(history: History, session: str) -> str:
    """The shell script of a session; '' where there is none to be had."""
    from ..script.recipe import read_recipe
    from ..script.writing import render

    try:
        return render("run.sh", read_recipe(history, session))
    except InputError:
        return ""
