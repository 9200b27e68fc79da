"""Quotes, numbers and references for the verification scorer: a JSON line with `id`, `kind` and what is to be
checked in, one with `id`, `verdict` and where it was found out.

Pages are read as `check_quotes` reads them, but from files; references are looked up at the registry
that stands beside each. Runs until its input ends.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from verify_references import ReferenceWorker

from webquarry._read.encoding.decode import decode
from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import FALLBACK_NOTE, to_markdown
from webquarry._read.plain.html import read_html_words
from webquarry.errors import WebquarryError
from webquarry.verify.quotes.check import QuoteChecker
from webquarry.verify.quotes.numbers import NumberChecker, list_numbers
from webquarry.verify.quotes.source import SourceText

Item = dict[str, Any]


@lru_cache(4)
def read_source(path: str, is_text: bool) -> SourceText:
    """The source that a file holds."""
    body = Path(path).read_bytes()
    if path.endswith(".gz"):
        body = gzip.decompress(body)
    if is_text:
        return SourceText.of_text(path, body.decode())
    document = parse_html(decode(body, "").text)
    page = to_markdown(document, "https://localhost/")
    words = read_html_words(document, page.title, with_fallbacks=FALLBACK_NOTE in page.notes)
    return SourceText(path, words)


@lru_cache(2)
def open_checker(paths: tuple[str, ...], is_text: bool) -> QuoteChecker:
    """A checker of quotes from these files."""
    return QuoteChecker([read_source(path, is_text) for path in paths])


@lru_cache(2)
def open_numbers(path: str, is_text: bool) -> NumberChecker:
    """A checker of numbers from a file."""
    return NumberChecker([read_source(path, is_text)])


def check_quote(item: Item) -> Item:
    """What is found out about a quote."""
    is_text = "text_path" in item
    path = item["text_path"] if is_text else item["html_path"]
    checker = open_checker((path, *item.get("others", ())), is_text)
    finding = checker.check(item["quote"], expected=path)
    return {
        "verdict": finding.tier,
        "matched": list(finding.matched),
        "spans": [[span.start, span.end] for span in finding.spans],
        "differs": [asdict(change) for change in finding.changes],
        "warnings": list(finding.warnings),
        "reason": finding.reason,
    }


def check_number(item: Item) -> Item:
    """Whether a number stands in a page, with its unit."""
    is_text = "text_path" in item
    path = item["text_path"] if is_text else item["html_path"]
    finding = open_numbers(path, is_text).check(list_numbers(item["number"])[0])
    verdict = "found" if finding.verdict == "found" else "absent"
    return {"verdict": verdict, "matched": finding.matched or "", "told": finding.verdict}


HANDLERS: dict[str, Callable[[Item], Item]] = {
    "quote": check_quote,
    "number": check_number,
}


def main() -> None:
    if sys.stdin.isatty():
        print("This answers the verification scorer; it is given lines of JSON.")
        return
    references = ReferenceWorker()
    try:
        for line in sys.stdin:
            answer_line(line, references)
    finally:
        references.close()


def answer_line(line: str, references: ReferenceWorker) -> None:
    """Print what is found out about the item of a line."""
    item = json.loads(line)
    if item["kind"] == "reference":
        print(json.dumps(references.answer_reference(item)), flush=True)
        return
    handle = HANDLERS.get(item["kind"])
    answer: Item = {"verdict": "unchecked"}
    if handle is not None:
        try:
            answer = handle(item)
        except (OSError, WebquarryError) as error:
            answer = {"verdict": "error", "why": f"{type(error).__name__}: {error}"}
    print(json.dumps({"id": item["id"], **answer}), flush=True)


if __name__ == "__main__":
    main()
