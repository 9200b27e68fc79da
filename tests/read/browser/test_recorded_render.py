"""A recorded render is replayed byte for byte without requests."""

from __future__ import annotations

from pathlib import Path

from tests.read.browser.site import Reading, Site, needs_browser

pytestmark = needs_browser

PAGE = """<!doctype html><html lang="en"><head><title>Log</title></head><body><div id="a"></div>
<script>(async () => {
  const one = await fetch("/one.json?v=" + Date.now() + "&r=" + Math.random()).then(r => r.json());
  const two = await fetch("/post", {method: "POST", body: JSON.stringify(one)}).then(r => r.text());
  setTimeout(() => document.getElementById("a").innerHTML = "<h1>Log</h1><p>The record says "
    + one.text + " and the answer was " + two + " at " + new Date().getFullYear() + ".</p>", 700);
})()</script></body></html>"""


def test_recorded_render_is_replayed_without_network(tmp_path: Path) -> None:
    recording = tmp_path / "render.warc.gz"
    site = Site({"/log.html": PAGE, "/one.json": '{"text": "nine litres"}'})
    try:
        first = read_log(site, record=recording)
    finally:
        site.close()
    asked = len(site.asked)

    again = read_log(site, replay=recording)

    assert "nine litres" in str(first["content"])
    assert first["extractedBy"] == "browser"
    assert again == first
    assert len(site.asked) == asked


def read_log(site: Site, **settings: object) -> dict[str, object]:
    reading = Reading(**settings)
    try:
        return reading.scrape(f"{site.origin}/log.html")
    finally:
        reading.close()
