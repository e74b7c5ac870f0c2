"""The steps of a session as the lines of a script, in their order."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.core.harmless import as_file_name
from app.engines import engine_of
from app.protocol.plan import PREPARING, START, Step
from app.protocol.sysbench import STARTED, WRAPPED, lua_script_stem, lua_wrapper_of, options_of, seed_of
from app.protocol.words import literal

from .conditions import ScriptSettings, optional_sql_script_line
from .recipe import SessionRecipe

_WIDTH = 110


@dataclass(frozen=True)
class SessionScriptStep:
    """A step of the script."""

    name: str  # of the files that its figures go to
    title: str
    lines: tuple[str, ...]


def acts(recipe: SessionRecipe) -> Iterator[SessionScriptStep]:
    """All steps of the plan, also those that a person skipped."""
    conditions = ScriptSettings(recipe)
    for at, step in enumerate(recipe.plan.steps):
        name = f"{at + 1:02d}-{as_file_name(step.label)}"
        lines = [*conditions.before(step), *_lines(recipe, conditions, at, step, name)]
        if step.analyse:
            lines += [
                *map(optional_sql_script_line, engine_of(recipe.contender.engine).before_analyse),
                f"analyse {name}",
            ]
        yield SessionScriptStep(name, f"{at + 1}. {step.label}{_bounds(step)}", tuple(lines))


def _bounds(step: Step) -> str:
    """The limits of a step: `: 60 s after 5 s of warm-up`."""
    parts = [
        f"{step.seconds} s" if step.seconds else "",
        f"{step.events} events" if step.events else "",
        f"after {step.warmup} s of warm-up" if step.warmup else "",
        f"; Dyno searched the rate with p99 under {step.limit_ms:g} ms" if step.limit_ms else "",
        f"{step.cap_s} s at most" if step.cap_s else "",
    ]
    said = " ".join(filter(None, parts))
    return f": {said}" if said else ""


def _lines(
    recipe: SessionRecipe, conditions: ScriptSettings, at: int, step: Step, name: str
) -> Iterator[str]:
    if step.lua:
        yield from _drive(recipe, replace(step, sliced=False), name)
        if step.kind == "load" or (step.kind in PREPARING and engine_of(recipe.contender.engine).has_facts):
            yield "need_tables"  # the agent goes on without an index, too
        return
    yield f"begin {name}"
    if step.kind == "settle":
        yield from _settle(recipe, conditions, step)
    else:
        if at == recipe.plan.snapshot_at:  # Dyno starts it on a copy, no page of which is in memory
            yield "DROP_CACHED=yes"
        yield conditions.restart()
    yield f"finish {name}"


def _drive(recipe: SessionRecipe, step: Step, name: str) -> Iterator[str]:
    contender = recipe.contender
    seed = seed_of(recipe.plan, recipe.turn.repeat, step)
    options = options_of(step, recipe.plan, contender.engine, contender.table_options, seed)
    wrapper = lua_wrapper_of(step, recipe.plan)
    if wrapper:
        yield f"export {WRAPPED}={shlex.quote(lua_script_stem(step))}"
    lua = wrapper or posixpath.basename(step.lua)
    if f"workloads/{START}" in recipe.plan.files:
        yield f"export {STARTED}={shlex.quote(lua)}"
        lua = START
    words = [name, step.load_cores or "all", lua, *options]
    yield wrapped_shell_command(["drive", *map(shlex.quote, words)])


def wrapped_shell_command(words: Sequence[str]) -> str:
    """A command, wrapped over several lines."""
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + len(word) + 3 > _WIDTH:
            lines.append(f"    {word}")
        else:
            lines[-1] += f" {word}"
    return " \\\n".join(lines)


def _settle(recipe: SessionRecipe, conditions: ScriptSettings, step: Step) -> Iterator[str]:
    """Force delayed writes, wait, and reset the settings."""
    engine = engine_of(recipe.contender.engine)
    yield from (
        optional_sql_script_line(f"SET GLOBAL {name}=1") for name in engine.nudges if conditions.known(name)
    )
    wanted = engine.forced(conditions.variables)
    yield from (optional_sql_script_line(f"SET GLOBAL {name}={value}") for name, value in wanted.items())
    yield f"settle {step.cap_s}"
    yield from (
        optional_sql_script_line(f"SET GLOBAL {name}={literal(conditions.known(name) or '')}")
        for name in reversed(wanted)
    )
