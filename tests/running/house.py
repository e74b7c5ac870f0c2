"""The code in figures: rooms, arrows, functions, closets. `.venv/bin/python -m tests.running.house`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from statistics import median, quantiles

from tests.unit.test_imports import ROOMS, ROOT, files, graph

CLOSET = 80  # lines; a shorter module with a single importer may belong to it
LINES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): len(
        path.read_text().splitlines()
    )
    for path in files("app", "ui")
}


def show() -> None:
    lengths = sorted(function_lengths())
    print(f"{len(LINES)} files, {sum(LINES.values()):,} lines, {len(lengths):,} functions")
    print(
        f"a function: median {median(lengths):g} lines, 90th percentile {quantiles(lengths, n=10)[-1]:.0f},"
        f" longest {lengths[-1]}"
    )
    for corridor in ("app.history", "app.comparison", "app.planner"):
        arrows, rooms = arrows_within(corridor), ROOMS[corridor].split()
        count_of_arrows = sum(map(len, arrows.values()))
        print(f"{corridor}: {len(rooms)} rooms, {count_of_arrows} arrows, {floors(arrows)} floors")
    print(f"app.comparison: {string_subscripts()} subscripts by a text, {count('[at]')} by a column's place")
    print(f"the key of a step: {count('def step_key(', 'app')} definition, {count('step_key(', 'app')} uses")
    print(f"closets: {len(closets())}, shorter than {CLOSET} lines with one importer")


def function_lengths() -> Iterator[int]:
    for path in files("app", "ui"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                yield (node.end_lineno or 0) - node.lineno + 1


def arrows_within(corridor: str) -> Mapping[str, set[str]]:
    """Each room with the rooms that its files import."""
    found: dict[str, set[str]] = {}
    for module, imported in graph().items():
        here = _room(corridor, module)
        for each in imported:
            there = _room(corridor, each)
            if here and there and here != there:
                found.setdefault(here, set()).add(there)
    return found


def _room(corridor: str, module: str) -> str:
    name = module.removeprefix(f"{corridor}.").partition(".")[0]
    return name if module.startswith(f"{corridor}.") and name in ROOMS[corridor].split() else ""


def floors(arrows: Mapping[str, set[str]]) -> int:
    """The longest way down."""

    @cache
    def depth(room: str) -> int:
        return 1 + max(map(depth, arrows.get(room, ())), default=0)

    return max(map(depth, arrows), default=0)


def string_subscripts() -> int:
    return sum(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        for path in files("app/comparison")
        for node in ast.walk(ast.parse(path.read_text()))
    )


def count(text: str, folder: str = "app/comparison") -> int:
    return sum(path.read_text().count(text) for path in files(folder))


def closets() -> list[str]:
    importers: dict[str, set[str]] = {}
    for module, imported in graph().items():
        for each in imported:
            importers.setdefault(each, set()).add(module)
    return [name for name, lines in LINES.items() if 3 < lines < CLOSET and len(importers.get(name, ())) == 1]


if __name__ == "__main__":
    show()
