"""Adds a server that runs already: its form, its certificate, its password, and what was found there."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QWidget

from app.core.errors import InputError
from app.remote.reach import reached
from app.remote.target import Ask, Target
from app.targets.server_login import LoggedInServer, UnknownServerCertificateError, found_lines, look_at
from app.targets.servers import (
    FORM,
    MOST_QUERIES,
    NamedServer,
    Servers,
    check_server,
    fingerprint_text,
    parse_fingerprint,
    parse_server_url,
    setting_names,
)
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.dialogs.fingerprint import FingerprintDialog, FingerprintQuestion, in_two_lines
from ui.widgets.form import CheckBoxField, Form, FormFieldSpec, NumberField, TextListField
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar

WIDTH = 78 * SPACE
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
        "Dyno fills tables there and reads and writes them; not needed where the host is loopback",
        empty="db.example",
    ),
    FormFieldSpec(
        "plain",
        "&Plain text, without TLS",
        "Rows and what proves the password cross the network in plain text",
        CheckBoxField,
        is_wide=True,
    ),
    FormFieldSpec(
        "settings",
        "&Settings",
        "One per line: variables whose values belong to the contender; Dyno reads them, and sets none",
        TextListField,
        empty="sync_binlog",
    ),
    FormFieldSpec(
        "max_queries",
        "&Most queries a second",
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
)
_OF_URL = ("", "host", "port", "user", "schema")  # fields of a server that are in its address
_UNKNOWN = (
    "Dyno has not connected to this server before. Compare the fingerprint with that of the server, then"
    " accept it. A different fingerprint means that somebody intercepts the connection. No account was sent."
)


class ServerDialog(QDialog):
    """Looks at the server as typed, and keeps it once it has let Dyno in."""

    added = Signal()

    def __init__(self, context: WindowContext, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context, self._target = context, target
        self._accepted: dict[str, str] = {}  # certificates, by place
        self.setWindowTitle("Add a server that runs already")
        self.setMinimumWidth(WIDTH)
        self.message = MessageBar()
        self.form = Form(FIELDS, gap=SPACE, parent=self)
        self.form.changed.connect(self._on_changed)
        about = f"Driven by {target.name}. Dyno neither starts nor ends it, and needs an empty schema there."
        self.found = PlainTextLabel(wraps=True, selectable=True)
        self.found.hide()
        standard = QDialogButtonBox.StandardButton
        buttons = dialog_buttons(self, standard.Cancel)
        self.cancel_button = buttons.button(standard.Cancel)
        self.add_button = QPushButton("&Log in and add")
        self.add_button.clicked.connect(self.add)
        buttons.addButton(self.add_button, QDialogButtonBox.ButtonRole.ActionRole)
        parts = (PlainTextLabel(about, "muted", wraps=True), self.form, self.message, self.found, buttons)
        lay_out_dialog(self, *parts, spacing=2 * SPACE)
        self.add_button.setDefault(True)
        self.form.line("name").setFocus()

    def add(self) -> None:
        """Look at the server, or say what is wrong with what was typed."""
        try:
            server = self._server()
        except InputError as error:
            self._show_problem(error)
            return
        self._look(server)

    def _server(self) -> NamedServer:
        """The server as typed; raises InputError about a field."""
        typed = self.form.values()
        if missing := self.form.missing():
            raise InputError(next(iter(missing.values())), next(iter(missing)))
        server = replace(
            parse_server_url(typed["name"], typed["url"]),
            tls=not typed["plain"],
            settings=setting_names(typed["settings"]),
            max_queries=typed["max_queries"],
            price=typed["price"],
            replica_of=typed["replica_of"],
            target=self._target.name,
        )
        if server.max_queries < 0:
            what = self.form.line("max_queries").text()
            raise InputError(f"most queries a second must be a number, got {what}", "max_queries")
        server = replace(server, certificate=self._accepted.get(server.place, "") if server.tls else "")
        check_server(server)
        return server.with_confirmed_host(typed["confirm"]) if server.needs_confirmation else server

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
        self.form.show_problems({field: str(error)})
        self.form.focus_first({field: ""})

    def _look(self, server: NamedServer) -> None:
        self.message.clear()
        self._set_busy(True)
        target, ask = self._target, self._context.secrets.ask
        self._context.tasks.run(
            self,
            lambda: _look(target, ask, server),
            self._on_looked,
            lambda error: self._on_failed(server, error),
        )

    def _on_looked(self, looked: LoggedInServer) -> None:
        """Keep it only now: who has closed the dialog meanwhile keeps nothing."""
        self._context.tasks.run(
            self,
            lambda: Servers().keep(looked.server),
            lambda _: self._on_kept(looked),
            lambda error: self._on_failed(looked.server, error),
            stores=True,
        )

    def _on_kept(self, looked: LoggedInServer) -> None:
        self.form.hide()
        self.add_button.hide()
        fingerprint = fingerprint_text(looked.server.certificate)
        text = "\n".join(found_lines(looked))
        self.found.setText(text.replace(fingerprint, in_two_lines(fingerprint)))
        self.found.show()
        self.message.show_info(f"{looked.server.name} is added: tick it with an engine.")
        self.cancel_button.setText("&Close")
        self.cancel_button.setEnabled(True)
        self.cancel_button.setFocus()
        self.adjustSize()
        self.added.emit()

    def _on_failed(self, server: NamedServer, error: Exception) -> None:
        self._set_busy(False)
        if isinstance(error, UnknownServerCertificateError):
            self._show_certificate(server, error)
        elif isinstance(error, InputError) and error.field in self.form.fields:
            self._show_problem(error)
        else:
            self.message.show_failure(error)

    def _show_certificate(self, server: NamedServer, error: UnknownServerCertificateError) -> None:
        dialog = FingerprintDialog(_question(server, error.fingerprint), self)
        dialog.finished.connect(lambda _: self._on_seen(dialog, server, error.fingerprint))
        dialog.open()

    def _on_seen(self, dialog: FingerprintDialog, server: NamedServer, fingerprint: str) -> None:
        is_accepted = dialog.is_accepted()
        dialog.deleteLater()
        if not is_accepted:
            self.message.show_warning("The certificate was not accepted: no account was sent to the server")
            return
        self._accepted[server.place] = parse_fingerprint(fingerprint)
        self._look(replace(server, certificate=self._accepted[server.place]))

    def _set_busy(self, is_busy: bool) -> None:
        self.form.setEnabled(not is_busy)
        self.add_button.setEnabled(not is_busy)
        if is_busy:
            self.message.show_info(f"Looking at the server from {self._target.name}…")
        else:
            self.message.clear()


def _field_of(error: InputError) -> str:
    """The field of the form: an address has several of a server."""
    return "url" if error.field in _OF_URL else error.field


def _look(target: Target, ask: Ask, server: NamedServer) -> LoggedInServer:
    Servers().check_new(server)
    with reached(target, ask) as agent:
        return look_at(agent, server, ask)


def _question(server: NamedServer, fingerprint: str) -> FingerprintQuestion:
    return FingerprintQuestion(
        title="Unknown certificate",
        heading=f"The certificate of {server.place} is unknown",
        about=_UNKNOWN,
        fingerprint=in_two_lines(fingerprint),
        trusted=(),
        pairs=(("Server", server.place), ("Seen from", server.target)),
        way="On the server the fingerprint is shown by"
        " openssl x509 -noout -fingerprint -sha256 -in server-cert.pem",
        known="",
        accept="&Accept this certificate",
    )
