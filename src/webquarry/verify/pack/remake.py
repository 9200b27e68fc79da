"""The bytes that a server sent, as a pack has them -> the text, made once more.

So the text of a page need not be believed: whoever has the release that made the pack arrives at
the same words from the same bytes. Hostile bytes are worked on as those of the web are, in a job.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from webquarry._read.reader import FetchedPage
from webquarry.errors import TooLarge, WebquarryError
from webquarry.net.body import decoder_for
from webquarry.net.models import Reply
from webquarry.pages.jobs import take_words
from webquarry.pages.words import unpack_words
from webquarry.verify.pack.build import mask_words
from webquarry.verify.pack.check import PackReport
from webquarry.verify.pack.wacz import PackContents
from webquarry.verify.pack.warc import ReadRecord

if TYPE_CHECKING:
    from webquarry._read.workers.job import JobRunner


async def remake_texts(
    contents: PackContents, report: PackReport, runner: JobRunner, most_bytes: int, software: str
) -> None:
    """Make each text of a pack once more from its bytes, and add to the report what came of it.
    Another release may read a page in another way, which is no damage.
    """
    for source in contents.evidence["sources"]:
        record = contents.records.get(source.get("responseRecord", ""))
        if record is None:
            continue
        name = f"Source {source['number']} ({source['url']})"
        try:
            text_hash = await _remake(source, record, runner, most_bytes)
        except (WebquarryError, ValueError) as error:
            reason = getattr(error, "sentence", type(error).__name__)
            report.notes.append(f"{name}: its text could not be made again here: {reason}")
            continue
        if text_hash == source["textHash"]:
            report.remade += 1
        elif report.software == software:
            report.problems.append(f"{name}: its bytes do not come to the text that is stated.")
        else:
            report.notes.append(f"{name}: this release makes another text of its bytes.")


async def _remake(
    source: Mapping[str, Any], record: ReadRecord, runner: JobRunner, most_bytes: int
) -> str:
    """The hash of the text that the bytes of a response come to."""
    reply = read_reply(record, datetime.fromisoformat(source["readAt"]), most_bytes)
    job = FetchedPage(str(source["url"]), reply).to_job(take_words)
    words = unpack_words(await runner.run(job), cached=False)
    return mask_words(words.words).digest


def read_reply(record: ReadRecord, moment: datetime, most_bytes: int) -> Reply:
    """The answer that a record holds, out of its content encoding, of so many bytes at most."""
    import httpx2

    head, _, payload = record.block.partition(b"\r\n\r\n")
    status_line, *lines = head.split(b"\r\n")
    pairs = [line.partition(b":")[::2] for line in lines]
    stripped = [(name.strip(), value.strip()) for name, value in pairs]
    headers = httpx2.Headers(stripped)
    decoder = decoder_for(headers)
    body = bytearray()
    for piece in decoder.feed(payload):
        body += piece
        if len(body) > most_bytes:
            raise TooLarge(f"It has more than {most_bytes} bytes.")
    decoder.finish()
    status = int(status_line.split(b" ")[1])
    return Reply(record.url, status, headers, bytes(body), moment)
