"""crates.io: crates through its API, and their README as HTML from its static host.

API: https://crates.io/data-access (one request per second, User-Agent with contact)
"""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import quote

from webquarry._read.json_data import JsonData
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter, count
from webquarry.errors import WebquarryError

_SITE = "https://crates.io"
_STATIC = "https://static.crates.io"


class CratesReader(SiteReader):
    name = "crates"
    hosts = "crates.io"
    path = (
        r"/crates/([A-Za-z][\w-]{0,63})"
        r"(?:/(?:versions|dependencies|reverse_dependencies|owners|([0-9][A-Za-z0-9.+-]{0,60})))?/?"
    )

    async def fetch(self, request: SiteRequest) -> SiteReply:
        name, version = request.target.groups()
        api = request.at("crates", _SITE, f"/api/v1/crates/{name}")
        record = await request.get_json(api, f"crates.io has no crate {name!r}.")
        crate = record.object("crate")
        version = version or crate.text("max_stable_version") or crate.text("max_version")
        name = quote(crate.text("name"))  # spelled as on the static host
        path = f"/readmes/{name}/{name}-{quote(version)}.html"
        readme = b""
        with suppress(WebquarryError):  # many crates have no README
            readme = (await request.get(request.at("crates_static", _STATIC, path), "")).body
        return request.build_reply({"record": record.value, "version": version}, readme)

    def write(self, reply: SiteReply, url: str) -> Page:
        data = JsonData(reply.data)
        record, version = data.object("record"), data.text("version")
        crate = record.object("crate")
        name = crate.text("name")
        home = f"{_SITE}/crates/{quote(name)}"
        page = SiteWriter(reply, url, home)
        releases = record.objects("versions")
        release = next((one for one in releases if one.text("num") == version), JsonData({}))
        warnings = []
        if release.flag("yanked"):
            reason = release.text("yank_message") or "no reason given"
            warnings.append(f"this version was withdrawn (yanked): {reason}")
        return page.build_package(
            name,
            version,
            summary=crate.text("description"),
            install="cargo add",
            warnings=warnings,
            facts=[
                ("Released", release.day("created_at")),
                ("Rust", release.text("rust_version")),
                ("Licence", release.text("license")),
                ("Features", ", ".join(release.fields("features"))),
                ("Downloads", count(crate.number("downloads"))),
            ],
            links=[
                (label.capitalize(), crate.text(label))
                for label in ("documentation", "repository", "homepage")
            ],
            dependencies=[],
            description=page.fragment(page.text),
            versions=[_write_version(one) for one in releases],
            url=home,
            modified=crate.day("updated_at"),
            lost=[] if reply.body else ["The crate has no README on crates.io."],
        )


def _write_version(release: JsonData) -> str:
    mark = ", withdrawn" if release.flag("yanked") else ""
    return f"{release.text('num')} ({release.day('created_at')}{mark})"
