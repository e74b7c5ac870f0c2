"""The dialog that shows the fingerprint of a team's server and accepts its certificate."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.team.certificate import CertificateChangedError, CertificateError, CertificateUnknownError

from .fingerprint import FingerprintDialog, Question

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


def _in_two(fingerprint: str) -> str:
    """A fingerprint in two lines: in one it would be wider than the window."""
    parts = fingerprint.split(":")
    half = len(parts) // 2 + 1
    return ":".join(parts[:half]) + ":\n" + ":".join(parts[half:])


def _question(error: CertificateError) -> Question:
    trusted = [_in_two(error.accepted)] if isinstance(error, CertificateChangedError) else []
    why = error.why if isinstance(error, CertificateUnknownError) else ""
    place = error.place
    return Question(
        title="The certificate has CHANGED" if trusted else "Unverified certificate",
        heading=f"THE CERTIFICATE OF {place} HAS CHANGED"
        if trusted
        else f"The certificate of {place} is not verified",
        about=_CHANGED if trusted else _UNKNOWN,
        fingerprint=_in_two(error.fingerprint),
        trusted=trusted,
        pairs=(("Server", place), *([("Reason", why)] if why else [])),
        way="On the server the fingerprint is shown by"
        " openssl x509 -noout -fingerprint -sha256 -in server-cert.pem",
        known="I &know why the certificate of this server changed",
        accept="&Trust the new certificate" if trusted else "&Accept this certificate",
    )
