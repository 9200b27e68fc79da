"""Pages with scripts, read with a real browser: what is made, shown, hidden, framed and posted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.read.browser.site import Reading, Site, Traps, needs_browser, serving
from webquarry.errors import ScriptPage

pytestmark = needs_browser

HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Ropes</title></head><body>'
)
FILL = "document.getElementById('a').innerHTML"
FILES = {
    "/made.html": f"""{HEAD}<div id="a">Loading the ropes…</div><script>
        setTimeout(() => {FILL} = "<h1>Ropes</h1><p>Hemp came from Riga in bales of ninety "
        + "kilos, and was spun in the long shed.</p>", 400)</script>""",
    "/hidden.html": f"""{HEAD}<link rel="stylesheet" href="/hidden.css"><div id="a"></div><script>
        {FILL} = "<h1>Sheds</h1><p>The long shed was three hundred paces.</p>"
        + ["gone", "clear", "white", "small", "away", "cut", "flat", "tiny", "edge"].map(
            name => `<p class='${{name}}'>SECRET ${{name}}</p>`).join("")
        + "<p id='late'>SECRET late</p><p class='hidden'>The class is no rule here.</p>"
        + "<p aria-hidden='true'>The bell is only drawn.</p>"
        + "<details><summary>More</summary><p>A folded part.</p></details>";
        setTimeout(() => document.getElementById("late").style.visibility = "hidden", 50)
        </script>""",
    "/hidden.css": ".gone{display:none}.clear{opacity:0}.white{color:#fefefe}.small{font-size:0}"
    ".away{position:absolute;left:-9000px}.cut{position:absolute;clip-path:inset(50%)}"
    ".flat{height:0;overflow:hidden}.tiny{transform:scale(.01)}.edge{transform:rotateX(90deg)}",
    "/frames.html": f"""{HEAD}<h1>Minutes</h1><div id="a"></div><script>
        {FILL} = "<iframe src='/inner.html' width=600 height=200></iframe>"
        + "<iframe src='@OTHER@/inner.html?other' width=600 height=200></iframe>"
        + "<iframe srcdoc='<p>Written into the page.</p>' width=600 height=200></iframe>"
        + "<iframe srcdoc='<p>A TRACKER</p>' width=1 height=1></iframe>";
        const host = document.createElement("div"); document.body.append(host);
        host.attachShadow({{mode: "closed"}}).innerHTML = "<p>In a closed root.</p><slot></slot>";
        host.textContent = "Slotted words.";</script>""",
    "/inner.html": f"""{HEAD}<p id="a"></p><script>
        {FILL} = location.search ? "ANOTHER SITE" : "The frame was filled."</script>""",
    "/posts.html": f"""{HEAD}<div id="a"></div><script>(async () => {{
        const ask = (url, o) => fetch(url, o).then(r => r.text()).catch(() => "refused");
        const own = await ask("/post", {{method: "POST", body: "wool"}});
        const other = await ask("@OTHER@/post", {{method: "POST", body: "tar"}});
        const put = await ask("/post", {{method: "PUT", body: "x"}});
        {FILL} = `<h1>Sent</h1><p>Own: ${{own}}.</p><p>Other: ${{other}}.</p><p>Put: ${{put}}.</p>`;
        }})()</script>""",
    "/leaves.html": f"""{HEAD}<p>You are being redirected</p><script>
        setTimeout(() => location.replace("/go?to=/arrived.html"), 100)</script>""",
    "/arrived.html": f"""{HEAD}<div id="a"></div><script>fetch("/cookie").then(r => r.text()).then(
        t => {FILL} = "<h1>Arrived</h1><p>The cookies of the last hop are " + t + ".</p>")
        </script>""",
    "/fades.html": f"""{HEAD}<style>@keyframes in {{from {{opacity: 0}} to {{opacity: 1}}}}
        #a {{animation: in 4s both}}</style><div id="a"></div><script>{FILL} =
        "<h1>Fades</h1><p>These words come slowly into sight.</p>"</script>""",
    "/outer.html": f"""{HEAD}<h1>Minutes</h1><p>Of the council, as they were kept.</p>
        <iframe src="/inner.html" width="600" height="200"></iframe>""",
    "/moved.html": f"""{HEAD}<meta http-equiv="refresh" content="0;url=/made.html"><p>Moved</p>""",
    "/ssr.html": f"""{HEAD}<main id="a"><h1>Home</h1>{"<p>The home of the app is here.</p>" * 40}
        </main><script>if (location.hash === "#/two") {FILL} = "<h1>Two</h1><p>The second view "
        + "of the app has other words.</p>"</script>""",
    "/loads.html": f"""{HEAD}<div id="a"></div><script>{FILL} = "<h1>Loads</h1><p>The page stays "
        + "where a file is offered.</p>"; setTimeout(() => location.href = "/file.bin", 50)</script>""",
    "/file.bin": "bytes",
    "/empty.html": f'{HEAD}<div id="root"></div><script src="/no-such.js"></script>',
    "/worker.html": f"""{HEAD}<div id="a"></div><script>const w = new Worker("/worker.js");
        w.onmessage = m => {FILL} = "<h1>Worker</h1><p>It said " + m.data + " today.</p>"</script>""",
    "/worker.js": "fetch('/words.txt?wait=.1').then(r => r.text()).then(t => postMessage(t))",
    "/words.txt": "seven bales",
    "/spa.html": f"""{HEAD}<nav><a href="#/">Home</a></nav><main id="a"></main><script>
        {FILL} = location.hash === "#/two" ? "<h1>Two</h1><p>The second view of the app.</p>"
        : "<h1>One</h1><p>The first view of the app.</p>"</script>""",
}


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[Site, Reading]]:
    with serving(FILES) as pair:
        yield pair


def read(web: tuple[Site, Reading], path: str, **arguments: object) -> dict[str, object]:
    site, reading = web
    return reading.scrape(site.origin + path, **arguments)


def test_page_is_read_after_its_scripts_have_run(web: tuple[Site, Reading]) -> None:
    answer = read(web, "/made.html")

    assert "Hemp came from Riga in bales of ninety kilos" in str(answer["content"])
    assert "Loading" not in str(answer["content"])
    assert answer["extractedBy"] == "browser"
    assert answer["extractionQuality"] == "complete"


def test_page_is_fetched_once(web: tuple[Site, Reading]) -> None:
    site, _ = web
    site.asked.clear()
    read(web, "/made.html", fresh=True)

    assert [path for _, path, _ in site.asked] == ["/made.html"]


def test_hidden_content_is_removed(web: tuple[Site, Reading]) -> None:
    content = str(read(web, "/hidden.html", mode="whole")["content"])

    assert "SECRET" not in content
    for shown in ("three hundred paces", "no rule here", "only drawn", "A folded part"):
        assert shown in content


def test_shadow_trees_and_frames_of_the_same_site_are_read(
    web: tuple[Site, Reading],
) -> None:
    content = str(read(web, "/frames.html", mode="whole")["content"])

    for shown in (
        "The frame was filled.",
        "Written into the page.",
        "In a closed root.",
        "Slotted",
    ):
        assert shown in content
    assert "ANOTHER SITE" not in content
    assert "TRACKER" not in content


def test_page_can_post_to_its_own_site_only(web: tuple[Site, Reading]) -> None:
    site, _ = web
    content = str(read(web, "/posts.html")["content"])

    assert "Own: posted wool." in content
    assert "Other: refused." in content
    assert "Put: refused." in content
    assert ("POST", "/post") not in [
        (method, path) for method, path, host in site.asked if host in site.other
    ]


def test_script_redirect_keeps_cookies_and_changes_the_url(
    web: tuple[Site, Reading],
) -> None:
    answer = read(web, "/leaves.html")

    assert "The cookies of the last hop are pass=9." in str(answer["content"])
    assert str(answer["url"]).endswith("/arrived.html")


def test_cookies_are_not_shared_between_pages(web: tuple[Site, Reading]) -> None:
    read(web, "/leaves.html", fresh=True)

    content = str(read(web, "/arrived.html")["content"])

    assert "The cookies of the last hop are none." in content


def test_page_that_stays_empty_is_an_error(web: tuple[Site, Reading]) -> None:
    with pytest.raises(ScriptPage, match="even after its scripts have run"):
        read(web, "/empty.html")


def test_requests_of_workers_are_awaited(web: tuple[Site, Reading]) -> None:
    assert "It said seven bales today." in str(read(web, "/worker.html")["content"])


def test_fragment_selects_the_view_and_is_part_of_the_cache_key(web: tuple[Site, Reading]) -> None:
    one = read(web, "/spa.html#/one")
    two = read(web, "/spa.html#/two")

    assert "first view" in str(one["content"])
    assert "second view" in str(two["content"])
    assert str(two["url"]).endswith("#/two")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/fades.html", "These words come slowly into sight."),
        ("/outer.html", "The frame was filled."),
        ("/moved.html", "Hemp came from Riga"),
        ("/loads.html", "where a file is offered"),
        ("/ssr.html#/two", "has other words"),
    ],
)
def test_late_and_redirected_content_is_read(
    web: tuple[Site, Reading], path: str, words: str
) -> None:
    answer = read(web, path)

    assert words in str(answer["content"])
    assert answer["extractedBy"] == "browser"


def test_error_without_rendering_suggests_rendering(
    web: tuple[Site, Reading],
) -> None:
    with pytest.raises(ScriptPage) as caught:
        read(web, "/made.html", render="never")

    assert "render auto" in caught.value.suggested_action


def test_ordinary_page_is_rendered_only_on_request(
    web: tuple[Site, Reading],
) -> None:
    site, _ = web
    words = "<p>The rope was measured by the fathom and sold by the coil, dry and clean.</p>" * 9
    site.files["/plain.html"] = f"{HEAD}<h1>Coils</h1>{words}<script src='/no-such.js'></script>"

    assert read(web, "/plain.html")["extractedBy"] == "html"
    assert read(web, "/plain.html", render="always")["extractedBy"] == "browser"


def test_page_cannot_reach_loopback(web: tuple[Site, Reading]) -> None:
    site, _ = web
    traps = Traps()
    place = f"127.0.0.1:{traps.port}"
    site.files["/w.js"] = f"fetch('http://{place}/w'); new WebSocket('ws://{place}/w')"
    site.files["/attack.html"] = f"""{HEAD}<div id="a"></div>
        <link rel="preconnect" href="http://{place}"><link rel="prefetch" href="http://{place}/p">
        <script type="speculationrules">{{"prefetch": [{{"source": "list", "eagerness":
        "immediate", "urls": ["http://{place}/s"]}}]}}</script><img src="http://{place}/i">
        <iframe src="http://{place}/f"></iframe><script>
        const quiet = p => p.catch(() => 0);
        const urls = ["http://{place}/", "http://localhost:{traps.port}/", "http://2130706433:"
          + "{traps.port}/", "http://[::ffff:127.0.0.1]:{traps.port}/",
          "http://a.localhost:{traps.port}/", "/go?to=" + encodeURIComponent("http://{place}/r")];
        new WebSocket("ws://{place}/ws"); new Worker("/w.js"); window.open("http://{place}/o");
        navigator.sendBeacon("http://{place}/b", "x");
        const pc = new RTCPeerConnection({{iceServers: [{{urls: "stun:{place}"}},
          {{urls: "turn:{place}?transport=tcp", username: "a", credential: "b"}}]}});
        pc.createDataChannel("x"); pc.createOffer().then(o => pc.setLocalDescription(o));
        Promise.all(urls.map(u => quiet(fetch(u)))).then(() => setTimeout(() => {FILL} =
          "<h1>Report</h1><p>All attempts of this page have been made.</p>", 500))</script>"""
    try:
        answer = read(web, "/attack.html")
    finally:
        traps.close()

    assert "All attempts of this page have been made." in str(answer["content"])
    assert traps.touched == []


RECORDED_PAGE = """<!doctype html><html lang="en"><head><title>Log</title></head><body><div id="a"></div>
<script>(async () => {
  const one = await fetch("/one.json?v=" + Date.now() + "&r=" + Math.random()).then(r => r.json());
  const two = await fetch("/post", {method: "POST", body: JSON.stringify(one)}).then(r => r.text());
  setTimeout(() => document.getElementById("a").innerHTML = "<h1>Log</h1><p>The record says "
    + one.text + " and the answer was " + two + " at " + new Date().getFullYear() + ".</p>", 700);
})()</script></body></html>"""


def test_recorded_render_is_replayed_without_network(tmp_path: Path) -> None:
    recording = tmp_path / "render.warc.gz"
    site = Site({"/log.html": RECORDED_PAGE, "/one.json": '{"text": "nine litres"}'})
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
