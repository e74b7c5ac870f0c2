"""What a person does with the servers that run already, in dialogs over the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.remote.target import Target
from app.targets.server_actions import clean_schema, look_anew
from app.targets.servers import NamedServer, Servers
from ui.core.context import WindowContext
from ui.dialogs.questions import ask_before
from ui.widgets.layouts import open_disposable_dialog

from .server_dialog import ServerDialog
from .server_visit import ServerVisitDialog
from .servers import ServerGroup


class ServerCommands(QObject):
    """Carries out the actions of the group."""

    changed = Signal()  # the list of servers
    failed = Signal(object)  # Exception

    def __init__(
        self,
        context: WindowContext,
        group: ServerGroup,
        targets: Callable[[], list[Target]],
        chosen: Callable[[], Target],
    ) -> None:
        super().__init__(group)
        self._context, self._group, self._targets, self._chosen = context, group, targets, chosen
        group.add.triggered.connect(self._add)
        for each, act in (
            (group.edit, self._edit),
            (group.look, self._look),
            (group.clean, self._ask_to_clean),
            (group.remove, self._ask_to_remove),
        ):
            each.triggered.connect(lambda _=False, act=act: self._with_chosen(act))

    def _with_chosen(self, act: Callable[[NamedServer], None]) -> None:
        if (server := self._group.chosen()) is not None:
            act(server)

    def _add(self) -> None:
        self._edit(NamedServer("", target=self._chosen().name))

    def _edit(self, server: NamedServer) -> None:
        names = [each.name for each in self._targets()]
        dialog = ServerDialog(self._context, names, server, self._group.window())
        dialog.changed.connect(self.changed)
        self._open(dialog)

    def _look(self, server: NamedServer) -> None:
        dialog = self._visit(f"Server {server.name}")
        dialog.visit.ended.connect(dialog.visit.show_looked)
        dialog.visit.go(server, lambda ask, accepted: look_anew(server.name, ask, accepted))

    def _ask_to_clean(self, server: NamedServer) -> None:
        text = (
            f"Dyno drops the tables and procedures that it made in the schema {server.schema}, and refuses"
            " while a plan is at work there."
        )
        ask_before(self._group, f"Clean the server {server.name}?", text, lambda: self._clean(server))

    def _clean(self, server: NamedServer) -> None:
        dialog = self._visit(f"Clean the server {server.name}")
        dialog.visit.ended.connect(dialog.visit.show_lines)
        dialog.visit.go(server, lambda ask, accepted: clean_schema(server.name, ask, accepted))

    def _ask_to_remove(self, server: NamedServer) -> None:
        text = "Nothing on the server changes, and its sessions stay in the history."
        ask_before(self._group, f"Remove the server {server.name}?", text, lambda: self._remove(server.name))

    def _remove(self, name: str) -> None:
        done, failed = self._on_removed, self._on_not_removed
        self._context.tasks.run(self, lambda: Servers().remove(name), done, failed, stores=True)

    def _on_removed(self, _: None) -> None:
        self.changed.emit()

    def _on_not_removed(self, error: Exception) -> None:
        self.changed.emit()  # it may have been removed in a terminal
        self.failed.emit(error)

    def _visit(self, title: str) -> ServerVisitDialog:
        dialog = ServerVisitDialog(self._context, title, self._group.window())
        self._open(dialog)
        return dialog

    def _open(self, dialog: ServerDialog | ServerVisitDialog) -> None:
        dialog.finished.connect(self.changed)  # it may have met a server that is gone
        open_disposable_dialog(dialog)
