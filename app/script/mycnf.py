"""The options that Dyno adds to a preset, with the variables of a script in place of paths."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from .recipe import Recipe

_AT_RUN_TIME = ("user",)  # asked where the script is carried out


def own_lines(recipe: Recipe) -> Iterator[str]:
    """Options for a here-document: `datadir=$WORK/data`."""
    for name, value in recipe.own.items():
        if name not in _AT_RUN_TIME:
            placed = "$PORT" if name == "port" else _placed(recipe, value)
            yield f"{name}={placed}" if value else name


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
