"""Presets: reading my.cnf files, refusing what is Dyno's, rendering them for one build on one machine."""

from .mycnf import Option, Preset, parse_preset, preset_file
from .render import Dropped, Machine, Rendered, check_sendable, option_values, render

__all__ = [
    "Dropped",
    "Machine",
    "Option",
    "Preset",
    "Rendered",
    "check_sendable",
    "option_values",
    "parse_preset",
    "preset_file",
    "render",
]
