"""Where Dyno keeps its things on this computer, and what the person has set."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """DYNO_HOME, or where this system keeps the data of its users."""
    given = os.environ.get("DYNO_HOME")
    if given:
        return Path(given).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("dyno", appauthor=False))
