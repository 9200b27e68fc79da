"""What pages say where they stop before their end: to read on, subscribe or log in. `teaser.py`
says how it is weighed.

Every pattern is for one short text in lower case, so that each of them is linear in little.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from webquarry._read.text.search import WordSearch

QUOTES = "\"'\u2018\u201c\u201e\u00ab\u300c"  # open something that others say
_START = rf"(?:^|[.!?…\n]\s{{0,3}})[^\w{QUOTES}]{{0,3}}"
_ACT = (
    r"(?:please )?(?:subscribe|sign[- ]?up|sign[- ]?in|log[- ]?in|register|join|upgrade|purchase"
    r"|become an? (?:\w+ ){0,3}(?:member|subscriber|supporter|patron)"
    r"|create (?:an?|your) (?:\w+ ){0,2}account|(?:start|try) (?:a|an|your) (?:\w+ ){0,2}"
    r"(?:trial|subscription)|get (?:\w+ ){0,3}(?:access|subscription)|choose (?:a|your) plan)\b"
)
_PIECE = (
    r"(?:article|story|post|piece|report|briefing|content|chapter|column|essay|interview|analysis"
    r"|issue|text|page|newsletter|episode|lesson|section|edition)s?\b"
)
_THING = (
    rf"(?:(?:the|this|our|all) )?(?:(?:full|entire|complete|whole) (?:\w+ )?{_PIECE}"
    rf"|(?:rest|remainder)\b|(?:exclusive |premium |subscriber-only )?{_PIECE}(?! comments))"
)
_PAYERS = (
    r"(?:subscribers?|members?|patrons?|supporters|paid|paying|premium|registered (?:users|readers)"
    r"|subscription)\b"
)

# By language: what is in every such text, looked for first because that is cheap, and the patterns
# of texts of their own that tell the visitor what to do to read on.
_BY_LANGUAGE: tuple[tuple[str, tuple[str, ...]], ...] = (
    # English
    (
        """subscri member sign_in sign_up sign- log_in log-in login register
           continue_reading keep_reading finish_reading unlock preview free_article
           free_stor limit paywall is_locked patron account trial upgrade purchase join
           supporter premium_ access read_all""",
        (
            rf"{_START}{_ACT}[^.!?]{{0,60}}?\b(?:to|and) (?:continue|keep|finish)"
            r"(?: reading\b|\W*$| with this)",
            rf"{_START}{_ACT}[^.!?]{{0,60}}?\b(?:to|and) (?:read|unlock|access|view|see"
            rf"|get) {_THING}",
            rf"{_START}(?:want )?to (?:continue|keep|finish) reading\b[^!?]{{0,80}}{_ACT}",
            rf"{_START}(?:want )?to (?:read|unlock|access|view|see) {_THING}[^!?]{{0,60}}\b{_ACT}",
            r"\b(?:continue|keep) reading (?:with|for|by|as)\b[^.!?]{0,60}"
            r"\b(?:trial|subscri\w+|account|member\w*|free|month|plan)\b",
            rf"\b(?:this|the (?:full|rest of (?:the|this)|remainder of (?:the"
            rf"|this)))(?: \w+)? {_PIECE}"
            rf"(?: \w+)? (?:is|are)(?: \w+)? ?(?:available |reserved |accessible |open |visible "
            rf"|restricted )?"
            rf"(?:only |exclusively |exclusive )?(?:for|to) (?:our |the )?(?:\w+ )?{_PAYERS}",
            rf"\bthis {_PIECE} is (?:behind a paywall|locked|subscriber[- ]only|members[- ]only)",
            r"\byou(?:'ve| have) (?:reached|used|read|hit|exceeded|viewed)\b[^.!?]{0,50}"
            r"\b(?:articles? limit|limit of|free (?:articles?|stor(?:y|ies))|(?:monthly"
            r"|weekly) limit)",
            rf"{_START}unlock (?:this|the (?:full|rest))\b[^.!?]{{0,40}}",
            rf"{_START}unlock it with (?:a|your) (?:subscription|membership)\b",
            rf"^\W*this is an? (?:premium|subscribers?[- ]only|members?[- ]only) {_PIECE}",
            rf"^\W*get (?:full )?access to (?:this|the full) {_PIECE}\W*$",
            r"^\W*this is a preview of subscription content\b",
            r"^\W*end of (?:this |the )?(?:free )?preview\W*$"
            r"|^\W*want to read all \d{1,5} pages\b",
            r"\byou(?:'re| are) (?:reading|viewing|seeing) a (?:free )?preview\b",
            rf"^\W*(?:subscribers?|members?)[- ]only {_PIECE}\W*$"
            rf"|\b(?:exclusively|only) for (?:our )?(?:paid |paying |premium )?(?:subscribers"
            rf"|members)\W*$",
        ),
    ),
    # German
    (
        """weiterlesen weiterzulesen weiter_zu_lesen freischalt freizuschalt zu_lesen
           lesen_sie_weiter artikel_lesen abonnent mitglieder registrierte kostenpflichtig abo_
           ist_teil""",
        (
            r"\b(?:abo\b|abonnement|abonn\w+|anmeld\w+|registrier\w+|einlogg\w+|testen|plus\b"
            r"|mitglied\w*"
            r"|digitalpass)[^.!?]{0,60}\b(?:weiterlesen|weiterzulesen|weiter zu lesen"
            r"|(?:artikel|beitrag|text) (?:zu )?(?:lesen|freischalten|freizuschalten))",
            r"\bum (?:weiterzulesen|weiter zu lesen|diesen? \w+ (?:weiter|vollständig|ganz)?\s?"
            r"(?:zu )?(?:lesen|freizuschalten))",
            r"\b(?:jetzt )?(?:weiterlesen mit|artikel freischalten|freischalten und weiterlesen)\b",
            r"^\W*lesen sie weiter mit\b[^.!?]{0,40}$",
            r"\bdiese[rsn]? (?:exklusive[rsn]? )?(?:artikel|beitrag|text|inhalt)\b[^.!?]{0,50}"
            r"\b(?:abonnent\w*|mitglieder\w*|registrierte\w*|kostenpflichtig|abo)\b",
            r"^\W*diese[rs]? (?:artikel|beitrag|text|inhalt) ist teil (?:von|des)\b[^.!?]{0,40}"
            r"(?:\+|\bplus\b|abos?\b|abonnements?\b)",
        ),
    ),
    # French
    (
        """réserv abonn connectez identifiez inscrivez créez_un_compte il_vous_reste""",
        (
            r"\b(?:la suite|cet article|l'intégralité|le reste|ce contenu)\b[^.!?]{0,60}\b"
            r"(?:réservée?s?|abonnés|accessible aux)\b",
            r"\b(?:abonnez-vous|connectez-vous|identifiez-vous|inscrivez-vous"
            r"|créez un compte)\b[^.!?]{0,50}"
            r"\b(?:pour|et) (?:lire|continue[rz]|accéde[rz]|poursuiv\w+|découvr\w+"
            r"|lisez)\b[^.!?]{0,30}"
            r"(?:\bsuite|lecture|\bl'article|\bcet article|intégralité|\bce contenu|\blire)",
            r"\bpour (?:lire|continuer|poursuivre|accéder)\b[^.!?]{0,60}"
            r"\b(?:abonnez-vous|abonner|connectez-vous|créez)\b",
            r"\bil vous reste [\d.,]+ ?% (?:de|à)\b",
        ),
    ),
    # Spanish
    (
        """suscr sesión regístr registr hazte reservad exclusiv""",
        (
            r"\b(?:suscr[ií]b(?:ete|ase)|inici[ae] sesión|reg[ií]str(?:ate|ese)|hazte (?:soci[oa]"
            r"|suscriptora?))\b[^.!?]{0,50}\b(?:para|y) (?:seguir|continuar|leer|acceder|ver|sigue"
            r"|lee)\b"
            r"[^.!?]{0,30}\b(?:leyendo|lectura|art[ií]culo|contenido|noticia|completo)",
            r"\bpara (?:seguir|continuar) leyendo\b[^!?]{0,60}\b(?:suscr|inici|reg[ií]str|hazte)",
            r"\b(?:este|esta) (?:art[ií]culo|contenido|noticia"
            r"|nota)\b[^.!?]{0,40}\b(?:exclusiv[oa]|sol[oa]"
            r"|sólo|solamente|únicamente|reservad[oa])\b[^.!?]{0,30}\b(?:suscriptor|soci[oa]s"
            r"|registrad|abonad)",
            r"^\W*contenido exclusivo para (?:suscriptores|socios)",
        ),
    ),
    # Italian
    (
        """abbon accedi registrati iscri riservat""",
        (
            r"\b(?:abbonati|accedi|registrati|iscriviti)\b[^.!?]{0,50}\b(?:per"
            r"|e) (?:continua(?:re)?|leggere"
            r"|proseguire|sbloccare|leggi)\b[^.!?]{0,40}(?:lettur|legger|articolo|contenuto)",
            r"\bper (?:continuare a leggere|proseguire la lettura"
            r"|leggere (?:tutto )?l'articolo)\b[^!?]{0,60}"
            r"\b(?:abbon|acced|registr)",
            r"\b(?:questo|il|l')\s?(?:articolo|contenuto)\b[^.!?]{0,30}(?:riservat"
            r"|esclusiv)[^.!?]{0,20}"
            r"\b(?:abbonati|iscritti)",
        ),
    ),
    # Portuguese
    (
        """assin login cadastr registe sessão entre_""",
        (
            r"\b(?:assine|faça login|cadastre-se|registe-se|torne-se assinante|inicie sessão"
            r"|entre)\b"
            r"[^.!?]{0,50}\b(?:para|e) (?:continu\w+|ler|acessar|aceder|leia)\b[^.!?]{0,30}"
            r"\b(?:lendo|leitura|ler|artigo|conteúdo|matéria|texto|íntegra)",
            r"\bpara continuar (?:lendo|a ler|a leitura)\b[^!?]{0,60}\b(?:assin|cadastr|login"
            r"|regist)",
            r"\b(?:este|esta|esse|essa) (?:artigo|conteúdo|matéria|reportagem|texto)\b[^.!?]{0,40}"
            r"(?:exclusiv|reservad|restrit)[^.!?]{0,20}\bassinantes",
            r"^\W*(?:conteúdo|matéria|reportagem) (?:exclusiv[oa]|restrit[oa]) "
            r"(?:para|a|aos) assinantes\W*$",
        ),
    ),
    # Dutch
    (
        """te_lezen verder artikel doorlezen""",
        (
            r"\b(?:abonneer|log in|word (?:lid|abonnee)|registreer|maak een (?:gratis )?account"
            r"|neem een abonnement)\b[^.!?]{0,50}\b(?:(?:verder|door) te lezen|verder lezen"
            r"|hele artikel"
            r"|dit artikel)",
            r"\b(?:verder lezen|lees verder|doorlezen)\b[^.]{0,40}\b(?:abonnee|abonneer|abonnement"
            r"|account)",
            r"\bdit artikel is (?:alleen "
            r"|exclusief )?(?:beschikbaar )?(?:voor )?(?:onze )?(?:abonnees|leden)",
        ),
    ),
    # Polish, Czech
    (
        """czyta subskry prenumer abonent pozostało předpl přihlá cały_ wykup_dost""",
        (
            r"\b(?:wykup|kup|zaloguj się|zasubskrybuj|subskrybuj|załóż konto)\b[^.!?]{0,60}"
            r"\b(?:czytać dalej|(?:aby|by|żeby) (?:prze)?czytać|cały (?:artykuł|tekst)"
            r"|czytaj dalej)",
            r"\b(?:artykuł|treść|tekst|materiał)\b[^.!?]{0,40}\bdla\b[^.!?]{0,20}"
            r"(?:subskrybent|prenumerator|abonent)",
            r"\b(?:prze)?czytać (?:cały|całość|dalej)\b[^!]{0,40}\b(?:wykup|kup|zaloguj)\b",
            r"^\W*wykup dostęp\b[^.!?]{0,40}\W*$",
            r"\bpozostało(?: jeszcze)? [\d.,]+ ?% (?:tekstu|artykułu|treści)",
            r"\b(?:celý článek|pokračování článku|obsah)\b[^.!?]{0,40}(?:předplatitel|předplatné"
            r"|přihlá)",
        ),
    ),
    # Russian, Ukrainian
    (
        """чтобы доступ щоб""",
        (
            r"(?:подпишитесь|оформите подписку|войдите|авторизуйтесь|зарегистрируйтесь)[^.!?]{0,50}"
            r"чтобы (?:продолжить|дочитать|прочитать|читать|получить доступ)",
            r"чтобы (?:продолжить чтение|дочитать|прочитать|читать дал)[^.!?]{0,60}"
            r"(?:подпи|войд|авториз|зарегистр)",
            r"(?:материал|статья|текст|контент"
            r"|публикация)[^.!?]{0,20}доступ[^.!?]{0,20}(?:подписчик"
            r"|по подписке)",
            r"(?:передплатіть|увійдіть|підпишіться)[^.!?]{0,50}щоб (?:продовжити|читати|прочитати)",
        ),
    ),
    # Swedish, Danish, Norwegian, Finnish, Turkish
    (
        """läsa läs_hela prenumerant låst læse å_lese fortsette videre for_abonnenter
           tilaaj lukemista okumaya abone prenumeranter les_hele læs_hele abonnenter
           lue_koko""",
        (
            r"\b(?:logga in|bli prenumerant|prenumerera|köp)\b[^.!?]{0,40}"
            r"\b(?:läsa vidare|fortsätta läsa|läsa hela|läs hela|läsa artikeln)",
            r"\bläs (?:vidare|hela artikeln)\b[^.!?]{0,40}\b(?:bli prenumerant|prenumerera"
            r"|logga in)\b",
            r"(?:^|[.!?])\W*(?:endast|bara|exklusivt) för prenumeranter\W*$",
            r"\b(?:les hele (?:saken|artikkelen)|læs hele (?:artiklen|historien))\b[^.!?]{0,40}"
            r"\b(?:abonn\w*|logg? ind?)\b|^\W*kun for abonnenter\W*$",
            r"\btilaa\b[^.!?]{0,30}\blue koko (?:juttu|artikkeli)"
            r"|\blue koko (?:juttu|artikkeli)\b[^.!?]{0,30}\b(?:tilaa\w*|kirjaudu)",
            r"\bdevamını (?:okumak|görmek) için\b[^.!?]{0,40}\b(?:abone|giriş|üye)",
            r"\b(?:artikeln|innehållet|texten) är (?:låst|(?:endast |bara "
            r"|exklusiv )?för prenumeranter)",
            r"\b(?:for at læse|for å lese|for å fortsette|læs videre"
            r"|les videre)\b[^.!?]{0,60}\b(?:abonn|logg?)",
            r"\b(?:artiklen|artikkelen|saken|indholdet|innholdet) er (?:kun )?for abonnenter",
            r"\btämä (?:juttu|artikkeli|sisältö) on (?:vain )?tilaajille"
            r"|\bjatka lukemista\b[^.!?]{0,40}"
            r"\b(?:tila|kirjaudu)",
            r"\bokumaya devam etmek için\b|\bbu (?:içerik|yazı|haber)\b[^.!?]{0,40}\baboneler",
        ),
    ),
    # Japanese, Chinese, Korean, Arabic
    (
        """続き 有料 会員 購読 残り ログイン 阅读 閱讀 全文 付费 付費 订阅 訂閱
           会员 會員 訂戶 구독 로그인 회원 유료 اشترك الدخول""",
        (
            r"続きを(?:読む|お読み|ご覧|見る)[^。]{0,20}(?:には|ために)",
            r"(?:この|本)(?:記事|コンテンツ)は[^。]{0,15}(?:有料|会員|購読者)[^。]{0,8}(?:限定"
            r"|のみ|向け|記事|です)",
            r"残り\s?[\d,]+\s?文字|ここから先は[^。]{0,12}(?:会員|有料|購読)",
            r"(?:会員登録|ログイン|購読)[^。]{0,12}(?:続き|全文)",
            r"(?:订阅|訂閱|登录|登入|登錄|开通|購買|购买|付费|付費|加入)[^。]{0,15}"
            r"(?:继续阅读|繼續閱讀|阅读全文|閱讀全文|查看全文|看全文|解锁全文|解鎖全文"
            r"|阅读更多内容)",
            r"(?:继续阅读|繼續閱讀|阅读全文|閱讀全文|查看全文)[^。]{0,12}(?:订阅|訂閱|登录|登入"
            r"|开通|购买|付费|付費)",
            r"(?:本文|此文|本篇|全文)[^。]{0,6}(?:付费|付費|会员|會員|訂戶|订户|订阅者)[^。]{0,8}",
            r"(?:구독|로그인|회원)[^.]{0,20}(?:계속 읽|전문을|전체 기사|이어서)",
            r"(?:계속 읽으시려면|이 기사는|전체 기사를)[^.]{0,25}(?:구독|로그인|회원|유료)",
            r"(?:اشترك|سجل الدخول|سجّل الدخول)[^.]{0,30}(?:لمتابعة القراءة|لقراءة|لمواصلة القراءة)",
        ),
    ),
)


@dataclass(frozen=True)
class GateLanguage:
    """The gates of one language, or of a few that are seldom seen."""

    stems: tuple[str, ...]  # one of them is in every gate
    pattern: re.Pattern[str]


def _build_languages() -> tuple[GateLanguage, ...]:
    languages = []
    for stems, patterns in _BY_LANGUAGE:
        either = "|".join(f"(?:{pattern})" for pattern in patterns)
        words = tuple(stem.replace("_", " ") for stem in stems.split())
        languages.append(GateLanguage(words, re.compile(either)))
    return tuple(languages)


def _build_stem_searches() -> tuple[WordSearch, ...]:
    """The stems of all languages, so many at a time as are looked for at once."""
    stems = sorted(set(chain.from_iterable(language.stems for language in GATES)))
    starts = range(0, len(stems), _SEARCHED_AT_ONCE)
    return tuple(WordSearch(stems[start : start + _SEARCHED_AT_ONCE]) for start in starts)


GATES = _build_languages()
_SEARCHED_AT_ONCE = 64
_STEM_SEARCHES = _build_stem_searches()


def may_hold_gate(text: str) -> bool:
    """Whether a text has a word that a gate in some language has."""
    for search in _STEM_SEARCHES:  # noqa: SIM110 - a generator takes longer
        if search.is_any_in(text):
            return True
    return False


# What stands beside a gate: prices, buttons, a door for those who have paid. Newsletters and shops
# say the same, so these are never enough.
OFFER = re.compile(
    r"\balready (?:an? )?(?:\w+ )?(?:subscriber|subscribed|member|registered|have an account)"
    r"|\b(?:have|got) an account\?"
    r"|^\W*(?:subscribe(?: now| today)?|sign in|log ?in|register(?: now)?|join now|upgrade"
    r"|start (?:your )?(?:free )?trial|(?:see|view) (?:all )?(?:plans|offers|subscription options)"
    r"|become a (?:member|subscriber)|get (?:full|unlimited) access)\W*$"
    r"|\b(?:unlimited|full|digital) (?:digital )?access\b|\bcancel any ?time\b|\bfree trial\b"
    r"|(?:[$€£]\s?[\d.,]+|[\d.,]+\s?(?:€|eur|usd|zł|kr|руб))[^.]{0,20}\b(?:month|week|year|monat"
    r"|woche"
    r"|jahr|mois|semaine|mes\b|mese|mês|maand|miesi|månad|måned|месяц)"
    r"|\b(?:bereits|schon) (?:abonnent|registriert|kund|mitglied|ein abo)|\bdéjà abonné"
    r"|\bya (?:soy|eres) (?:suscriptor|soci)|\bgià abbonat|\bjá (?:é|sou) assinante"
    r"|\bal (?:een )?(?:abonnee|account)|\bmasz już (?:konto|subskryp|prenumer)"
    r"|уже (?:есть подписк|подпис)"
    r"|\bjetzt testen\b|\bmonatlich kündbar|\bsans engagement\b|\b(?:premium|digital|probe)-?abo"
    r"|会員登録|有料会員|ログイン|订阅|訂閱|登录|登入|구독|로그인|подписк|\bzaloguj|\bprenumer"
    r"|\binloggen\b"
    r"|^\W*(?:anmelden|einloggen|se connecter|s'abonner|suscr[ií]bete|abbonati|accedi|assine"
    r"|entrar)\W*$"
)

# Names of elements that hold a text which is faded out, or the box behind it.
FADED = re.compile(
    r"(?i)(?:^|[\s_-])(?:fade-?out|faded|fading|truncated|truncation)(?=$|[\s_-])"
    r"|(?:text|content|article|body|teaser|paywall|story|paragraph)[-_]{0,2}(?:fade|gradient|blur"
    r"|truncat)"
    r"|(?:fade|gradient|blur)[-_](?:overlay|mask|text|content|bottom|end)"
    r"|(?:is|has)[-_](?:truncated|locked|teaser)|(?:^|[\s_-])teaser[-_]?(?:text|only|body|content)"
)
# One of these is in every such name; none has a letter with several lower or upper cases.
FADED_STEMS = WordSearch(("fad", "truncat", "grad", "blur", "lock", "tea"))
# The same names are given to what moves; they count where a sentence is broken off.
MAYBE_FADED = re.compile(r"(?im)^\w+ (?:\S+ )*(?:fade|gradient|blur|blurred|truncate)(?=\s|$)")
WALLED = re.compile(
    r"(?i)pay-?_?wall|reg-?_?wall|subscri(?:be|ber|ption)[-_]?(?:wall|gate|only|required|box"
    r"|prompt)"
    r"|(?:content|article|member|premium|login|meter|access)[-_]?(?:gate|wall|lock)"
    r"|(?:gated?|locked|metered|restricted)[-_](?:content|article|story|body|post)"
    r"|(?:story|article|post)--?locked|piano|tp-(?:modal|container)|read[-_]?more[-_]?gate"
)
