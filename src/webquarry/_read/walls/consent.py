"""Pages that ask for a consent in place of what is behind it: cookies, a privacy notice, "before
you continue".

A banner stands on half of all pages and is one part of them among others. It is all there is when
the headline is about consent or hardly anything else is said, and somebody can agree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webquarry._read.html.traits import Traits
from webquarry._read.text.words import Words, count_words
from webquarry._read.walls.first_look import FirstLook

_MOST_PROSE = 450
_FEW_OTHER_WORDS = 25  # in sentences that are about something else
_MOST_OTHER_WORDS = 60  # where the headline says what the page is
_FEWEST_ABOUT = 10  # words on consent itself
_LONGEST_HEADLINE = 200  # characters
_LONGEST_BUTTON = 60
_LONGEST_SENTENCE = 2_000  # that goes on in a list

_HEADLINE = re.compile(
    r"(?i)^\W*(?:before you (?:continue|proceed|go on)\b|we (?:value|care about"
    r"|respect) your privacy"
    r"|your (?:privacy|cookie)(?: choices| settings| matters)?|(?:cookie|privacy|consent)"
    r"(?:s|-| )*(?:settings|consent|preferences|notice|choices|options|wall|manager"
    r"|policy required)?\W*$"
    r"|(?:we|please) (?:need|give)(?: us)? your consent|consent (?:required|needed)|(?:accept"
    r"|allow) cookies"
    r"|bevor sie (?:fortfahren|weiter|zu )|(?:wir (?:benötigen|brauchen) )?ihre (?:zustimmung"
    r"|einwilligung)"
    r"|(?:cookie|datenschutz|privatsphäre)[- ]?einstellungen"
    r"|mit werbung (?:und \w{1,12} )?(?:weiter|lesen|nutzen)"
    r"|weiter mit werbung"
    r"|willkommen bei\b.{0,40}\b(?:pur|werbung|consent)|(?:zustimmung"
    r"|einwilligung) (?:erforderlich|zu)"
    r"|avant d(?:e continuer|'accéder)|(?:nous respectons )?votre vie privée|gestion des cookies"
    r"|le respect de votre vie privée|antes de (?:continuar|ir a)|(?:valoramos|respetamos) (?:tu"
    r"|su) privacidad"
    r"|tu privacidad|prima di continuare|la tua privacy|rispettiamo la tua privacy"
    r"|antes de continuares"
    r"|a sua privacidade|(?:valorizamos|respeitamos) (?:a )?(?:sua|tua) privacidade"
    r"|voordat je (?:verder|doorgaat)"
    r"|jouw privacy|cookie-?instellingen|zanim przejdziesz|(?:szanujemy )?(?:twoj[aąą]"
    r"|państwa) prywatnoś"
    r"|прежде чем (?:продолжить|перейти)|(?:настройки|использование) (?:файлов )?cookie"
    r"|innan du (?:fortsätter|går)"
    r"|続行する前に|ご利用の前に|在继续之前|繼續之前|계속하기 전에)"
)
_ABOUT = re.compile(
    r"(?i)\bcookies?\b|\bconsent|\bprivacy\b|\bgdpr\b|\bdsgvo\b|personal(?:i[sz]ed)? (?:data|ads"
    r"|content"
    r"|advertising)|\bpartners?\b|\bpartenaires\b|tracking\b|\bdatenschutz|\beinwillig"
    r"|\bzustimm|\bwerbung\b"
    r"|\bvie privée|\bconsentement|\bprivacidad|\bconsentimiento|\bconsenso|\bprivacidade"
    r"|\bconsentimento"
    r"|\btoestemming|\bprywatno|\bzgod[ayęą]\b|\bфайл\w* cookie|конфиденциальн|\bdata protection\b"
    r"|\blegitimate interest|\bdevice (?:identifiers|characteristics)|プライバシー|同意|隐私|隱私"
    r"|쿠키|개인정보"
    r"|\bintegritet|\bsamtyck|\bpersonvern|\bsamtykke|\bageverif|\bcontinue\b|\baccept\b|\bad(?:s"
    r"|vertising)\b"
)
_AGREE = re.compile(
    r"(?i)^\W*(?:(?:i )?(?:accept|agree|allow|consent)(?: (?:to )?(?:all|and|&|cookies?|continue"
    r"|close|proceed|everything)\b)*"
    r"|yes,? i (?:agree|accept|consent)|got it|ok(?:ay)?|accept and (?:continue|close)"
    r"|agree and (?:continue|close)"
    r"|alle(?:s|n)? (?:cookies )?(?:akzeptieren|annehmen|zulassen|zustimmen)"
    r"|akzeptieren(?: (?:und|&) weiter)?|zustimmen"
    r"|einverstanden|zustimmen (?:und|&) weiter"
    r"|(?:tout )?accepter(?: (?:et continuer|et fermer|tout))?"
    r"|j'accepte"
    r"|aceptar(?: (?:todo|todas|y continuar|cookies|todas las cookies))?|acepto"
    r"|accett[ao](?:re)?(?: (?:tutto|tutti|e continua))?"
    r"|aceit(?:ar|o)(?: (?:tudo|todos|e continuar|cookies))?|(?:alles )?(?:accepteren|akkoord)"
    r"|ja, ik accepteer"
    r"|akceptuj[eę]?(?: (?:wszystk\w+|i przejdź.{0,20}))?|zgadzam się|przejdź do serwisu"
    r"|принять(?: все)?(?: cookie)?|согласен"
    r"|godkänn(?: alla)?(?: cookies)?|acceptera(?: alla)?|accepter(?: alle)?|godta(?: alle)?"
    r"|hyväksy(?: kaikki)?"
    r"|(?:すべて)?同意(?:する|して続行)?|(?:すべて)?許可|接受(?:全部|所有|并继续)?|全部接受"
    r"|同意(?:并继续)?|동의(?:합니다)?|모두 (?:수락|동의)"
    r")\W*$"
)
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")
_CHOICE_WORDS = 6  # of a button or link beside the text
_BUILT = re.compile(
    r"(?i)^form=.{0,200}(?:consent|cookie)|^(?:script|iframe)=.{0,200}(?:consent|privacy-mgmt"
    r"|cookiebot"
    r"|onetrust|didomi|usercentrics|sourcepoint|quantcast|trustarc)|^(?:id"
    r"|class)=.{0,80}(?:consent|cookie|gdpr)",
    re.MULTILINE,
)


# What is built to be a page of its own and no banner.
_FORM = re.compile(
    r"(?im)^form=.{0,200}consent|^(?:id|class)=(?:.{0,60}[ _-])?consent[-_]?(?:page|form|wall)\b"
)
# The other choice: to pay and not be followed.
_PAY_INSTEAD = re.compile(
    r"(?i)\bohne (?:werbe-?)?(?:tracking|werbung)|\bwerbefrei|\bpur-?abo|\bpur\b[^€]{0,120}€"
    r"|\bwithout (?:ads|advertising|tracking)\b|\bad-free\b|\bsans (?:publicité|traceurs)"
    r"|\bsin publicidad\b|\bsenza pubblicità\b|\bzonder (?:advertenties|tracking)\b"
)
_PAY_INSTEAD_LOOK = FirstLook(
    "ohne ", "werbefrei", "pur", "without ", "ad-free", "sans ", "sin publicidad",
    "senza pubblicità", "zonder ",
)  # fmt: skip


def asks_for_consent(title: str, words: Words, traits: Traits) -> bool:
    """Whether a page only asks for a consent."""
    if words.prose_count > _MOST_PROSE or traits.passwords:
        return False
    lines = _read_lines(words.text)
    headlines = [title, *(words.headings[:2] or lines[:1])]
    in_headline = any(_HEADLINE.match(line[:_LONGEST_HEADLINE]) for line in headlines)
    can_agree = _offers_consent([*lines, *traits.buttons])
    most_other = _FEW_OTHER_WORDS
    if in_headline:
        most_other = _MOST_OTHER_WORDS
        is_asked = can_agree or _BUILT.search(traits.marks) is not None
    else:  # a heading of its own says that the page is about something
        is_asked = can_agree and (
            not words.headings
            or _FORM.search(traits.marks) is not None
            or _offers_to_pay(words.text)
        )
    return is_asked and _is_about_consent(lines, most_other)


def _offers_to_pay(text: str) -> bool:
    """Whether a text names the other choice."""
    return _PAY_INSTEAD_LOOK.may_match(text) and _PAY_INSTEAD.search(text) is not None


def _read_lines(text: str) -> list[str]:
    """The lines of a text without marks; the items of a list are a part of the sentence that they
    complete.
    """
    lines: list[str] = []
    is_open = False  # the last line goes on in a list
    for written in text.splitlines():
        line = written.strip(" #*-|\t")
        if not line:
            continue
        is_item = written.lstrip().startswith(("- ", "* "))
        if is_open and is_item and len(lines[-1]) < _LONGEST_SENTENCE:
            lines[-1] += f" {line}"
            continue
        lines.append(line)
        is_open = line.endswith(":")
    return lines


def _offers_consent(lines: Sequence[str]) -> bool:
    """Whether one of the short lines is a button or a link to agree."""
    short = (line for line in lines if len(line) <= _LONGEST_BUTTON)
    return any(_AGREE.match(line) for line in short)


def _is_about_consent(lines: Sequence[str], most_other: int) -> bool:
    """Whether the sentences of a page are about consent, but for so many words."""
    about = other = 0
    for line in lines:
        for sentence in _SENTENCE_END.split(line):
            count = count_words(sentence)
            if _ABOUT.search(sentence):
                about += count
            elif count > _CHOICE_WORDS:
                other += count
    return about >= _FEWEST_ABOUT and other < min(about, most_other)
