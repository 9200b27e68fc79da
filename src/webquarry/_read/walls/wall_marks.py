"""What captchas and bot walls are built of and what they say, maker by maker. `walls.py` says how
it is weighed.
"""

from __future__ import annotations

import re

from webquarry._read.walls.first_look import FirstLook


def _match_any(*patterns: str) -> re.Pattern[str]:
    """One pattern that matches wherever one of these does, line by line and in any case."""
    either = "|".join(patterns)
    return re.compile(either, re.IGNORECASE | re.MULTILINE)


UNSIGNED = "a captcha"

# An answer that carries one of these headers is a wall, and says so itself.
HEADERS = (
    ("cf-mitigated", "challenge", "Cloudflare"),
    ("x-vercel-mitigated", "challenge", "Vercel"),
    ("x-amzn-waf-action", "challenge", "AWS WAF"),
    ("x-amzn-waf-action", "captcha", "AWS WAF"),
)

# Names of elements and addresses of scripts, frames and forms that occur on walls only.
BUILT = {
    "DuckDuckGo": _match_any(r"^class=anomaly-modal", r"^form=.{0,80}/anomaly\.js"),
    "Cloudflare": _match_any(
        r"/cdn-cgi/challenge-platform/h/\w/orchestrate/",  # ordinary pages have /h/b/scripts/
        r"^form=.{0,80}/cdn-cgi/l/chk_",
        r"^id=(?:cf-challenge-running|challenge-error-text|challenge-running|cf-captcha-container"
        r"|challenge-body-text)$",
    ),
    "DataDome": _match_any(r"^(?:script|iframe)=.{0,80}\bcaptcha-delivery\.com\b"),
    "HUMAN": _match_any(r"^id=px-captcha", r"^script=.{0,200}\bcaptcha\.px-c(?:dn|loud)\.net"),
    "Imperva": _match_any(
        r"/_Incapsula_Resource\?.{0,300}(?:incident_id|[SC]WUDNSAI)",
        r"^id=distil(?:Captcha|_r_captcha)",
    ),
    "AWS WAF": _match_any(r"^script=.{0,200}\bcaptcha\.awswaf\.com"),
    "Akamai": _match_any(r"/_sec/cp_challenge/", r"^(?:id|class)=.{0,60}\bsec-(?:if-)?cpt-"),
    "Kasada": _match_any(r"^script=.{0,200}/ips\.js(?:\?|$)"),
    "Radware": _match_any(
        r"^(?:script|iframe|form)=.{0,80}\bperfdrive\.com\b", r"^(?:id|class)=.{0,60}\bshieldsquare"
    ),
    "Fastly": _match_any(r"^script=.{0,80}/_fs-ch-\w+/"),
    "Google": _match_any(r"^id=captcha-form$", r"^form=.{0,80}CaptchaRedirect"),
    "Amazon": _match_any(r"^form=.{0,80}/errors/validateCaptcha"),
    "Anubis": _match_any(r"^id=anubis_(?:challenge|version)$", r"/\.within\.website/x/cmd/anubis/"),
    "go-away": _match_any(r"/\.well-known/\.git\.gammaspectra\.live/"),
    "Vercel": _match_any(r"/\.well-known/vercel/security/"),
    "DDoS-Guard": _match_any(r"/\.well-known/ddos-guard/(?:js-challenge|id|mark)"),
    "SiteGround": _match_any(r"/\.well-known/(?:sg)?captcha/"),
    "Bunny": _match_any(r"/\.bunny-shield/"),
    "SafeLine": _match_any(r"/\.safeline/"),
    "Yandex": _match_any(
        r"^form=.{0,80}/(?:check|show)captcha", r"^class=.{0,60}\b(?:Checkbox|Advanced)Captcha\b"
    ),
    "Alibaba Cloud": _match_any(r"^id=nocaptcha$"),
}

BUILT_LOOK = FirstLook(
    "captcha", "anomaly", "/cdn-cgi/", "challenge-", "_incapsula_resource", "/_sec/cp_",
    "sec-cpt-", "sec-if-cpt-", "/ips.js", "perfdrive.com", "shieldsquare", "/_fs-ch-", "anubis",
    "gammaspectra", "/.well-known/", "bunny-shield", "/.safeline/",
)  # fmt: skip

# The same for scripts that stand in the page itself: the place where a wall sets itself up.
CODED = {
    "Cloudflare": _match_any(
        r"\b_cf_chl_opt\s*=", r"/cdn-cgi/challenge-platform/h/\w/orchestrate/"
    ),
    "DataDome": _match_any(r"\bdd\s*=\s*\{[^}]{0,500}captcha-delivery\.com"),
    "AWS WAF": _match_any(r"\bgokuProps\s*="),
    "Akamai": _match_any(r"[\"'?&]bm-verify[\"'=]"),
    "Kasada": _match_any(r"\bKPSDK\.(?:now|start)\s*="),
    "Sucuri": _match_any(r"\bsucuri_cloudproxy_js\b"),
    "Alibaba Cloud": _match_any(r"\bacw_sc__v[23]\b"),
}

CODED_LOOK = FirstLook(
    "_cf_chl_opt", "/cdn-cgi/", "captcha-delivery.com", "gokuprops", "bm-verify", "kpsdk.",
    "sucuri_cloudproxy_js", "acw_sc__v",
)  # fmt: skip

# Scripts that guard ordinary pages too: a wall only where there is nothing but the script.
BARE = {
    "Imperva": _match_any(r"/_Incapsula_Resource\?"),
    "AWS WAF": _match_any(r"\bAwsWafIntegration\b", r"\.awswaf\.com/"),
    "F5": _match_any(r"/TSPD/", r"\bbobcmn\b"),
    "Kasada": _match_any(r"\bKPSDK\b"),
}

# Captchas that ordinary forms hold as well.
WIDGET = _match_any(
    r"\bg-recaptcha\b|\brecaptcha/(?:api|enterprise)\b",
    r"\bh-captcha\b|\bhcaptcha\.com\b",
    r"\bcf-turnstile\b|\bchallenges\.cloudflare\.com\b",
    r"\bawswaf\.com\b|\b_Incapsula_Resource\b",
    r"\barkoselabs\.com\b|\bfuncaptcha\b|\bgeetest|\bfrc-captcha\b",
    r"^(?:id|class|form|iframe|script)=.{0,80}captcha",
)

# What the visitor is asked to prove or to wait for.
DEMAND = _match_any(
    r"\b(?:verify|confirm|prove|show|check|sure|know|tell)\b.{0,30}\byou(?:'re| are)\s+"
    r"(?:(?:a|an|really|indeed) )*(?:human|person|not\b)",
    r"\byou(?:'re| are)\s+(?:not\s+a\s+(?:ro)?bot\b|a human or a (?:ro)?bot\b)",
    r"\bare you (?:a |not a )?(?:human|robot)\b|\b(?:robot|bot) or (?:human|not)\b"
    r"|\bi(?:'m| am) (?:not a robot|human)\b",
    r"\b(?:complete|solve|pass) (?:the|this|a) (?:\w+ ){0,2}"
    r"(?:captcha|challenge|security check|puzzle|verification)\b",
    r"\b(?:press|activate) (?:&|and) hold\b|\b(?:enter|type) the (?:characters|letters|text|code)\b"
    r"|\b(?:slide|drag)\b.{0,20}\bto verify\b",
    r"\b(?:unusual|suspicious|automated) (?:traffic|activity|requests?|behaviou?r)\b.{0,40}\b"
    r"(?:your|from)\b",
    r"\b(?:checking|verifying|verification of) "
    r"(?:your (?:browser|connection)|if the site|that you|you are)\b",
    r"\brequest is being verified\b|\b(?:human|additional) verification\b"
    r"|\bsecurity (?:check|verification)\b",
    r"\benable javascript and cookies to continue\b",
    r"\b(?:made us think|believe) (?:that )?you(?:'re| are| were) (?:a bot|using automation)",
    r"(?:我|您|你)?不是(?:机器人|自动程序)|请完成.{0,6}验证|安全验证|人机验证|点击.{0,10}验证"
    r"|ロボットではありません|로봇이 아닙니다",
    r"не робот|kein roboter|pas un robot|no (?:soy|eres) un robot|non (?:sono|sei) un robot"
    r"|nie jestem robotem",
)
DEMAND_LOOK = FirstLook(
    "you're", "you are", "are you ", "bot or ", "i'm ", "i am ", "captcha", "challenge",
    "security check", "puzzle", "verification", "& hold", "and hold", "enter the ", "type the ",
    "to verify", "unusual ", "suspicious ", "automated ", "checking ", "verifying ",
    "being verified", "javascript and cookies", "a bot", "using automation", "不是", "验证",
    "ロボット", "로봇이", "не робот", "roboter", "un robot", "robotem",
)  # fmt: skip
SUSPECT = _match_any(
    r"\b(?:human|robots?|bots?|browser|captcha|automat\w+"
    r"|your (?:computer|ip|connection|network|request)|javascript and cookies)\b",
    r"机器人|自动程序|验证",
)

# Two phrases that only the maker of a wall prints together.
PRINTED = {
    "Akamai": (
        _match_any(r"don't have permission to access"),
        _match_any(r"Reference\s*#\s*[0-9a-f]+\.[0-9a-f.]+|errors\.edgesuite\.net"),
    ),
    "Cloudflare": (
        _match_any(
            r"you have been blocked|access denied|banned (?:you|your)"
            r"|additional verification required",
            r"security service to protect itself|review the security of your connection"
            r"|checking your browser",
        ),
        _match_any(r"Ray ID\b.{0,30}?[\s:*`][0-9a-f]{10,20}\b"),
    ),
    "CloudFront": (_match_any(r"request could not be satisfied"), _match_any(r"request blocked")),
    "Distil": (
        _match_any(r"pardon our interruption"),
        _match_any(r"(?:think|thought) (?:that )?you (?:were|might be|are) a bot"),
    ),
    "F5": (
        _match_any(r"requested URL was rejected|enable javascript to view the page"),
        _match_any(r"support ID is:?\s*<?\d{6,}"),
    ),
    "Google": (
        _match_any(
            r"detected unusual traffic from your (?:computer )?network"
            r"|may be sending automated queries"
        ),
        _match_any(r"IP address:\s*[\da-f.:]{7,}|can't process your request"),
    ),
    UNSIGNED: (
        _match_any(
            r"detected (?:unusual|suspicious|automated) (?:behaviou?r|activity|traffic|requests?)"
        ),
        _match_any(
            r"\b(?:session|access|request|ip(?: address)?|you) (?:has|have) been "
            r"(?:temporarily )?(?:blocked|suspended|paused|limited)"
        ),
    ),
    "HUMAN": (
        _match_any(r"access to this page has been denied|(?:press|activate) (?:&|and) hold"),
        _match_any(r"Reference ID:?\s*+#?\s*+[0-9a-f-]{12,}|using automation tools"),
    ),
    "Imperva": (
        _match_any(r"request unsuccessful|access denied"),
        _match_any(r"incident ID:?\s*+#?\s*+[\d-]{6,}"),
    ),
    "Imunify360": (_match_any(r"one moment, please"), _match_any(r"request is being verified")),
    "Reddit": (
        _match_any(r"blocked (?:by|due to a) network (?:security|policy)"),
        _match_any(r"whoa there|log(?:ging)? in|file a ticket"),
    ),
    "SEC": (_match_any(r"undeclared automated tool"), _match_any(r"reference id")),
    "Sucuri": (
        _match_any(r"sucuri website firewall"),
        _match_any(r"Block (?:ID|reason):|Event ID"),
    ),
    "Wordfence": (
        _match_any(r"generated by wordfence"),
        _match_any(r"access to this (?:site|service) has been (?:limited|blocked)"),
    ),
}

# Of the first of each two.
PRINTED_LOOK = FirstLook(
    "don't have permission to access", "been blocked", "access denied", "banned you",
    "additional verification", "security service to protect", "review the security of",
    "checking your browser", "could not be satisfied", "pardon our interruption",
    "requested url was rejected", "enable javascript to view", "detected unusual ",
    "detected suspicious ", "detected automated ", "sending automated queries",
    "access to this page has been", "& hold", "and hold", "request unsuccessful",
    "one moment, please", "blocked by network ", "blocked due to a network ",
    "undeclared automated", "sucuri website firewall", "generated by wordfence",
)  # fmt: skip

# Titles of walls, and how a line begins that gives an order or excuses itself.
TITLE = _match_any(
    r"^(?:just a|one|please wait,? a) moment|^attention required|^one more step|^client challenge$",
    r"^(?:are you|you are not) a (?:ro)?bot\b|^(?:ro)?bot (?:check|verification|or (?:human|not))"
    r"|^human verification",
    r"^security (?:check(?:point)?|verification)\b|^access (?:to this page has been )?denied"
    r"|^pardon our interruption",
    r"^(?:please )?(?:verify|confirm|verifying|checking|making sure)\b|captcha$",
    r"^(?:ddos-guard|vercel security checkpoint)|^(?:nur )?einen moment|^un (?:momento|instant)",
    r"^请稍候|安全验证|^しばらくお待ち",
)
ORDER = _match_any(
    r"^\W*(?:please |to continue,? |before (?:you|we) (?:continue|proceed),? )?(?:please )?"
    r"(?:verify|confirm|prove|complete|solve|press|activate|enable|checking|verifying|enter|click"
    r"|wait)\b",
    r"^\W*(?:sorry, )?we (?:just |can't |cannot )?(?:need|have|want|tell)\b.{0,60}\b"
    r"(?:sure|verify|confirm|detected|checking|human)",
    r"^\W*(?:our systems|something about your browser|your (?:browser|computer|network|request|ip))"
    r"\b",
    r"^\W*(?:this (?:process|check) is automatic|.{0,60}needs to review the security)"
    r"|^(?:请|您|系统|网络)",
)
