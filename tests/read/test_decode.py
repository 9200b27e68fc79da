"""Decoding of pages: byte order marks, labels that are right or wrong, and detection."""

from __future__ import annotations

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from webquarry._read.encoding.decode import DecodedText, decode

FRENCH = (
    "Le café est une boisson obtenue à partir de graines torréfiées, cultivées sous les tropiques. "
    "L'été dernier, à Nîmes, où étiez-vous ? Ça dépend de l'âge du garçon. "
)
POLISH = (
    "W Szczebrzeszynie chrząszcz brzmi w trzcinie. Łódź jest piękna, a żółte liście spadają "
    "wciąż z drzew. "
    "Zażółć gęślą jaźń, powiedział książę i poszedł spać. "
)
RUSSIAN = (
    "Москва стоит на реке, которая дала ей имя. Город рос вокруг крепости, и улицы до сих пор "
    "идут к ней кругами. "
    "Зимой река замерзает, а летом по ней ходят корабли. "
)
JAPANESE = (
    "港の灯台は百年前に建てられました。春になると、漁師たちは朝早く船を出し、夕方に戻ります。"
    "市場では新しい魚がすぐに売れてしまいます。"
)
CHINESE = "港口的灯塔是一百年前建造的。春天，渔民们清晨出海，傍晚才回来。市场上的鲜鱼很快就卖完了，孩子们在码头上玩耍。"
TAIWANESE = "港口的燈塔是一百年前建造的。春天，漁民們清晨出海，傍晚才回來。市場上的鮮魚很快就賣完了，孩子們在碼頭上玩耍。"
KOREAN = (
    "항구의 등대는 백 년 전에 세워졌다. 봄이 되면 어부들은 아침 일찍 배를 띄우고 저녁에 돌아온다. "
    "시장에서는 싱싱한 생선이 금방 팔린다. "
)

ENCODINGS = [
    pytest.param("utf-8", "utf-8", FRENCH, id="utf-8"),
    pytest.param("windows-1252", "cp1252", FRENCH + "“Oui” – c’est tout…", id="windows-1252"),
    pytest.param("iso-8859-1", "latin-1", FRENCH, id="iso-8859-1"),
    pytest.param("iso-8859-2", "iso8859-2", POLISH, id="iso-8859-2"),
    pytest.param("windows-1251", "cp1251", RUSSIAN, id="windows-1251"),
    pytest.param("koi8-r", "koi8-r", RUSSIAN, id="koi8-r"),
    pytest.param("shift_jis", "cp932", JAPANESE, id="shift_jis"),
    pytest.param("euc-jp", "euc_jp", JAPANESE, id="euc-jp"),
    pytest.param("gb18030", "gb18030", CHINESE + "𠮷㐀", id="gb18030"),
    pytest.param("gb2312", "gb2312", CHINESE, id="gb2312"),
    pytest.param("big5", "big5", TAIWANESE, id="big5"),
    pytest.param("euc-kr", "euc_kr", KOREAN, id="euc-kr"),
]
every_encoding = pytest.mark.parametrize(("label", "codec", "text"), ENCODINGS)


def page(text: str, head: str = "") -> str:
    return (
        f"<!DOCTYPE html><html><head>{head}<title>{text[:20]}</title></head><body><p>{text}</p>"
        "</body></html>"
    )


@every_encoding
def test_header_declares_the_encoding(label: str, codec: str, text: str) -> None:
    decoded = decode(page(text).encode(codec), f"text/html; charset={label}")

    assert decoded == DecodedText(page(text), webencodings.lookup(label).name, "header")


@every_encoding
@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="{}">',
        "<META http-equiv='Content-Type' content='text/html; charset={}'>",
        "<meta charset={} />",
    ],
)
def test_meta_element_declares_the_encoding(label: str, codec: str, text: str, meta: str) -> None:
    html = page(text, meta.format(label))

    assert decode(html.encode(codec), "text/html") == DecodedText(
        html, webencodings.lookup(label).name, "meta"
    )


@every_encoding
def test_undeclared_encoding_is_detected(label: str, codec: str, text: str) -> None:
    html = page(text * 3)

    assert decode(html.encode(codec), "text/html").text == html


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [FRENCH, JAPANESE])
@pytest.mark.parametrize(
    "header", ["text/html", "text/html; charset=utf-16", "text/html; charset=windows-1252"]
)
def test_utf_16_is_decoded_with_and_without_byte_order_mark(
    codec: str, text: str, header: str
) -> None:
    html = page(text)

    assert decode("\ufeff".encode(codec) + html.encode(codec), header).text == html
    assert decode(html.encode(codec), header).text == html


@pytest.mark.parametrize("label", ["windows-1252", "shift_jis", "utf-16"])
def test_byte_order_mark_overrides_labels(label: str) -> None:
    body = b"\xef\xbb\xbf" + page(FRENCH, f"<meta charset={label}>").encode()

    decoded = decode(body, f"text/html; charset={label}")

    assert (decoded.encoding, decoded.source) == ("utf-8", "bom")
    assert decoded.text == page(FRENCH, f"<meta charset={label}>")


@pytest.mark.parametrize(
    "label", ["iso-8859-1", "windows-1251", "koi8-r", "us-ascii", "iso-8859-15"]
)
def test_valid_utf_8_overrides_single_byte_labels(label: str) -> None:
    assert decode(page(RUSSIAN).encode(), f"text/html; charset={label}") == DecodedText(
        page(RUSSIAN), "utf-8", "utf-8"
    )


def test_latin_1_labelled_utf_8_is_decoded() -> None:
    html = page("Un café naïve, résumé über alles. " + "Plain words follow here. " * 40)

    decoded = decode(html.encode("latin-1"), "text/html; charset=utf-8")

    assert decoded.text == html
    assert decoded.encoding == "windows-1252"


def test_meta_element_overrides_header_that_contradicts_the_bytes() -> None:
    html = page(RUSSIAN, "<meta charset=windows-1251>")

    assert decode(html.encode("cp1251"), "text/html; charset=utf-8") == DecodedText(
        html, "windows-1251", "meta"
    )


def test_header_overrides_meta_element() -> None:
    html = page(RUSSIAN, "<meta charset=windows-1251>")
    french = page(FRENCH, "<meta charset=windows-1251>")

    assert decode(html.encode("koi8-r"), "text/html; charset=koi8-r").text == html
    assert decode(french.encode("cp1252"), "text/html; charset=iso-8859-1").text == french


def test_utf_8_with_a_few_invalid_bytes_is_utf_8() -> None:
    body = page(FRENCH).encode() + b"\xff\xfe\xc3\x28"

    decoded = decode(body, "text/html")

    assert decoded.encoding == "utf-8"
    assert decoded.text.startswith(page(FRENCH))
    assert "\ufffd" in decoded.text


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("x-sjis", "cp932"),
        ("x-cp1251", "cp1251"),
        ("iso88592", "iso8859-2"),
        ("LATIN1", "cp1252"),
        (" 'koi8' ", "koi8-r"),
    ],
)
def test_labels_are_resolved_as_on_the_web(label: str, codec: str) -> None:
    text = {"cp932": JAPANESE, "cp1251": RUSSIAN, "koi8-r": RUSSIAN, "iso8859-2": POLISH}.get(
        codec, FRENCH
    )

    assert decode(text.encode(codec), f"text/plain; charset={label}").text == text


@pytest.mark.parametrize(
    "label", ["utf-7", "zlib", "hex", "unicode_escape", "idna", "rot13", "utf-8-sig\udc80", "é"]
)
def test_python_only_codec_names_are_ignored(label: str) -> None:
    text = "<p>\\u0041 +AGE- café</p>"

    assert decode(text.encode(), f"text/html; charset={label}").text == text


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr", "replacement"])
def test_forbidden_encoding_decodes_to_empty_text(label: str) -> None:
    assert decode(b"~{<:Ky2;6~}", f"text/html; charset={label}") == DecodedText(
        "", "replacement", "header"
    )


@pytest.mark.parametrize(
    "head",
    [
        "<!-- <meta charset=koi8-r> --><meta charset=windows-1251>",
        '<meta name="description" content="charset=koi8-r"><meta charset=windows-1251>',
        "<meta charset=no-such-thing><meta charset=windows-1251>",
        "<metal charset=koi8-r><meta charset=windows-1251>",
        "<meta charset=windows-1251 charset=koi8-r>",
        "<!--" + "x" * 3000 + "--><meta charset=windows-1251>",
    ],
)
def test_declarations_outside_meta_elements_are_ignored(head: str) -> None:
    assert decode(page(RUSSIAN, head).encode("cp1251"), "text/html").source == "meta"
    assert decode(page(RUSSIAN, head).encode("cp1251"), "text/html").text == page(RUSSIAN, head)


def test_meta_element_in_plain_text_is_ignored() -> None:
    text = f"Write <meta charset=koi8-r> into the head. {FRENCH}"

    assert decode(text.encode("cp1252"), "text/plain").text == text


@pytest.mark.parametrize(
    "text", ["café", "Zürich", "price £5", "© 2020 Foo", "½ cup", "El Niño", "25°C", "“quoted”"]
)
def test_short_unlabelled_text_is_windows_1252(text: str) -> None:
    assert decode(text.encode("cp1252"), "text/plain").text == text


def test_empty_body_is_empty_utf_8() -> None:
    assert decode(b"", "") == DecodedText("", "utf-8", "utf-8")


@pytest.mark.parametrize(
    "body", [b"\x00" * 50_000, b"<" * 300_000 + b"\xff", b"\xe9 " * 200_000, b"<meta " * 20_000]
)
def test_hostile_bytes_are_decoded(body: bytes) -> None:
    assert decode(body, "text/html").text


LABELS = [*webencodings.LABELS, "utf-7", "", "nonsense", '"', "utf-16;charset=koi8-r"]


@given(
    st.binary(max_size=400),
    st.one_of(st.text(max_size=40), st.sampled_from(LABELS).map("text/html; charset={}".format)),
)
def test_decoding_never_raises_and_returns_encodable_text(body: bytes, header: str) -> None:
    decoded = decode(body, header)

    decoded.text.encode("utf-8")
    assert webencodings.lookup(decoded.encoding) is not None


AWKWARD = st.sampled_from(
    ["<meta charset=koi8-r>", "<?xml encoding='big5'?>", "<!--", "\x1b$B", "é", "日", ">", "'"]
)
