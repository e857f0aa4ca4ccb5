"""URLs, contacts and obfuscated addresses (SKL501 to SKL507)."""

from __future__ import annotations

import pytest

from agentskills_lint.rules.url_format import fault, split, unreachable
from tests.support import CLEAN_BODY, brief, clean_skill, findings_in, fixed, only, report_on

URL_RULES = ("url-absolute", "url-malformed", "url-insecure", "url-unreachable", "url-credentials")


def url_findings(value: str, field: str = "base_url", spec: str = "wsp") -> list[tuple[str, str]]:
    """(rule, level) of the findings about a double-quoted URL in a field, strongest spec first."""
    quoted = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")
    found = findings_in(clean_skill(spec, f'{field}: "{quoted}"'), spec)
    return [(f.rule, f.level) for f in found if f.rule in URL_RULES]


CASE_65 = [
    ("javascript:alert(1)", "url-absolute"),
    ("data:text/plain,hello", "url-absolute"),
    ("file:///srv/openapi.json", "url-absolute"),
    ("mailto:help@h.example", "url-absolute"),
    ("ftp://h.example/x", "url-absolute"),
    ("//h.example/x", "url-absolute"),
    ("/x", "url-absolute"),
    ("./x", "url-absolute"),
    ("h.example/x", "url-absolute"),
    ("h.example:8080/x", "url-absolute"),
    ("https:///x", "url-malformed"),
    ("https:\\\\h\\x", "url-malformed"),
    ("https://[::1/x", "url-malformed"),
    ("https://[::g]/x", "url-malformed"),
    ("https://h.example:99999/", "url-malformed"),
    ("https://h.example:8o80/", "url-malformed"),
    ("https://h.example/a b", "url-malformed"),
    (" https://h.example/x", "url-malformed"),
    ("https://h.example/x ", "url-malformed"),
    ("https://h.example/x\n", "url-malformed"),
    ("https://h.example/\tx", "url-malformed"),
    ("https://h..example/x", "url-malformed"),
    ("https://-h.example/x", "url-malformed"),
    ("https://300.2.3.4/x", "url-malformed"),
    ("https://h.example/100%", "url-malformed"),
    ("https://h.example/%zz", "url-malformed"),
    ("https:/h.example/x", "url-malformed"),
    ("https://https://h.example/x", "url-malformed"),
    ("<https://h.example/x>", "url-malformed"),
    ("https://user:pw@h.example/x", "url-credentials"),
    ("http://h.example/x", "url-insecure"),
    ("http://h.example:8080/x", "url-insecure"),
    ("HTTP://h.example/x", "url-insecure"),
    ("https://localhost/x", "url-unreachable"),
    ("http://localhost:3000/x", "url-unreachable"),
    ("http://127.0.0.1/x", "url-unreachable"),
    ("http://0.0.0.0:80/x", "url-unreachable"),
    ("http://[::1]:8000/x", "url-unreachable"),
    ("https://[fd12:3456::1]/x", "url-unreachable"),
    ("https://[fe80::1]/x", "url-unreachable"),
    ("https://10.1.2.3/x", "url-unreachable"),
    ("https://172.20.0.1/x", "url-unreachable"),
    ("https://192.168.1.1/x", "url-unreachable"),
    ("https://169.254.169.254/x", "url-unreachable"),
    ("https://100.101.102.103/x", "url-unreachable"),
    ("https://printer.local/x", "url-unreachable"),
    ("https://api.internal/x", "url-unreachable"),
    ("https://shop.test/x", "url-unreachable"),
    ("https://shop.localhost./x", "url-unreachable"),
    ("https://intranet/x", "url-unreachable"),
]


@pytest.mark.parametrize(("value", "rule"), CASE_65)
def test_case_065_each_fault_of_a_url_is_one_finding(value: str, rule: str) -> None:
    level = "error" if rule in ("url-malformed", "url-credentials") else "warning"
    assert url_findings(value) == [(rule, level)]


@pytest.mark.parametrize("field", ["url", "mcp_server", "openapi", "base_url"])
@pytest.mark.parametrize("spec", ["wsp", "dualnova"])
def test_case_065_every_url_field_is_judged(field: str, spec: str) -> None:
    assert url_findings("/x", field, spec) == [("url-absolute", "warning")]
    assert url_findings("https://h.example:99999", field, spec) == [("url-malformed", "error")]


@pytest.mark.parametrize(
    "value",
    [
        "HTTPS://H.EXAMPLE",
        "https://h.example:8443/x?a=b&c=%20#part",
        "https://h.example./x",
        "https://[2001:db8::1]:8443/x",
        "https://münchen.example/straße",
        "https://हिन्दी.example/",
        "https://api_v1.h.example/x",
        "https://{tenant}.h.example:{port}/v1/{id}",
        "https://<your-shop>.h.example/v1",
        "https://$HOST/v1",
        "${API_URL}/v1",
        "{base}/v1",
        "https://8.8.8.8/x",
        "https://172.32.0.1/x",
        "https://me@h.example/x",
        "https://h.example/@scope/x:1",
    ],
)
def test_case_065_what_is_a_url_passes(value: str) -> None:
    assert url_findings(value) == []


def test_case_066_other_hosts_in_the_body_pass() -> None:
    body = (
        CLEAN_BODY
        + "\nPOST https://other.northwind-trade.net/pay and read [the docs](https://docs.northwind-trade.net).\n"
    )
    assert [f for f in findings_in(clean_skill("wsp", body=body), "wsp") if f.rule in URL_RULES] == []


def test_url_malformed_points_at_the_fault_and_repairs_it() -> None:
    text = clean_skill("wsp", "base_url: https://h.example/a b")
    (found,) = only(findings_in(text, "wsp"), "url-malformed")
    assert (found.level, found.line, found.column, found.location.end_column) == ("error", 5, 30, 31)
    assert found.message == "the URL 'https://h.example/a b' holds a blank"
    assert found.hint == "write 'https://h.example/a%20b'"


def test_url_malformed_points_at_the_value_where_it_is_not_written_as_read() -> None:
    text = clean_skill("wsp", 'base_url: "https://h.example/\\tx"')
    (found,) = only(findings_in(text, "wsp"), "url-malformed")
    assert (found.line, found.column, found.location.end_column) == (5, 11, 34)
    assert found.message == r"the URL 'https://h.example/\tx' holds a tab"


def test_url_malformed_hides_a_password() -> None:
    text = clean_skill("wsp", "base_url: https://shop:k7Wq93@h.example:99999/x")
    messages = [f.message + str(f.hint) for f in findings_in(text, "wsp")]
    assert len(only(findings_in(text, "wsp"), "url-malformed")) == 1
    assert not any("k7Wq93" in message for message in messages)


def test_url_malformed_speaks_for_discovery_too() -> None:
    text = clean_skill("discovery", "url: https://h.example:x/")
    assert brief(only(findings_in(text, "discovery"), "url-malformed")) == [("url-malformed", "error", 4, 24)]


@pytest.mark.parametrize(
    ("value", "message", "hint"),
    [
        ("/api", "'/api' is a relative address, which an agent cannot call", "write 'https://shop.example/api'"),
        ("//h.example/x", "'//h.example/x' has no scheme", "write 'https://h.example/x'"),
        ("h.example/x", "'h.example/x' has no scheme", "write 'https://h.example/x'"),
        ("localhost:3000", "'localhost:3000' has no scheme", "write 'https://localhost:3000'"),
        (
            "ftp://h.example",
            "'ftp://h.example' is a ftp: URL, not an http or https URL",
            "write an address with https://",
        ),
    ],
)
def test_url_absolute_says_what_to_write(value: str, message: str, hint: str) -> None:
    text = clean_skill("wsp", f"base_url: {value}")
    (found,) = only(findings_in(text, "wsp", origin="https://shop.example/"), "url-absolute")
    assert found.message == message + "; 'base_url' needs an absolute https URL"
    assert found.hint == hint
    assert (found.line, found.column, found.location.end_column) == (5, 11, 11 + len(value))


def test_url_absolute_is_silent_without_a_web_spec() -> None:
    text = clean_skill("agentskills", "base_url: /api")
    assert only(findings_in(text, "agentskills"), "url-absolute") == []


@pytest.mark.parametrize("value", ["", "~", "[https://h.example]"])
def test_url_rules_leave_other_types_to_the_type_rules(value: str) -> None:
    found = findings_in(clean_skill("wsp", f"base_url: {value}"), "wsp")
    assert [f for f in found if f.rule in URL_RULES] == []


def test_url_insecure_rewrites_the_scheme_only() -> None:
    text = clean_skill("wsp", 'base_url: "http://api.h.example/v1" # ours')
    (found,) = only(findings_in(text, "wsp"), "url-insecure")
    assert (found.level, found.line, found.column, found.location.end_column) == ("warning", 5, 11, 36)
    assert found.fix is not None
    assert not found.fix.safe
    assert 'base_url: "https://api.h.example/v1" # ours\n' in fixed(text, found)
    assert [str(demand) for demand in found.demands] == ["wsp SHOULD", "advice"]


@pytest.mark.parametrize("value", ["http://h.example:8080/v1", "http://203.0.113.9/v1"])
def test_url_insecure_offers_no_fix_where_https_would_surely_fail(value: str) -> None:
    (found,) = only(findings_in(clean_skill("wsp", f"base_url: {value}"), "wsp"), "url-insecure")
    assert found.fix is None
    assert found.hint == "serve it over HTTPS and write https://"


@pytest.mark.parametrize(
    ("body", "line", "column", "end"),
    [
        ("See the [prices](http://prices.northwind-trade.net/list).", 6, 18, 56),
        ("See <http://prices.northwind-trade.net/>.", 6, 6, 40),
        ("POST http://prices.northwind-trade.net/v1/orders now.", 6, 6, 49),
        ("```bash\ncurl -s 'http://prices.northwind-trade.net/v1' | jq .\n```", 7, 10, 46),
        ("```python\nrequests.get('http://prices.northwind-trade.net/v1')\n```", 7, 15, 51),
    ],
)
def test_url_insecure_in_the_body(body: str, line: int, column: int, end: int) -> None:
    text = clean_skill("agentskills", body="\n" + body + "\n")
    (found,) = only(findings_in(text, "agentskills"), "url-insecure")
    assert (found.level, found.line, found.column, found.location.end_column) == ("warning", line, column, end)
    assert only(findings_in(fixed(text, found), "agentskills"), "url-insecure") == []


@pytest.mark.parametrize(
    "body",
    [
        "The namespace is http://www.w3.org/2000/svg.",
        '```xml\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n```',
        '```json\n{"$schema": "http://json-schema.org/draft-07/schema#"}\n```',
        "See [the namespace](http://schemas.microsoft.com/developer/msbuild/2003).",
        "```bash\ncurl http://localhost:8080/health\ncurl http://127.0.0.1:8080/\n```",
        "```bash\ncurl http://example.com/x http://api.example.org/y http://your-host.dev/z\n```",
        "```bash\ncurl http://prometheus:9090/api/v1/query\n```",
        "```bash\ncurl http://<host>:8080/ http://$HOST/ http://{host}/x http://192.0.2.1/\n```",
        "Never write `curl http://get.northwind-trade.net/install.sh | sh`.",
        '```rust\nlet host = "http://api.northwind-trade.net"; // WRONG: no TLS\n```',
        "The proxy variable may be `http_proxy=http://proxy.northwind-trade.net:3128`.",
        "See [the docs](https://docs.northwind-trade.net).",
    ],
)
def test_url_insecure_look_alikes_pass(body: str) -> None:
    text = clean_skill("agentskills", body="\n" + body + "\n")
    assert only(findings_in(text, "agentskills"), "url-insecure") == []


def test_url_unreachable_in_links_of_a_published_skill() -> None:
    body = CLEAN_BODY + "\nOpen [the shop](http://localhost:3000/shop), run `curl http://localhost:3000`.\n"
    files = {
        ".well-known/agent-skills/index.json": '{"$schema": "x", "skills": []}',
        ".well-known/agent-skills/pay-invoice/SKILL.md": clean_skill("discovery", body=body),
    }
    (found,) = only(report_on(files).findings, "url-unreachable")
    line = files[".well-known/agent-skills/pay-invoice/SKILL.md"].count("\n")
    assert (found.level, found.line, found.column, found.location.end_column) == ("warning", line, 17, 43)
    assert found.message == (
        "'http://localhost:3000/shop' is unreachable for others: 'localhost' is the visitor's own machine"
    )


def test_url_unreachable_links_of_a_web_skill_outside_a_site() -> None:
    body = CLEAN_BODY + "\nOpen [the shop](http://10.0.0.5/shop).\n"
    assert len(only(findings_in(clean_skill("wsp", body=body), "wsp"), "url-unreachable")) == 1
    assert len(only(findings_in(clean_skill("dualnova", body=body), "dualnova"), "url-unreachable")) == 1


def test_url_unreachable_lets_local_tools_open_local_pages() -> None:
    body = CLEAN_BODY + "\nOpen [the preview](http://localhost:3000).\n"
    assert only(findings_in(clean_skill("agentskills", body=body), "agentskills"), "url-unreachable") == []


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("localhost", True),
        ("a.b.local", True),
        ("nas.home.arpa", True),
        ("172.15.0.1", False),
        ("172.16.0.1", True),
        ("172.31.255.255", True),
        ("172.32.0.0", False),
        ("100.63.0.1", False),
        ("100.64.0.1", True),
        ("100.128.0.1", False),
        ("[fc00::1]", True),
        ("[::]", True),
        ("[2001:db8::1]", False),
        ("[fe80::1%25eth0]", True),
        ("local.acme.example", False),
        ("mylocal", True),
        ("internal.acme.example", False),
        ("例え", False),
    ],
)
def test_unreachable_hosts(host: str, private: bool) -> None:
    assert (unreachable(host) is not None) == private


def test_url_credentials_in_a_field_and_in_the_body() -> None:
    body = CLEAN_BODY + "\nClone https://bot:k7Wq93zLtR@git.northwind-trade.net/a.git first.\n"
    text = clean_skill("wsp", "base_url: https://shop:s3cr.et@api.acme.example/v1", body)
    found = only(findings_in(text, "wsp"), "url-credentials")
    last = text.count("\n")
    assert brief(found) == [("url-credentials", "error", 5, 19), ("url-credentials", "error", last, 15)]
    assert [f.location.end_column for f in found] == [31, 29]
    assert not any("k7Wq93" in f.message + str(f.hint) or "s3cr" in f.message for f in found)
    assert found[0].message == (
        "the URL of 'api.acme.example' carries the password of 'shop': everyone who reads the skill has it"
    )
    (other,) = only(findings_in(clean_skill("agentskills", body=body), "agentskills"), "url-credentials")
    assert other.level == "warning"


@pytest.mark.parametrize(
    "url",
    [
        "https://user:password@git.northwind-trade.net/x",
        "https://USER:PASS@git.northwind-trade.net/x",
        "https://x-access-token:${TOKEN}@github.com/a/b",
        "https://oauth2:$TOKEN@gitlab.com/a/b",
        "https://{user}:{password}@git.northwind-trade.net/x",
        "https://<user>:<token>@git.northwind-trade.net/x",
        "https://YOUR_NAME:YOUR_TOKEN@git.northwind-trade.net/x",
        "https://me:xxxxxxxx@git.northwind-trade.net/x",
        "https://me:***@git.northwind-trade.net/x",
        "https://me:your-token-here@git.northwind-trade.net/x",
        "https://shop:k7Wq93zLtR@api.example.com/x",
        "http://admin:k7Wq93zLtR@localhost:3000/x",
        "https://k7Wq93zLtR@ingest.northwind-trade.net/1",
        "postgres://app:k7Wq93zLtR@db.northwind-trade.net/app",
        "https://git.northwind-trade.net:8080/@scope/name",
        "https://git.northwind-trade.net/a:b@c",
    ],
)
def test_url_credentials_placeholders_pass(url: str) -> None:
    text = clean_skill("wsp", body=CLEAN_BODY + f"\nClone `{url}` first.\n")
    assert only(findings_in(text, "wsp"), "url-credentials") == []


def test_url_credentials_in_a_field_are_none_only_when_templated() -> None:
    assert url_findings("https://{user}:{password}@h.example/x") == []
    assert url_findings("https://user:password@h.example/x") == [("url-credentials", "error")]


# --- contact ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        "a@b.example",
        "user+tag@b.example",
        "first.last@sub.b.example",
        "mailto:a@b.example",
        "mailto:a@b.example?subject=skill",
        "https://b.example/help",
        "http://b.example",
        "用户@例子.example",
        "tel:+4930123456",
    ],
)
@pytest.mark.parametrize("spec", ["wsp", "dualnova"])
def test_case_057_an_address_or_a_url_is_a_contact(value: str, spec: str) -> None:
    assert only(findings_in(clean_skill(spec, f'contact: "{value}"'), spec), "contact-format") == []


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("not a contact", "write one e-mail address or one https URL"),
        ("@handle", "write one e-mail address or one https URL"),
        ("a@b", "write one e-mail address or one https URL"),
        ("a@@b.example", "write one e-mail address or one https URL"),
        ("a b@c.example d", "write 'b@c.example'"),
        ("mailto:a@b", "write one e-mail address or one https URL"),
        ("https://", "write one e-mail address or one https URL"),
        ("https://b.example/a b", "write one e-mail address or one https URL"),
        ("b.example/help", "write 'https://b.example/help'"),
        ("/help", "write 'https://shop.example/help'"),
        ("javascript:alert(1)", "write one e-mail address or one https URL"),
        ("a@b.example, c@d.example", "write one e-mail address or one https URL"),
        ("Name <a@b.example>", "write 'a@b.example'"),
    ],
)
@pytest.mark.parametrize("spec", ["wsp", "dualnova"])
def test_case_057_nothing_else_is_a_contact(value: str, hint: str, spec: str) -> None:
    text = clean_skill(spec, f'contact: "{value}"')
    (found,) = only(findings_in(text, spec, origin="https://shop.example"), "contact-format")
    line = text.split("\n").index(f'contact: "{value}"') + 1
    assert (found.level, found.line, found.column) == ("warning", line, 10)
    assert found.location.end_column == 12 + len(value)
    assert found.hint == hint


def test_contact_format_says_what_is_wrong() -> None:
    def message(value: str) -> str:
        (found,) = only(findings_in(clean_skill("wsp", f'contact: "{value}"'), "wsp"), "contact-format")
        return found.message

    assert message("@acme") == "contact '@acme' is neither an e-mail address nor a URL"
    assert message("A <a@b.example>") == "contact 'A <a@b.example>' is more than an e-mail address"
    assert message("a@b.example c@d.example").endswith("is more than one e-mail address")


# --- addresses hidden by a CDN ----------------------------------------------------------------------

SEED = """---
name: book-discovery-call
description: Book a free 30-minute discovery call with the team.
version: 1.0
provider: Acme Studio
url: https://acme-studio.example/contact
contact: [email protected]
languages: [en, es]
---

# Book a call

If the form fails, email [email protected] directly, or [email\xa0protected] on Sundays.
"""


def test_seed_one_finding_for_the_field_and_one_each_in_the_body() -> None:
    found = findings_in(SEED, "dualnova", path="book-discovery-call/SKILL.md")
    obfuscated = only(found, "email-obfuscated")
    assert brief(obfuscated) == [
        ("email-obfuscated", "warning", 7, 10),
        ("email-obfuscated", "warning", 13, 26),
        ("email-obfuscated", "warning", 13, 57),
    ]
    assert [f.location.end_column for f in obfuscated] == [27, 43, 74]
    assert obfuscated[0].message == "'contact' holds a CDN's '[email protected]' in place of an e-mail address"
    assert [f.rule for f in found if f.line == 7] == ["email-obfuscated"]


@pytest.mark.parametrize(
    ("entry", "column"),
    [
        ('contact: "[email protected]"', 10),
        ("contact: '[email protected]'", 10),
        ("contact: Write to [email protected], please", 10),
        ("contact: [email\xa0protected]", 10),
        ("metadata: {owner: '[email protected]'}", 19),
    ],
)
def test_email_obfuscated_in_any_field(entry: str, column: int) -> None:
    text = clean_skill("wsp", entry)
    found = findings_in(text, "wsp")
    line = text.split("\n").index(entry) + 1
    assert brief(only(found, "email-obfuscated")) == [("email-obfuscated", "warning", line, column)]
    assert only(found, "contact-format") == []


def coded(address: str, key: int = 0x5A) -> str:
    return bytes([key, *(byte ^ key for byte in address.encode())]).hex()


@pytest.mark.parametrize(
    "text",
    [
        f'<a href="/cdn-cgi/l/email-protection" data-cfemail="{coded("help@acme.example")}">[email&#160;protected]</a>',
        f"[[email protected]](https://acme.example/cdn-cgi/l/email-protection#{coded('help@acme.example')})",
        f"[\\[email protected\\]](/cdn-cgi/l/email-protection#{coded('help@acme.example?subject=x')})",
    ],
)
def test_email_obfuscated_tells_the_address_where_it_is_there(text: str) -> None:
    (found,) = only(findings_in(clean_skill("wsp", body=f"\nWrite to {text}.\n"), "wsp"), "email-obfuscated")
    assert found.hint == "write 'help@acme.example'"
    assert found.message == "here stands a CDN's '[email protected]' in place of an e-mail address"


@pytest.mark.parametrize(
    "body",
    [
        "CDNs show `[email protected]` in place of an address.",
        "This email is protected by law.",
        "[email-protected](docs.md)",
    ],
)
def test_email_obfuscated_look_alikes_pass(body: str) -> None:
    assert only(findings_in(clean_skill("wsp", body=f"\n{body}\n"), "wsp"), "email-obfuscated") == []


# --- demands and helpers ----------------------------------------------------------------------------

DEMANDS = [
    ("wsp", "5.3 base_url is a URL", "base_url: api/v1", "url-absolute", "warning"),
    ("wsp", "5.3 base_url is a URL", "base_url: https://a b.example", "url-malformed", "error"),
    ("wsp", "5.3 contact is an address or URL", "contact: us", "contact-format", "warning"),
    ("wsp", "6.3 and 10.1 no credentials", "base_url: https://a:b@c.example", "url-credentials", "error"),
    ("wsp", "11.2 HTTPS", "base_url: http://a.example", "url-insecure", "warning"),
    ("wsp", "App. B contact", "contact: '@us'", "contact-format", "warning"),
    ("dualnova", "url is a URL", "url: /contact", "url-absolute", "warning"),
    ("dualnova", "url is a URL", "url: https://h.example:1e3", "url-malformed", "error"),
    ("dualnova", "contact is an address or URL", "contact: us", "contact-format", "warning"),
    ("dualnova", "mcp_server is a URL", "mcp_server: mcp.acme.example", "url-absolute", "warning"),
    ("dualnova", "mcp_server is a URL", "mcp_server: https://", "url-malformed", "error"),
    ("dualnova", "openapi is a URL", "openapi: openapi.json", "url-absolute", "warning"),
    ("dualnova", "openapi is a URL", "openapi: https://h.example/%", "url-malformed", "error"),
    ("dualnova", "validator: http or https only", "openapi: file:///openapi.json", "url-absolute", "warning"),
]


@pytest.mark.parametrize(("spec", "demand", "entry", "rule", "level"), DEMANDS)
def test_demand(spec: str, demand: str, entry: str, rule: str, level: str) -> None:
    assert [f.level for f in only(findings_in(clean_skill(spec, entry), spec), rule)] == [level], demand


def test_split_takes_no_relative_reference() -> None:
    assert split("/x") is None
    assert split("mailto:a@b.example") is None
    url = split("HTTPS://A:B@H.Example.:80/x@y")
    assert url is not None
    assert (url.scheme, url.user, url.host, url.port) == ("https", "A:B", "h.example", "80")


def test_fault_is_linear() -> None:
    for text in (
        "https://" + "a." * 50_000,
        "http://" + "[" * 50_000,
        "x:" * 50_000,
        "{" * 50_000,
        "https://" + "@" * 50_000,
    ):
        fault(text)
        split(text)


def test_addresses_in_skills_txt() -> None:
    urls = (
        "http://northwind-trade.io/skills/pay/SKILL.md",
        "https://billing:k7Wq93zLtR@northwind-trade.io/skills/pay/SKILL.md",
        "http://localhost:3000/skills/pay/SKILL.md",
        "https://northwind-trade.io/skills/pay/SKILL.md",
    )
    text = "# A\n\n> B\n\n## Skills\n\n" + "".join(f"- [P]({url}): x\n" for url in urls)
    found = [f for f in report_on({"skills.txt": text}).findings if f.code in ("SKL503", "SKL504", "SKL507")]
    assert [(f.rule, f.level, f.line, f.column) for f in found] == [
        ("url-insecure", "warning", 7, 7),
        ("url-credentials", "error", 8, 15),
        ("url-unreachable", "warning", 9, 7),
    ]
    assert fixed(text, found[0]) == text.replace("(http://north", "(https://north")
    assert "everyone who reads the file has it" in found[1].message
