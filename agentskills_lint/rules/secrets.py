"""Credentials in what everyone reads: tokens, private keys, passwords in addresses, values beside telling keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from agentskills_lint.documents import Document, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Problem, Span
from agentskills_lint.registries import Index, SkillsTxt
from agentskills_lint.rule import Ask, advice, must, rule
from agentskills_lint.rules.url_format import unreachable
from agentskills_lint.scripts import Script
from agentskills_lint.specs import WSP
from agentskills_lint.wording import shown

# --- where a credential may stand -----------------------------------------------------------------

_SHORTEST = 16
_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_RUNS = bytes(0x61 if byte in _WORD else 0x20 for byte in range(256))
_RUN = b"a" * _SHORTEST
"""Nearly every credential holds 16 characters of one word: looking for such runs costs no more than two substrings."""


def _runs(document: Document) -> Iterator[tuple[int, int]]:
    """The runs of at least 16 letters, digits, underscores and hyphens, in code points of the source."""
    source = document.source
    raw = document.raw if len(document.raw) == len(source) else source.encode("utf-8", "surrogatepass")
    shape = raw.translate(_RUNS)
    at = shape.find(_RUN)
    if at < 0:
        return
    seen = points = 0
    plain = len(raw) == len(source)
    while at >= 0:
        end = shape.find(b" ", at)
        if end < 0:
            end = len(shape)
        if plain:
            yield at, end
        else:  # counted onwards from the last run, so that each byte is counted once
            points += len(raw[seen:at].decode("utf-8", "surrogatepass"))
            seen = at
            yield points, points + end - at
        at = shape.find(_RUN, end)


# --- what looks live ------------------------------------------------------------------------------

_SAMPLE = lazy(
    r"example|your|sample|dummy|placeholder|redacted|changeme|change_me|replace|insert|fake|xxxx|\.\.\.|secret|"
    r"password|token|apikey|api_key|api-key|lorem|foobar|foo_?bar|deadbeef|test_?key|my_?key|here\b|todo|mock|"
    r"deine?_|abc123|xyz789|xyz123|12345",
    re.I,
)
_ROWS = ("abcdefghijklmnopqrstuvwxyz", "zyxwvutsrqponmlkjihgfedcba", "01234567890123456789", "98765432109876543210",
         "qwertyuiopasdfghjklzxcvbnm")  # fmt: skip
_REPEATED = lazy(r"(.)\1{4}", re.S)
_HEX = lazy(r"[0-9a-f]+|[0-9A-F]+", re.A)
_UUID = lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.A | re.I)
_FIRST = 200
"""Characters of a value by which it is judged."""


def _follows_rows(text: str) -> bool:
    """Whether a text is made of letters and digits in their order: abcdef, 12345, 1a2b3c4d."""
    for part, least in ((text, 6), (text[::2], 5), (text[1::2], 5)):
        for start in range(len(part) - least + 1):
            piece = part[start : start + least]
            if any(piece in row for row in _ROWS):
                return True
    return False


def _is_sample(text: str) -> bool:
    """Whether nobody's credential looks so: words of placeholders, rows, repetitions."""
    text = text[:_FIRST]
    if _SAMPLE.search(text) or _REPEATED.search(text) or len(set(text)) < min(8, len(text) // 2):
        return True
    if any(len(text) >= 3 * size and text[size:] == text[:-size] for size in range(1, 11)):
        return True
    return _follows_rows(text.lower())


def _entropy(text: str) -> float:
    from math import log2

    counts = [text.count(char) for char in set(text)]
    return -sum(count / len(text) * log2(count / len(text)) for count in counts)


def _kind(char: str) -> int:
    return 0 if char.isdigit() else 1 if char.islower() else 2 if char.isupper() else 3


def _is_random(text: str) -> bool:
    """Whether a value is drawn by chance: many characters, mixed throughout, no word that anybody wrote."""
    text = text[:_FIRST]
    if len(text) < _SHORTEST or _is_sample(text) or _UUID.fullmatch(text):
        return False
    kinds = [_kind(char) for char in text]
    changes = sum(one != other for one, other in pairwise(kinds))
    digits = sum(kind == 0 and (at == 0 or kinds[at - 1] != 0) for at, kind in enumerate(kinds))
    if digits < 2 or {1, 2}.isdisjoint(kinds) or changes < 0.3 * (len(text) - 1):
        return False
    return _entropy(text) >= (2.8 if _HEX.fullmatch(text) else 3.2)


# --- checks of providers ----------------------------------------------------------------------------

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _has_checksum(token: str) -> bool:
    """Whether the last six characters are the CRC32 of what stands between them and the prefix, in base 62."""
    import zlib

    body = token[token.index("_") + 1 : -6]
    number, digits = zlib.crc32(body.encode()), ""
    while number:
        number, digit = divmod(number, 62)
        digits = _BASE62[digit] + digits
    return digits.rjust(6, "0") == token[-6:]


def _is_checked(token: str) -> bool:
    """Of a provider that adds a checksum: right, or at least drawn by chance throughout."""
    return _has_checksum(token) or _is_random(token[token.index("_") + 1 :])


def _decoded(text: str) -> bytes | None:
    """The bytes of a text in base 64, of either alphabet and with or without padding, None where it is none."""
    import base64

    text = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        return None


_DOCUMENTED = frozenset(
    {
        # of Stripe's documentation, in parts: scanners of repositories take them for live ones
        "sk_test_" + "4eC39HqLyjWDarjtT1zdp7dc", "sk_test_" + "BQokikJOvBiI2HlWgH4olfQ2",
        "sk_test_" + "tR3PYbcVNZZ796tH88S4VQ2u", "sk_test_" + "26PHem9AhJZvU623DfE1x4sd",
    }
)  # fmt: skip


def _is_jwt(token: str) -> bool:
    """Whether it is a signed JSON web token of somebody: samples and the keys that are meant to be public pass."""
    import json

    parts = token.split(".")
    heads = [_decoded(part) for part in parts[:2]]
    if heads[0] is None or heads[1] is None or len(parts[2]) < 20 or _is_sample(parts[2]):
        return False
    try:
        header, claims = (json.loads(head) for head in heads if head is not None)
    except (ValueError, RecursionError):
        return False
    if not isinstance(header, dict) or not isinstance(claims, dict) or "alg" not in header:
        return False
    if str(header["alg"]).lower() == "none" or claims.get("role") == "anon":
        return False
    told = " ".join(str(claims.get(key, "")) for key in ("sub", "name", "email", "iss", "user", "username")).lower()
    return not any(word in told for word in ("1234567890", "john doe", "jane doe", "example", "123456", "test"))


def _is_discord(token: str) -> bool:
    """Discord's begin with the number of the bot."""
    number = _decoded(token.partition(".")[0])
    return number is not None and number.isdigit() and 17 <= len(number) <= 20


def _is_twilio(token: str) -> bool:
    return _is_random(token[2:])


def _is_drawn(token: str) -> bool:
    """Of a prefix that says little: what follows it is drawn by chance."""
    return _is_random(re.sub(r"^[A-Za-z]{2,5}[-_]", "", token))


class Provider(NamedTuple):
    """A shape of credentials: how it begins, all of it, what it is called, what else must hold.

    `after` says how many characters of it stand before its first run of 16.
    """

    prefix: str
    pattern: re.Pattern[str]
    name: str
    check: Callable[[str], bool] | None = None
    after: int = 0


_END = r"(?![A-Za-z0-9_-])"


def _of(prefix: str, rest: str, name: str, check: Callable[[str], bool] | None = None, after: int = 0) -> Provider:
    return Provider(prefix, lazy(re.escape(prefix) + rest + _END, re.A), name, check, after)


_W = "[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"
_H = "[0-9a-f]"

_GITLAB = ("pat", "dt", "rt", "ptt", "agent", "oas", "imt", "soat", "ffct")

_PROVIDERS = (
    *(_of(f"gh{kind}_", _A + "{36}", "a GitHub token", _is_checked) for kind in "posur"),
    _of("ghr_", _A + "{76}", "a GitHub refresh token"),
    _of("ghs_", r"[0-9]{1,20}_eyJ[A-Za-z0-9_-]{10,}", "a GitHub token"),
    _of("github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}", "a GitHub token"),
    *(_of(f"gl{kind}-", _W + "{20,300}", "a GitLab token") for kind in _GITLAB),
    *(_of(kind, "[A-Z2-7]{16}", "an AWS access key id") for kind in ("AKIA", "ASIA", "ABIA", "ACCA")),
    *(_of(f"{kind}_live_", _A + "{24,250}", "a live Stripe key") for kind in ("sk", "rk")),
    *(_of(f"{kind}_test_", _A + "{24,250}", "a Stripe key") for kind in ("sk", "rk")),
    _of("whsec_", r"[A-Za-z0-9+/]{32,64}={0,2}", "a webhook secret"),
    *(_of(f"xox{kind}-", r"[0-9]{8,14}-[0-9A-Za-z-]{10,250}", "a Slack token") for kind in "bpaer"),
    _of("xoxe.xox", r"[bp]-[0-9]-[A-Za-z0-9]{100,250}", "a Slack token"),
    _of("xapp-", r"[0-9]-[A-Z0-9]{8,14}-[0-9]{8,16}-[a-f0-9]{40,80}", "a Slack token"),
    _of("AIza", _W + "{35}", "a Google API key"),
    _of("GOCSPX-", _W + "{28}", "a Google client secret"),
    _of("ya29.", _W + "{40,1000}", "a Google access token", None, 5),
    _of("sk-ant-", r"[a-z]{3,8}[0-9]{2}-[A-Za-z0-9_-]{60,130}", "an Anthropic key"),
    _of("sk-", _A + "{20}T3BlbkFJ" + _A + "{20}", "an OpenAI key"),
    *(_of(f"sk-{kind}-", _W + "{40,200}", "an OpenAI key") for kind in ("proj", "svcacct", "admin", "None")),
    _of("sk-or-v1-", _H + "{64}", "an OpenRouter key"),
    _of("sk-lf-", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "a Langfuse key"),
    _of("sk-", _A + "{32,64}", "a secret API key", _is_drawn),
    _of("sk_", _H + "{48}", "an ElevenLabs key"),
    _of("SG.", r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", "a SendGrid key", None, 3),
    _of("SK", _H + "{32}", "a Twilio key", _is_twilio),
    *(_of(f"do{kind}_v1_", _H + "{64}", "a DigitalOcean token") for kind in "opr"),
    _of("pypi-", r"AgE[A-Za-z0-9_-]{50,1000}", "a PyPI token"),
    _of("npm_", _A + "{36}", "an npm token", _is_checked),
    _of("hf_", _A + "{34}", "a Hugging Face token"),
    _of("api_org_", _A + "{34}", "a Hugging Face token"),
    *(_of(f"shp{kind}_", "[0-9a-fA-F]{32}", "a Shopify token") for kind in ("at", "ca", "pa", "ss")),
    _of("sq0atp-", _W + "{22}", "a Square token"),
    _of("sq0csp-", _W + "{43}", "a Square secret"),
    _of("EAAA", _W + "{60}", "a Square token"),
    _of("key-", _H + "{32}", "a Mailgun key"),
    _of("NRAK-", "[A-Z0-9]{27}", "a New Relic key"),
    _of("lin_api_", _A + "{40}", "a Linear key"),
    _of("ntn_", _A + "{40,50}", "a Notion token"),
    _of("secret_", _A + "{43}", "a Notion token", lambda token: _is_random(token[7:])),
    _of("figd_", _W + "{40,50}", "a Figma token"),
    _of("pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", "an Airtable token"),
    _of("dapi", _H + "{32}(?:-[0-9])?", "a Databricks token"),
    _of("dp.pt.", _A + "{40,44}", "a Doppler token", None, 6),
    _of("glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}", "a Grafana token"),
    _of("glc_", r"eyJ[A-Za-z0-9+/]{60,400}={0,2}", "a Grafana token"),
    _of("gsk_", _A + "{52}", "a Groq key"),
    _of("pplx-", _A + "{40,60}", "a Perplexity key"),
    _of("r8_", _A + "{37}", "a Replicate token"),
    _of("xai-", _A + "{70,90}", "an xAI key"),
    _of("nvapi-", _W + "{60,75}", "an NVIDIA key"),
    _of("re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}", "a Resend key"),
    _of("sbp_", _H + "{40}", "a Supabase token"),
    _of("sb_secret_", _W + "{20,60}", "a Supabase key"),
    _of("nfp_", _A + "{36,44}", "a Netlify token"),
    _of("PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}", "a Postman key"),
    _of("sntrys_", r"eyJ[A-Za-z0-9+/=_]{60,400}", "a Sentry token"),
    _of("sntryu_", _H + "{64}", "a Sentry token"),
    _of("tvly-", r"(?:dev-|prod-)?[A-Za-z0-9]{28,60}", "a Tavily key", _is_drawn),
    _of("pcsk_", r"[A-Za-z0-9]{4,8}_[A-Za-z0-9]{50,70}", "a Pinecone key"),
    _of("ATATT3", r"[A-Za-z0-9_=-]{100,250}", "an Atlassian token"),
    _of("dckr_pat_", _W + "{27}", "a Docker token"),
    _of("AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}", "an age key"),
    _of("rubygems_", _H + "{48}", "a RubyGems key"),
    _of("HRKU-", _W + "{36,70}", "a Heroku key"),
    _of("pscale_tkn_", _W + "{32,64}", "a PlanetScale token"),
    _of("pscale_pw_", _W + "{32,64}", "a PlanetScale password"),
    _of("lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}", "a LangSmith key"),
    _of("fc-", _H + "{32}", "a Firecrawl key"),
    _of("phx_", _A + "{40,60}", "a PostHog key"),
    _of("LTAI", "[A-Za-z0-9]{20}", "an Alibaba Cloud key id", _is_random),
    _of("tskey-", r"(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,20}-[A-Za-z0-9]{20,40}", "a Tailscale key"),
    _of("xkeysib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}", "a Brevo key"),
    _of("sqp_", _H + "{40}", "a SonarQube token"),
    _of("pul-", _H + "{40}", "a Pulumi token"),
    _of("CCIPAT_", _A + "{22}_[0-9a-f]{40}", "a CircleCI token"),
    _of("CFPAT-", _W + "{43}", "a Contentful token"),
    _of("hvs.", _W + "{24,250}", "a Vault token", None, 4),
    _of("hvb.", _W + "{80,400}", "a Vault token", None, 4),
)  # fmt: skip

_BY_START: dict[str, list[Provider]] = {}
_BEFORE: list[Provider] = []
for _provider in _PROVIDERS:
    if _provider.after:
        _BEFORE.append(_provider)
    else:
        _BY_START.setdefault(_provider.prefix[:2], []).append(_provider)

for _head in ("ey", *(f"{first}{second}" for first in "MNO" for second in "DTjz")):
    _BY_START.setdefault(_head, [])  # JSON web tokens, and the numbers with which Discord's begin
_JWT = lazy(r"eyJ[A-Za-z0-9_-]{10,2000}\.eyJ[A-Za-z0-9_-]{2,8000}\.[A-Za-z0-9_-]{20,2000}(?![A-Za-z0-9_-])")
_DISCORD = lazy(r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])")
_TELEGRAM = lazy(r"(?<![0-9A-Za-z])[0-9]{8,10}:\Z")
_TELEGRAM_REST = lazy(r"A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])")
_AZURE = lazy(r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])")
_HOOK = lazy(
    r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9/]{10,60}/\Z|"
    r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/\Z"
)


_BESIDE = frozenset("\\%.:~/")
"""Characters before a run with which a credential may have begun."""


class Secret(NamedTuple):
    """A credential: its place, what it is, the text that nobody may see, where the finding stands."""

    start: int
    end: int
    name: str
    where: Span


def _known(source: str, start: int, end: int) -> Secret | None:
    """The credential of a known provider that begins with a run, or shortly before it."""
    before = source[start - 1] if start else ""
    if before == "\\" and source[start] in "nrt":
        start += 1
    elif before == "%":
        start += 2
    while start < end and source[start] in "_-":
        start += 1
    head = source[start : start + 2]
    for provider in _BY_START.get(head, ()):
        found = provider.pattern.match(source, start) if source.startswith(provider.prefix, start) else None
        if found is not None and _is_live(provider, found[0]):
            return Secret(*found.span(), provider.name, Span(*found.span()))
    if before == ".":
        for provider in _BEFORE:
            first = start - provider.after
            if first >= 0 and source.startswith(provider.prefix, first):
                found = provider.pattern.match(source, first)
                if found is not None and _is_live(provider, found[0]):
                    return Secret(*found.span(), provider.name, Span(*found.span()))
    if head == "ey" and (found := _JWT.match(source, start)) is not None and _is_jwt(found[0]):
        return Secret(*found.span(), "a JSON web token", Span(*found.span()))
    if head[0] in "MNO" and (found := _DISCORD.match(source, start)) is not None and _is_discord(found[0]):
        return Secret(*found.span(), "a Discord token", Span(*found.span()))
    if before == ":" and head == "AA" and (number := _TELEGRAM.search(source[max(start - 12, 0) : start])) is not None:
        found = _TELEGRAM_REST.match(source, start)
        if found is not None and not _is_sample(found[0]):
            first = start - len(number[0])
            return Secret(first, found.end(), "a Telegram token", Span(first, found.end()))
    if before == "~" and (found := _AZURE.match(source, max(start - 6, 0))) is not None and not _is_sample(found[0]):
        return Secret(*found.span(), "an Azure client secret", Span(*found.span()))
    if before == "/" and _HOOK.search(source[max(start - 100, 0) : start]) and _is_random(source[start:end]):
        return Secret(start, end, "the address of a webhook", Span(start, end))
    return None


def _is_live(provider: Provider, token: str) -> bool:
    if token in _DOCUMENTED:
        return False
    if provider.check is not None:
        return provider.check(token)
    return not _is_sample(token[len(provider.prefix) :])


# --- private keys -----------------------------------------------------------------------------------

_PEM = lazy(
    r"-----BEGIN (?:[A-Z0-9]{2,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?P<body>(?:[A-Za-z0-9+/=]|\s|\\[nr]|[\"'>|,#]|"
    r"[A-Z][A-Za-z-]{3,12}: [^\r\n]{0,100}\r?\n){40,20000})"
)
_NO_BASE64 = lazy(r"[A-Z][A-Za-z-]{3,12}: [^\r\n]*|\\[nr]|[^A-Za-z0-9+/=]")
_KEY_STARTS = ("M", "b3BlbnNzaC1rZXk", "lQ", "xc", "lI", "lF", "lH")
"""DER, OpenSSH's own format, OpenPGP."""


def _private_key(source: str, start: int) -> Secret | None:
    """The private key whose text begins with a run."""
    name = source.rfind("PRIVATE KEY", max(start - 240, 0), start)
    first = source.rfind("-----BEGIN", max(name - 40, 0), name) if name >= 0 else -1
    found = _PEM.match(source, first) if first >= 0 else None
    if found is None or found.end() <= start:
        return None
    body = _NO_BASE64.sub("", found["body"])
    if len(body) < 60 or not body.startswith(_KEY_STARTS) or _is_sample(body[40:]):
        return None
    return Secret(*found.span("body"), "a private key", Span(first, found.start("body")))


# --- values beside telling keys ---------------------------------------------------------------------

_VALUE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/.~")
_REST_OF_VALUE = lazy(r"[A-Za-z0-9_+/.~-]{0,400}={0,2}", re.A)
_TELLING = lazy(
    r"(?:--(?:[a-z]{1,12}-){0,2}(?:api-?key|token|secret|password|key)[ ][\"']?|"
    r"(?P<lead>[A-Za-z0-9_.-]{0,40})(?P<key>(?:api|access|secret|private|auth|client|app|account|"
    r"encryption|signing|"
    r"subscription|master|admin|license|role|storage)[-_ ]?key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|"
    r"authorization)(?:[\"'`]?\]?[ \t]{0,3}(?:=>|:=|={1,2}|:(?:\r?\n[ \t])?)[ \t]{0,3}[\"'`]?|[\"'],[ ]{0,2}[\"'])"
    r"(?:(?:Bearer|Basic|Token|Bot|ApiKey)[ ])?|(?P<scheme>Bearer|Basic)[ ]{1,2}"
    r"|(?:-u|--user)[ =][\"']?[^\s:\"']{1,40}:|(?<=[?&])sig=)\Z",
    re.A | re.I,
)
_TELLING_WORDS = (
    "key",
    "token",
    "secret",
    "pass",
    "pwd",
    "credential",
    "authorization",
    "bearer",
    "basic",
    "-u",
    "sig=",
)
"""One of these stands in all that `_TELLING` matches."""
_PUBLIC = lazy(
    r"(?:^|[_.-]|(?<=[a-z]))(?:page|next|csrf|xsrf|pub|public|publishable|cursor|continuation|sync|pagination|"
    r"prev|anon|"
    r"idempotency|device|sort|max|min|count|num|total|design|color|hash|verification|github|action)[_-]?\Z",
    re.I,
)
_TOLD_SAMPLE = lazy(
    r"\b(?:examples?|samples?|e\.g|fake|dummy|placeholders?|not (?:a )?real|redacted|truncated|mock|made.up|"
    r"wrong|bad|"
    r"hard-?coded|vulnerable|insecure|never|don't|leaked)\b|\u274c|\u2717",
    re.I,
)
_BASIC = lazy(r"[\x20-\x7e]{1,100}")
_ANYBODY = lazy(
    r"(?:your|my|the|some|db|app|super|strong|secure)?[-_]?(?:user(?:name)?|pass(?:word|wd|phrase)?|passw0rd|"
    r"p@ss.*|pwd?|"
    r"pw|secret|token|key|api[-_]?key|admin|root|postgres|mysql|mongo|redis|guest|test|example|changeme|change[-_]me|"
    r"foo|bar|open ?sesame|hunter2|letmein|local|dev|sa|default|rabbitmq|clickhouse|minio(?:admin)?|neo4j|"
    r"correcthorse.*|s3cr3t|mysecretpassword)[-_!0-9]*",
    re.A | re.I,
)


_DIGIT = lazy(r"[0-9]")


def _line_around(source: str, start: int, end: int) -> str:
    first = max(source.rfind("\n", max(start - 200, 0), start) + 1, start - 200, 0)
    last = source.find("\n", end, end + 100)
    return source[first:start] + source[end : last if last >= 0 else end + 100]


def _beside_key(source: str, start: int, end: int) -> Secret | None:
    """The value that a run is part of, where a word before it says that it is secret and it is drawn by chance."""
    if (
        _DIGIT.search(source, start, min(end, start + _FIRST)) is None
        and source[start - 5 : start - 1].lower() != "asic"
    ):
        return None
    first = start
    while first > max(start - 60, 0) and source[first - 1] in _VALUE:
        first -= 1
    nearby = source[max(first - 9, 0) : first]
    before = source[max(first - 100, 0) : first]
    if not any(mark in nearby for mark in (":", "=", "earer", "asic", "',", '",')) and "--" not in before[-24:]:
        return None
    lower = before.lower()
    telling = _TELLING.search(before) if any(word in lower for word in _TELLING_WORDS) else None
    rest = _REST_OF_VALUE.match(source, end)
    last = rest.end() if rest is not None else end
    value = source[first:last].rstrip(".")
    last = first + len(value)
    if telling is None or value in _DOCUMENTED or source[last : last + 1] in ("(", "[", "{", "<", "*", "\u2026"):
        return None
    if telling["lead"] and _PUBLIC.search(telling["lead"]):
        return None
    if source.startswith(("...", "\u2026", "***", "xxx"), last) or value.startswith("eyJ"):
        return None  # cut short; a JSON web token that is none, or one of nobody
    if value.count("/") > 3 or value.count(".") > 2 or value.startswith(("/", ".", "~")):
        return None
    if telling[0].rstrip().lower().endswith("basic"):
        if not _is_basic(value):
            return None
    elif not _is_random(value) or _is_name(value):
        return None
    if _TOLD_SAMPLE.search(_line_around(source, first, last)):
        return None
    return Secret(first, last, "a credential", Span(first, last))


_WORDS = lazy(r"[a-z]{5,}|[A-Z]{6,}")
_NO_WORD = lazy(r"[bcdfghjklmnpqrstvwxz]{4}", re.I)


def _is_name(value: str) -> bool:
    """Whether a value holds words: names in code are mixed too, such as getOAuth2TokenV3."""
    words = (word for word in _WORDS.findall(value) if _NO_WORD.search(word) is None)
    return sum(map(len, words)) > 0.4 * len(value)


def _is_basic(value: str) -> bool:
    """Whether a value of HTTP's Basic scheme holds somebody's name and password."""
    raw = _decoded(value)
    if raw is None or b":" not in raw:
        return False
    text = raw.decode("latin-1")
    user, _, password = text.partition(":")
    if _BASIC.fullmatch(text) is None or _ANYBODY.fullmatch(password):
        return False
    return not _SAMPLE.search(text) and (len(password) > 5 or (password == "" and _is_random(user)))


_PASSWORD = lazy(
    r"(?<=passw|PASSW)(?i:ord)(?i:_?[A-Z]{0,8})[\"'`]?[ \t]{0,3}[:=][ \t]{0,3}[\"'`]?"
    r"(?P<value>[^\s\"'`,;<>{}()\[\]|\\]{10,64})(?![^\s\"'`,;)\]|])"
)
_SIGNS = frozenset("!@#$%^&*?+=~")


def _passwords(source: str) -> Iterator[Secret]:
    """Passwords of mixed signs beside the word; those without signs are found as runs."""
    for word in ("password", "PASSWORD"):
        at = -1
        while (at := source.find(word, at + 1)) >= 0:
            found = _PASSWORD.match(source, at + 5)
            if found is None or not _is_password(found["value"]):
                continue
            start, end = found.span("value")
            if not _TOLD_SAMPLE.search(_line_around(source, start, end)):
                yield Secret(start, end, "a password", Span(start, end))


def _is_password(value: str) -> bool:
    if value[0] in "$%*" or _SIGNS.isdisjoint(value[1:-1]) or _SAMPLE.search(value) or _ANYBODY.fullmatch(value):
        return False
    kinds = [_kind(char) for char in value]
    changes = sum(one != other for one, other in pairwise(kinds))
    mixed = set(kinds) >= {0, 1, 2, 3} and changes >= 0.5 * (len(value) - 1)
    return mixed and not _is_sample(value) and "://" not in value and re.search(r"[a-z]{4}|[A-Z]{4}", value) is None


_STORE = lazy(
    r"(?<![A-Za-z])(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|"
    r"snowflake|ftps?|sftp|smtps?|ldaps?|nats|mqtts?)(?:\+[a-z0-9]{1,12})?\Z"
)
_LOGIN = lazy(
    r"://(?P<user>[^\s/?#@:\"'`<>()]{0,80}):(?P<password>[^\s/?#@\"'`<>()]{4,120})@(?P<host>[^\s/?#:\"'`<>(),]{1,200})"
)


def _logins(source: str) -> Iterator[Secret]:
    """Passwords in the addresses of databases, queues and the like; those of web pages are SKL507's."""
    at = -1
    while (at := source.find("://", at + 1)) >= 0:
        before = source[max(at - 24, 0) : at]
        if before[-4:] == "http" or before[-5:] == "https" or _STORE.search(before) is None:
            continue
        found = _LOGIN.match(source, at)
        if found is None:
            continue
        password, host = found["password"], found["host"].lower().rstrip(".")
        if password[0] in "$%{[" or "${" in password or "..." in password or _REPEATED.search(password):
            continue
        if (
            password.isupper()
            or _ANYBODY.fullmatch(password)
            or _SAMPLE.search(password)
            or "x" * 3 in password.lower()
        ):
            continue
        if "." not in host or _SAMPLE.search(host) or unreachable(host) is not None or host.startswith(("$", "{")):
            continue
        yield Secret(
            *found.span("password"), f"the password of {shown(found['user'], 30)}", Span(*found.span("password"))
        )


# --- the rule ---------------------------------------------------------------------------------------


@rule(
    "secret",
    "SKL901",
    on=(Skill, Index, SkillsTxt, Script),
    asked_by={"wsp": must(WSP + "#63-security-requirements"), "advice": advice("error")},
    severity=9.0,
    masks=True,
)
def secret(document: Document, ask: Ask) -> Iterator[Problem]:
    """A credential stands in the text.

    Everyone who can read a skill can use what it holds, agents quote it in answers and logs, and
    a history keeps it when it is deleted. Take it out, revoke it, and tell where users get a
    credential of their own.

    Found are tokens of some sixty providers, by their shape and, where they have one, their
    checksum; private keys; JSON web tokens; Authorization values; passwords in the addresses of
    databases; and values drawn by chance beside words such as `api_key` and `password`.
    Placeholders, documented examples, names of variables, hashes and UUIDs pass. Bundled scripts
    are searched as well, files in references/ are not. No output shows what was found.

    ```markdown bad
    # Pay an invoice

    Log in at `postgres://billing:k7Wq93zLtR@db.northwind-trade.net/invoices`.
    ```
    ```markdown good
    # Pay an invoice

    Log in at `postgres://USER:PASSWORD@db.northwind-trade.net/invoices` with both taken from the
    environment, or send `Authorization: Bearer YOUR_TOKEN`.
    ```
    """
    kind = "file" if isinstance(document, SkillsTxt) else document.kind
    for found in _secrets(document):
        yield Problem(
            found.where,
            f"here stands what looks like {found.name}: everyone who reads the {kind} can use it",
            hint="take it out and revoke it; tell where users get their own",
            secret=document.source[found.start : found.end],
        )


def credentials_in(text: str) -> list[str]:
    """The credentials in a text that stands in no file as it is."""
    return [text[found.start : found.end] for found in _secrets(Document("", "", text.encode(), None))]


def _secrets(document: Document) -> Iterator[Secret]:
    """The credentials of a document in order, none of which lies in another."""
    source = document.source
    found = []
    done = 0
    has_key = "PRIVATE KEY" in source
    for start, end in _runs(document):
        if start < done:
            continue
        secret = None
        if has_key:
            secret = _private_key(source, start)
        if secret is None and (
            source[start : start + 2] in _BY_START or source[start] in "_-" or source[start - 1] in _BESIDE
        ):
            secret = _known(source, start, end)
        if secret is None and (not source[start:end].isalpha() or source[start - 5 : start - 1].lower() == "asic"):
            secret = _beside_key(source, start, end)
        if secret is not None:
            done = secret.end
            if not _is_in_web_address(source, secret):
                found.append(secret)
    if "assword" in source or "ASSWORD" in source:
        found.extend(_passwords(source))
    if "@" in source and "://" in source:
        found.extend(_logins(source))
    last = 0
    for secret in sorted(found):
        if secret.start >= last:
            last = secret.end
            yield secret


_WEB_LOGIN = lazy(r"https?://[^\s/?#@:]{0,80}:\Z", re.I)


def _is_in_web_address(source: str, secret: Secret) -> bool:
    """Whether it is the password of a web address, which is SKL507's."""
    return source.startswith("@", secret.end) and bool(
        _WEB_LOGIN.search(source[max(secret.start - 90, 0) : secret.start])
    )
