"""The `patent_search` tool: registers, their logins, and how they are spared."""

from __future__ import annotations

import httpx2

from tests.search.engines import Engines
from tests.search.patents.recorded import KEYS, body_of, response
from tests.tools.patents import (
    EPO,
    LENS,
    LOGIN,
    answered,
    numbers,
    routing,
)


def test_both_registers_are_asked_and_what_they_know_is_put_together() -> None:
    same = httpx2.Response(
        200,
        content=body_of("epo/ok_200.xml").replace(
            b'country="EP" doc-number="3456789" kind="A1"',
            b'country="US" doc-number="10999999" kind="B2"',
        ),
    )
    answer = answered(Engines(epo=[LOGIN, same], lens=LENS), KEYS)
    (patent,) = answer.as_dict()["patents"]

    assert patent["assignee"] == "Tideworks Limited"
    assert patent["status"] == "active"
    assert routing(answer)["providerUsed"] == "epo+lens"
    assert routing(answer)["fallback"] is False
    assert numbers(answered(Engines(epo=[LOGIN, EPO], lens=LENS), KEYS)) == [
        "EP3456789A1",
        "US10999999B2",
    ]


def test_a_register_that_fails_costs_only_its_own_part_and_that_is_said() -> None:
    answer = answered(Engines(epo=[LOGIN, response("epo/network_503.xml")], lens=LENS), KEYS)

    assert numbers(answer) == ["US10999999B2"]
    assert routing(answer)["providerUsed"] == "lens"
    assert routing(answer)["fallback"] is True
    assert routing(answer)["fallbackReason"].startswith("epo: network")
    assert answer.meta["webquarry/cache"]["maxAgeSeconds"] == 60
