"""Moves what all Pythons of a folder share into `common`: `python packages/share.py FOLDER`."""

from __future__ import annotations

import filecmp
import shutil
import sys
from pathlib import Path


def main(folder: Path) -> None:
    """What is the same to the byte in each of cp311, cp312, ...; packages and modules as a whole."""
    first, *others = sorted(folder.glob("cp3*"))
    common = folder / "common"
    common.mkdir()
    for entry in sorted(first.iterdir()):
        if all(is_same(entry, other / entry.name) for other in others):
            shutil.move(entry, common / entry.name)
            for other in others:
                remove(other / entry.name)


def is_same(one: Path, other: Path) -> bool:
    if not one.is_dir():
        return other.is_file() and filecmp.cmp(one, other, shallow=False)
    if not other.is_dir() or names(one) != names(other):
        return False
    return all(is_same(each, other / each.name) for each in one.iterdir())


def names(folder: Path) -> set[str]:
    return {each.name for each in folder.iterdir()}


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
