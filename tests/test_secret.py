"""Secrets do not print, and are found in any text that is about to leave."""

from __future__ import annotations

import base64
import copy
import html
import json
import logging
import pickle
from collections.abc import Callable
from urllib.parse import quote

import pytest

from webquarry.logs import RedactingFormatter
from webquarry.secret import HEADERS, MASK, Masker, Secret, redact


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
def test_unregistered_credentials_are_masked(text: str) -> None:
    assert "abcdefgh" not in redact(text)


KEY = "Sk-live_9f/Q+z7=Xw~41&Kp"
SPELLINGS: dict[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "every letter in percent": lambda text: "".join(f"%{ord(sign):02x}" for sign in text),
    "json of numbers": lambda text: "".join(f"\\u{ord(sign):04X}" for sign in text),
    "json": lambda text: json.dumps(text)[1:-1],
    "html": html.escape,
    "html of hexadecimal numbers": lambda text: "".join(f"&#x{ord(sign):x};" for sign in text),
    "html of decimal numbers": lambda text: "".join(f"&#0{ord(sign)};" for sign in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of urls in a login": lambda text: base64.urlsafe_b64encode(
        f"user:{text}?".encode()
    ).decode(),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_secret_is_masked_in_every_form(name: str) -> None:
    Secret(KEY)

    text = redact(f"The key {SPELLINGS[name](KEY)} was refused.")

    assert text.startswith("The key ")
    assert text.endswith(" was refused.")
    assert "***" in text
    assert (
        len(text) <= len("The key ...*** was refused.") + 8
    )  # what its neighbours change in base64


@pytest.mark.parametrize("key", ["otter", "otters42", "aaaaaaaa", "Q0FOQVJZ"])
def test_a_short_key_masks_nothing_but_itself(key: str) -> None:
    """Texts of every kind that do not spell it, with its beginning and its letters in them."""
    masker = Masker([key])
    plain = f"{key[:-1]} {key.swapcase()[:-1]}! {key[1:]}_{key[:3]} sea%20otte%73 &#111;tte;"
    packed = base64.b64encode(bytes(range(256)) * 20).decode()

    for text in (plain, packed, packed.lower(), bytes(range(256)).hex() * 5, "a" * 7 + " ot ter"):
        if key not in text:
            assert masker.mask_text(text) is text


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


@pytest.mark.parametrize("name", sorted(HEADERS))
def test_every_header_that_carries_a_credential_is_noticed_in_any_case(name: str) -> None:
    for spelt in (name, name.upper(), name.title(), name.replace("k", "\N{KELVIN SIGN}")):
        assert redact(f"it said {spelt}: canary-value") == f"it said {spelt}: {MASK}"
