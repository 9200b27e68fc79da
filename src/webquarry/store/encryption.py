"""The key file and what it locks: AES-256-GCM, each value bound to the name it is kept under.

The key is 32 random bytes in a file of mode 0600, made on first use; several processes that start
at once end up with the same one. Whoever deletes the file loses what was kept, and nothing else.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_KEY_BYTES = 32
_NONCE_BYTES = 12


class Vault:
    """Locks and unlocks values; hides the names they are kept under."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)
        self._name_key = hmac.digest(key, b"webquarry names", "sha256")

    @classmethod
    def open(cls, path: Path) -> Vault:
        """The vault of a key file, which is made if it is not there."""
        key = _read(path) or _make(path)
        return cls(key)

    @staticmethod
    def is_key(path: Path) -> bool:
        """Whether there is a key at this place, and a whole one."""
        return _read(path) is not None

    def name(self, key: str) -> bytes:
        """What a key is called on disk: nobody without the key file can tell which question it was."""
        return hmac.digest(self._name_key, key.encode(), "sha256")

    def lock(self, value: bytes, name: bytes) -> bytes:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, value, name)

    def unlock(self, locked: bytes, name: bytes) -> bytes | None:
        """The value, or None when it was locked with another key, under another name, or was
        damaged.
        """
        try:
            return self._cipher.decrypt(locked[:_NONCE_BYTES], locked[_NONCE_BYTES:], name)
        except (InvalidTag, ValueError):
            return None


def _read(path: Path) -> bytes | None:
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(key) == _KEY_BYTES:
        return key
    return None


def _make(path: Path) -> bytes:
    """Write a new key beside the file and link it into place, so that no process ever reads half of
    one.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and _read(path) is None:
            draft.replace(path)  # the file there is no key: damaged, or cut short
        else:
            _link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    key = _read(path)
    if key is None:
        raise OSError(f"the key file {path} cannot be read back")
    return key


def _link(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return  # another process was first: its key is the key
