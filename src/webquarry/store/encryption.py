"""The key file and the cipher made from it: AES-256-GCM, each value bound to the name it is kept
under.

The key is 32 random bytes in a file of mode 0600, made on first use; several processes that start
at once end up with the same one. Whoever deletes the file loses what was kept, and nothing else.
"""

from __future__ import annotations

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from webquarry.store.sqlite import Trouble, UnusableFile, name_kind

KEY_BYTES = 32
_NONCE_BYTES = 12
_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Cipher:
    """Encrypts and decrypts values; hides the names they are kept under."""

    def __init__(self, key: bytes) -> None:
        self._aes = AESGCM(key)
        self._name_key = hmac.digest(key, b"webquarry names", "sha256")

    @classmethod
    def open(cls, path: Path) -> Cipher:
        """The cipher of a key file, which is made if it is not there."""
        key = _read_key(path) or _make_key(path)
        return cls(key)

    @staticmethod
    def is_key(path: Path) -> bool:
        """Whether there is a key at this place, and a whole one."""
        return _read_key(path) is not None

    def hash_name(self, name: str) -> bytes:
        """What a name is called where it is kept: nobody without the key file can tell which
        question it was.
        """
        return hmac.digest(self._name_key, name.encode(), "sha256")

    def encrypt(self, value: bytes, name: bytes) -> bytes:
        """The value, encrypted for this name alone."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + self._aes.encrypt(nonce, value, name)

    def decrypt(self, encrypted: bytes, name: bytes) -> bytes | None:
        """The value, or None when it was encrypted with another key, under another name, or was
        damaged.
        """
        nonce, rest = encrypted[:_NONCE_BYTES], encrypted[_NONCE_BYTES:]
        try:
            return self._aes.decrypt(nonce, rest, name)
        except (InvalidTag, ValueError):
            return None


def _read_key(path: Path) -> bytes | None:
    """The key, if there is a whole one. What is no regular file is not read: a pipe would keep us
    waiting for ever.
    """
    try:
        handle = os.open(path, os.O_RDONLY | _WITHOUT_WAITING)
    except FileNotFoundError:
        return None
    except OSError:
        _check_kind(path, path.stat())
        raise
    try:
        _check_kind(path, os.fstat(handle))
        key = os.read(handle, KEY_BYTES + 1)
    finally:
        os.close(handle)
    if len(key) == KEY_BYTES:
        return key
    return None


def _check_kind(path: Path, found: os.stat_result) -> None:
    kind = name_kind(found.st_mode)
    if kind:
        text = f"its key {path.name} is {kind} and no regular file"
        raise UnusableFile(text, Trouble.FOREIGN)


def _make_key(path: Path) -> bytes:
    """Write a new key beside the file and link it into place, so that no process ever reads half of
    one.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        if path.exists() and _read_key(path) is None:
            draft.replace(path)  # the file there is no key: damaged, or cut short
        else:
            with suppress(FileExistsError):  # another process was first: its key is the key
                os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    key = _read_key(path)
    if key is None:
        raise OSError(f"the key file {path} cannot be read back")
    return key
