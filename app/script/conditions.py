"""What steps ask of the server besides their load, as lines of a script: brought about, and put back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from app.engines import engine_of
from app.engines.server import PURGE_ALL, SHUTDOWN
from app.protocol.plan import Step
from app.protocol.words import literal, word

from .recipe import SessionRecipe


def sql_script_line(statement: str) -> str:
    """A line that runs a statement on the server."""
    return f"sql {shlex.quote(statement)}"


def optional_sql_script_line(statement: str) -> str:
    """The same for a statement that not every server knows: the script continues without it."""
    return f"try {shlex.quote(statement)}"


class ScriptSettings:
    """The settings in force while the script runs; its lines apply what the next step needs."""

    def __init__(self, recipe: SessionRecipe) -> None:
        self._recipe = recipe
        self._known = dict(recipe.variables)  # as the server has been started
        self._options: dict[str, str] = {}  # of its latest start
        self._changed: dict[str, str] = {}  # variables that are not as they were, and how they were
        self._has_caches = False
        self._has_cores = False

    def before(self, step: Step) -> Iterator[str]:
        yield from self._restart(step)
        yield from self._set_variables({name: word(value) for name, value in step.variables.items()})
        yield from self._set_caches(step.key_caches)
        yield from self._set_cores(step.cores)

    def restart(self) -> str:
        """Restart with new options, which forgets variables set since the last start."""
        self._changed, self._has_caches, self._has_cores = {}, False, False
        options = [f"--{name.replace('_', '-')}={value}" for name, value in self._options.items()]
        return shlex.join(["restart", *options])

    @property
    def variables(self) -> Mapping[str, str]:
        """The variables before any step sets them."""
        return self._known

    def known(self, name: str) -> str | None:
        """The value of a variable before any step sets it; None if the server lacks it."""
        return self._known.get(name)

    def _restart(self, step: Step) -> Iterator[str]:
        options = {name: word(value) for name, value in step.restart_with.items()}
        if options == self._options:
            return
        yield from self._set_variables({})
        yield from self._set_caches(False)
        if self._known.get(SHUTDOWN) is not None:
            yield optional_sql_script_line(PURGE_ALL)
        self._options = options
        self._known = {**self._recipe.variables, **options}
        yield self.restart()

    def _set_variables(self, wanted: Mapping[str, str]) -> Iterator[str]:
        for name in [each for each in reversed(list(self._changed)) if each not in wanted]:
            yield sql_script_line(f"SET GLOBAL {name}={literal(self._changed.pop(name))}")
        for name, value in wanted.items():
            self._changed.setdefault(name, self._known.get(name, value))
            yield sql_script_line(f"SET GLOBAL {name}={literal(value)}")

    def _set_caches(self, wanted: bool) -> Iterator[str]:
        """Give each table its own key cache, all together as large as the shared one."""
        engine = engine_of(self._recipe.contender.engine)
        wanted = wanted and bool(engine.key_cache)
        if wanted == self._has_caches:
            return
        self._has_caches = wanted
        tables = self._recipe.plan.tables
        size = int(self._known.get(engine.key_cache, "0")) // tables
        for table in (f"sbtest{number}" for number in range(1, tables + 1)):
            lines = engine.give_key_cache(table, size) if wanted else engine.take_key_cache(table)
            yield from map(sql_script_line, lines)

    def _set_cores(self, wanted: str) -> Iterator[str]:
        if wanted or self._has_cores:
            self._has_cores = bool(wanted)
            cpus = shlex.quote(wanted) if wanted else '"$USUAL_CPUS"'
            yield f"move_server {cpus}"
