"""TLS to a team's server: a certificate that no authority vouches for is accepted by its fingerprint."""

from __future__ import annotations

import hashlib
import socket
import ssl
from typing import Any

from .store import TeamError, UntrustedServerError

_PREFIX = "SHA256:"


class CertificateAcceptedError(TeamError):
    """The certificate is right, which is all that was asked."""


class CertificateError(UntrustedServerError):
    """The certificate is unknown, or another one than before."""

    is_changed = False

    def __init__(self, text: str, fingerprint: str, place: str) -> None:
        super().__init__(text)
        self.fingerprint = fingerprint
        self.place = place
        state = "has CHANGED" if self.is_changed else "is not verified"
        self.window_text = f"the certificate of {place} {state}: choose Share in File, Team's history"


class CertificateUnknownError(CertificateError):
    """Nobody vouches for the certificate, and nobody has accepted it yet."""

    def __init__(self, place: str, fingerprint: str, why: str) -> None:
        text = (
            f"the certificate of {place} is not verified ({why}): {fingerprint}; check the fingerprint, then"
            f" accept it: dyno history use ADDRESS --certificate {fingerprint}"
        )
        super().__init__(text, fingerprint, place)
        self.why = why


class CertificateChangedError(CertificateError):
    """The server shows another certificate than the accepted one."""

    is_changed = True

    def __init__(self, place: str, fingerprint: str, accepted: str) -> None:
        text = (
            f"THE CERTIFICATE OF {place} HAS CHANGED: accepted is {accepted}, offered is {fingerprint}."
            " Somebody may be between you and the server, or it has a new one; no password was sent. Only if"
            f" you know why, accept it: dyno history use ADDRESS --certificate {fingerprint}"
        )
        super().__init__(text, fingerprint, place)
        self.accepted = accepted


def fingerprint_of(der: bytes) -> str:
    """As `openssl x509 -fingerprint -sha256` prints it, with its colons."""
    return _PREFIX + hashlib.sha256(der).digest().hex(":").upper()


class CertificateCheckContext(ssl.SSLContext):
    """Checks the certificate between the handshake and the login, so that a stranger gets no password."""

    place = ""
    accepted = ""
    unverified = ""  # why no authority vouches for it: shown with the fingerprint
    only_looks = False  # ends after the handshake, before anything is sent

    def wrap_socket(self, sock: socket.socket, *arguments: Any, **named: Any) -> ssl.SSLSocket:
        wrapped = super().wrap_socket(sock, *arguments, **named)
        try:
            if self.verify_mode == ssl.CERT_NONE:
                self._check(fingerprint_of(wrapped.getpeercert(binary_form=True) or b""))
            if self.only_looks:
                raise CertificateAcceptedError("")
        except TeamError:
            wrapped.close()
            raise
        return wrapped

    def _check(self, fingerprint: str) -> None:
        if not self.accepted:
            raise CertificateUnknownError(self.place, fingerprint, self.unverified)
        if fingerprint != self.accepted:
            raise CertificateChangedError(self.place, fingerprint, self.accepted)


def verified_tls_context() -> CertificateCheckContext:
    """A context in which an authority of this system must vouch for the certificate."""
    context = CertificateCheckContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_default_certs()
    return context


def pinned_tls_context(place: str, accepted: str, unverified: str = "") -> CertificateCheckContext:
    """A context for one certificate; without an accepted one it only tells the fingerprint."""
    context = CertificateCheckContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # instead: `_check`
    context.place, context.accepted, context.unverified = place, accepted, unverified
    return context
