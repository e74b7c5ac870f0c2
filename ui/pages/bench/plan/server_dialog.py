"""The form of a server that runs already: added once it has let Dyno in, or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from threading import Event

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QPushButton, QWidget

from app.core.errors import InputError
from app.remote.target import Ask
from app.targets.server_actions import look_anew, look_at_server
from app.targets.server_address import FORM, parse_server_url, setting_names
from app.targets.server_login import LoggedInServer
from app.targets.servers import MOST_QUERIES, NamedServer, Servers, changed_server
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.widgets.form import CheckBoxField, Choice, Form, FormFieldSpec, NumberField, TextListField
from ui.widgets.layouts import GrowingDialog, dialog_buttons, lay_out_dialog

from .server_visit import WIDTH, ServerVisit

FIELDS = (
    FormFieldSpec(
        "name", "&Name", "Name of the server: a-z, 0-9, '.', '_' and '-'", empty="prod", needed="enter a name"
    ),
    FormFieldSpec(
        "url",
        "&Address",
        f"{FORM}, without a password; the schema is empty, or was used by Dyno before",
        empty="mysql://bench@db.example:3306/dyno_bench",
        needed="enter an address",
    ),
    FormFieldSpec(
        "confirm",
        "&Host once more",
        "Dyno fills tables there and reads and writes them; needed once, except for loopback",
        empty="db.example",
    ),
    FormFieldSpec("target", "&Driven by", "Target whose sysbench drives the server", Choice),
    FormFieldSpec(
        "plain",
        "&Plain text, without TLS",
        "Rows and what proves the password cross the network in plain text",
        CheckBoxField,
        is_wide=True,
    ),
    FormFieldSpec(
        "settings",
        "Se&ttings",
        "One per line: variables whose values belong to the contender; Dyno reads them, and sets none",
        TextListField,
        empty="sync_binlog",
    ),
    FormFieldSpec(
        "max_queries",
        "Most &queries a second",
        f"Up to {MOST_QUERIES:,}; empty: any",
        NumberField,
        empty="any",
    ),
    FormFieldSpec("price", "P&rice of an hour", "Price of an hour, with its currency", empty="0.52 USD"),
    FormFieldSpec(
        "replica_of",
        "R&eplica of",
        "Name of the server that it replicates: it takes only reads",
        empty="none",
    ),
    FormFieldSpec(
        "remember",
        "Re&member the password in the keyring",
        "The system stores the password; otherwise Dyno forgets it when it closes",
        CheckBoxField,
        is_wide=True,
    ),
)
_OF_URL = ("host", "port", "schema", "user")  # fields of a server that are in its address
_ABOUT = "Dyno neither starts nor ends the server, and needs a schema there that is empty."


class ServerDialog(GrowingDialog):
    """Keeps a new server once it has let Dyno in; a changed one at once, and looks where that is needed."""

    changed = Signal()  # the list of servers

    def __init__(
        self,
        context: WindowContext,
        targets: Sequence[str],
        server: NamedServer,
        parent: QWidget | None = None,
    ) -> None:
        """`server`: the one to change; without a name a new one on its target."""
        super().__init__(parent)
        self._context, self._before, self._closed = context, server, Event()
        self.finished.connect(self._on_closed)
        self.setWindowTitle(
            f"Edit the server {server.name}" if server.name else "Add a server that runs already"
        )
        self.setMinimumWidth(WIDTH)
        self.form = Form(_fields(targets), gap=SPACE, parent=self)
        self.visit = ServerVisit(context, self)
        self.visit.ended.connect(self._on_looked)
        self.visit.failed.connect(self._on_failed)
        self._make_buttons()
        self._about = PlainTextLabel(_ABOUT, "muted", wraps=True)
        parts = (self._about, self.form, self.visit, 1, self._buttons)
        lay_out_dialog(self, *parts, spacing=2 * SPACE)
        self._fill()
        self.form.changed.connect(self._on_changed)

    def go(self) -> None:
        """Add or change the server, or say what is wrong with what was typed."""
        try:
            server = self._server()
        except InputError as error:
            self._show_problem(error)
            return
        self._set_busy(True)
        if self._before.name:
            self._save(self._changes(), self.form.values()["confirm"])
        else:
            closed = self._closed
            self.visit.go(server, lambda ask, accepted: _add(_accepted(server, accepted), ask, closed))

    # making it

    def _make_buttons(self) -> None:
        standard = QDialogButtonBox.StandardButton
        self._buttons = dialog_buttons(self, standard.Cancel)
        self.cancel_button = self._buttons.button(standard.Cancel)
        self.go_button = QPushButton("&Save" if self._before.name else "&Log in and add")
        self.go_button.clicked.connect(self.go)
        self._buttons.addButton(self.go_button, QDialogButtonBox.ButtonRole.ActionRole)
        self.go_button.setDefault(True)

    def _fill(self) -> None:
        server, name = self._before, self.form.line("name")
        url = server.url if server.name else ""
        self.form.fill({**asdict(server), "url": url, "confirm": "", "plain": not server.tls})
        name.setReadOnly(bool(server.name))
        name.setEnabled(not server.name)
        self.form.line("url" if server.name else "name").setFocus()

    # what is typed

    def _changes(self) -> dict[str, object]:
        """The fields of the server as typed; raises InputError about a field."""
        typed = self.form.values()
        if missing := self.form.missing():
            raise InputError(next(iter(missing.values())), next(iter(missing)))
        if typed["max_queries"] < 0:
            what = self.form.line("max_queries").text()
            raise InputError(f"most queries a second must be a number, got {what}", "max_queries")
        named = parse_server_url(typed["name"], typed["url"])
        same = {each: typed[each] for each in ("target", "max_queries", "price", "replica_of", "remember")}
        address = {each: getattr(named, each) for each in _OF_URL}
        return {**same, **address, "tls": not typed["plain"], "settings": setting_names(typed["settings"])}

    def _server(self) -> NamedServer:
        """The server as typed; raises InputError about a field."""
        typed, changes = self.form.values(), self._changes()
        named = replace(self._before, name=typed["name"])
        return _confirmed(changed_server(named, **changes), typed["confirm"])

    def _on_changed(self) -> None:
        """Remove what is corrected; the next mistake appears when its field is left."""
        try:
            self._server()
        except InputError as error:
            field = _field_of(error)
            self.form.show_problems({field: str(error)} if field in self.form.judged() else {})
        else:
            self.form.show_problems({})

    def _show_problem(self, error: InputError) -> None:
        field = _field_of(error)
        self.form.show_problems({field: error.window_text or str(error)})
        self.form.focus_first({field: ""})

    # what is done

    def _save(self, changes: dict[str, object], typed: str) -> None:
        name = self._before.name
        self._context.tasks.run(
            self, lambda: _edit(name, changes, typed), self._on_saved, self._on_failed, stores=True
        )

    def _on_saved(self, server: NamedServer) -> None:
        """Look at it where what was found before is of another place or account."""
        self.changed.emit()
        if server.version:
            self.accept()
        else:
            self._show_answer()
            self.visit.go(server, lambda ask, accepted: look_anew(server.name, ask, accepted))

    def _on_looked(self, looked: LoggedInServer) -> None:
        self._show_answer()
        self.visit.show_looked(looked)
        what = "is changed" if self._before.name else "is added: tick it with an engine"
        self.visit.message.show_info(f"{looked.server.name} {what}.")
        self.changed.emit()

    def _show_answer(self) -> None:
        """In place of the form, which is stored."""
        for each in (self._about, self.form, self.go_button):
            each.hide()
        self.cancel_button.setText("&Close")
        self.cancel_button.setFocus()
        self.adjustSize()

    def _on_closed(self) -> None:
        self._closed.set()

    def _on_failed(self, error: Exception) -> None:
        self._set_busy(False)
        is_open = not self.form.isHidden()
        if is_open and isinstance(error, InputError) and error.field and _field_of(error) in self.form.fields:
            self._show_problem(error)
        else:
            self.visit.message.show_failure(error)

    def _set_busy(self, is_busy: bool) -> None:
        self.form.setEnabled(not is_busy)
        self.go_button.setEnabled(not is_busy)


def _fields(targets: Sequence[str]) -> list[FormFieldSpec]:
    choices = tuple((each, each) for each in targets)
    return [replace(each, choices=choices) if each.name == "target" else each for each in FIELDS]


def _field_of(error: InputError) -> str:
    """The field of the form: an address has several of a server."""
    return "url" if error.field in _OF_URL else {"tls": "plain", "": "url"}.get(error.field, error.field)


def _confirmed(server: NamedServer, typed: str) -> NamedServer:
    return server.with_confirmed_host(typed) if server.needs_confirmation else server


def _accepted(server: NamedServer, certificate: str) -> NamedServer:
    return replace(server, certificate=certificate if server.tls else "")


def _edit(name: str, changes: dict[str, object], typed: str) -> NamedServer:
    changed = _confirmed(Servers().changed(name, **changes), typed)
    Servers().update(changed)
    return changed


def _add(server: NamedServer, ask: Ask, closed: Event) -> LoggedInServer:
    """Keep a new one once it has let Dyno in; who has closed the dialog meanwhile keeps nothing."""
    servers = Servers()
    servers.check_new(server)
    looked = look_at_server(server, ask)
    if closed.is_set():
        servers.forget_password(server)
    else:
        servers.add(looked.server)
    return looked
