"""The menus that are the same on every page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow

from app.core.errors import DynoError
from app.core.settings import APPEARANCES, TEXT_SIZES, Settings, keep_settings, read_settings
from ui.core.context import WindowContext
from ui.core.plain import as_tip, error_with_details
from ui.core.shortcuts import SHORTCUTS
from ui.widgets.actions import ListedAction
from ui.widgets.layouts import open_disposable_dialog


def add_file_menu(window: QMainWindow, context: WindowContext) -> None:
    menu = window.menuBar().addMenu("&File")

    def show_settings() -> None:
        from ui.dialogs.settings import SettingsDialog

        open_disposable_dialog(SettingsDialog(context, window))

    def show_team() -> None:
        from ui.dialogs.team import TeamDialog

        open_disposable_dialog(TeamDialog(context, window))

    menu.addAction(
        _action(window, "&Settings…", "settings", "Appearance, directories, notifications", show_settings)
    )
    menu.addAction(_action(window, "&Team's history…", "", "Share sessions through a server", show_team))
    menu.addSeparator()
    menu.addAction(
        _action(window, "&Quit", "quit", "Close the window; plans continue on their targets", window.close)
    )


def add_view_menu(
    window: QMainWindow, context: WindowContext, places: Sequence[QAction], of_message: Sequence[QAction]
) -> QAction:
    """Add the menu *View*; returns the action before which pages' menus go."""
    menu = window.menuBar().addMenu("&View")
    menu.addActions(list(places))
    menu.addSeparator()
    menu.addActions(list(of_message))
    menu.addSeparator()
    group = QActionGroup(window)
    for name in APPEARANCES:
        title = "Same as system" if name == "system" else name.capitalize()
        action = _action(window, title, "", f"Appearance: {title.lower()}", _chooser(context, name))
        action.setCheckable(True)
        action.setChecked(name == context.theme.appearance)
        group.addAction(action)
        menu.addAction(action)
    menu.addSeparator()
    menu.addActions(_text_size_actions(window, context))
    return menu.menuAction()


def _text_size_actions(window: QMainWindow, context: WindowContext) -> list[QAction]:
    """Larger, smaller and usual text."""

    def step(by: int) -> None:
        at = TEXT_SIZES.index(context.theme.text_size) + by
        if 0 <= at < len(TEXT_SIZES):
            choose_text_size(context, TEXT_SIZES[at])

    larger = _action(window, "&Larger text", "larger text", "Show all text larger", lambda: step(1))
    larger.setShortcuts([larger.shortcut(), QKeySequence(SHORTCUTS["larger text without Shift"])])
    smaller = _action(window, "&Smaller text", "smaller text", "Show all text smaller", lambda: step(-1))
    usual = _action(
        window,
        "&Usual text size",
        "usual text",
        "Show text in its usual size",
        lambda: choose_text_size(context, 100),
    )
    return [larger, smaller, usual]


def choose_text_size(context: WindowContext, percent: int) -> None:
    """Show text in this size, now and after the next start."""
    context.theme.set_text_size(percent)
    context.bus.said.emit(f"Text size {percent} %")
    _keep(context, lambda settings: replace(settings, text_size=percent))


def _chooser(context: WindowContext, appearance: str) -> Callable[[], None]:
    def choose() -> None:
        context.theme.set_appearance(appearance)
        _keep(context, lambda settings: replace(settings, appearance=appearance))

    return choose


def _keep(context: WindowContext, change: Callable[[Settings], Settings]) -> None:
    try:
        keep_settings(change(read_settings(context.home)), context.home)
    except (DynoError, OSError) as error:
        context.bus.said.emit(error_with_details(error)[0])


def add_help_menu(
    window: QMainWindow,
    context: WindowContext,
    all_actions: Callable[[], list[ListedAction]],
    find_action: Callable[[], None],
) -> None:
    menu = window.menuBar().addMenu("&Help")

    def show_help() -> None:
        from ui.dialogs.help import HelpDialog

        open_disposable_dialog(HelpDialog(all_actions(), window))

    def show_about() -> None:
        from ui.dialogs.help import AboutDialog

        open_disposable_dialog(AboutDialog(context, window))

    menu.addAction(
        _action(
            window, "&Find an action…", "find action", "Every action of the window, by its words", find_action
        )
    )
    menu.addAction(
        _action(window, "&Shortcuts and figures", "help", "Keys, and the meaning of each number", show_help)
    )
    menu.addAction(
        _action(window, "&About Dyno", "", "Version, licence, where Dyno stores its files", show_about)
    )


def _action(window: QMainWindow, text: str, means: str, tip: str, triggered: Callable[[], object]) -> QAction:
    made = QAction(text, window)
    if means:
        made.setShortcut(QKeySequence(SHORTCUTS[means]))
    made.setToolTip(as_tip(tip))
    made.setStatusTip(tip)
    made.triggered.connect(lambda _=False: triggered())
    return made
