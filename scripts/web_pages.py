"""The pages of the recorded web: the list in recorded_web/web.toml -> requests and the answers to
them.
"""

from __future__ import annotations

import gzip
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]
import httpx2
from web_pdf import make_pdf
from web_report import annexes

SOURCES = Path(__file__).parent / "recorded_web"
Exchange = tuple[httpx2.Request, httpx2.Response]


def page_exchanges() -> Iterator[Exchange]:
    """Every answer of the list, in its order."""
    for entry in tomllib.loads((SOURCES / "web.toml").read_text("utf-8"))["answer"]:
        yield httpx2.Request("GET", entry["url"]), _response(entry)


def _response(entry: dict[str, Any]) -> httpx2.Response:
    headers = {
        "Server": "nginx",
        "Content-Type": entry.get("type", "text/html; charset=utf-8"),
        **entry.get("headers", {}),
    }
    body = _body(entry)
    if not body:
        del headers["Content-Type"]
        headers["Content-Length"] = "0"
    packing = entry.get("packing")
    if packing:
        headers["Content-Encoding"] = packing
        body = gzip.compress(body, mtime=0) if packing == "gzip" else brotli.compress(body)
    return httpx2.Response(entry.get("status", 200), headers=headers, content=body)


def _body(entry: dict[str, Any]) -> bytes:
    text: str = (
        (SOURCES / entry["file"]).read_text("utf-8") if "file" in entry else entry.get("text", "")
    )
    if entry.get("type") == "application/pdf":
        return make_pdf(
            text,
            "Tidal storage outlook 2026: summary",
            "Hanne Lindqvist, Obed Farrow",
            "20260702090000Z",
        )
    if "layout" in entry:
        head, _, content = text.partition("\n---\n")
        layout = (SOURCES / entry["layout"]).read_text("utf-8")
        text = layout.replace("<!--head-->", head).replace("<!--content-->", content.rstrip("\n"))
    charset: str = entry.get("charset", "utf-8")
    return text.replace("<!--annexes-->", annexes()).encode(charset)
