"""The dialog that accepts that a team's server asks for the password as plain text."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.team.plugin import PluginError

from .fingerprint import FingerprintDialog, Question

_ABOUT = (
    "So far the account logged in by another plugin. Somebody altered the account, or took over the server."
    " No password was sent. Unless you know why, cancel and ask the owner of the server."
)


class PluginDialog(FingerprintDialog):
    def __init__(self, error: PluginError, parent: QWidget | None = None) -> None:
        super().__init__(_question(error), parent)


def _question(error: PluginError) -> Question:
    return Question(
        title="The server asks for the password",
        heading=f"{error.place} ASKS FOR THE PASSWORD as plain text",
        about=_ABOUT,
        fingerprint=error.plugin,
        trusted=[error.known],
        pairs=(("Server", error.place),),
        way="On the server the plugin is shown by SELECT user, plugin FROM mysql.user",
        known="I &know why the account logs in by another plugin",
        accept="&Send the password",
    )
