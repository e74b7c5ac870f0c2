"""Presets and sequences of a person's own: written whole or not at all, copied, deleted."""

from __future__ import annotations

import difflib
from pathlib import Path

from app.core.errors import DynoError, InputError
from app.core.private import write_private
from app.core.toml_text import read_document, read_text
from app.variables import Preset, check_sendable, parse_preset
from app.variables.names import EARLIER, old_default_preset

from .listing import MAX_CNF, Catalog
from .sequence import sequence_of


def copy_preset(catalog: Catalog, engine: str, source: str, name: str) -> Path:
    """A copy of a preset under another name, to be changed; the answer is its file."""
    path = catalog.own_preset_path(engine, name)
    if path.exists():
        raise InputError(f"{path} exists already: edit it, or choose another name")
    if name == EARLIER:
        raise InputError(
            f"plans of an earlier Dyno mean {old_default_preset(engine)} by {name}: choose another name"
        )
    return write_preset(catalog, engine, name, catalog.preset(engine, source).text)


def write_preset(catalog: Catalog, engine: str, name: str, text: str) -> Path:
    """Write a preset of one's own; what cannot be read or sent is refused and nothing is changed."""
    path = catalog.own_preset_path(engine, name)
    check_sendable(parse_preset(text, name, engine, str(path), shipped=False))
    return written(path, text)


def read_own_preset(catalog: Catalog, engine: str, name: str) -> tuple[Path, str]:
    """The file of a preset of one's own and its text, whether it is right or not."""
    path = catalog.own_preset_path(engine, name)
    if not path.is_file():
        raise InputError(f"you have no preset {name} for {engine}: create it with dyno preset new")
    return path, read_text(path, MAX_CNF)


def write_sequence(catalog: Catalog, name: str, text: str, over: bool = False) -> Path:
    """Write a sequence of one's own; replace an existing one only on request."""
    path = catalog.own_sequence_path(name)
    sequence_of(read_document(text, str(path)), name, shipped=False, file=str(path))
    if path.exists() and not over:
        raise InputError(f"you have a sequence {name} already: choose another name")
    return written(path, text)


def written(path: Path, text: str) -> Path:
    """Write the whole file, or leave the old one."""
    try:
        write_private(path, text.encode())
    except DynoError as error:
        raise InputError(str(error)) from None
    return path


def delete_preset(catalog: Catalog, engine: str, name: str) -> None:
    """Delete a preset of one's own; shipped ones stay."""
    path = catalog.own_preset_path(engine, name)
    if not path.is_file():
        raise InputError(f"you have no preset {name} for {engine}")
    path.unlink()


def diff_presets(first: Preset, second: Preset) -> list[str]:
    """The lines in which two presets differ, as `diff -u` shows them."""
    names = (f"{first.engine}/{first.name}", f"{second.engine}/{second.name}")
    return list(difflib.unified_diff(first.text.splitlines(), second.text.splitlines(), *names, lineterm=""))
