"""How many bytes a data directory takes on its disk, by part, told from the names of its files alone."""

from __future__ import annotations

import os
import re
from typing import Dict, Iterator

BINLOG = "binlog"
PARTS = ("tables", "shared", "redo", "undo", BINLOG, "temporary", "other")
SCHEMA = "dyno"  # where the load creates its tables

_TEMPORARY_FOLDERS = ("#innodb_temp",)
_REDO_FOLDERS = ("#innodb_redo",)
_ROCKSDB_FOLDERS = ("#rocksdb", ".rocksdb", "rocksdb")
_TOP = [
    # `shared` holds the dictionary and the change buffer, the undo of old versions, and every table
    # of a server without innodb_file_per_table
    ("shared", re.compile(r"ibdata\d+$")),
    ("redo", re.compile(r"ib_logfile\d+$|aria_log(\.\d+|_control)$|#ib_redo")),
    ("undo", re.compile(r"undo_?\d+$|.*\.ibu$")),
    ("temporary", re.compile(r"ibtmp\d+$|#sql|ib_temp|ML\w{6}$")),
    (BINLOG, re.compile(r".+\.\d{6,}(\.idx)?$|.+\.(index|state)$")),
]
_ROCKSDB = [
    ("tables", re.compile(r".+\.(sst|blob)$")),
    ("redo", re.compile(r"\d+\.log$")),
    ("temporary", re.compile(r".+\.(dbtmp|tmp)$")),
]


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
    if folder.name in _ROCKSDB_FOLDERS:
        _add_rocksdb(folder.path, found)
    elif folder.name == SCHEMA:
        for entry in _entries(folder.path):
            # what an ALTER or an index build has not finished yet
            part = "temporary" if entry.name.startswith("#sql") else "tables"
            found[part] += _whole(entry.path) if _is_folder(entry) else _allocated(entry)
    elif folder.name in _REDO_FOLDERS:
        found["redo"] += _whole(folder.path)
    elif folder.name in _TEMPORARY_FOLDERS:
        found["temporary"] += _whole(folder.path)
    else:
        found["other"] += _whole(folder.path)


def _add_rocksdb(path: str, found: Dict[str, int]) -> None:
    """All tables of the engine share its files; a folder in it keeps old logs or a checkpoint."""
    for entry in _entries(path):
        if _is_folder(entry):
            _add_rocksdb(entry.path, found)
        else:
            found[_part_of(entry.name, _ROCKSDB)] += _allocated(entry)


def part_of(name: str) -> str:
    """The part of a file that lies in the data directory itself."""
    return _part_of(name, _TOP)


def _part_of(name: str, rules: list[tuple[str, re.Pattern[str]]]) -> str:
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
    """Blocks on the disk: less than the length where there are holes, more where space was reserved."""
    try:
        return entry.stat(follow_symlinks=False).st_blocks * 512
    except FileNotFoundError:
        return 0
