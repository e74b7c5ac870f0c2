"""The paths of the files that come with Dyno: data packages next to the code."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def shipped_folder(package: str) -> Path:
    """The folder of one of them: workloads, cnf_presets, resources."""
    return Path(import_module(package).__path__[0])
