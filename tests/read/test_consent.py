"""Pages that only ask for consent, pages with a banner, and pages about cookies."""

from __future__ import annotations

from typing import get_args

import pytest

from tests.read.invented import article, page
from tests.read.test_outcome import html, read_as
from webquarry._read.format import Selection

MODES = get_args(Selection)


def ask(heading: str, text: str, *buttons: str, title: str = "The Harbour Post") -> str:
    """A page that holds a question and buttons."""
    pressed = "".join(f"<button>{button}</button>" for button in buttons)
    return html(
        f"<div class='wrap'><h1>{heading}</h1><p>{text}</p><form>{pressed}</form></div>", title
    )


CONSENT = {
    "before-you-continue": ask(
        "Before you continue to the Harbour Post",
        "We use cookies and data to deliver and maintain our services, to track outages, and to measure"
        " how the site is used. If you choose to accept all, we will also use cookies and data to show"
        " personalised ads and content.",
        "Reject all",
        "Accept all",
    ),
    "value-your-privacy": ask(
        "We value your privacy",
        "We and our 812 partners store and access information on a device, such as cookies, and process"
        " personal data for personalised advertising and content, audience research and services"
        " development. With your permission we may use precise geolocation data.",
        "More options",
        "Agree",
    ),
    "german": ask(
        "Ihre Zustimmung",
        "Wir und unsere Partner verwenden Cookies und verarbeiten personenbezogene Daten, um Werbung"
        " und Inhalte zu personalisieren. Ihre Einwilligung können Sie jederzeit widerrufen. Mehr dazu"
        " steht in unserer Erklärung zum Datenschutz.",
        "Alle akzeptieren",
    ),
    "german-pay-or-consent": ask(
        "Mit Werbung weiterlesen",
        "Besuchen Sie unsere Seite wie gewohnt mit Werbung und Tracking. Details zu Cookies und zum"
        " Widerruf Ihrer Einwilligung finden Sie in den Hinweisen zum Datenschutz.",
        "Akzeptieren und weiter",
    ),
    "french": ask(
        "Le respect de votre vie privée est notre priorité",
        "Avec votre consentement, nous et nos partenaires utilisons des cookies pour stocker et"
        " consulter des données personnelles. Vous pouvez retirer votre consentement à tout moment.",
        "Accepter et fermer",
    ),
    "spanish": ask(
        "Tu privacidad",
        "Nosotros y nuestros socios usamos cookies para personalizar la publicidad, con tu"
        " consentimiento, que puedes retirar cuando quieras en la política de privacidad.",
        "Aceptar y continuar",
    ),
    "italian": ask(
        "Prima di continuare",
        "Utilizziamo cookie e dati per fornire i servizi e, con il tuo consenso, per mostrare annunci"
        " personalizzati. Il consenso si può revocare in ogni momento nelle impostazioni dei cookie.",
        "Accetta tutto",
    ),
    "dutch": ask(
        "Jouw privacy",
        "Met jouw toestemming plaatsen wij en onze partners cookies om advertenties te tonen die bij je"
        " passen. Je kunt je toestemming altijd intrekken.",
        "Akkoord",
    ),
    "polish": ask(
        "Szanujemy Twoją prywatność",
        "Za Twoją zgodą my i nasi partnerzy używamy plików cookie, aby dopasować reklamy. Zgodę można"
        " wycofać w każdej chwili w ustawieniach prywatności.",
        "Zgadzam się",
    ),
    "only-a-dialog": html(
        "<div role='dialog' class='cookie-consent'><p>This site uses cookies to measure audiences and to"
        " show advertising that fits your interests. Do you consent to all of these cookies?</p>"
        "<button>Accept all cookies</button></div>",
        "Harbour",
    ),
}
BANNER = (
    "<div id='cookie-banner'><p>We value your privacy. We and our 214 partners store cookies to measure"
    " audiences and to show advertising that fits your interests.</p><button>Accept all</button>"
    "<button>Only what is needed</button></div>"
)
COOKIES = (
    "<h1>What is a cookie?</h1><p>A cookie is a short text that a site stores in a browser and gets back"
    " with every request. It was invented in 1994 so that a shop could remember what is in the basket of"
    " a customer. Cookies of third parties let advertisers follow people from site to site, and most"
    " browsers refuse them by now.</p>"
)
WHOLE = {
    "banner-on-an-article": article(4, before=BANNER),
    "banner-on-a-short-page": html(
        BANNER
        + "<h1>Closed on Monday</h1><p>The museum is closed on Monday because of the storm. The café"
        " in the tower opens at ten as usual, and the guided walk along the old quay starts at noon from"
        " the ticket office.</p>",
        "Museum",
    ),
    "pay-or-consent-banner-on-a-page": html(
        "<div class='consent-banner'><p>Mit Werbung und Cookies weiterlesen, oder ohne Werbung mit dem"
        " Pur-Abo für 3 € im Monat.</p><button>Zustimmen</button></div><h1>Montag geschlossen</h1>"
        "<p>Das Museum bleibt am Montag wegen des Sturms geschlossen. Das Café im Turm öffnet wie immer"
        " um zehn, und der Rundgang am alten Kai beginnt um zwölf an der Kasse.</p>",
        "Museum",
    ),
    "about-cookies": page(COOKIES, title="What is a cookie?"),
    "privacy-policy": page(
        "<h1>Privacy policy</h1>"
        + "<p>We keep the address that you give us until you ask us to delete it. We use cookies to"
        " remember your settings, never for advertising. Our partners get nothing.</p>" * 6,
        title="Privacy policy",
    ),
    "recipe": html(
        BANNER
        + "<h1>Oat cookies</h1><p>Mix two cups of oats with a cup of sugar and the butter, form small"
        " balls, and bake the cookies for twelve minutes. Let them cool before anybody comes near.</p>",
        "Oat cookies",
    ),
    "consent-in-medicine": page(
        "<h1>Informed consent</h1><p>A patient gives consent to a treatment after having been told about"
        " its risks. The doctor writes down what was said, and both sign. Consent can be withdrawn at any"
        " time, in writing or in words.</p>"
    ),
}


@pytest.mark.parametrize("selection", MODES)
@pytest.mark.parametrize("body", CONSENT.values(), ids=CONSENT)
def test_page_that_only_asks_for_consent_is_reported(body: str, selection: Selection) -> None:
    read = read_as(body, selection)

    assert read.outcome == "consent"
    assert read.notes[-1:] == (
        "site.example asks for a consent (cookies, privacy) in place of the page.",
    )


@pytest.mark.parametrize("selection", MODES)
@pytest.mark.parametrize("body", WHOLE.values(), ids=WHOLE)
def test_page_with_banner_or_about_cookies_is_content(body: str, selection: Selection) -> None:
    assert read_as(body, selection).outcome == "ok"
