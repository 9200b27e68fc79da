"""Source types and subjects of well-known hosts and suffixes.

An entry includes its subdomains, and the longest matching entry counts: `pubmed.ncbi.nlm.nih.gov`
is peer-reviewed, `nih.gov` a government. `*` matches one label, so `gov.*` includes `gov.uk`.
"""

from __future__ import annotations

from collections.abc import Mapping

# not a source type: a preprint is not peer-reviewed, whatever its page states
PREPRINT = "preprint"

_TYPES = {
    "peer_reviewed": """
        pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov europepmc.org doi.org nature.com
        science.org cell.com thelancet.com nejm.org bmj.com jamanetwork.com annals.org plos.org
        sciencedirect.com link.springer.com onlinelibrary.wiley.com tandfonline.com
        academic.oup.com journals.sagepub.com pnas.org royalsocietypublishing.org pubs.acs.org
        pubs.rsc.org iopscience.iop.org journals.aps.org dl.acm.org ieeexplore.ieee.org
        frontiersin.org mdpi.com biomedcentral.com elifesciences.org jstor.org
        cochranelibrary.com aclanthology.org jmlr.org proceedings.mlr.press usenix.org
        annualreviews.org ahajournals.org
    """,
    PREPRINT: """
        arxiv.org biorxiv.org medrxiv.org ssrn.com osf.io researchsquare.com preprints.org
        chemrxiv.org psyarxiv.com eartharxiv.org hal.science zenodo.org techrxiv.org
    """,
    "government": """
        gov mil gov.* mil.* gouv.fr gouv.* gob.* govt.nz go.jp go.kr go.id go.th gc.ca canada.ca
        admin.ch bund.de europa.eu int nhs.uk parliament.uk fed.us bundestag.de
        bundesregierung.de gv.at overheid.nl
    """,
    "official_docs": """
        docs.python.org developer.mozilla.org learn.microsoft.com docs.microsoft.com
        docs.aws.amazon.com docs.github.com cloud.google.com developers.google.com
        developer.apple.com developer.android.com docs.oracle.com docs.rs doc.rust-lang.org
        go.dev pkg.go.dev kubernetes.io nodejs.org react.dev docs.docker.com postgresql.org
        sqlite.org duckdb.org w3.org whatwg.org ietf.org rfc-editor.org ecma-international.org
        iso.org unicode.org schema.org readthedocs.io readthedocs.org docs.djangoproject.com
        pytorch.org tensorflow.org numpy.org man7.org
    """,
    "news_publication": """
        reuters.com apnews.com bbc.com bbc.co.uk nytimes.com washingtonpost.com theguardian.com
        wsj.com ft.com economist.com bloomberg.com cnn.com npr.org aljazeera.com lemonde.fr
        lefigaro.fr spiegel.de zeit.de faz.net sueddeutsche.de tagesschau.de dw.com elpais.com
        corriere.it repubblica.it nzz.ch latimes.com usatoday.com theatlantic.com time.com
        politico.com politico.eu axios.com cnbc.com nbcnews.com cbsnews.com abcnews.go.com
        abc.net.au cbc.ca afp.com japantimes.co.jp nhk.or.jp thehindu.com scmp.com
        arstechnica.com wired.com theverge.com techcrunch.com theregister.com propublica.org
        independent.co.uk telegraph.co.uk thetimes.com thetimes.co.uk
    """,
    "blog": """
        medium.com substack.com dev.to wordpress.com blogspot.com tumblr.com ghost.io
        hashnode.dev hashnode.com livejournal.com blogger.com write.as bearblog.dev micro.blog
        typepad.com
    """,
    "forum": """
        reddit.com news.ycombinator.com stackexchange.com stackoverflow.com superuser.com
        serverfault.com askubuntu.com mathoverflow.net quora.com lobste.rs discourse.group
        lemmy.world slashdot.org discussions.apple.com resetera.com xda-developers.com
    """,
    "wiki": """
        wikipedia.org wiktionary.org wikibooks.org wikidata.org wikivoyage.org wikiversity.org
        wikisource.org wikinews.org wikimedia.org fandom.com wiki.gg wikihow.com miraheze.org
        wiki.archlinux.org
    """,
    "social_media": """
        twitter.com x.com facebook.com instagram.com linkedin.com tiktok.com threads.net
        threads.com bsky.app mastodon.social pinterest.com youtube.com youtu.be snapchat.com
        vk.com weibo.com t.me truthsocial.com
    """,
}

_CATEGORIES = {
    "academic": """
        edu edu.* ac.* arxiv.org ssrn.com osf.io jstor.org doi.org nature.com science.org
        pnas.org plos.org sciencedirect.com link.springer.com onlinelibrary.wiley.com
        tandfonline.com academic.oup.com hal.science zenodo.org royalsocietypublishing.org
        scholar.google.com semanticscholar.org openalex.org researchgate.net academia.edu
        preprints.org researchsquare.com psyarxiv.com eartharxiv.org annualreviews.org
        journals.sagepub.com mdpi.com frontiersin.org elifesciences.org chemrxiv.org
    """,
    "legal": """
        law.cornell.edu courtlistener.com supremecourt.gov uscourts.gov justia.com findlaw.com
        oyez.org legislation.gov.uk bailii.org eur-lex.europa.eu curia.europa.eu congress.gov
        federalregister.gov ecfr.gov law.justia.com scotusblog.com canlii.org austlii.edu.au
        gesetze-im-internet.de legifrance.gouv.fr law.com lexology.com hudoc.echr.coe.int
        icj-cij.org govinfo.gov
    """,
    "medical": """
        nih.gov cdc.gov fda.gov who.int nhs.uk ema.europa.eu clinicaltrials.gov medlineplus.gov
        nejm.org bmj.com thelancet.com jamanetwork.com annals.org cochranelibrary.com
        cochrane.org mayoclinic.org clevelandclinic.org webmd.com medscape.com uptodate.com
        medrxiv.org europepmc.org healthline.com nice.org.uk ahajournals.org cancer.org
        msdmanuals.com rki.de ecdc.europa.eu hopkinsmedicine.org
    """,
    "financial": """
        sec.gov federalreserve.gov stlouisfed.org treasury.gov imf.org worldbank.org
        ecb.europa.eu bis.org bloomberg.com ft.com wsj.com cnbc.com marketwatch.com
        investopedia.com morningstar.com nasdaq.com nyse.com bankofengland.co.uk fdic.gov
        finra.org irs.gov finance.yahoo.com seekingalpha.com fool.com barrons.com bundesbank.de
        esma.europa.eu
    """,
    "technical": f"""
        github.com gitlab.com huggingface.co stackoverflow.com serverfault.com superuser.com
        askubuntu.com news.ycombinator.com pypi.org npmjs.com crates.io kernel.org apache.org
        python.org developer.mozilla.org ieeexplore.ieee.org dl.acm.org usenix.org
        arstechnica.com theregister.com lobste.rs nist.gov aclanthology.org jmlr.org
        proceedings.mlr.press wiki.archlinux.org dev.to hashnode.dev
        {_TYPES["official_docs"]}
    """,
}


def _by_host(table: Mapping[str, str]) -> dict[str, str]:
    """Return the key of each host of a table."""
    return {host: key for key, hosts in table.items() for host in hosts.split()}


_TYPE_OF = _by_host(_TYPES)
_CATEGORY_OF = _by_host(_CATEGORIES)


def type_of_host(host: str) -> str | None:
    """Return the source type of a known host."""
    return _look_up(_TYPE_OF, host)


def category_of_host(host: str) -> str | None:
    """Return the subject of a known host."""
    return _look_up(_CATEGORY_OF, host)


def _look_up(table: Mapping[str, str], host: str) -> str | None:
    """Return the value of the longest matching entry."""
    rest = host.rstrip(".").lower()
    while rest:
        found = table.get(rest)
        label, _, behind = rest.partition(".")
        if found is None and len(behind) == 2 and "." not in behind:  # below a country
            found = table.get(f"{label}.*")
        if found is not None:
            return found
        rest = behind
    return None
