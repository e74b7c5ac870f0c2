"""What the person has set (settings.toml)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from app.protocol.reading import MOST_PCT

from .errors import InputError
from .home import home as home

APPEARANCES = ("system", "light", "dark")
TEXT_SIZES = (80, 90, 100, 110, 125, 150)  # percent


@dataclass(frozen=True)
class Settings:
    """What a person sets in the window."""

    appearance: str = "system"
    text_size: int = 100  # one of TEXT_SIZES
    target: str = ""  # that the window begins with; none: the one chosen last
    notifications: bool = True  # when a plan ends
    matters_pct: float = 2.0  # smaller differences do not count
    false_share_pct: float = 5.0  # of the differences shown, how many may be noise


def read_settings(directory: Path | None = None) -> Settings:
    """The stored settings with defaults for missing ones; raises InputError for a wrong value."""
    kept = read_settings_table(directory)
    found = {field.name: kept[field.name] for field in fields(Settings) if field.name in kept}
    default = asdict(Settings())
    for name, value in found.items():
        if not _can_be(name, value, type(default[name])):
            raise InputError(f"{_path(directory)}: {name} cannot be {value!r}")
    return Settings(**found)


def _can_be(name: str, value: Any, kind: type) -> bool:
    if kind is float:
        return type(value) in (int, float) and 0 <= value <= MOST_PCT
    allowed: dict[str, tuple[object, ...]] = {"appearance": APPEARANCES, "text_size": TEXT_SIZES}
    return type(value) is kind and (name not in allowed or value in allowed[name])


def keep_settings(settings: Settings, directory: Path | None = None) -> None:
    write_settings_table({**read_settings_table(directory), **asdict(settings)}, directory)


def read_settings_table(directory: Path | None = None) -> dict[str, Any]:
    """All of settings.toml."""
    path = _path(directory)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    from .toml_text import read_document

    return read_document(text, str(path)).data


def write_settings_table(table: dict[str, Any], directory: Path | None = None) -> None:
    import tomli_w

    from .private import write_private

    write_private(_path(directory), tomli_w.dumps(table).encode())


def _path(directory: Path | None) -> Path:
    return (directory or home()) / "settings.toml"
