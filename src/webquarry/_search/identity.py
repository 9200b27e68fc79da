"""Which page a URL means: two addresses of one page have one identity.

A pure function from URL to URL. The result is for comparing, not for fetching: scheme, `www.`,
mobile and AMP twins, tracking parameters, the order of parameters and the many addresses of one
DOI, arXiv paper or video are folded. A parameter that may select the content (`page=2`, `id=`,
`v=`, `ref=`) always stays.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from urllib.parse import quote, unquote_to_bytes

from webquarry._search.addresses import split_host

_LONGEST = 8192  # characters of a URL that is looked into
_PORTS = {"http": 80, "https": 443}
_HOST_PREFIXES = ("www.", "m.", "mobile.", "amp.", "wap.")
_TRACKING_NAMES = """
gclid gclsrc dclid gbraid wbraid fbclid msclkid yclid ttclid twclid li_fat_id igshid igsh
mc_cid mc_eid mkt_tok _ga _gl _hsenc _hsmi __hssc __hstc __hsfp hsctatracking oly_anon_id
oly_enc_id vero_id vero_conv wickedid ref_src ref_url s_cid cmpid ncid ocid srsltid rut
_openstat ysclid phpsessid jsessionid aspsessionid sfnsn guccounter guce_referrer
guce_referrer_sig gad_source gad_campaignid sccid rdt_cid epik irclickid s_kwcid ef_id
wt_mc wt_zmc xtor _kx _branch_match_id fb_action_ids fb_action_types fb_source fb_ref
__twitter_impression pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid
"""
_TRACKING = frozenset(_TRACKING_NAMES.split())
_TRACKING_PREFIXES = ("utm_", "mtm_", "matomo_", "hsa_", "at_custom", "at_medium", "at_campaign")
_AMP_PARAMETERS = frozenset(
    {("amp", ""), ("amp", "1"), ("amp", "true"), ("outputtype", "amp"), ("_amp", "true")}
)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp|xhtml|shtml)$", re.IGNORECASE)
_MAY_BE_FOLDED = re.compile(r"amp|(?:index|default)\.", re.IGNORECASE)
_AMP_START = re.compile(r"^/amp(?=/[^/])", re.IGNORECASE)
_AMP_PATH = re.compile(r"(?:/amp/?|\.amp)$|\.amp(?=\.html?$)", re.IGNORECASE)
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_DOI = re.compile(r"(?<![0-9a-z])(10\.[0-9]{4,9}(?:\.[0-9]+){0,9}/[^\s?#]+)", re.IGNORECASE)
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
_VIMEO_HOSTS = frozenset({"vimeo.com", "player.vimeo.com"})
_DAILYMOTION_HOSTS = frozenset({"dailymotion.com", "dai.ly"})
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
_NEEDS_NO_ESCAPE = re.compile(r"[A-Za-z0-9/?:@!$&'()*+,;=._~\[\]-]*+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_MOBILE_LABEL = re.compile(r"^([a-z-]{2,12})\.m\.(?=[^.]+\.)")  # en.m.wikipedia.org
_AMP_CACHE_HOST = ".cdn.ampproject.org"
_IN_AMP_CACHE = re.compile(r"/[a-z]+/(?:s/)?([^/]+\.[^/]+)(/.*)?")
_IN_GOOGLE_AMP = re.compile(r"/amp/(?:s/)?([^/]+\.[^/]+)(/.*)?")
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|format|src|overview)/{_ARXIV.pattern}", re.IGNORECASE)
_ARXIV_DOI = re.compile(rf"10\.48550/{_ARXIV.pattern}", re.IGNORECASE)
_VIMEO_PATH = re.compile(r"/(?:video/)?(\d+)")
_YOUTUBE_PATH = re.compile(r"/(?:shorts|embed|live|v|e)/([^/]+)")
_NATURE_ARTICLE = re.compile(r"^/articles/(?=[^/]+$)")
_DOI_IN_PATH = re.compile(r"/doi(?:/|$)", re.IGNORECASE)
_LONGEST_ENDING = len("/default.shtml")
_DOI_SAFE = "/:;()._-~!$&*+,=@"  # signs of a DOI that stand in a URL as they are

_NAME = itemgetter(0)

Parameters = list[tuple[str, str | None]]  # names and values; None where there is no equals sign


def identity(url: str) -> str:
    """The identity of a page; a text that is not an http(s) URL, or an absurdly long one, is its
    own identity.
    """
    url = url.strip()
    if len(url) > _LONGEST:
        return url
    try:
        parts, host, port = split_host(url)
    except ValueError:
        return url
    host = host.rstrip(".")
    if parts.scheme.lower() not in _PORTS or not host:
        return url
    path = _fold_escapes(parts.path or "/")
    if ";" in path:
        path = _SESSION_IN_PATH.sub("", path)
    path = _resolve_dots(path)
    host = _fold_host(host)
    host, path = _leave_amp_cache(host, path)
    path = _fold_path(host, path)
    parameters = _content_parameters(parts.query)
    work = _find_work(host, path, parameters)
    if work == url:
        return work
    if work:  # what is left of a DOI may itself end in something that is no part of it
        return identity(work)
    authority = host
    if port is not None and port not in _PORTS.values():
        authority = f"{host}:{port}"
    page = f"https://{authority}{path}"
    if parameters:
        page = f"{page}?{_join_parameters(parameters)}"
    if parts.fragment.startswith(("!", "/")):  # pages that route by fragment
        page = f"{page}#{parts.fragment}"
    return page


@lru_cache(512)  # the results of a search share their hosts
def _fold_host(host: str) -> str:
    """The host in lower-case ASCII, without the labels of its mobile and AMP twins."""
    host = host.lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return host
    while host.startswith(_HOST_PREFIXES) and host.count(".") > 1:
        host = host.partition(".")[2]
    return _MOBILE_LABEL.sub(r"\1.", host)


def _fold_path(host: str, path: str) -> str:
    """The path without what names the AMP twin, the index page or nothing at all."""
    if not _MAY_BE_FOLDED.search(path):
        path = path.rstrip("/")
        return path if path.startswith("/") else f"/{path}"
    # There, /amp/ is not about the page but leads to it.
    is_amp_cache = host.endswith(_AMP_CACHE_HOST) or host.startswith("google.")
    before = None
    while before != path:  # /amp/index.html has several layers
        before = path
        if not is_amp_cache:
            path = _AMP_START.sub("", path)
        path = _replace_ending(_AMP_PATH, "", path) or "/"
        path = _replace_ending(_INDEX, "/", path)
        path = path.rstrip("/") or "/"
    if path.startswith("/"):
        return path
    return "/" + path


def _replace_ending(pattern: re.Pattern[str], ending: str, path: str) -> str:
    """A path with another ending where a pattern fits its own; only the last characters are looked
    at, because a path has as many layers as somebody likes to write.
    """
    found = pattern.search(path, max(0, len(path) - _LONGEST_ENDING))
    if found is None:
        return path
    return path[: found.start()] + ending + path[found.end() :]


def _resolve_dots(path: str) -> str:
    """The path without its dot segments, as browsers resolve them."""
    if "/." not in path:
        return path
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del kept[max(1, len(kept) - 1) :]
        elif segment != ".":
            kept.append(segment)
    return "/".join(kept) or "/"


def _fold_escapes(text: str) -> str:
    """Percent-encode what must be, decode what need not be."""
    if _NEEDS_NO_ESCAPE.fullmatch(text):
        return text
    encoded = quote(text.encode("utf-8", "surrogatepass"), safe="/?:@!$&'()*+,;=%-._~[]")
    return _ESCAPE.sub(_fold_escape, encoded)


def _fold_escape(escape: re.Match[str]) -> str:
    """One escape: the sign itself where it may stand as it is, else in capitals."""
    byte = int(escape[1], 16)
    if byte in _PLAIN:
        return chr(byte)
    return f"%{byte:02X}"


def _content_parameters(query: str) -> Parameters:
    """The parameters that may select the content, sorted by name; equal names keep their order."""
    if not query:
        return []
    pieces = [query]
    if "&" in query or "=" in query:
        pieces = re.split("[&;]", query)
    kept: Parameters = []
    for piece in pieces:
        if not piece:
            continue
        name, equals, value = piece.partition("=")
        folded = name.lower()
        if folded in _TRACKING or folded.startswith(_TRACKING_PREFIXES):
            continue
        if (folded, value.lower()) in _AMP_PARAMETERS:
            continue
        name = _fold_escapes(name)
        if equals:
            value = value.replace("+", "%20")  # the two ways to write a blank
            kept.append((name, _fold_escapes(value)))
        else:
            kept.append((name, None))
    kept.sort(key=_NAME)
    return kept


def _join_parameters(parameters: Parameters) -> str:
    """The query string of the parameters."""
    texts = []
    for name, value in parameters:
        if value is None:
            texts.append(name)
        else:
            texts.append(f"{name}={value}")
    return "&".join(texts)


def _leave_amp_cache(host: str, path: str) -> tuple[str, str]:
    """The publisher's address behind an AMP cache's, which may itself be wrapped."""
    while True:
        if host.endswith(_AMP_CACHE_HOST):
            found = _IN_AMP_CACHE.fullmatch(path)
        elif host.startswith("google."):
            found = _IN_GOOGLE_AMP.fullmatch(path)
        else:
            return host, path
        if not found:
            return host, path
        host = _fold_host(found[1])
        path = found[2] or "/"


def _find_work(host: str, path: str, parameters: Parameters) -> str | None:
    """The one address of a work that has an identifier of its own; None for any other page."""
    if host in _ARXIV_HOSTS:
        found = _ARXIV_PATH.fullmatch(path)
        if found:
            return f"https://arxiv.org/abs/{found[1].lower()}"
    if host in _YOUTUBE_HOSTS:
        return _find_youtube_video(host, path, dict(parameters))
    if host in _VIMEO_HOSTS:
        found = _VIMEO_PATH.fullmatch(path)
        if found:
            return f"https://vimeo.com/{found[1]}"
    if host in _DAILYMOTION_HOSTS:
        found = _DAILYMOTION.fullmatch(path)
        if found and (host == "dai.ly" or "/video/" in path):
            return f"https://dailymotion.com/video/{found[1]}"
        if found:
            return None
    # Addresses of a paper at PLOS differ by nothing but the DOI in `id`.
    if host == "journals.plos.org":
        path = f"/{dict(parameters).get('id') or ''}"
    # All articles of Nature have its prefix.
    if host == "nature.com":
        path = _NATURE_ARTICLE.sub("/doi/10.1038/", path)
    if host in _DOI_HOSTS or _DOI_IN_PATH.search(path):
        return _find_doi(host, unquote_to_bytes(path).decode("utf-8", "replace"))
    return None


def _find_doi(host: str, path: str) -> str | None:
    """The address of the DOI in a path; that of the paper where it is one of arXiv's."""
    found = _DOI.search(path)
    if not found:
        return None
    doi = _DOI_VIEW.sub("", found[1]).rstrip("/.").lower()
    if host in _PREPRINTS:
        doi = _VERSION.sub("", doi)
    paper = _ARXIV_DOI.fullmatch(doi)
    if paper:
        return f"https://arxiv.org/abs/{paper[1].lower()}"
    quoted = quote(doi.encode("utf-8", "surrogatepass"), safe=_DOI_SAFE)
    return f"https://doi.org/{quoted}"


def _find_youtube_video(host: str, path: str, parameters: dict[str, str | None]) -> str | None:
    """The address of the video that a page of YouTube shows; None where it shows none."""
    candidate = None
    found = _YOUTUBE_PATH.fullmatch(path)
    if host == "youtu.be":
        candidate = path[1:]
    elif found:
        candidate = found[1]
    elif path == "/watch":
        candidate = parameters.get("v")
    if candidate and _VIDEO_ID.fullmatch(candidate):
        return f"https://youtube.com/watch?v={candidate}"
    return None
