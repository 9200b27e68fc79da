"""What captchas and bot walls are built of and what they say, maker by maker. `walls.py` says how
it is weighed.
"""

from __future__ import annotations

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE | re.MULTILINE)


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
    "DuckDuckGo": _any(r"^class=anomaly-modal", r"^form=.{0,80}/anomaly\.js"),
    "Cloudflare": _any(
        r"/cdn-cgi/challenge-platform/h/\w/orchestrate/",  # ordinary pages have /h/b/scripts/
        r"^form=.{0,80}/cdn-cgi/l/chk_",
        r"^id=(?:cf-challenge-running|challenge-error-text|challenge-running|cf-captcha-container|challenge-body-text)$",
    ),
    "DataDome": _any(r"^(?:script|iframe)=.{0,80}\bcaptcha-delivery\.com\b"),
    "HUMAN": _any(r"^id=px-captcha", r"^script=.{0,200}\bcaptcha\.px-c(?:dn|loud)\.net"),
    "Imperva": _any(
        r"/_Incapsula_Resource\?.{0,300}(?:incident_id|[SC]WUDNSAI)",
        r"^id=distil(?:Captcha|_r_captcha)",
    ),
    "AWS WAF": _any(r"^script=.{0,200}\bcaptcha\.awswaf\.com"),
    "Akamai": _any(r"/_sec/cp_challenge/", r"^(?:id|class)=.{0,60}\bsec-(?:if-)?cpt-"),
    "Kasada": _any(r"^script=.{0,200}/ips\.js(?:\?|$)"),
    "Radware": _any(
        r"^(?:script|iframe|form)=.{0,80}\bperfdrive\.com\b", r"^(?:id|class)=.{0,60}\bshieldsquare"
    ),
    "Fastly": _any(r"^script=.{0,80}/_fs-ch-\w+/"),
    "Google": _any(r"^id=captcha-form$", r"^form=.{0,80}CaptchaRedirect"),
    "Amazon": _any(r"^form=.{0,80}/errors/validateCaptcha"),
    "Anubis": _any(r"^id=anubis_(?:challenge|version)$", r"/\.within\.website/x/cmd/anubis/"),
    "go-away": _any(r"/\.well-known/\.git\.gammaspectra\.live/"),
    "Vercel": _any(r"/\.well-known/vercel/security/"),
    "DDoS-Guard": _any(r"/\.well-known/ddos-guard/(?:js-challenge|id|mark)"),
    "SiteGround": _any(r"/\.well-known/(?:sg)?captcha/"),
    "Bunny": _any(r"/\.bunny-shield/"),
    "SafeLine": _any(r"/\.safeline/"),
    "Yandex": _any(
        r"^form=.{0,80}/(?:check|show)captcha", r"^class=.{0,60}\b(?:Checkbox|Advanced)Captcha\b"
    ),
    "Alibaba Cloud": _any(r"^id=nocaptcha$"),
}

# The same for scripts that stand in the page itself: the place where a wall sets itself up.
CODED = {
    "Cloudflare": _any(r"\b_cf_chl_opt\s*=", r"/cdn-cgi/challenge-platform/h/\w/orchestrate/"),
    "DataDome": _any(r"\bdd\s*=\s*\{[^}]{0,500}captcha-delivery\.com"),
    "AWS WAF": _any(r"\bgokuProps\s*="),
    "Akamai": _any(r"[\"'?&]bm-verify[\"'=]"),
    "Kasada": _any(r"\bKPSDK\.(?:now|start)\s*="),
    "Sucuri": _any(r"\bsucuri_cloudproxy_js\b"),
    "Alibaba Cloud": _any(r"\bacw_sc__v[23]\b"),
}

# Scripts that guard ordinary pages too: a wall only where there is nothing but the script.
BARE = {
    "Imperva": _any(r"/_Incapsula_Resource\?"),
    "AWS WAF": _any(r"\bAwsWafIntegration\b", r"\.awswaf\.com/"),
    "F5": _any(r"/TSPD/", r"\bbobcmn\b"),
    "Kasada": _any(r"\bKPSDK\b"),
}

# Captchas that ordinary forms hold as well.
WIDGET = _any(
    r"\bg-recaptcha\b|\brecaptcha/(?:api|enterprise)\b",
    r"\bh-captcha\b|\bhcaptcha\.com\b",
    r"\bcf-turnstile\b|\bchallenges\.cloudflare\.com\b",
    r"\bawswaf\.com\b|\b_Incapsula_Resource\b",
    r"\barkoselabs\.com\b|\bfuncaptcha\b|\bgeetest|\bfrc-captcha\b",
    r"^(?:id|class|form|iframe|script)=.{0,80}captcha",
)

# What the visitor is asked to prove or to wait for.
DEMAND = _any(
    r"\b(?:verify|confirm|prove|show|check|sure|know|tell)\b.{0,30}\byou(?:'re| are)\s+(?:(?:a|an|really|indeed) )*(?:human|person|not\b)",
    r"\byou(?:'re| are)\s+(?:not\s+a\s+(?:ro)?bot\b|a human or a (?:ro)?bot\b)",
    r"\bare you (?:a |not a )?(?:human|robot)\b|\b(?:robot|bot) or (?:human|not)\b|\bi(?:'m| am) (?:not a robot|human)\b",
    r"\b(?:complete|solve|pass) (?:the|this|a) (?:\w+ ){0,2}(?:captcha|challenge|security check|puzzle|verification)\b",
    r"\b(?:press|activate) (?:&|and) hold\b|\b(?:enter|type) the (?:characters|letters|text|code)\b|\b(?:slide|drag)\b.{0,20}\bto verify\b",
    r"\b(?:unusual|suspicious|automated) (?:traffic|activity|requests?|behaviou?r)\b.{0,40}\b(?:your|from)\b",
    r"\b(?:checking|verifying|verification of) (?:your (?:browser|connection)|if the site|that you|you are)\b",
    r"\brequest is being verified\b|\b(?:human|additional) verification\b|\bsecurity (?:check|verification)\b",
    r"\benable javascript and cookies to continue\b",
    r"\b(?:made us think|believe) (?:that )?you(?:'re| are| were) (?:a bot|using automation)",
    r"(?:我|您|你)?不是(?:机器人|自动程序)|请完成.{0,6}验证|安全验证|人机验证|点击.{0,10}验证|ロボットではありません|로봇이 아닙니다",
    r"не робот|kein roboter|pas un robot|no (?:soy|eres) un robot|non (?:sono|sei) un robot|nie jestem robotem",
)
SUSPECT = _any(
    r"\b(?:human|robots?|bots?|browser|captcha|automat\w+|your (?:computer|ip|connection|network|request)|javascript and cookies)\b",
    r"机器人|自动程序|验证",
)

# Two phrases that only the maker of a wall prints together.
PRINTED = {
    "Akamai": (
        _any(r"don't have permission to access"),
        _any(r"Reference\s*#\s*[0-9a-f]+\.[0-9a-f.]+|errors\.edgesuite\.net"),
    ),
    "Cloudflare": (
        _any(
            r"you have been blocked|access denied|banned (?:you|your)|additional verification required",
            r"security service to protect itself|review the security of your connection|checking your browser",
        ),
        _any(r"Ray ID\b.{0,30}?[\s:*`][0-9a-f]{10,20}\b"),
    ),
    "CloudFront": (_any(r"request could not be satisfied"), _any(r"request blocked")),
    "Distil": (_any(r"pardon our interruption"), _any(r"(?:think|thought) (?:that )?you (?:were|might be|are) a bot")),
    "F5": (_any(r"requested URL was rejected|enable javascript to view the page"), _any(r"support ID is:?\s*<?\d{6,}")),
    "Google": (
        _any(r"detected unusual traffic from your (?:computer )?network|may be sending automated queries"),
        _any(r"IP address:\s*[\da-f.:]{7,}|can't process your request"),
    ),
    UNSIGNED: (
        _any(r"detected (?:unusual|suspicious|automated) (?:behaviou?r|activity|traffic|requests?)"),
        _any(r"\b(?:session|access|request|ip(?: address)?|you) (?:has|have) been (?:temporarily )?(?:blocked|suspended|paused|limited)"),
    ),
    "HUMAN": (
        _any(r"access to this page has been denied|(?:press|activate) (?:&|and) hold"),
        _any(r"Reference ID:?\s*#?\s*[0-9a-f-]{12,}|using automation tools"),
    ),
    "Imperva": (_any(r"request unsuccessful|access denied"), _any(r"incident ID:?\s*#?\s*[\d-]{6,}")),
    "Imunify360": (_any(r"one moment, please"), _any(r"request is being verified")),
    "Reddit": (_any(r"blocked (?:by|due to a) network (?:security|policy)"), _any(r"whoa there|log(?:ging)? in|file a ticket")),
    "SEC": (_any(r"undeclared automated tool"), _any(r"reference id")),
    "Sucuri": (_any(r"sucuri website firewall"), _any(r"Block (?:ID|reason):|Event ID")),
    "Wordfence": (_any(r"generated by wordfence"), _any(r"access to this (?:site|service) has been (?:limited|blocked)")),
}  # fmt: skip

# Titles of walls, and how a line begins that gives an order or excuses itself.
TITLE = _any(
    r"^(?:just a|one|please wait,? a) moment|^attention required|^one more step|^client challenge$",
    r"^(?:are you|you are not) a (?:ro)?bot\b|^(?:ro)?bot (?:check|verification|or (?:human|not))|^human verification",
    r"^security (?:check(?:point)?|verification)\b|^access (?:to this page has been )?denied|^pardon our interruption",
    r"^(?:please )?(?:verify|confirm|verifying|checking|making sure)\b|captcha$",
    r"^(?:ddos-guard|vercel security checkpoint)|^(?:nur )?einen moment|^un (?:momento|instant)",
    r"^请稍候|安全验证|^しばらくお待ち",
)
ORDER = _any(
    r"^\W*(?:please |to continue,? |before (?:you|we) (?:continue|proceed),? )?(?:please )?"
    r"(?:verify|confirm|prove|complete|solve|press|activate|enable|checking|verifying|enter|click|wait)\b",
    r"^\W*(?:sorry, )?we (?:just |can't |cannot )?(?:need|have|want|tell)\b.{0,60}\b(?:sure|verify|confirm|detected|checking|human)",
    r"^\W*(?:our systems|something about your browser|your (?:browser|computer|network|request|ip))\b",
    r"^\W*(?:this (?:process|check) is automatic|.{0,60}needs to review the security)|^(?:请|您|系统|网络)",
)
