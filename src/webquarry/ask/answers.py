"""Answers that were paid for, in the record file by the digest of their request.

Values are encrypted, names are keyed hashes. Errors are never stored. The lifetime of an answer is
checked twice: when it is written and, as the setting may have been lowered, when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.ask.models import AnswerSource, ModelReply
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection

FAILED_SEARCH_SECONDS = 60.0  # lifetime of an answer whose search failed
_NAMES_PER_QUERY = 500  # below SQLite's limit of parameters
_FIELDS = ("answer", "searched", "partial", "value", "model", "search_failed", "search_wanted")


@dataclass(frozen=True)
class KeptAnswer:
    """An answer, when it was given, and when it expires (seconds since the epoch)."""

    reply: ModelReply
    made_at: float
    expires_at: float
    search_key: str = ""  # hash of the key with which a search failed


def keep(database: Connection, cipher: Cipher, digest: str, kept: KeptAnswer) -> None:
    """Write an answer without its cost."""
    name = cipher.hash_name(f"answer {digest}")
    value = cipher.encrypt(encode_answer(kept), name)
    row = (name, value, kept.made_at, kept.expires_at)
    database.execute("INSERT OR REPLACE INTO ask_answers VALUES (?, ?, ?, ?)", row)


def find(
    database: Connection, cipher: Cipher, digests: Sequence[str], now: float
) -> dict[str, KeptAnswer]:
    """Return the answers that have not expired, by digest."""
    digest_by_name = {cipher.hash_name(f"answer {digest}"): digest for digest in digests}
    names = list(digest_by_name)
    found: dict[str, KeptAnswer] = {}
    for start in range(0, len(names), _NAMES_PER_QUERY):
        part = names[start : start + _NAMES_PER_QUERY]
        marks = ", ".join("?" * len(part))
        query = f"SELECT name, value FROM ask_answers WHERE name IN ({marks}) AND expires_at > ?"  # noqa: S608 - only question marks
        for name, value in database.execute(query, (*part, now)):
            kept = decode_answer(cipher.decrypt(value, name))
            if kept is not None:
                found[digest_by_name[name]] = kept
    return found


def delete_expired(database: Connection, now: float) -> None:
    """Delete expired answers."""
    database.execute("DELETE FROM ask_answers WHERE expires_at <= ?", (now,))


def encode_answer(kept: KeptAnswer) -> bytes:
    """Return an answer as JSON."""
    reply = kept.reply
    fields: dict[str, Any] = {name: getattr(reply, name) for name in _FIELDS}
    fields["sources"] = [[source.title, source.url] for source in reply.sources]
    fields["search_key"] = kept.search_key
    fields["made_at"] = kept.made_at
    fields["expires_at"] = kept.expires_at
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")


def decode_answer(content: bytes | None) -> KeptAnswer | None:
    """Return the answer of `encode_answer`; None if it cannot be read: it is asked again."""
    if content is None:
        return None
    try:
        fields: dict[str, Any] = json.loads(content.decode("utf-8", "surrogatepass"))
        sources = tuple(AnswerSource(title, url) for title, url in fields["sources"])
        values = {name: fields[name] for name in _FIELDS}
        reply = ModelReply(sources=sources, remembered=True, **values)
        made_at = float(fields["made_at"])
        return KeptAnswer(reply, made_at, float(fields["expires_at"]), fields["search_key"])
    except (ValueError, KeyError, TypeError):
        return None
