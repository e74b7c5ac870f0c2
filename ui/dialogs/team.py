"""The team's history: which one, under which name, and how the exchange goes."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from app.core.errors import DynoError
from app.team.address import (
    TeamDatabaseAddress,
    TeamHistoryChoice,
    check_person,
    keep_history_choice,
    parse_team_address,
    read_team_history,
)
from app.team.certificate import CertificateChangedError, CertificateError, CertificateUnknownError
from app.team.login import join_team_history
from app.team.plugin import PlainPasswordPluginError
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.team import TeamState
from ui.core.theme import SPACE
from ui.widgets.layouts import dialog_buttons, lay_out_dialog
from ui.widgets.message import MessageBar

from .fingerprint import FingerprintDialog, FingerprintQuestion, in_two_lines

WIDTH = 72 * SPACE
_ABOUT = (
    "Several desktops share their sessions, names, tags, notes and cuts through a MySQL or MariaDB server."
    " Everything stays on this computer too, so that you can work without the server."
)
_NO_TEAM = "Not shared: this computer's own history"


class TeamDialog(QDialog):
    """Chooses a team's history; the exchange itself goes on in the background."""

    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self.setWindowTitle("Team's history")
        self.setMinimumWidth(WIDTH)
        self._message, self._state = MessageBar(), PlainTextLabel(wraps=True, selectable=True)
        self._address = QLineEdit(placeholderText="mysql://you@server/database")
        self._person = QLineEdit(placeholderText="the user of the address")
        self._no_tls = QCheckBox("Connect without &TLS (only to a server of this computer)")
        self._chosen = QCheckBox("&Fetch only the sessions that I choose")
        self._chosen.setToolTip("The others stay on the server: Sessions of the team, in the menu History")
        self._use, self._leave = QPushButton("&Share"), QPushButton("Stop s&haring")
        self._now = QPushButton("&Exchange now")
        self._build()
        self._read()
        context.team.told.connect(self._on_told)
        self._on_told(context.team.state)

    def _build(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(2 * SPACE)
        form.addRow("&Address", self._address)
        form.addRow("Your &name", self._person)
        form.addRow("", self._chosen)
        form.addRow("", self._no_tls)
        form.addRow("State", self._state)
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        for button, pressed in (
            (self._use, self._share),
            (self._leave, self._stop),
            (self._now, self._exchange),
        ):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
            button.clicked.connect(pressed)
        self._use.setDefault(True)
        lay_out_dialog(
            self, self._message, PlainTextLabel(_ABOUT, wraps=True), form, buttons, spacing=2 * SPACE
        )

    def _read(self) -> None:
        try:
            choice = read_team_history(self._context.home)
        except DynoError as error:
            self._message.show_failure(error)
            choice = None
        if choice is not None:
            self._address.setText(choice.address)
            self._person.setText(choice.person)
            self._no_tls.setChecked(not choice.tls)
            self._chosen.setChecked(not choice.fetches_all)
        self._leave.setEnabled(choice is not None)
        self._now.setEnabled(choice is not None)

    # what is done

    def _share(self) -> None:
        try:
            address = parse_team_address(self._address.text().strip())
            self._begin(self._wanted(address))
        except DynoError as error:
            self._message.show_failure(error)

    def _wanted(self, address: TeamDatabaseAddress) -> TeamHistoryChoice:
        person = check_person(self._person.text() or address.user)
        is_tls, is_all = not self._no_tls.isChecked(), not self._chosen.isChecked()
        return TeamHistoryChoice(str(address), person, is_tls, fetches_all=is_all)

    def _begin(self, choice: TeamHistoryChoice) -> None:
        self._message.clear()
        self._use.setEnabled(False)
        self._state.setText(f"connecting to {choice.address}")
        home, ask = self._context.home, self._context.secrets.ask
        self._context.tasks.run(
            self,
            lambda: join_team_history(home, choice, ask),
            lambda _: self._on_begun(),
            lambda error: self._on_failed(choice, error),
        )

    def _on_begun(self) -> None:
        self._use.setEnabled(True)
        self._read()
        self._exchange()

    def _on_failed(self, choice: TeamHistoryChoice, error: Exception) -> None:
        self._use.setEnabled(True)
        self._on_told(self._context.team.state)
        if isinstance(error, CertificateError):
            self._show(CertificateDialog(error, self), replace(choice, certificate=error.fingerprint))
        elif isinstance(error, PlainPasswordPluginError):
            self._show(AuthPluginDialog(error, self), replace(choice, plugin=error.plugin))
        else:
            self._message.show_failure(error)

    def _show(self, dialog: FingerprintDialog, accepting: TeamHistoryChoice) -> None:
        """Ask the person; who accepts goes on with this choice."""
        dialog.finished.connect(lambda _: self._on_seen(dialog, accepting))
        dialog.open()

    def _on_seen(self, dialog: FingerprintDialog, accepting: TeamHistoryChoice) -> None:
        is_accepted = dialog.is_accepted()
        dialog.deleteLater()
        if is_accepted:
            self._begin(accepting)

    def _stop(self) -> None:
        try:
            keep_history_choice(self._context.home, None)
        except DynoError as error:
            self._message.show_failure(error)
        self._read()
        self._context.team.exchange()

    def _exchange(self) -> None:
        self._context.team.exchange(is_asking=True)

    def _on_told(self, state: TeamState) -> None:
        self._state.setText(state.text or _NO_TEAM)


# the dialog that shows the fingerprint of a team's server and accepts its certificate


_UNKNOWN = (
    "No authority that this computer knows vouches for the certificate. Compare the fingerprint with that of"
    " the server, then accept it. A different fingerprint means that somebody intercepts the connection."
)
_CHANGED = (
    "The server got a new certificate, or somebody intercepts the connection. No password was sent. Unless"
    " you know why the certificate changed, cancel and ask the owner of the server."
)


class CertificateDialog(FingerprintDialog):
    def __init__(self, error: CertificateError, parent: QWidget | None = None) -> None:
        super().__init__(_question(error), parent)
        self.error = error


def _question(error: CertificateError) -> FingerprintQuestion:
    trusted = [in_two_lines(error.accepted)] if isinstance(error, CertificateChangedError) else []
    why = error.why if isinstance(error, CertificateUnknownError) else ""
    place = error.place
    return FingerprintQuestion(
        title="The certificate has CHANGED" if trusted else "Unverified certificate",
        heading=f"THE CERTIFICATE OF {place} HAS CHANGED"
        if trusted
        else f"The certificate of {place} is not verified",
        about=_CHANGED if trusted else _UNKNOWN,
        fingerprint=in_two_lines(error.fingerprint),
        trusted=trusted,
        pairs=(("Server", place), *([("Reason", why)] if why else [])),
        way="On the server the fingerprint is shown by"
        " openssl x509 -noout -fingerprint -sha256 -in server-cert.pem",
        known="I &know why the certificate of this server changed",
        accept="&Trust the new certificate" if trusted else "&Accept this certificate",
    )


_PLUGIN = (
    "So far the account logged in by another plugin. Somebody altered the account, or took over the server."
    " No password was sent. Unless you know why, cancel and ask the owner of the server."
)


class AuthPluginDialog(FingerprintDialog):
    def __init__(self, error: PlainPasswordPluginError, parent: QWidget | None = None) -> None:
        super().__init__(_of_plugin(error), parent)


def _of_plugin(error: PlainPasswordPluginError) -> FingerprintQuestion:
    return FingerprintQuestion(
        title="The server asks for the password",
        heading=f"{error.place} ASKS FOR THE PASSWORD as plain text",
        about=_PLUGIN,
        fingerprint=error.plugin,
        trusted=[error.known],
        pairs=(("Server", error.place),),
        way="On the server the plugin is shown by SELECT user, plugin FROM mysql.user",
        known="I &know why the account logs in by another plugin",
        accept="&Send the password",
    )
