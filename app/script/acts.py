"""The steps of a session as the lines of a script, in their order."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.core.harmless import as_file_name
from app.engines import engine_of
from app.protocol.plan import PREPARING, START, Plan, Step
from app.protocol.sysbench import (
    IN_ROLE,
    LOAD_WRAPPER,
    ROLE_WRAPPER,
    STARTED,
    WRAPPED,
    lua_environment,
    lua_script_stem,
    lua_wrapper_of,
    options_of,
    role_options,
    seed_of,
)
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
        if step.beside:
            continue
        name = f"{at + 1:02d}-{as_file_name(step.label)}"
        lines = [*conditions.before(step), *_lines(recipe, conditions, at, step, name)]
        if step.analyse:
            lines += [
                *map(optional_sql_script_line, engine_of(recipe.contender.engine).before_analyse),
                f"analyse {name}",
            ]
        lines += _conditions(recipe.plan, at, conditions)
        about = _about_roles(step, recipe.plan.together(at)) if step.role else _bounds(step)
        yield SessionScriptStep(name, f"{at + 1}. {step.label}{about}", tuple(lines))


def _conditions(plan: Plan, at: int, settings: ScriptSettings) -> Iterator[str]:
    """The conditions that are asked once a step is over; after a load the server starts again."""
    is_loaded, is_last = plan.is_loaded_after(at), len(plan.steps) == at + 1 + len(plan.beside(at))
    if not (is_loaded or is_last or plan.steps[at].check or plan.is_loaded_anew_after(at)):
        return
    asked = plan.conditions_until(at)
    for each in asked:
        yield shlex.join(["holds", each.name, each.title, each.sql])
    if asked and is_loaded and plan.steps[at + 1].kind != "restart":
        yield settings.restart()


def _about_roles(step: Step, roles: Sequence[Step]) -> str:
    """What the roles of a step are: `: reader, inserter (6000 events)`."""
    limits = [replace(role, warmup=0, cap_s=0) for role in roles]
    bounds = [_bounds(role).removeprefix(": ") for role in limits]
    named = [f"{role.role} ({text})" if text else role.role for role, text in zip(roles, bounds, strict=True)]
    at_most = f", {step.cap_s} s at most" if step.cap_s else ""
    return f": {', '.join(named)} at the same time{at_most}"


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
    if step.role:
        yield from _roles(recipe, recipe.plan.together(at), name)
        return
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
    wrapper = lua_wrapper_of(step, recipe.plan)
    if wrapper:
        yield f"export {WRAPPED}={shlex.quote(lua_script_stem(step))}"
    if wrapper == ROLE_WRAPPER:
        yield f"export {IN_ROLE}={shlex.quote(lua_script_stem(step))}"
    yield from _started(recipe, step, "drive", name, wrapper or posixpath.basename(step.lua), [])


def _roles(recipe: SessionRecipe, roles: Sequence[Step], name: str) -> Iterator[str]:
    """The roles of a step, each in the background, until those are done that it waits for."""
    yield "# Dyno lets the clients of all roles begin at the same moment; here one role starts after another"
    yield f"begin {name}"
    yield f"share {name}"
    ending = []
    for at, role in enumerate(roles):
        own_name = f"{name}.{as_file_name(role.role)}"
        ending += [own_name] if role.ends else []
        for variable, value in lua_environment(role, recipe.plan).items():
            yield f"export {variable}={shlex.quote(value)}"
        options = [*role_options(at, roles), "--roles-fd=8"]
        yield from _started(recipe, role, "role", own_name, LOAD_WRAPPER, options)
    yield f"together {name} {roles[0].cap_s or -1} {' '.join(ending)}".rstrip()


def _started(
    recipe: SessionRecipe, step: Step, word: str, name: str, lua: str, more: Sequence[str]
) -> Iterator[str]:
    """The line that starts sysbench with this Lua."""
    contender = recipe.contender
    seed = seed_of(recipe.plan, recipe.turn.repeat, step)
    options = options_of(step, recipe.plan, contender.engine, contender.table_options, seed)
    if f"workloads/{START}" in recipe.plan.files:
        yield f"export {STARTED}={shlex.quote(lua)}"
        lua = START
    words = [name, step.load_cores or "all", lua, *options, *more]
    yield wrapped_shell_command([word, *map(shlex.quote, words)])


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
