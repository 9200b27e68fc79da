"""The identity of a page: a URL that is equal for all addresses of one page.

For comparisons, not for requests. Scheme, `www.`, mobile and AMP variants, tracking parameters, the
order of parameters and the many addresses of one DOI, arXiv paper or YouTube video are removed. A
parameter that may select the content (`page=2`, `id=`, `v=`, `ref=`) stays.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

from webquarry._search.addresses import split_host

_LONGEST = 8192  # characters of a URL
_PORTS = {"http": 80, "https": 443}
_HOST_PREFIXES = ("www.", "m.", "mobile.", "amp.")
_MOBILE_LABEL = re.compile(r"^([a-z-]{2,12})\.m\.(?=[^.]+\.)")  # en.m.wikipedia.org
_TRACKING_NAMES = """
gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ttclid twclid li_fat_id igshid igsh mc_cid
mc_eid mkt_tok _ga _gl _hsenc _hsmi __hssc __hstc __hsfp oly_anon_id oly_enc_id vero_id ref_src
ref_url s_cid cmpid ncid ocid srsltid rut phpsessid jsessionid guccounter guce_referrer
guce_referrer_sig gad_source gad_campaignid wt_mc xtor fb_action_ids fb_action_types pk_campaign
pk_kwd pk_source pk_medium
"""
_TRACKING = frozenset(_TRACKING_NAMES.split())
_TRACKING_PREFIXES = ("utm_", "mtm_", "matomo_", "hsa_", "at_custom", "at_medium", "at_campaign")
_AMP_PARAMETERS = frozenset({("amp", ""), ("amp", "1"), ("amp", "true"), ("outputtype", "amp")})
_ENDINGS = ("/amp", "/index.html", "/index.htm", "/index.php", "/default.aspx", "/default.htm")
_LONGEST_ENDING = len("/default.aspx")
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_DOI = re.compile(r"(?<![0-9a-z])(10\.[0-9]{4,9}(?:\.[0-9]+){0,9}/[^\s?#]+)", re.IGNORECASE)
_DOI_VIEWS = (
    "/full", "/abstract", "/pdf", "/epdf", "/meta", "/html", "/htm", "/summary",
    ".pdf", ".html", ".htm", ".full", ".abstract",
)  # fmt: skip
_DOI_IN_PATH = re.compile(r"/doi(?:/|$)", re.IGNORECASE)
_DOI_SAFE = "/:;()._-~!$&*+,=@"
# Hosts with DOIs in their paths; those of preprints add a version.
_PREPRINTS = frozenset({"biorxiv.org", "medrxiv.org"})
_DOI_HOSTS = _PREPRINTS | {
    "doi.org",
    "dx.doi.org",
    "link.springer.com",
    "frontiersin.org",
    "journals.plos.org",
}
_VERSION = re.compile(r"v\d+(?:\.[a-z.-]+)?$")  # v1, v1.full, v1.full.pdf
_NATURE_ARTICLE = re.compile(r"^/articles/(?=[^/]+$)")
_ARXIV = r"(?:arxiv\.)?([a-z-]+(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?"
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|format)/{_ARXIV}", re.IGNORECASE)
_ARXIV_DOI = re.compile(rf"10\.48550/{_ARXIV}", re.IGNORECASE)
_ARXIV_HOSTS = frozenset({"arxiv.org", "export.arxiv.org", "ar5iv.org", "alphaxiv.org"})
_YOUTUBE_HOSTS = frozenset({"youtube.com", "music.youtube.com", "youtube-nocookie.com", "youtu.be"})
_YOUTUBE_PATH = re.compile(r"/(?:shorts|embed|live|v|e)/([^/]+)")
_VIDEO_ID = re.compile(r"[0-9A-Za-z_-]{11}")
# Unescaped characters that are no delimiters: `%28` is `(`, but `%2F` is not `/`.
_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*,:@")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")

Parameters = list[tuple[str, str]]  # names, and values with their equals sign


def identity(url: str) -> str:
    """Return the identity of a page; other texts, and extremely long URLs, are returned as is."""
    url = url.strip()
    if len(url) > _LONGEST:
        return url
    try:
        parts, host, port = split_host(url)
    except ValueError:
        return url
    host = _fold_host(host)
    if parts.scheme.lower() not in _PORTS or not host:
        return url
    path = _resolve_dots(_SESSION_IN_PATH.sub("", _fold_escapes(parts.path)))
    parameters = _content_parameters(parts.query)
    work = _find_work(host, path, parameters)
    if work:
        return work
    authority = host
    if port is not None and port not in _PORTS.values():
        authority = f"{host}:{port}"
    page = f"https://{authority}{_fold_path(path)}"
    if parameters:
        page += "?" + "&".join(map("".join, parameters))
    if parts.fragment.startswith(("!", "/")):  # pages that route by fragment
        page += f"#{parts.fragment}"
    return page


def _fold_host(host: str) -> str:
    """Return the host in lower-case ASCII, without labels of mobile and AMP variants."""
    host = host.rstrip(".").lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return host
    while host.startswith(_HOST_PREFIXES) and host.count(".") > 1:
        host = host.partition(".")[2]
    return _MOBILE_LABEL.sub(r"\1.", host)


def _fold_path(path: str) -> str:
    """Return the path without AMP parts, index pages and final slashes."""
    before = None
    while before != path:  # /amp/index.html has several layers
        before = path
        path = path.rstrip("/")
        for ending in _ENDINGS:
            if path[-_LONGEST_ENDING:].lower().endswith(ending):
                path = path[: -len(ending)]
    return path or "/"


def _resolve_dots(path: str) -> str:
    """Return the path without dot segments."""
    resolved = [""]
    for segment in path.split("/")[1:]:
        if segment == "..":
            del resolved[max(1, len(resolved) - 1) :]
        elif segment != ".":
            resolved.append(segment)
    return "/".join(resolved) or "/"


def _fold_escapes(text: str) -> str:
    """Return a text with the required escapes, in capitals, and no others."""
    encoded = quote(text.encode("utf-8", "surrogatepass"), safe="/?:@!$&'()*+,;=%-._~[]")

    def fold(escape: re.Match[str]) -> str:
        byte = int(escape[1], 16)
        return chr(byte) if byte in _PLAIN else f"%{byte:02X}"

    return _ESCAPE.sub(fold, encoded)


def _content_parameters(query: str) -> Parameters:
    """Return the parameters that may select the content, sorted by name (stable)."""
    parameters: Parameters = []
    for piece in filter(None, re.split("[&;]", query)):
        name, equals, value = piece.partition("=")
        folded = name.lower()
        is_tracking = folded in _TRACKING or folded.startswith(_TRACKING_PREFIXES)
        if not is_tracking and (folded, value.lower()) not in _AMP_PARAMETERS:
            # A plus is a blank in values only.
            value = _fold_escapes(value.replace("+", "%20"))
            parameters.append((_fold_escapes(name), equals + value))
    parameters.sort(key=lambda parameter: parameter[0])
    return parameters


def _find_work(host: str, path: str, parameters: Parameters) -> str | None:
    """Return the canonical URL of a work with an identifier, or None for other pages."""
    values = {name: value.removeprefix("=") for name, value in parameters}
    if host in _ARXIV_HOSTS:
        found = _ARXIV_PATH.fullmatch(path.rstrip("/"))
        return f"https://arxiv.org/abs/{found[1].lower()}" if found else None
    if host in _YOUTUBE_HOSTS:
        found = _YOUTUBE_PATH.fullmatch(path)
        video = path[1:] if host == "youtu.be" else found[1] if found else ""
        if path == "/watch":
            video = values.get("v", "")
        return f"https://youtube.com/watch?v={video}" if _VIDEO_ID.fullmatch(video) else None
    if host == "journals.plos.org":
        path = f"/{values.get('id', '')}"
    if host == "nature.com":
        path = _NATURE_ARTICLE.sub("/doi/10.1038/", path)
    if host in _DOI_HOSTS or _DOI_IN_PATH.search(path):
        return _find_doi(host, unquote_to_bytes(path).decode("utf-8", "replace"))
    return None


def _find_doi(host: str, path: str) -> str | None:
    """Return the URL of the DOI in a path, or of the paper for a DOI of arXiv."""
    found = _DOI.search(path)
    if not found:
        return None
    doi, before = found[1].lower(), ""
    while before != doi:
        before = doi
        doi = doi.rstrip("/.")
        for view in _DOI_VIEWS:
            doi = doi.removesuffix(view)
    if host in _PREPRINTS:
        doi = _VERSION.sub("", doi)
    paper = _ARXIV_DOI.fullmatch(doi)
    if paper:
        return f"https://arxiv.org/abs/{paper[1].lower()}"
    return f"https://doi.org/{quote(doi.encode('utf-8', 'surrogatepass'), safe=_DOI_SAFE)}"
