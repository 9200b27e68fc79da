"""AES-256-GCM with a key file: each value is bound to the name under which it is stored.

The key is 32 random bytes in a file of mode 0600, created on first use; processes that start at the
same time use the same key. Without the file, the stored values are lost.
"""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES = 32
_NONCE_BYTES = 12


class Cipher:
    """Encrypts values and hashes names."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._name_key = hmac.digest(key, b"webquarry names", "sha256")

    @cached_property
    def _aes(self) -> AESGCM:
        # imported late: hashing names does not need it
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self._key)

    @classmethod
    def open(cls, path: Path) -> Cipher:
        """Return the cipher of a key file, which is created if there is none."""
        return cls(_read_key(path) or _make_key(path))

    @staticmethod
    def is_key(path: Path) -> bool:
        """Return whether there is a complete key file."""
        return _read_key(path) is not None

    def hash_name(self, name: str) -> bytes:
        """Return the keyed hash under which a name is stored."""
        return hmac.digest(self._name_key, name.encode(), "sha256")

    def encrypt(self, value: bytes, name: bytes) -> bytes:
        """Return the value encrypted for this name."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._aes.encrypt(nonce, value, name)

    def decrypt(self, encrypted: bytes, name: bytes) -> bytes | None:
        """Return the value; None if it is damaged or has another key or name."""
        from cryptography.exceptions import InvalidTag

        nonce, rest = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
        try:
            return self._aes.decrypt(nonce, rest, name)
        except (InvalidTag, ValueError):
            return None


def _read_key(path: Path) -> bytes | None:
    """Return the key; None if there is none, or an incomplete one."""
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return None
    return key if len(key) == KEY_BYTES else None


def _make_key(path: Path) -> bytes:
    """Create a key file under another name and link it, so that no process reads a part of it."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and _read_key(path) is None:
            draft.replace(path)
        else:
            with suppress(FileExistsError):  # another process was first
                os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    key = _read_key(path)
    if key is None:
        raise OSError(f"the key file {path} cannot be read back")
    return key
