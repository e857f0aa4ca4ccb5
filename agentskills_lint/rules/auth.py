"""How a skill's requests are authenticated, and where they go: `auth`, `requires_auth`, `base_url`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentskills_lint.documents import Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.rules.body_sections import request_lines
from agentskills_lint.rules.fields import head
from agentskills_lint.rules.section_titles import find, span_of, titles_of
from agentskills_lint.specs import WSP
from agentskills_lint.trees import Node
from agentskills_lint.wording import closest, shown

_DECLARING = WSP + "#61-declaring-auth-requirements"
_DETAILS = WSP + "#62-auth-details-in-body"

METHODS = ("none", "api-key", "bearer", "oauth2")

_TYPED = ("field-empty", "field-type", "yaml-anchor", "yaml-ambiguous")
_SPLIT = ("frontmatter-missing", "frontmatter-unclosed", "body-empty", "fence-unclosed")

_MEANT = {
    "no": "none", "false": "none", "null": "none", "anonymous": "none", "public": "none", "open": "none",
    "apikey": "api-key", "key": "api-key", "xapikey": "api-key", "apikeys": "api-key", "apikeyheader": "api-key",
    "bearertoken": "bearer", "token": "bearer", "jwt": "bearer", "accesstoken": "bearer", "bearerauth": "bearer",
    "oauth": "oauth2", "oauth20": "oauth2", "oauthv2": "oauth2", "oauth2.0": "oauth2",
}  # fmt: skip
"""What other common names of a method mean, without blanks, hyphens and underscores."""

_SEPARATORS = lazy(r"[\s_.-]+")


def method_of(skill: Skill) -> str | None:
    """The declared method, None where there is no `auth` or none that says one of the four."""
    value = skill.value("auth")
    return value if value in METHODS else None


def _meant(value: str) -> str | None:
    bare = _SEPARATORS.sub("", value.lower())
    known = {_SEPARATORS.sub("", method): method for method in METHODS}
    if bare in known or bare in _MEANT:
        return known.get(bare) or _MEANT[bare]
    near = closest(bare, known, 0.75)
    return known[near] if near else None


@rule("auth-method", "SKL601", on=Skill, at="auth", needs=_TYPED, fix="unsafe", asked_by={"wsp": must(_DECLARING)})
def auth_method(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """`auth` is none of `none`, `api-key`, `bearer` and `oauth2`.

    Agents choose by these four words what to ask the user for. Another word, or one of them
    in capitals, tells them nothing.

    ```yaml bad
    auth: API-Key
    ```
    ```yaml good
    auth: api-key
    ```
    """
    if node.kind != "scalar" or not node.is_text or node.value in METHODS:
        return
    near = _meant(node.value)
    message = f"{shown(node.value)} is no authentication method"
    if near is None:
        yield Problem(head(node, skill), message, hint="write none, api-key, bearer or oauth2")
        return
    fix = None
    if not node.block:
        quote = node.style if node.style in ("'", '"') else ""
        fix = Fix(f"write {near}", (Edit(*node.span, f"{quote}{near}{quote}"),), False)
    yield Problem(head(node, skill), f"{message}; did you mean '{near}'?", fix)


@rule(
    "auth-section",
    "SKL602",
    on=Skill,
    at="auth",
    needs=(*_TYPED, "auth-method"),
    asked_by={"wsp": should(_DETAILS)},
)
def auth_section(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The skill needs authentication and has no section on it.

    `auth` names the kind of credential; where the user gets one and how it is sent has to stand
    in the body. A heading of any level counts, in other words and languages too, such as
    *Credentials*, *API keys* or *Autenticación*, and so does a title that the configuration
    names under `sections`.

    ```skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    auth: bearer
    ---

    # Pay an invoice

    Send the number of the invoice.
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    auth: bearer
    ---

    # Pay an invoice

    Send the number of the invoice.

    ## Authentication

    Users create a token [in their settings](https://acme.example/tokens). Send it in the header
    `Authorization: Bearer <token>`.
    ```
    """
    if node.value in METHODS and node.value != "none" and _section(skill, ask) is None:
        yield Problem(
            head(node, skill),
            f"the skill needs authentication ({node.value}), but its body has no section on it",
            hint="add '## Authentication': where credentials come from and how they are sent",
        )


def _section(skill: Skill, ask: Ask) -> Span | None:
    heading = find(titles_of(skill), "Authentication", ask.sections)
    return None if heading is None else span_of(skill, heading)


_CREDENTIAL = lazy(
    r"(?<![\w-])(?:(?P<authorization>Authorization)|(?P<key>X-(?:API|Auth|Access)-(?:Key|Token)|API-?Key|Private-Token|"
    r"X-Goog-Api-Key|Ocp-Apim-Subscription-Key))[\"']?[ \t]*[:=][ \t]*[\"'`f]{0,2}(?P<value>[^\s\"'`,}\]]+)"
    r"|[?&](?P<query>api_?key|access_token|apikey|auth_token)=(?P<argument>[^\s\"'`&]+)",
    re.A | re.I,
)
_CREDENTIAL_WORDS = ("authorization", "-key", "-token", "apikey", "api_key", "access_token", "auth_token")
_NO_VALUE = frozenset({"none", "null", "undefined", "string", "str", "header", "optional", "required", "missing"})


@rule(
    "auth-undeclared",
    "SKL603",
    on=Skill,
    needs=(*_SPLIT, "yaml-syntax", "auth-method"),
    asked_by={"wsp": must(_DECLARING, level="warning")},
)
def auth_undeclared(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Requests send credentials, and the frontmatter declares no `auth`.

    Agents decide by `auth` whether to ask the user for credentials before the first request.
    Without it they take the skill for a public one and fail at the first call.

    ````skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    base_url: https://api.acme.example/v1
    ---

    # Pay an invoice

    ```http
    POST /payments
    Authorization: Bearer {token}
    ```
    ````
    ````skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    base_url: https://api.acme.example/v1
    auth: bearer
    ---

    # Pay an invoice

    ```http
    POST /payments
    Authorization: Bearer {token}
    ```

    ## Authentication

    Users create a token [in their settings](https://acme.example/tokens).
    ````
    """
    auth = skill.field("auth")
    if skill.front is None or (auth is not None and skill.value("auth") not in (None, "none")):
        return
    if not any(word in skill.lower for word in _CREDENTIAL_WORDS):
        return
    for block in skill.markdown.code:
        for found in _CREDENTIAL.finditer(block.content):
            value = (found["value"] or found["argument"]).lower()
            if value in _NO_VALUE:
                continue
            method = "bearer" if value.startswith(("bearer", "token", "jwt")) else "api-key"
            what = found["authorization"] or found["key"] or found["query"]
            group = next(name for name in ("authorization", "key", "query") if found[name])
            sent = Span(block.offset(found.start(group)), block.offset(found.end(group) - 1) + 1)
            declared = "declares 'auth: none'" if auth is not None else "declares no 'auth'"
            kind = "a parameter" if found["query"] else "a header"
            yield Problem(
                skill.anchor if auth is None or not auth.is_text else auth,
                f"a request sends credentials in {kind} {shown(what)}, but the frontmatter {declared}",
                related=(Related(sent, "credentials are sent here"),),
                hint=f"write 'auth: {method}'",
            )
            return


_LINK = lazy(r"https?://|\]\(|\]\[|[\w.+-]+@[\w-]+\.\w", re.A)
_SENT = lazy(
    r"header|query|cookie|parameter|authorization|bearer|x-api-key|-H |\bbasic\b|encabezado|cabecera|en-tête|kopfzeile|"
    r"cabeçalho|intestazion|заголов|请求头|标头|ヘッダ|헤더|environment|\$[A-Z_]{3,}|\b[A-Z]+_(?:KEY|TOKEN)\b",
    re.I,
)
_RENEWED = lazy(
    r"refresh|renew|expir|rotat|re-?auth|new token|again|renov|actualiz|rafra|renouvel|erneuer|auffrisch|abl[aä]uf|"
    r"rinnov|обнов|истек|刷新|更新|过期|有効期限|갱신|만료",
    re.I,
)


@rule(
    "auth-section-content",
    "SKL611",
    on=Skill,
    at="auth",
    needs=(*_TYPED, "auth-method", "auth-section", "fence-unclosed"),
    asked_by={"wsp": should(_DETAILS, level="note")},
)
def auth_section_content(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The section on authentication leaves questions open.

    It should say where the user gets credentials, with a link, and how a request carries them,
    with the name of the header or parameter. For OAuth it should also say how a token is
    renewed, since an agent that works for an hour outlives most of them.

    ```skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    auth: oauth2
    ---

    # Pay an invoice

    ## Authentication

    Sign in first.
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    auth: oauth2
    ---

    # Pay an invoice

    ## Authentication

    Register a client [in the portal](https://acme.example/clients), and send its token in the header
    `Authorization: Bearer <token>`. When a token has expired, ask for a new one at /oauth/token.
    ```
    """
    if node.value not in METHODS or node.value == "none":
        return
    heading = find(titles_of(skill), "Authentication", ask.sections)
    if heading is None:
        return
    start, end = span_of(skill, heading)
    text = skill.source[start:end]
    missing = []
    if not _LINK.search(text):
        missing.append("where credentials come from (a link)")
    if not _SENT.search(text):
        missing.append("how they are sent (a header or parameter)")
    if node.value == "oauth2" and not _RENEWED.search(text):
        missing.append("how a token is renewed")
    if missing:
        yield Problem(
            heading, f"the section does not tell {', nor '.join(missing)}", related=(Related(node, "what it is about"),)
        )


@rule("auth-conflict", "SKL608", on=Skill, at="requires_auth", needs=_TYPED, asked_by={"advice": advice("note")})
def auth_conflict(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """`requires_auth` and `auth` seem to contradict each other.

    The one, of DualNova, says whether the user has to sign in; the other, of the Web Skills
    Protocol, how requests to the API are authenticated. Both can be right, when a skill uses
    the site's own key, but agents that know one of the two fields act differently.

    ```yaml bad
    requires_auth: false
    auth: bearer
    ```
    ```yaml good
    requires_auth: true
    auth: bearer
    ```
    """
    auth = skill.field("auth")
    method = method_of(skill)
    if auth is None or method is None or node.value.lower() not in ("true", "false"):
        return
    signs_in = node.value.lower() == "true"
    if signs_in == (method == "none"):
        yield Problem(
            node,
            f"'requires_auth: {node.value}' stands beside 'auth: {method}'",
            related=(Related(auth, "how requests are authenticated"),),
            hint="the one is about the user, the other about the API: check that both are meant",
        )


@rule(
    "base-url-relative",
    "SKL609",
    on=Skill,
    needs=(*_SPLIT, "yaml-syntax", "field-typo"),
    asked_by={"wsp": must(WSP + "#optional-fields", level="note")},
)
def base_url_relative(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Requests name paths only, and there is no `base_url`.

    Agents that follow the Web Skills Protocol then call the origin of the site that publishes
    the skill. That is right where the API lives there, and a wrong guess everywhere else.

    ```skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    auth: none
    rate_limit:
      agent: 10/minute
    ---

    # Pay an invoice

    Send POST /payments with the number of the invoice.
    ```
    ```skill good
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    version: 1.0.0
    auth: none
    rate_limit:
      agent: 10/minute
    base_url: https://api.acme.example/v1
    ---

    # Pay an invoice

    Send POST /payments with the number of the invoice.
    ```
    """
    if skill.front is None or skill.field("base_url") is not None:
        return
    requests = list(request_lines(skill))
    if not requests or any(not found[1].startswith("/") for found in requests):
        return
    told = "url" in skill.lower or "://api." in skill.lower
    if told and re.search(r"base[ _-]?url|https?://api\.", skill.body_text, re.I):
        return  # the body tells it
    first = requests[0]
    yield Problem(
        skill.anchor,
        f"requests such as {shown(first[0])} go to the site's own origin, since there is no 'base_url'",
        related=(Related(Span(*first.span()), "a request without a host"),),
        hint="add 'base_url' where the API has an address of its own",
    )
