"""The token file: names, principals and SHA-256 hashes of random bearer tokens."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.clock import Clock
from webquarry.credentials import expand_home, find_home, folders
from webquarry.errors import BadInput, NotFound

if TYPE_CHECKING:
    from webquarry.settings import Settings

log = logging.getLogger(__name__)

MCP, METRICS = "mcp", "metrics"  # scopes of tokens in the token file


@dataclass(frozen=True)
class Principal:
    """An authenticated caller. Stored data belongs to `id`; `name` is for logs."""

    id: str
    name: str
    scopes: frozenset[str] = frozenset()


class AccessDenied(Exception):
    """The token is not accepted; the message is returned to the client."""


class VerifierUnavailable(Exception):
    """Tokens cannot be verified at the moment."""


def tokens_path(settings: Settings, environ: Mapping[str, str]) -> Path:
    """Return the path of the token file."""
    if settings.tokens_file is not None:
        return expand_home(settings.tokens_file)
    if find_home(environ) is None and not environ.get("XDG_CONFIG_HOME"):
        action = "Set WEBQUARRY_TOKENS_FILE to a writable file."
        raise BadInput("This user has no home directory.", suggested_action=action)
    return folders(environ)[1] / "tokens.json"


@dataclass(frozen=True)
class Token:
    """An entry of the token file: the SHA-256 of a random token and its principal."""

    name: str
    principal: str
    sha256: str
    created: str
    expires: str | None = None
    use: str = MCP

    def __post_init__(self) -> None:
        texts = (self.name, self.principal, self.sha256, self.created)
        is_complete = all(isinstance(text, str) and text for text in texts)
        if not is_complete or self.use not in (MCP, METRICS):
            raise ValueError("malformed token")
        if self.expires is not None and datetime.fromisoformat(self.expires).tzinfo is None:
            raise ValueError("expiry without a time zone")

    def is_expired(self, now: datetime) -> bool:
        """Return whether the token has expired."""
        return self.expires is not None and datetime.fromisoformat(self.expires) <= now


class TokenFile:
    """The token file: replaced atomically, changed by one process at a time."""

    def __init__(self, path: Path, clock: Clock | None = None) -> None:
        self.path = path
        self._clock = clock or Clock()
        self._version: tuple[int, ...] = ()  # of the file whose tokens are cached
        self._by_hash: dict[str, Token] | None = {}  # None: the file is unreadable

    def tokens(self) -> list[Token]:
        """Return all tokens, including expired ones."""
        try:
            return [Token(**entry) for entry in json.loads(self.path.read_bytes())["tokens"]]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadInput(f"Cannot read the token file {self.path}: {error.strerror}.") from error
        except (ValueError, TypeError, KeyError, RecursionError):
            action = "Restore a backup, or delete it and add the tokens again."
            problem = f"The token file {self.path} is damaged."
            raise BadInput(problem, suggested_action=action) from None

    def add(
        self, name: str, *, lasts: timedelta | None = None, like: str | None = None, use: str = MCP
    ) -> str:
        """Add a token and return it; with `like`, for the same principal as that token."""
        if not name or len(name) > 64 or not name.isprintable() or name != name.strip():
            raise BadInput("The name of a token must have 1 to 64 printable characters.")
        token = "wq_" + secrets.token_urlsafe(32)
        now = self._clock.now()
        created = now.isoformat(timespec="seconds")
        expires = (now + lasts).isoformat(timespec="seconds") if lasts else None
        with self._edit() as tokens:
            if any(other.name == name for other in tokens):
                action = "Choose another name, or revoke it first."
                raise BadInput(f"A token {name!r} already exists.", suggested_action=action)
            # Random: a new token does not inherit the data of a revoked one with the same name.
            principal = f"token:{secrets.token_hex(16)}"
            if like:
                principal = _find_token(tokens, like).principal
            tokens.append(Token(name, principal, _hash(token), created, expires, use))
        return token

    def revoke(self, name: str) -> None:
        """Remove a token."""
        with self._edit() as tokens:
            tokens.remove(_find_token(tokens, name))

    @contextmanager
    def _edit(self) -> Iterator[list[Token]]:
        """Yield the tokens, and replace the file if the block succeeds."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self.path.with_name(self.path.name + ".lock").open("ab") as lock:
                if os.name == "posix":
                    import fcntl

                    fcntl.flock(lock, fcntl.LOCK_EX)
                tokens = self.tokens()
                yield tokens
                self._write(tokens)
        except OSError as error:
            raise BadInput(f"Cannot write the token file {self.path}: {error.strerror}.") from error

    def _write(self, tokens: list[Token]) -> None:
        content = {"version": 1, "tokens": [asdict(token) for token in tokens]}
        handle, draft = tempfile.mkstemp(dir=self.path.parent)  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file, indent=2, ensure_ascii=False)
                file.flush()
                os.fsync(file.fileno())
            Path(draft).replace(self.path)
        finally:
            Path(draft).unlink(missing_ok=True)

    async def verify(self, token: str) -> Principal:
        """Return the principal of a token; the file is read again when it has changed."""
        version: tuple[int, ...] = ()
        with suppress(OSError):
            stat = self.path.stat()
            version = (stat.st_ino, stat.st_ctime_ns, stat.st_mtime_ns, stat.st_size)
        if version != self._version:
            self._version, self._by_hash = version, None
            try:
                self._by_hash = {entry.sha256: entry for entry in self.tokens()}
            except BadInput as error:
                log.error("%s All requests are refused.", error.message)
        if self._by_hash is None:
            raise VerifierUnavailable
        found = self._by_hash.get(_hash(token))
        if found is None:
            raise AccessDenied("The token is unknown.")
        if found.is_expired(self._clock.now()):
            raise AccessDenied("The token has expired.")
        return Principal(found.principal, found.name, frozenset({found.use}))


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _find_token(tokens: list[Token], name: str) -> Token:
    for token in tokens:
        if token.name == name:
            return token
    action = "`webquarry token list` lists the tokens."
    raise NotFound(f"There is no token {name!r}.", suggested_action=action)
