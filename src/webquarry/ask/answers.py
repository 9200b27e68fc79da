"""Answers that were paid for, kept in the record file: a digest of the whole request in, the reply
out.

Values are encrypted, names are keyed hashes. Errors are never kept. How long an answer is good is
decided twice: when it is written and, should the setting have been lowered since, when it is read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.ask.models import AnswerSource, ModelReply, Usage
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection, UnusableRow, check_row

_NAMES_PER_QUERY = 500  # SQLite takes only so many parameters


@dataclass(frozen=True)
class KeptAnswer:
    """An answer, when it was given, and until when it is good (seconds since the epoch)."""

    reply: ModelReply
    made_at: float
    expires_at: float
    search_key: str = ""  # of a failed search: what tells its key from another


def keep(database: Connection, cipher: Cipher, digest: str, kept: KeptAnswer) -> None:
    """Write an answer down: everything of the reply but what it cost."""
    name = cipher.hash_name(f"answer {digest}")
    value = cipher.encrypt(encode_answer(kept), name)
    row = (name, value, kept.made_at, kept.expires_at)
    database.execute("INSERT OR REPLACE INTO ask_answers VALUES (?, ?, ?, ?)", row)


def encode_answer(kept: KeptAnswer) -> bytes:
    """An answer as it is kept, before it is encrypted."""
    reply = kept.reply
    fields = {
        "answer": reply.answer,
        "sources": [[source.title, source.url] for source in reply.sources],
        "searched": reply.searched,
        "partial": reply.partial,
        "value": reply.value,
        "model": reply.model,
        "search_failed": reply.search_failed,
        "search_wanted": reply.search_wanted,
        "search_key": kept.search_key,
        "made_at": kept.made_at,
        "expires_at": kept.expires_at,
    }
    return json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")


def decode_answer(content: bytes | None) -> KeptAnswer | None:
    """What `encode_answer` made; None when it cannot be read, which only means to ask again."""
    decoded = _decode_reply(content)
    if decoded is None or content is None:
        return None
    fields: dict[str, Any] = json.loads(content.decode("utf-8", "surrogatepass"))
    moments = (fields.get("made_at"), fields.get("expires_at"))
    try:
        made_at, expires_at = check_row(moments, float, float)
    except UnusableRow:
        return None
    reply, search_key = decoded
    return KeptAnswer(reply, made_at, expires_at, search_key)


def find(
    database: Connection, cipher: Cipher, digests: Sequence[str], now: float
) -> dict[str, KeptAnswer]:
    """Those of the answers that are there and still good, by digest."""
    digest_by_name = {cipher.hash_name(f"answer {digest}"): digest for digest in digests}
    names = list(digest_by_name)
    found: dict[str, KeptAnswer] = {}
    for start in range(0, len(names), _NAMES_PER_QUERY):
        part = names[start : start + _NAMES_PER_QUERY]
        marks = ", ".join("?" * len(part))
        columns = "SELECT name, value, made_at, expires_at FROM ask_answers"
        where = f"WHERE name IN ({marks}) AND expires_at > ?"  # question marks alone
        rows = database.execute(f"{columns} {where}", (*part, now))
        for row in rows:
            try:
                name, value, made_at, expires_at = check_row(row, bytes, bytes, float, float)
            except UnusableRow:
                continue  # as good as none: it is asked for again, and written anew
            content = cipher.decrypt(value, name)
            decoded = _decode_reply(content)
            if decoded is not None:
                reply, search_key = decoded
                kept = KeptAnswer(reply, made_at, expires_at, search_key)
                found[digest_by_name[name]] = kept
    return found


def delete_expired(database: Connection, now: float) -> None:
    """Let go of what is no longer good."""
    database.execute("DELETE FROM ask_answers WHERE expires_at <= ?", (now,))


def _decode_reply(content: bytes | None) -> tuple[ModelReply, str] | None:
    """The reply as it was, but for what it cost, and the key of its failed search; None when it
    cannot be read, which only means to ask again.
    """
    if content is None:
        return None
    try:
        fields: dict[str, Any] = json.loads(content.decode("utf-8", "surrogatepass"))
        reply = ModelReply(
            answer=fields["answer"],
            sources=tuple(AnswerSource(title, url) for title, url in fields["sources"]),
            searched=fields["searched"],
            usage=Usage(),
            remembered=True,
            partial=fields["partial"],
            value=fields["value"],
            model=fields["model"],
            # Older releases did not write these.
            search_failed=fields.get("search_failed"),
            search_wanted=fields.get("search_wanted", False),
        )
        return reply, fields.get("search_key", "")
    except (ValueError, KeyError, TypeError):
        return None
