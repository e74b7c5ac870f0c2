"""What a plan with load targets needs so that they and nobody else are let in; made anew for each start."""

from __future__ import annotations

import datetime
import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.protocol.answers import ConductorAddress, LoadTargetAdmission
from app.protocol.load_link import load_token_hash

VALID = datetime.timedelta(days=60)  # longer than any plan


@dataclass(frozen=True)
class LoadTargetSecrets:
    """A certificate with its key, and a token for each load target; they are in no file."""

    certificate: str
    fingerprint: str  # SHA-256, which the plan pins
    key: str = field(repr=False)
    tokens: Mapping[str, str] = field(repr=False)

    @classmethod
    def made(cls, names: Iterable[str]) -> LoadTargetSecrets:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Dyno")])
        day = datetime.timedelta(days=1)  # clocks differ
        now = datetime.datetime.now(datetime.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + VALID)
            .sign(key, hashes.SHA256())
        )
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return cls(
            made.public_bytes(serialization.Encoding.PEM).decode(),
            hashlib.sha256(made.public_bytes(serialization.Encoding.DER)).hexdigest(),
            pem.decode(),
            {name: secrets.token_hex(32) for name in names},
        )

    def conducting(self, address: str, port: int) -> LoadTargetAdmission:
        admitted = [load_token_hash(*each) for each in self.tokens.items()]
        return LoadTargetAdmission(address, port, self.certificate, self.key, admitted, list(self.tokens))

    def call(self, name: str, address: str, port: int) -> ConductorAddress:
        return ConductorAddress(name, address, port, self.fingerprint, self.tokens[name])
