"""The targets a person has: kept in targets.toml, read, checked, changed."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core import settings
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.remote.target import LOCAL, Target

from .named_tables import NamedTables

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_WORD = re.compile(r"[^\s\x00-\x1f\x7f-]\S*")  # a host or user is never taken for an option


class Targets:
    """targets.toml: one table for each target; `local` is there without one."""

    def __init__(self, home: Path | None = None) -> None:
        self.home = home or settings.home()
        self._tables = NamedTables(self.home / "targets.toml", Target, check_target_fields)
        self.path = self._tables.path

    def all(self) -> list[Target]:
        """This computer, then the others by name."""
        found = self._tables.read()
        local = found.pop(LOCAL, Target(LOCAL))
        if not local.directories:
            local = replace(local, directories=[str(self.home / "target")])
        return [local, *(found[name] for name in sorted(found))]

    def get(self, name: str) -> Target:
        known = {target.name: target for target in self.all()}
        if name not in known:
            text = f"no target {name!r}{did_you_mean(name, known)}: choose one of {', '.join(known)}"
            raise InputError(
                f"{text}, or add it with dyno target add",
                window_text=f"{text}, or add it on the Bench page",
            )
        return known[name]

    def add(self, target: Target) -> None:
        """Add a target; raises InputError if it is not valid."""
        found = self._tables.read()
        if target.name in found or target.name == LOCAL:
            text = f"target {target.name!r} exists already: edit it, or choose another name"
            raise TargetFieldError("name", text)
        check_target_fields(target)
        _check_keyring(target)
        self._tables.write({**found, target.name: target})

    def edit(self, name: str, **changes: Any) -> Target:
        """Change fields of a target; returns the target."""
        self._tables.check_fields(changes, "a target")
        before = self.get(name)
        changed = check_target_fields(replace(before, **changes))
        if changes.get("remember"):
            _check_keyring(changed)
        elif before.remember and not changed.remember:
            _drop_secrets(before)
        self._tables.write({**self._tables.read(), name: changed})
        return changed

    def remove(self, name: str) -> None:
        """Remove a target; the machine itself stays untouched."""
        if name == LOCAL:
            raise InputError("this computer is always a target: Dyno cannot remove it")
        _drop_secrets(self.get(name))
        self._tables.write({key: target for key, target in self._tables.read().items() if key != name})


class TargetFieldError(InputError):
    """A field of a target has a wrong value."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def check_target_fields(target: Target) -> Target:
    """The target; raises FieldError for a wrong field."""
    for name, text in problems_of(target).items():
        raise TargetFieldError(name, text)
    return target


def problems_of(target: Target) -> dict[str, str]:
    """A line for each wrong field of a target."""
    found: dict[str, str] = {}
    for name, text in _problems(target):
        if text:
            found.setdefault(name, text)
    return found


def _problems(target: Target) -> Iterator[tuple[str, str]]:
    name = target.name
    if not _NAME.fullmatch(name) or len(name) > 64:
        letters = "a-z, 0-9, '.', '_' and '-', a letter or digit first"
        yield "name", f"the name of a target may have {letters}, got {name!r}"
    if bool(target.host) == target.is_local:
        yield "host", "this computer has no host" if target.is_local else f"target {name} has no host"
    for what in ("host", "user"):
        value = getattr(target, what)
        if value and not _WORD.fullmatch(value):
            yield what, f"target {name}: {value!r} is not a {what}"
    if not 0 <= target.port <= 65535:
        yield "port", f"target {name}: port must be 1 to 65535, got {target.port}"
    yield "jump", _jump_problem(target)
    if not target.directories and not target.is_local:
        yield "directories", f"target {name} has no directory: name one on the disk to measure"
    yield from (("directories", _directory_problem(each, name)) for each in target.directories)
    yield from (("search_paths", _search_path_problem(each, name)) for each in target.search_paths)
    if target.python and not re.fullmatch(r"/[^\x00-\x1f]+|python[0-9.]*", target.python):
        yield "python", f"{target.python!r} is not a Python: write a name like python3.12 or an absolute path"


def _jump_problem(target: Target) -> str:
    from app.remote.route import parse_jump_host

    if target.jump.lower() in ("", "none"):
        return ""
    try:
        for part in target.jump.split(","):
            parse_jump_host(part.strip())
    except InputError as error:
        return str(error)
    return ""


def _directory_problem(directory: str, name: str) -> str:
    if directory.startswith(("/", "~/")) and directory.strip("/~.") and directory.isprintable():
        return ""
    return f"target {name}: {directory!r} is not absolute: start it with / or ~/"


def _search_path_problem(pattern: str, name: str) -> str:
    if pattern.startswith(("/", "~/")) and pattern.isprintable():
        return ""
    return f"target {name}: {pattern!r} is not absolute: start it with / or ~/, like /opt/*"


def _check_keyring(target: Target) -> None:
    if target.remember:
        from app.remote.secrets import check_keyring

        check_keyring(target.name)


def _drop_secrets(target: Target) -> None:
    if target.remember:
        from app.remote.secrets import forget_secrets_of

        with contextlib.suppress(InputError):  # its way can no longer be read: nothing more is known of it
            forget_secrets_of(target)
