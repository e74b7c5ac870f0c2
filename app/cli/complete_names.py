"""Names that a word may take: of what lies in Dyno's folders, by the name of its option or argument."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.core.home import home
from app.core.shipped import shipped_folder

Find = Callable[[Sequence[str], str], list[str]]
MOST_SURVEY = 4 << 20  # bytes of a stored survey that is read while somebody waits


def _targets() -> list[str]:
    import tomllib

    path = home() / "targets.toml"
    found = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return list(dict.fromkeys(("local", *found)))


def _servers() -> list[str]:
    import tomllib

    path = home() / "servers.toml"
    return sorted(tomllib.loads(path.read_text(encoding="utf-8"))) if path.is_file() else []


def _surveyed(before: Sequence[str]) -> list[dict[str, Any]]:
    """The builds of the target that is named, else of all."""
    folder, target = home() / "surveys", _value_of(before, "--target", "-t")
    paths = [folder / f"{target}.json"] if target else sorted(folder.glob("*.json"))
    found: list[dict[str, Any]] = []
    for path in paths:
        if path.is_file() and path.stat().st_size < MOST_SURVEY:
            found += json.loads(path.read_bytes())["survey"]["builds"]
    return found


def _builds(before: Sequence[str]) -> list[str]:
    return sorted({str(each["name"]) for each in _surveyed(before)})


def _value_of(before: Sequence[str], *names: str) -> str:
    for at, word in enumerate(before):
        name, _, value = word.partition("=")
        if name in names:
            return value or (before[at + 1] if at + 1 < len(before) else "")
    return ""


def _contenders(before: Sequence[str], at_cursor: str) -> list[str]:
    """`BUILD`, after a colon `BUILD:ENGINE`, after another `BUILD:ENGINE:PRESET`; or `@SERVER`."""
    if at_cursor.startswith("@"):
        return [f"@{name}" for name in _servers()]
    build, *rest = at_cursor.split(":")
    if not rest:
        return _builds(before)
    if len(rest) == 1:
        engines = [
            str(engine).lower()
            for each in _surveyed(before)
            if each["name"] == build
            for engine in each["engines"]
        ]
        return sorted({f"{build}:{engine}" for engine in engines})
    start = f"{build}:{rest[0]}:"
    return [f"{start}{name}" for engine, name in _preset_pairs() if engine == rest[0].lower()]


def _stems(shipped: Path, own: Path, pattern: str) -> list[str]:
    return sorted({each.stem for folder in (shipped, own) for each in folder.glob(pattern)})


def _sequences() -> list[str]:
    return _stems(shipped_folder("workloads") / "sequences", home() / "sequences", "[!_]*.toml")


def _workloads() -> list[str]:
    return _stems(shipped_folder("workloads"), home() / "workloads", "[!_]*.toml")


def _preset_pairs() -> list[tuple[str, str]]:
    folders = (shipped_folder("cnf_presets"), home() / "presets")
    return sorted({(each.parent.name, each.stem) for folder in folders for each in folder.glob("*/*.cnf")})


def _presets() -> list[str]:
    return [f"{engine}/{name}" for engine, name in _preset_pairs()]


def _sessions() -> list[str]:
    from app.history.lists.typed_names import session_names

    return ["last", *session_names(home())]


def _plans() -> list[str]:
    from app.history.lists.typed_names import plan_names

    return plan_names(home())


def _sessions_and_plans() -> list[str]:
    return list(dict.fromkeys((*_sessions(), *_plans())))


def _steps(before: Sequence[str]) -> list[str]:
    from app.history.lists.typed_names import step_names

    return step_names(home(), before) or _workloads()


def _plain(find: Callable[[], list[str]]) -> Find:
    return lambda _before, _at_cursor: find()


def _listed(find: Callable[[], list[str]]) -> Find:
    """`a,b`: a name after the last comma."""

    def found(_: Sequence[str], at_cursor: str) -> list[str]:
        start = at_cursor[: at_cursor.rfind(",") + 1]
        return [f"{start}{name}" for name in find()]

    return found


def _step(before: Sequence[str], at_cursor: str) -> list[str]:
    start = at_cursor[: at_cursor.rfind(",") + 1]
    return [f"{start}{name}" for name in _steps(before)]


def _build(before: Sequence[str], _: str) -> list[str]:
    return _builds(before)


_A_SESSION = _plain(_sessions_and_plans)

# by command and name; without a command: of all commands
NAMES: dict[tuple[str, str], Find] = {
    **{("", each): _listed(_targets) for each in ("target", "clients-on")},
    **{("", each): _build for each in ("build", "builds")},
    ("", "contender"): _contenders,
    **{
        ("", each): _A_SESSION
        for each in ("session", "sessions", "again", "against", "base", "other", "a", "b")
    },
    **{("", each): _step for each in ("step", "steps", "profile")},
    ("", "plan"): _plain(_plans),
    ("", "sequence"): _plain(_sequences),
    ("", "presets"): _plain(_presets),
    ("dyno run", "words"): _contenders,
    ("dyno bisect", "builds"): _contenders,
    ("dyno sequence show", "name"): _plain(_sequences),
    **{(f"dyno workload {verb}", "name"): _plain(_workloads) for verb in ("show", "approve")},
    **{
        (f"dyno target {verb}", "name"): _plain(_targets)
        for verb in ("edit", "survey", "calibrate", "canaries", "trust", "clean", "remove")
    },
    **{
        (f"dyno server {verb}", "name"): _plain(_servers)
        for verb in ("edit", "show", "trust", "clean", "remove")
    },
}
