"""What is known of the settings of servers: my.cnf files, options and variables.

`mycnf` reads a preset, `ownership` refuses what is Dyno's own, `render` writes it for a build and a
machine; `variables` says what each variable means to a comparison. Catalog, planner, comparison,
explaining, script, report, command line and window may call it. It knows no session and reaches no
target.
Start with `mycnf`, then `render`.
"""

from .mycnf import Option, Preset, parse_preset, preset_file
from .render import DroppedCnfLine, MachineSize, RenderedPreset, check_sendable, option_values, render

__all__ = [
    "DroppedCnfLine",
    "MachineSize",
    "Option",
    "Preset",
    "RenderedPreset",
    "check_sendable",
    "option_values",
    "parse_preset",
    "preset_file",
    "render",
]
