"""Tokens of our own: a name in, a token out once; only its SHA-256 is kept, in a file that a
running server looks at again.

A token is 32 random bytes, so that a plain hash of it cannot be turned round. What is kept for a
caller hangs on a random id and not on the token's name: a new "laptop" does not inherit what an old
one left. A token is for the tools or for the figures, never for both: what Prometheus holds cannot
ask anything that costs money.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from webquarry.clock import Clock
from webquarry.credentials import expand_home, find_home
from webquarry.errors import BadInput, NotFound
from webquarry.settings import Settings
from webquarry.surfaces.server.principal import (
    AccessDenied,
    Principal,
    Verifier,
    VerifierUnavailable,
)

log = logging.getLogger(__name__)

PREFIX = "wq_"
MCP, METRICS = "mcp", "metrics"  # what a token may be for
_NAME_LENGTH = 64
_VERSION = 1
_OWNER_ONLY = 0o600


@dataclass(frozen=True)
class Token:
    """What is known of a token: never the token itself."""

    name: str
    principal: str
    sha256: str
    created: str
    expires: str | None = None
    use: str = MCP

    @classmethod
    def from_entry(cls, entry: dict[str, Any]) -> Token:
        """A token from its entry in the file; a ValueError or TypeError where it is none."""
        token = cls(**entry)
        for text in (token.name, token.principal, token.sha256, token.created):
            if not isinstance(text, str) or not text:
                raise ValueError("a token is a name, a caller, a hash and a moment")
        if token.use not in (MCP, METRICS):
            raise ValueError("a token for something that is not known")
        if token.expires is not None:
            moment = datetime.fromisoformat(token.expires)
            if moment.tzinfo is None:
                raise ValueError("a moment without its zone")
        return token

    def as_entry(self) -> dict[str, Any]:
        """Its entry in the file. What is for the tools does not say so: a server of an older
        version can read it.
        """
        entry = asdict(self)
        if self.use == MCP:
            del entry["use"]
        return entry

    def is_over(self, now: datetime) -> bool:
        """Whether it has expired; without an end it never does."""
        if self.expires is None:
            return False
        return datetime.fromisoformat(self.expires) <= now


def tokens_path(settings: Settings, environ: Mapping[str, str]) -> Path:
    """Where the tokens are."""
    if settings.tokens_file is not None:
        return expand_home(settings.tokens_file)
    folder = Path(environ.get("XDG_CONFIG_HOME") or "")
    if not folder.is_absolute():
        home = find_home(environ)
        if home is None:
            raise BadInput(
                "There is no folder for tokens: this user has no home.",
                suggested_action="Set WEBQUARRY_TOKENS_FILE to a file that can be written to.",
            )
        folder = home / ".config"
    return folder / "webquarry" / "tokens.json"


class TokenFile:
    """The file, changed by one process at a time and always whole."""

    def __init__(self, path: Path, clock: Clock | None = None) -> None:
        self.path = path
        self._clock = clock or Clock()

    def tokens(self) -> list[Token]:
        """Every token there is, also those that are over."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadInput(
                f"The token file {self.path} cannot be read: {error.strerror}."
            ) from error
        try:
            return [Token.from_entry(entry) for entry in json.loads(content)["tokens"]]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise BadInput(
                f"The token file {self.path} is damaged.",
                suggested_action="Restore a backup, or delete it and add the tokens anew.",
            ) from None

    def add(
        self, name: str, *, lasts: timedelta | None = None, like: str | None = None, use: str = MCP
    ) -> str:
        """A new token, which nobody can be shown again. With `like`, it speaks for the same caller
        as that one.
        """
        if not name or len(name) > _NAME_LENGTH or not name.isprintable() or name != name.strip():
            raise BadInput(f"A token's name has 1 to {_NAME_LENGTH} printable characters.")
        token = PREFIX + secrets.token_urlsafe(32)
        now = self._clock.now()
        with self._edit() as tokens:
            if any(one.name == name for one in tokens):
                raise BadInput(
                    f"There is a token {name!r} already.",
                    suggested_action="Choose another name, or revoke it first.",
                )
            if like:
                principal = _find_token(tokens, like).principal
            else:
                principal = f"token:{secrets.token_hex(16)}"
            created = now.isoformat(timespec="seconds")
            expires = None
            if lasts:
                expires = (now + lasts).isoformat(timespec="seconds")
            tokens.append(Token(name, principal, _hash(token), created, expires, use))
        return token

    def revoke(self, name: str) -> None:
        """The token is no longer good, from the next request on."""
        with self._edit() as tokens:
            tokens.remove(_find_token(tokens, name))

    @contextmanager
    def _edit(self) -> Iterator[list[Token]]:
        """The tokens, to be changed; they are written when the block ends without an error."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._lock():
                tokens = self.tokens()
                yield tokens
                self._write(tokens)
        except OSError as error:
            raise BadInput(
                f"The token file {self.path} cannot be written: {error.strerror}."
            ) from error

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """One process at a time; where the system has no such locks, the last one wins."""
        path = self.path.with_name(self.path.name + ".lock")
        handle = os.open(path, os.O_RDWR | os.O_CREAT, _OWNER_ONLY)
        try:
            try:
                import fcntl

                fcntl.flock(handle, fcntl.LOCK_EX)
            except ImportError:
                pass
            yield
        finally:
            os.close(handle)

    def _write(self, tokens: list[Token]) -> None:
        """Put these tokens in the file's place in one step."""
        entries = [token.as_entry() for token in tokens]
        content = {"version": _VERSION, "tokens": entries}
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self.path)
        finally:
            draft.unlink(missing_ok=True)


class TokenVerifier(Verifier):
    """Knows the tokens of a file, and notices when it has changed. A file that cannot be read lets
    nobody in, and is said once.
    """

    def __init__(self, file: TokenFile, clock: Clock | None = None) -> None:
        self._file = file
        self._clock = clock or Clock()
        self._file_state: tuple[int, ...] | None = None
        self._tokens_by_hash: dict[str, Token] = {}
        self._last_complaint: str | None = None
        self._lock = threading.Lock()

    async def verify(self, token: str) -> Principal:
        try:
            known = self._read_tokens().get(_hash(token))
        except BadInput as error:
            if error.message != self._last_complaint:
                log.error("%s Nobody can be let in.", error.message)
            self._last_complaint = error.message
            raise VerifierUnavailable from error
        self._last_complaint = None
        if known is None:
            raise AccessDenied("The token is not known.")
        if known.is_over(self._clock.now()):
            raise AccessDenied("The token has expired.")
        return Principal(known.principal, known.name, frozenset({known.use}))

    def _read_tokens(self) -> dict[str, Token]:
        """The tokens by their hash, read again when the file has changed."""
        with self._lock:
            state = self._read_file_state()
            if state != self._file_state:
                # should the file be damaged, what it said before does not count any more
                self._tokens_by_hash = {}
                if state:
                    self._tokens_by_hash = {one.sha256: one for one in self._file.tokens()}
                self._file_state = state
            return self._tokens_by_hash

    def _read_file_state(self) -> tuple[int, ...] | None:
        """Changes whenever the file does: it is replaced as a whole, so it gets another inode."""
        try:
            stat = self._file.path.stat()
        except OSError:
            return None
        return (stat.st_ino, stat.st_mtime_ns, stat.st_size)


def _hash(token: str) -> str:
    """What is kept of a token: its SHA-256 in hexadecimal."""
    data = token.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()


def _find_token(tokens: list[Token], name: str) -> Token:
    """The token of this name; NotFound where there is none."""
    for token in tokens:
        if token.name == name:
            return token
    raise NotFound(
        f"There is no token {name!r}.",
        suggested_action="`webquarry token list` shows those that there are.",
    )
