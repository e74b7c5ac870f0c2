"""What is known of the settings of servers: my.cnf files, options and variables.

`mycnf` reads a preset, `ownership` refuses what is Dyno's own, `render` writes it for a build and a machine;
`variables` says what each variable means to a comparison. Planner, comparison, report, script and explaining
stand above.
"""

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
