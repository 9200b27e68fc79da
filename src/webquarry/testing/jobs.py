"""Jobs that no tool begins, for tests and benches: what a hostile page does to a worker process
(take its time or its memory, fail), and a document read by itself.
"""

from __future__ import annotations

import time
from typing import Any

from webquarry import errors
from webquarry.read.documents import format
from webquarry.read.page_form import pack_fields


def burn_time(arguments: dict[str, Any], body: bytes) -> bytes:
    """Take so many seconds of the processor, then give the body back."""
    end = time.process_time() + arguments["seconds"]
    while time.process_time() < end:
        pass
    return body


def take_memory(arguments: dict[str, Any], body: bytes) -> bytes:
    """Take so many megabytes, and keep them if told to."""
    taken = [bytearray(1_000_000) for _ in range(arguments["megabytes"])]
    if arguments.get("keep"):
        _kept.extend(taken)
    return b"%d" % len(taken)


def fail(arguments: dict[str, Any], body: bytes) -> bytes:
    """Raise an error of ours by its name, or one that nobody foresaw."""
    if "error" in arguments:
        kind: type[errors.WebquarryError] = getattr(errors, arguments["error"])
        raise kind(*arguments["arguments"])
    raise KeyError("a word of the page")


def read_document(arguments: dict[str, Any], body: bytes) -> bytes:
    """A document -> its Markdown, its title in a line before it."""
    document = format.read_document(arguments["kind"], arguments["url"], body)
    fields = {"title": document.title, "author": document.author, "notes": document.notes}
    return pack_fields(fields, document.markdown.encode("utf-8", "replace"))


_kept: list[bytearray] = []
