"""The size of a data directory by part (tables, redo, ...); the file names decide the part."""

from __future__ import annotations

import os
import re
from typing import Dict, Iterable, Iterator, List, Pattern, Tuple, Union

from app.engines import KNOWN
from app.engines.server import BINLOG, FILES, SCHEMA

PARTS = ("tables", "shared", "redo", "undo", BINLOG, "temporary", "other")

Rules = List[Tuple[str, Pattern[str]]]


def _compiled(rules: Iterable[Tuple[str, str]]) -> Rules:
    return [(part, re.compile(rule)) for part, rule in rules]


_TOP = _compiled([*(rule for engine in KNOWN.values() for rule in engine.files), *FILES])
_FOLDERS: Dict[str, Union[str, Rules]] = {
    name: inside if isinstance(inside, str) else _compiled(inside)
    for engine in KNOWN.values()
    for name, inside in engine.folders.items()
}


def sizes(data_directory: str, temporary_directory: str = "") -> Dict[str, int]:
    """Allocated bytes by part and in total; files that vanish meanwhile count nothing."""
    found = dict.fromkeys(PARTS, 0)
    for entry in _entries(data_directory):
        if _is_folder(entry):
            _add_folder(entry, found)
        else:
            found[_part_of(entry.name, _TOP)] += _allocated(entry)
    if temporary_directory:
        found["temporary"] += _whole(temporary_directory)
    found["total"] = sum(found.values())
    return found


def _add_folder(folder: os.DirEntry[str], found: Dict[str, int]) -> None:
    inside = _FOLDERS.get(folder.name, "other")
    if folder.name == SCHEMA:
        for entry in _entries(folder.path):
            # what an ALTER or an index build has not finished yet
            part = "temporary" if entry.name.startswith("#sql") else "tables"
            found[part] += _whole(entry.path) if _is_folder(entry) else _allocated(entry)
    elif isinstance(inside, str):
        found[inside] += _whole(folder.path)
    else:
        _add_files(folder.path, inside, found)


def _add_files(path: str, rules: Rules, found: Dict[str, int]) -> None:
    """Add the files of a folder and those below, by their names."""
    for entry in _entries(path):
        if _is_folder(entry):
            _add_files(entry.path, rules, found)
        else:
            found[_part_of(entry.name, rules)] += _allocated(entry)


def data_file_category(name: str) -> str:
    """The part of a file that is in the data directory itself."""
    return _part_of(name, _TOP)


def _part_of(name: str, rules: Rules) -> str:
    return next((part for part, rule in rules if rule.match(name)), "other")


def _whole(path: str) -> int:
    total = 0
    for entry in _entries(path):
        total += _whole(entry.path) if _is_folder(entry) else _allocated(entry)
    return total


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            yield from entries
    except FileNotFoundError:
        return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir(follow_symlinks=False)


def _allocated(entry: os.DirEntry[str]) -> int:
    """Bytes on the disk: fewer than the length if the file has holes, more if space is reserved."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except FileNotFoundError:
        return 0
