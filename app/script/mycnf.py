"""The options that Dyno adds to a preset, with the variables of a script in place of paths."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from .recipe import Recipe

_AT_RUN_TIME = ("user",)  # asked where the script is carried out

_OF_NETWORK = ("port", "bind-address", "skip-name-resolve")  # no load target comes to the server of a script


def own_lines(recipe: Recipe) -> Iterator[str]:
    """Options for a here-document: `datadir=$WORK/data`."""
    passed_over = (*_AT_RUN_TIME, *(_OF_NETWORK if recipe.plan.load else ()))
    for name, value in recipe.own.items():
        if name not in passed_over:
            placed = "$PORT" if name == "port" else _placed(recipe, value)
            yield f"{name}={placed}" if value else name
    if recipe.plan.load:
        yield "skip-networking"


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
