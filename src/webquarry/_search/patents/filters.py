"""The filters of a question, enforced on what came back where the data is there: a patent in, yes
or no out.
"""

from __future__ import annotations

from webquarry._search.patents.assignees import names_match
from webquarry._search.patents.cpc import bears
from webquarry._search.patents.models import Patent, PatentQuery


def admits(patent: Patent, query: PatentQuery) -> bool:
    """Office, year of publication and class; what is not known of a patent does not speak against
    it.
    """
    if query.office and patent.number.office != query.office:
        return False
    if query.cpc and patent.cpc and not bears(patent.cpc, query.cpc):
        return False
    year = patent.number.published_year
    if patent.published:
        year = int(patent.published[:4])
    if year is None:
        return True
    first = query.year_from or year
    last = query.year_to or year
    return first <= year <= last


def has_names(patent: Patent, query: PatentQuery) -> bool:
    """Assignee and inventor, as far as they are known. Registers apply them better: they know all
    spellings.
    """
    for name, names in ((query.assignee, patent.assignees), (query.inventor, patent.inventors)):
        if name and names and not names_match(name, names):
            return False
    return True
