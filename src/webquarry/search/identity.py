"""Which page a URL means: two addresses of one page have one identity.

A pure function from URL to URL. The result is for comparing, not for fetching: scheme, `www.`,
mobile and AMP twins, tracking parameters, the order of parameters and the many addresses of one
DOI, arXiv paper or video are folded. A parameter that may select the content (`page=2`, `id=`,
`v=`, `ref=`) always stays.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

_LONGEST = 8192
_PORTS = {"http": 80, "https": 443}
_HOST_PREFIXES = ("www.", "m.", "mobile.", "amp.", "wap.")
_TRACKING = frozenset(
    [
        "gclid",
        "gclsrc",
        "dclid",
        "gbraid",
        "wbraid",
        "fbclid",
        "msclkid",
        "yclid",
        "ttclid",
        "twclid",
        "li_fat_id",
        "igshid",
        "igsh",
        "mc_cid",
        "mc_eid",
        "mkt_tok",
        "_ga",
        "_gl",
        "_hsenc",
        "_hsmi",
        "__hssc",
        "__hstc",
        "__hsfp",
        "hsctatracking",
        "oly_anon_id",
        "oly_enc_id",
        "vero_id",
        "vero_conv",
        "wickedid",
        "ref_src",
        "ref_url",
        "s_cid",
        "cmpid",
        "ncid",
        "ocid",
        "srsltid",
        "rut",
        "_openstat",
        "ysclid",
        "phpsessid",
        "jsessionid",
        "aspsessionid",
        "sfnsn",
        "guccounter",
        "guce_referrer",
        "guce_referrer_sig",
        "gad_source",
        "gad_campaignid",
        "sccid",
        "rdt_cid",
        "epik",
        "irclickid",
        "s_kwcid",
        "ef_id",
        "wt_mc",
        "wt_zmc",
        "xtor",
        "_kx",
        "_branch_match_id",
        "fb_action_ids",
        "fb_action_types",
        "fb_source",
        "fb_ref",
        "__twitter_impression",
        "pk_campaign",
        "pk_kwd",
        "pk_keyword",
        "pk_source",
        "pk_medium",
        "pk_content",
        "pk_cid",
    ]
)
_TRACKING_PREFIXES = ("utm_", "mtm_", "matomo_", "hsa_", "at_custom", "at_medium", "at_campaign")
_AMP_PARAMETERS = frozenset(
    {("amp", ""), ("amp", "1"), ("amp", "true"), ("outputtype", "amp"), ("_amp", "true")}
)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp|xhtml|shtml)$", re.IGNORECASE)
_AMP_START = re.compile(r"^/amp(?=/[^/])", re.IGNORECASE)
_AMP_PATH = re.compile(r"(?:/amp/?|\.amp)$|\.amp(?=\.html?$)", re.IGNORECASE)
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_DOI = re.compile(r"(?<![0-9a-z])(10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s?#]+)", re.IGNORECASE)
_DOI_VIEW = re.compile(
    r"/(?:full|abstract|pdf|epdf|meta|html?|summary)$|\.(?:pdf|html?|full|abstract)$", re.IGNORECASE
)
_VERSION = re.compile(r"v\d+(?:\.[a-z.-]+)?$")  # v1, v1.full, v1.full.pdf
_ARXIV = re.compile(
    r"(?:arxiv\.)?([a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?", re.IGNORECASE
)
_ARXIV_HOSTS = frozenset(
    {"arxiv.org", "export.arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org", "alphaxiv.org"}
)
_YOUTUBE_HOSTS = frozenset({"youtube.com", "music.youtube.com", "youtube-nocookie.com", "youtu.be"})
_DAILYMOTION = re.compile(r"/(?:(?:embed/)?video/)?([0-9a-z]{5,12})", re.IGNORECASE)
_VIDEO_ID = re.compile(r"[0-9A-Za-z_-]{11}")
# Of the signs that may stand as they are, those that separate nothing: `%28` is `(`, but `%2F` is
# not `/`.
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*,:@")
# Hosts whose addresses hold a DOI without saying so; those of preprints add the version to it.
_PREPRINTS = frozenset({"biorxiv.org", "medrxiv.org"})
_DOI_HOSTS = _PREPRINTS | {
    "doi.org",
    "dx.doi.org",
    "link.springer.com",
    "frontiersin.org",
    "journals.plos.org",
}
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")


def identity(url: str) -> str:
    """The identity of a page; a text that is not an http(s) URL, or an absurdly long one, is its
    own identity.
    """
    url = url.strip()
    if len(url) > _LONGEST:
        return url
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return url
    if parts.scheme.lower() not in _PORTS or not host:
        return url
    host, path = _out_of_amp_cache(_plain_host(host), _clean_path(parts.path))
    path, parameters = _plain_path(host, path), _parameters(parts.query)
    known = _known_work(host, path, parameters)
    if known:  # what is left of a DOI may itself end in something that is no part of it
        if known == url:
            return known
        return identity(known)
    if port in (None, *_PORTS.values()):
        place = host
    else:
        place = f"{host}:{port}"
    text = "&".join(name if value is None else f"{name}={value}" for name, value in parameters)
    route = ""  # pages that route by fragment
    if parts.fragment.startswith(("!", "/")):
        route = f"#{parts.fragment}"
    return f"https://{place}{path}" + (f"?{text}" if text else "") + route


def _plain_host(host: str) -> str:
    host = host.lower()
    try:
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
    while (prefix := next((p for p in _HOST_PREFIXES if host.startswith(p)), None)) and host.count(
        "."
    ) > 1:
        host = host.removeprefix(prefix)
    return re.sub(r"^([a-z-]{2,12})\.m\.(?=[^.]+\.)", r"\1.", host)  # en.m.wikipedia.org


def _clean_path(path: str) -> str:
    return _resolve_dots(_SESSION_IN_PATH.sub("", _plain_escapes(path or "/")))


def _plain_path(host: str, path: str) -> str:
    before = None
    while before != path:  # /amp/index.html has several layers
        before = path
        if _is_amp_cache(host):
            path = path
        else:
            path = _AMP_START.sub("", path)
        path = _AMP_PATH.sub("", path) or "/"
        path = _INDEX.sub("/", path)
        path = path.rstrip("/") or "/"
    if path.startswith("/"):
        return path
    return "/" + path


def _resolve_dots(path: str) -> str:
    if "/." not in path:
        return path
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del kept[max(1, len(kept) - 1) :]
        elif segment != ".":
            kept.append(segment)
    return "/".join(kept) or "/"


def _plain_escapes(text: str) -> str:
    """Percent-encode what must be, decode what need not be."""

    def one(match: re.Match[str]) -> str:
        byte = int(match[1], 16)
        if byte in _PLAIN:
            return chr(byte)
        return f"%{byte:02X}"

    encoded = quote(text.encode("utf-8", "surrogatepass"), safe="/?:@!$&'()*+,;=%-._~[]")
    return _ESCAPE.sub(one, encoded)


def _parameters(query: str) -> list[tuple[str, str | None]]:
    """The parameters that may select the content, sorted by name; equal names keep their order."""
    kept: list[tuple[str, str | None]] = []
    for part in re.split("[&;]", query) if "&" in query or "=" in query else [query]:
        name, equals, value = part.partition("=")
        folded = name.lower()
        if not part or folded in _TRACKING or folded.startswith(_TRACKING_PREFIXES):
            continue
        if (folded, value.lower()) in _AMP_PARAMETERS:
            continue
        value = value.replace("+", "%20")  # the two ways to write a blank
        kept.append((_plain_escapes(name), _plain_escapes(value) if equals else None))
    return sorted(kept, key=lambda parameter: parameter[0])


def _is_amp_cache(host: str) -> bool:
    return host.endswith(".cdn.ampproject.org") or host.startswith("google.")


def _out_of_amp_cache(host: str, path: str) -> tuple[str, str]:
    """The publisher's address behind an AMP cache's, which may itself be wrapped."""
    while True:
        if host.endswith(".cdn.ampproject.org"):
            found = re.fullmatch(r"/[a-z]+/(?:s/)?([^/]+\.[^/]+)(/.*)?", path)
        elif host.startswith("google."):
            found = re.fullmatch(r"/amp/(?:s/)?([^/]+\.[^/]+)(/.*)?", path)
        else:
            return host, path
        if not found:
            return host, path
        host, path = _plain_host(found[1]), found[2] or "/"


def _known_work(host: str, path: str, parameters: list[tuple[str, str | None]]) -> str | None:
    """The one address of a work that has an identifier of its own."""
    if host in _ARXIV_HOSTS and (
        found := re.fullmatch(
            rf"/(?:abs|pdf|html|format|src|overview)/{_ARXIV.pattern}", path, re.I
        )
    ):
        return f"https://arxiv.org/abs/{found[1].lower()}"
    if host in _YOUTUBE_HOSTS:
        return _youtube(host, path, dict(parameters))
    if host in ("vimeo.com", "player.vimeo.com") and (
        found := re.fullmatch(r"/(?:video/)?(\d+)", path)
    ):
        return f"https://vimeo.com/{found[1]}"
    if host in ("dailymotion.com", "dai.ly") and (found := _DAILYMOTION.fullmatch(path)):
        if host == "dai.ly" or "/video/" in path:
            return f"https://dailymotion.com/video/{found[1]}"
        return None
    if (
        host == "journals.plos.org"
    ):  # its addresses of a paper differ by nothing but the DOI in `id`
        path = f"/{dict(parameters).get('id') or ''}"
    if host == "nature.com":  # all its articles have its prefix
        path = re.sub(r"^/articles/(?=[^/]+$)", "/doi/10.1038/", path)
    if host in _DOI_HOSTS or re.search(r"/doi(?:/|$)", path, re.IGNORECASE):
        return _doi(host, unquote_to_bytes(path).decode("utf-8", "replace"))
    return None


def _doi(host: str, path: str) -> str | None:
    found = _DOI.search(path)
    if not found:
        return None
    doi = _DOI_VIEW.sub("", found[1]).rstrip("/.").lower()
    doi = _VERSION.sub("", doi) if host in _PREPRINTS else doi
    paper = re.fullmatch(rf"10\.48550/{_ARXIV.pattern}", doi, re.IGNORECASE)
    if paper:
        return f"https://arxiv.org/abs/{paper[1].lower()}"
    return (
        f"https://doi.org/{quote(doi.encode('utf-8', 'surrogatepass'), safe='/:;()._-~!$&*+,=@')}"
    )


def _youtube(host: str, path: str, parameters: dict[str, str | None]) -> str | None:
    candidate = parameters.get("v") if path == "/watch" else None
    if host == "youtu.be":
        candidate = path[1:]
    elif found := re.fullmatch(r"/(?:shorts|embed|live|v|e)/([^/]+)", path):
        candidate = found[1]
    if candidate and _VIDEO_ID.fullmatch(candidate):
        return f"https://youtube.com/watch?v={candidate}"
    return None
