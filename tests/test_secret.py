"""Secrets do not print, and are found in any text that is about to leave."""

from __future__ import annotations

import copy
import json
import logging
import pickle

import pytest

from webquarry.logs import RedactingFormatter
from webquarry.secret import Secret, redact


def test_a_secret_prints_as_stars_however_it_is_printed() -> None:
    secret = Secret("sk-canary-1234")
    for text in (
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret!r:>5}",
        str([secret]),
        "%s" % secret,  # noqa: UP031
    ):
        assert "canary" not in text
        assert "***" in text
    assert secret.reveal() == "sk-canary-1234"


def test_a_secret_cannot_be_pickled_or_copied_into_json() -> None:
    secret = Secret("sk-canary-1234")
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)
    with pytest.raises(TypeError):
        json.dumps({"key": secret})


def test_a_known_secret_is_taken_out_of_any_text_also_when_percent_encoded() -> None:
    Secret("p/ss w+rd-canary")
    for text in ("a p/ss w+rd-canary b", "x=p%2Fss%20w%2Brd-canary", "x=p%2Fss+w%2Brd-canary"):
        assert "canary" not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "https://api.example/v1?key=abcdefgh&q=otters",
        "https://api.example/v1?q=otters&api_key=abcdefgh",
        "X-Subscription-Token: abcdefgh",
        "{'authorization': 'Bearer abcdefgh'}",
        "http://user:abcdefgh@proxy.example:8080/",
    ],
)
def test_what_looks_like_a_credential_is_taken_out_though_nobody_registered_it(text: str) -> None:
    assert "abcdefgh" not in redact(text)


def test_ordinary_text_stays_as_it_is() -> None:
    text = "The key to otters: see https://example.org/a?page=2&monkey=1 (token ring)."
    assert redact(text) == text


def test_a_log_line_has_no_secret_in_message_arguments_or_traceback() -> None:
    Secret("log-canary-1234")
    try:
        raise ValueError("bad log-canary-1234")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    record = logging.LogRecord("x", logging.ERROR, "f", 1, "saw %s", ("log-canary-1234",), info)
    line = RedactingFormatter("%(message)s").format(record)
    assert "canary" not in line
    assert "ValueError: bad ***" in line
