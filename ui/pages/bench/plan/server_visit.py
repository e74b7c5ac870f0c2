"""The way to a server that runs already: its certificate, its password, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from app.remote.target import Ask
from app.targets.server_address import fingerprint_text
from app.targets.server_login import (
    CertificateNotAcceptedError,
    ChangedServerCertificateError,
    LoggedInServer,
    ServerCertificateError,
    found_lines,
)
from app.targets.servers import NamedServer
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.dialogs.fingerprint import FingerprintDialog, FingerprintQuestion, in_two_lines
from ui.widgets.layouts import GrowingDialog, dialog_buttons, in_column, lay_out_dialog
from ui.widgets.message import MessageBar

Work = Callable[[Ask, str], object]  # on a pool thread; with the certificate that was just accepted, else ''
WIDTH = 78 * SPACE
_UNKNOWN = (
    "Dyno has not connected to this server before. Compare the fingerprint with that of the server, then"
    " accept it. A different fingerprint means that somebody intercepts the connection. No account was sent."
)
_CHANGED = (
    "Somebody may be between the target and the server, or it has a new certificate. No account and no"
    " password was sent. Unless you know why it changed, cancel and look at the server itself."
)


class ServerVisit(QWidget):
    """Goes to a server from its target, with a question about a certificate that is not accepted yet."""

    ended = Signal(object)  # what the work returned
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._accepted: dict[str, str] = {}  # certificates, by place
        self.message = MessageBar()
        self.found = PlainTextLabel(wraps=True, selectable=True)
        self.found.hide()
        self.setLayout(in_column(self.message, self.found, spacing=2 * SPACE))

    def go(self, server: NamedServer, work: Work) -> None:
        accepted, ask = self._accepted.get(server.place, ""), self._context.secrets.ask
        self.message.show_info(f"Reaching the server from {server.target}…")
        self._context.tasks.run(
            self,
            lambda: work(ask, accepted),
            self._on_ended,
            lambda error: self._on_failed(server, work, error),
        )

    def show_lines(self, lines: list[str]) -> None:
        self.message.clear()
        self.found.setText("\n".join(lines))
        self.found.show()

    def show_looked(self, looked: LoggedInServer) -> None:
        fingerprint = fingerprint_text(looked.server.certificate)
        self.show_lines(
            [each.replace(fingerprint, in_two_lines(fingerprint)) for each in found_lines(looked)]
        )

    def _on_ended(self, answer: object) -> None:
        self.message.clear()
        self.ended.emit(answer)

    def _on_failed(self, server: NamedServer, work: Work, error: Exception) -> None:
        if isinstance(error, ServerCertificateError):
            self.message.show_info("Look at the certificate: no account is sent before you accept it")
            dialog = FingerprintDialog(certificate_question(error), self.window())
            dialog.finished.connect(lambda _: self._on_seen(dialog, server, work, error))
            dialog.open()
        else:
            self.message.clear()
            self.failed.emit(error)

    def _on_seen(
        self, dialog: FingerprintDialog, server: NamedServer, work: Work, error: ServerCertificateError
    ) -> None:
        is_accepted = dialog.is_accepted()
        dialog.deleteLater()
        if is_accepted:
            self._accepted[server.place] = error.offered
            self.go(server, work)
        else:
            self.message.clear()
            self.failed.emit(CertificateNotAcceptedError(server))


class ServerVisitDialog(GrowingDialog):
    """Does something with a server of the list, and shows what came of it."""

    def __init__(self, context: WindowContext, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(WIDTH)
        self.visit = ServerVisit(context)
        self.visit.failed.connect(self.visit.message.show_failure)
        lay_out_dialog(self, self.visit, 1, dialog_buttons(self, QDialogButtonBox.StandardButton.Close))


def certificate_question(error: ServerCertificateError) -> FingerprintQuestion:
    is_changed, server = isinstance(error, ChangedServerCertificateError), error.server
    place = server.place
    heading = (
        f"THE CERTIFICATE OF {place} HAS CHANGED" if is_changed else f"The certificate of {place} is unknown"
    )
    return FingerprintQuestion(
        title="The certificate has CHANGED" if is_changed else "Unknown certificate",
        heading=heading,
        about=_CHANGED if is_changed else _UNKNOWN,
        fingerprint=in_two_lines(error.fingerprint),
        trusted=(in_two_lines(fingerprint_text(server.certificate)),) if is_changed else (),
        pairs=(("Server", place), ("Seen from", server.target)),
        way="On the server the fingerprint is shown by"
        " openssl x509 -noout -fingerprint -sha256 -in server-cert.pem",
        known="I &know why the certificate of this server changed",
        accept="&Accept the new certificate" if is_changed else "&Accept this certificate",
    )
