"""The options that Dyno adds to a preset, with the variables of a script in place of paths."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from .recipe import Recipe

_AT_RUN_TIME = ("user",)  # asked where the script is carried out

_OF_NETWORK = ("port", "bind-address", "skip-name-resolve", "init-file", "skip-networking")
# as the agent does it now: with names resolved, root could log in over 127.0.0.1
_LOOPBACK = ("bind-address=127.0.0.1", "port=$PORT", "skip-name-resolve", "init-file=$WORK/closing.sql")


def own_lines(recipe: Recipe) -> Iterator[str]:
    """Options for a here-document: `datadir=$WORK/data`."""
    for name, value in recipe.own.items():
        if name not in (*_AT_RUN_TIME, *_OF_NETWORK):
            yield f"{name}={_placed(recipe, value)}" if value else name
    # no load target comes to the server of a script
    yield from _LOOPBACK if recipe.plan.transport == "loopback" else ("skip-networking",)


def _placed(recipe: Recipe, value: str) -> str:
    private, base = posixpath.dirname(recipe.own["socket"]), recipe.contender.base
    for folder, variable in ((recipe.place, "$WORK"), (private, "$PRIVATE"), (base, "$BASE")):
        if value == folder or value.startswith(f"{folder}/"):
            return variable + _kept(value[len(folder) :])
    return _kept(value)


def _kept(text: str) -> str:
    """A text escaped so that the shell changes nothing."""
    for sign in ("\\", "$", "`"):
        text = text.replace(sign, f"\\{sign}")
    return text
