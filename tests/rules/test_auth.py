"""Rules about authentication and the address of the API."""

from __future__ import annotations

import pytest

from agentskills_lint.model import Finding
from tests.support import brief, clean_skill, findings_in, fixed, only, skill_text

FRONT = """name: pay-invoice
description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
"""
SECTION = (
    "# Pay\n\n## Authentication\n\nGet a key [here](https://acme.example/keys). Send it in the header `X-API-Key`. "
    "Refresh a token when it expires.\n"
)


def of(rule: str, front: str, body: str = SECTION) -> list[Finding]:
    return only(findings_in(skill_text(FRONT + front, body), "wsp"), rule)


# --- SKL601 ---------------------------------------------------------------------------------------


def test_case_056_the_wrong_case() -> None:
    text = skill_text(FRONT + "auth: API-Key", SECTION)
    (finding,) = only(findings_in(text, "wsp"), "auth-method")
    assert brief([finding]) == [("auth-method", "error", 4, 7)]
    assert finding.location.end_column == 14
    assert finding.message == "'API-Key' is no authentication method; did you mean 'api-key'?"
    assert finding.fix is not None
    assert not finding.fix.safe
    assert fixed(text, finding) == text.replace("API-Key\n", "api-key\n", 1)


@pytest.mark.parametrize("value", ["none", "api-key", "bearer", "oauth2", "'bearer'", '"oauth2" # by the portal'])
def test_the_four_methods(value: str) -> None:
    assert of("auth-method", f"auth: {value}") == []


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("apikey", "api-key"),
        ("api_key", "api-key"),
        ("api key", "api-key"),
        ("X-API-Key", "api-key"),
        ("'Bearer'", "'bearer'"),
        ('"bearer token"', '"bearer"'),
        ("Bearer-Token", "bearer"),
        ("jwt", "bearer"),
        ("oauth", "oauth2"),
        ("OAuth 2.0", "oauth2"),
        ("oauth-2", "oauth2"),
        ("baerer", "bearer"),
        ("anonymous", "none"),
        ("None", "none"),
    ],
)
def test_other_names_of_the_methods(written: str, after: str) -> None:
    text = skill_text(f"{FRONT}auth: {written}  # note", SECTION)
    (finding,) = only(findings_in(text, "wsp"), "auth-method")
    assert fixed(text, finding) == text.replace(f"auth: {written}", f"auth: {after}")


@pytest.mark.parametrize("value", ["basic", "cookie", "hmac", "mtls", "ask the user"])
def test_methods_that_are_none_of_the_four(value: str) -> None:
    (finding,) = of("auth-method", f"auth: {value}")
    assert finding.message == f"'{value}' is no authentication method"
    assert (finding.fix, finding.hint) == (None, "write none, api-key, bearer or oauth2")


@pytest.mark.parametrize("value", ["", "null", "[bearer]", "{type: bearer}", "no", "true"])
def test_what_other_rules_speak_about(value: str) -> None:
    assert of("auth-method", f"auth: {value}") == []


def test_a_block_scalar_has_no_edit() -> None:
    (finding,) = of("auth-method", "auth: >-\n  Bearer")
    assert finding.fix is None
    assert finding.message.endswith("did you mean 'bearer'?")


# --- SKL602 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["api-key", "bearer", "oauth2"])
def test_case_056_no_section(method: str) -> None:
    (finding,) = of("auth-section", f"version: 1.0.0\nauth: {method}", "# Pay\n\n## Authors\n\nUs.\n")
    assert brief([finding]) == [("auth-section", "warning", 5, 7)]
    assert finding.message == f"the skill needs authentication ({method}), but its body has no section on it"


@pytest.mark.parametrize(
    "heading",
    [
        "# AUTHENTICATION",
        "#### Auth",
        "## 2. API keys",
        "## Autenticación",
        "## 认证",
        "Sign-in\n-------",
        "- ## Credentials",
    ],
)
def test_case_056_sections_in_other_words(heading: str) -> None:
    assert of("auth-section", "auth: bearer", f"# Pay\n\n{heading}\n\nText.\n") == []


def test_case_056_a_heading_in_code_is_none() -> None:
    assert len(of("auth-section", "auth: bearer", "# Pay\n\n```md\n## Authentication\n```\n")) == 1


def test_a_title_of_the_configuration_counts() -> None:
    text = skill_text(FRONT + "auth: bearer", "# Pay\n\n## Before you start\n\nText.\n")
    assert len(only(findings_in(text, "wsp"), "auth-section")) == 1
    sections = {"Authentication": ("Before you start",)}
    assert only(findings_in(text, "wsp", sections=sections), "auth-section") == []


@pytest.mark.parametrize("front", ["", "auth: none", "auth:", "auth: Bearer"])
def test_no_section_is_asked_for(front: str) -> None:
    assert of("auth-section", front, "# Pay\n\nText.\n") == []


# --- SKL603 ---------------------------------------------------------------------------------------


def code(text: str, language: str = "http") -> str:
    return f"# Pay\n\n```{language}\n{text}\n```\n"


@pytest.mark.parametrize(
    ("line", "what", "hint"),
    [
        ("Authorization: Bearer {token}", "a header 'Authorization'", "write 'auth: bearer'"),
        ("authorization: bearer x", "a header 'authorization'", "write 'auth: bearer'"),
        ("curl -H 'Authorization: Bearer $TOKEN' x", "a header 'Authorization'", "write 'auth: bearer'"),
        ('headers = {"Authorization": f"Bearer {t}"}', "a header 'Authorization'", "write 'auth: bearer'"),
        ("Authorization: ApiKey abc", "a header 'Authorization'", "write 'auth: api-key'"),
        ("X-API-Key: {key}", "a header 'X-API-Key'", "write 'auth: api-key'"),
        ('curl -H "x-api-key: $KEY" x', "a header 'x-api-key'", "write 'auth: api-key'"),
        ("GET /x?api_key={key}", "a parameter 'api_key'", "write 'auth: api-key'"),
    ],
)
def test_requests_with_credentials(line: str, what: str, hint: str) -> None:
    (finding,) = of("auth-undeclared", "", code("GET /v1/x\n" + line))
    assert brief([finding]) == [("auth-undeclared", "warning", 1, 1)]
    assert finding.message == f"a request sends credentials in {what}, but the frontmatter declares no 'auth'"
    assert finding.hint == hint
    (place, message) = finding.related[0]
    assert (place.line, message) == (9, "credentials are sent here")
    name = what.split("'")[1]
    assert place.column == line.index(name) + 1
    assert place.end_column == place.column + len(name)


def test_none_is_declared() -> None:
    (finding,) = of("auth-undeclared", "auth: none", code("X-API-Key: {key}"))
    assert brief([finding]) == [("auth-undeclared", "warning", 4, 7)]
    assert finding.message.endswith("but the frontmatter declares 'auth: none'")


def test_one_finding_for_all_requests() -> None:
    assert len(of("auth-undeclared", "", code("X-API-Key: {key}\n\nX-API-Key: {key}") * 2)) == 1


@pytest.mark.parametrize("front", ["auth: bearer", "auth: api-key", "auth: oauth2", "auth: basic"])
def test_some_auth_is_declared(front: str) -> None:
    assert of("auth-undeclared", front, code("Authorization: Bearer {token}")) == []


@pytest.mark.parametrize(
    "body",
    [
        "# Pay\n\nAn API key is required. Send Authorization: Bearer x.\n",
        code("GET /v1/x"),
        code("Access-Control-Allow-Headers: Authorization, X-API-Key"),
        code("WWW-Authenticate: Bearer"),
        code("Authorization: none"),
        code('"Authorization": null', "json"),
        code("class AuthorizationError: pass", "python"),
    ],
)
def test_no_credentials_are_sent(body: str) -> None:
    assert of("auth-undeclared", "", body) == []


# --- SKL611 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "text", "missing"),
    [
        (
            "bearer",
            "Sign in first.",
            "where credentials come from (a link), nor how they are sent (a header or parameter)",
        ),
        ("bearer", "Get one at https://acme.example/keys.", "how they are sent (a header or parameter)"),
        ("api-key", "Send it in the header `X-API-Key`.", "where credentials come from (a link)"),
        ("oauth2", "See [this](https://acme.example). Use a Bearer token.", "how a token is renewed"),
    ],
)
def test_open_questions(method: str, text: str, missing: str) -> None:
    body = f"# Pay\n\n## Authentication\n\n{text}\n\n## More\n\n[x](https://a.example) header refresh\n"
    (finding,) = of("auth-section-content", f"auth: {method}", body)
    assert brief([finding]) == [("auth-section-content", "note", 8, 1)]
    assert finding.message == f"the section does not tell {missing}"
    assert [place.line for place, _ in finding.related] == [4]


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("api-key", "Write to keys@acme.example for one. Send it as the query parameter `key`."),
        (
            "bearer",
            'Ask the [portal][p].\n\n```sh\ncurl -H "Authorization: Bearer $T" x\n```\n\n[p]: https://acme.example',
        ),
        ("oauth2", "### Where\n\n<https://acme.example>\n\n### How\n\nheader\n\n### Refresh\n\nDaily."),
        ("oauth2", "Consiga uno en https://acme.example. Va en la cabecera. El token se renueva: renovar cada hora."),
        ("none", "Nothing."),
    ],
)
def test_no_open_questions(method: str, text: str) -> None:
    assert of("auth-section-content", f"auth: {method}", f"# Pay\n\n## Authentication\n\n{text}\n") == []


# --- SKL608 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("front", "fires"),
    [
        ("requires_auth: false\nauth: bearer", True),
        ("requires_auth: False\nauth: api-key", True),
        ("requires_auth: true\nauth: none", True),
        ("requires_auth: true\nauth: bearer", False),
        ("requires_auth: false\nauth: none", False),
        ("requires_auth: false", False),
        ("auth: bearer", False),
        ("requires_auth: false\nauth: basic", False),
        ("requires_auth: maybe\nauth: bearer", False),
    ],
)
def test_two_fields_that_disagree(front: str, fires: bool) -> None:
    text = skill_text(FRONT + front, SECTION)
    for specs in (("wsp",), ("dualnova",), ("dualnova", "wsp")):
        found = only(findings_in(text, *specs), "auth-conflict")
        assert brief(found) == [("auth-conflict", "note", 4, 16)] * fires
        assert [place.line for f in found for place, _ in f.related] == [5] * fires


# --- SKL609 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["Send POST /v1/payments.", "`GET /invoices/{id}`", "```\nPUT /x\n```"])
def test_relative_requests_without_a_base(line: str) -> None:
    (finding,) = of("base-url-relative", "", f"# Pay\n\n{line}\n")
    assert brief([finding]) == [("base-url-relative", "note", 1, 1)]
    assert "go to the site's own origin" in finding.message
    assert [message for _, message in finding.related] == ["a request without a host"]


@pytest.mark.parametrize(
    ("front", "body"),
    [
        ("base_url: https://api.acme.example", "# Pay\n\nPOST /x\n"),
        ("base-url: https://api.acme.example", "# Pay\n\nPOST /x\n"),
        ("", "# Pay\n\nPOST https://acme.example/x\n\nGET /x\n"),
        ("", "# Pay\n\nBase URL: https://acme.example\n\nGET /x\n"),
        ("", "# Pay\n\nGET ready for /x.\n"),
    ],
)
def test_requests_with_a_base(front: str, body: str) -> None:
    assert of("base-url-relative", front, body) == []


# --- all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["agentskills", "discovery", "dualnova"])
def test_other_specs_do_not_ask(spec: str) -> None:
    text = clean_skill(spec, "auth: API-Key", code("GET /x\nX-API-Key: {key}"))
    rules = {"auth-method", "auth-section", "auth-undeclared", "auth-section-content", "base-url-relative"}
    assert [f.rule for f in findings_in(text, spec) if f.rule in rules] == []


DEMANDS = [
    ("5.3 auth is one of four", "auth: basic", SECTION, "auth-method"),
    ("6.1 a skill that needs authentication declares it", "", code("X-API-Key: {key}"), "auth-undeclared"),
    ("6.1 the values", "auth: BEARER", SECTION, "auth-method"),
    ("6.2 the body has an Authentication section", "auth: bearer", "# Pay\n\nText.\n", "auth-section"),
    ("6.2 it tells where, how and renewal", "auth: oauth2", "# Pay\n\n## Auth\n\nText.\n", "auth-section-content"),
    ("App. B auth is one of four", "auth: token", SECTION, "auth-method"),
    ("5.3 without base_url calls go to the origin", "", "# Pay\n\nGET /x\n", "base-url-relative"),
]


@pytest.mark.parametrize(("demand", "front", "body", "rule"), DEMANDS)
def test_demands_of_wsp(demand: str, front: str, body: str, rule: str) -> None:
    (finding,) = of(rule, front, body)
    assert [d.spec for d in finding.demands] == ["wsp"]
