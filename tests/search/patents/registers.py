"""The registers with credentials, and a query with every filter."""

from __future__ import annotations

from tests.search.patents.recorded import KEYS, body_of, reply
from webquarry._search.patents.provider import PatentQuery
from webquarry._search.patents.providers.epo import Epo
from webquarry._search.patents.providers.lens import LensPatents
from webquarry.settings import Settings

NOWHERE = {"HOME": "/nonexistent"}
FULL = PatentQuery(
    "tidal turbine", "Tideworks", "Per Lindqvist", 7, "prior_art", "EP", "F03B13/00", 2018, 2021
)


def epo() -> Epo:
    register = Epo.configure(Settings(), KEYS | NOWHERE)
    register.parse_probe(reply(body_of("epo/login_200.json")))
    return register


def lens() -> LensPatents:
    return LensPatents.configure(Settings(), KEYS | NOWHERE)
