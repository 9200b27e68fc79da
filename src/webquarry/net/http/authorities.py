"""The file of certificate authorities that a user named: looked at when a client is opened, and
loaded with the first request that needs it, which takes a thousand times as long.
"""

from __future__ import annotations

from pathlib import Path

from webquarry.errors import BadSetting

_BEGINNINGS = (b"-----BEGIN CERTIFICATE", b"-----BEGIN TRUSTED CERTIFICATE", b"-----BEGIN X509")


def check_authorities(ca_file: Path) -> None:
    """Raises BadSetting of a file that cannot be read, or has nothing that looks like a
    certificate.
    """
    try:
        text = ca_file.read_bytes()
    except OSError:
        raise build_authorities_error(ca_file, "cannot be read") from None
    if not any(beginning in text for beginning in _BEGINNINGS):
        raise build_authorities_error(ca_file, "holds no certificate in PEM form")


def build_authorities_error(ca_file: Path, fault: str) -> BadSetting:
    """The error about a file that cannot be used, and why."""
    return BadSetting(
        f"The file of certificate authorities {ca_file} {fault}.",
        suggested_action="Correct or unset WEBQUARRY_CA_FILE (or SSL_CERT_FILE).",
    )
