"""Secrets do not print, and are found in any text that is about to leave."""

from __future__ import annotations

import base64
import copy
import html
import json
import logging
import pickle
import quopri
from collections.abc import Callable
from urllib.parse import quote

import pytest

from webquarry.logs import RedactingFormatter
from webquarry.masking.masker import Masker
from webquarry.secret import HEADERS, MASK, Secret, redact


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


KEY = "Sk-live_9f/Q+z7=Xw~41&Kp"
SPELLINGS: dict[str, Callable[[str], str]] = {
    "percent": lambda text: quote(text, safe=""),
    "every letter in percent": lambda text: "".join(f"%{ord(sign):02x}" for sign in text),
    "json of numbers": lambda text: "".join(f"\\u{ord(sign):04X}" for sign in text),
    "json": lambda text: json.dumps(text)[1:-1],
    "html": html.escape,
    "html of hexadecimal numbers": lambda text: "".join(f"&#x{ord(sign):x};" for sign in text),
    "html of decimal numbers": lambda text: "".join(f"&#0{ord(sign)};" for sign in text),
    "html of names": lambda text: text.replace("/", "&sol;").replace("+", "&plus;"),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 of urls in a login": lambda text: base64.urlsafe_b64encode(
        f"user:{text}?".encode()
    ).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal in capitals": lambda text: text.encode().hex().upper(),
    "mail": lambda text: quopri.encodestring(text.encode(), quotetabs=True).decode().strip(),
    "every letter in mail": lambda text: "".join(f"={ord(sign):02X}" for sign in text),
    "broken lines": lambda text: base64.encodebytes(b"x" * 40 + text.encode()).decode(),
}


@pytest.mark.parametrize("outer", SPELLINGS)
@pytest.mark.parametrize("inner", SPELLINGS)
def test_a_secret_is_masked_however_it_is_spelt_and_in_whatever_that_is_put(
    inner: str, outer: str
) -> None:
    once = SPELLINGS[inner](KEY)
    twice = SPELLINGS[outer](once)
    masker = Masker([KEY])

    for text in (once, twice):
        masked = masker.mask_text(f"before {text} behind")
        assert "***" in masked
        assert len(masked) < len(f"before {text} behind") - len(KEY) // 2
        assert masked.startswith("before ")
        assert masked.endswith(" behind")


def test_a_secret_is_masked_in_answers_errors_and_logs_alike() -> None:
    Secret(KEY)
    for spell in SPELLINGS.values():
        text = redact(f"The key {spell(spell(KEY))} was refused.")
        assert text.startswith("The key ")
        assert "***" in text


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
