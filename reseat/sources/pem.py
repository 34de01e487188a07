"""Whether a file holds the certificates or the keys that it should, before a library asks for it: PEM, and keytabs."""

from __future__ import annotations

from pathlib import Path

from reseat.errors import InputRefused

__all__ = ["check_certificates", "check_key", "check_keytab", "how_to_convert", "is_pem"]

#: A bundle of all public authorities has 250 kB.
_MOST_BYTES = 10_000_000
_JKS, _DER, _KEYTAB = b"\xfe\xed\xfe\xed", b"\x30", b"\x05"


def check_certificates(key: str, path: str) -> None:
    """Refuse a file that holds no certificate.

    Raises:
        InputRefused: it cannot be read, or holds none; ``source`` is the key that named it.
    """
    if b"-----BEGIN CERTIFICATE-----" not in _content(key, path):
        raise InputRefused("the file holds no '-----BEGIN CERTIFICATE-----'; PEM was expected.", source=key)


def check_key(key: str, path: str, *, has_password: bool) -> None:
    """Refuse a file that holds no key, or one that needs a password that was not given.

    Raises:
        InputRefused: as said; ``source`` is the key that named the file.
    """
    content = _content(key, path)
    if b"PRIVATE KEY-----" not in content:
        raise InputRefused("the file holds no private key; PEM with '-----BEGIN PRIVATE KEY-----' was expected.", source=key)  # fmt: skip  # noqa: E501
    # Without a password OpenSSL would ask for one on the terminal, and wait.
    if not has_password and (b"ENCRYPTED PRIVATE KEY" in content or b"Proc-Type: 4,ENCRYPTED" in content):
        raise InputRefused("the private key is encrypted, and no key_password is given.", source=key)


def check_keytab(key: str, path: str) -> None:
    """Refuse a file that is no keytab of Kerberos.

    Raises:
        InputRefused: it cannot be read, or is something else; ``source`` is the key that named it.
    """
    if not _content(key, path).startswith(_KEYTAB):
        raise InputRefused("the file is no keytab; one as kadmin's ktadd writes it was expected.", source=key)


def is_pem(path: str) -> bool:
    """Whether a file looks like PEM; False also where it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return b"-----BEGIN " in file.read(_MOST_BYTES)
    except OSError:
        return False


def _content(key: str, path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is not a valid file name"
        raise InputRefused(f"the file cannot be read: {reason}.", source=key) from None
    if content.startswith(_JKS) or content.startswith(_DER):
        kind = "a Java key store (JKS)" if content.startswith(_JKS) else "binary (PKCS12 or DER)"
        raise InputRefused(f"the file is {kind}; PEM was expected. {how_to_convert()}", source=key)
    return content


def how_to_convert() -> str:
    """How a Java key store becomes PEM, with tools that every operator has."""
    return (
        "Convert it once: keytool -importkeystore -srckeystore STORE.jks -destkeystore STORE.p12 -deststoretype "
        "PKCS12; then openssl pkcs12 -in STORE.p12 -nokeys -out ca.pem for a truststore, or openssl pkcs12 -in "
        "STORE.p12 -nodes -out client.pem for a key store."
    )
