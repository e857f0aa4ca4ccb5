"""Fixing random skills and sites: no fix is dropped, nothing gets worse, a second run changes nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentskills_lint.config import Config
from agentskills_lint.documents import Skill
from agentskills_lint.fixes import Fixed, fix
from agentskills_lint.rule import load_rules
from agentskills_lint.sources import Memory
from tests.support import CLEAN_BODY, skill_text

RULES = load_rules()
LINE_ENDS = ("mixed-line-endings", "crlf-line-endings")

VALUES = (
    "pay", "Pay_Invoice", "pay--x", "pay-invoice", "a: b", "a #b", "a # b", "#b", "'q", '"q', "'it's'", '"a "b" c"',
    "no", "1.10", "1.0", "2026-01-01", "~", "", " ", "[a, b]", "[a, b", "{a: 1}", "{{x}}", "- x", "|", "|-\n  text",
    ">-\n  folded\n  text", "\n  - a\n  - no", "en_US", "EN", "iw", "en, de", "[en, EN, de_AT]", "[no, 'iw'] # two",
    '["en", "es"]', "\n  - en # one\n  - EN\n  - pt-br", "http://acme.example", "HTTPS://Acme.example/x y",
    "acme.example", "mailto:a@acme.example", "a@acme.example", "none", "apikey", "'Bearer' # x", "20/min",
    "20 per minute", '"20/min"', "agent: 20/minute", "\n  agent: 20/min\n  api: 5", "\n  agents: 20 per minute # x",
    "{agent: 10 rps}", "Bash, Read", "[Bash, Read]", "\n  - Bash\n  - Read", "\n  - Bash # x\n  - Read",
    "Bash(git add:*) Read", "true", "'true'", "@x", "`x`", "%x", "*x", "&x y", "!x", "!!str 1", "? x", "x:", "日本",
    "a\tb", "v1.0.0", "'v1.2'", "1", "1.0.0.0", "x" * 1100, "a\n  b: c", "a\n b", "a\nb", "'a\n  b'",
    "Pays: an invoice.\n  Use when: asked.", "\n  version: 1.10\n  on: yes", "pay\\x", '"\\d"', "C:\\x", "a\u2028b",
    "\ufeffa", "\u00a0a", "<b>x</b> Use when asked to pay.",
)  # fmt: skip
KEYS = (
    "name", "description", "version", "languages", "auth", "rate_limit", "base_url", "provider", "url", "contact",
    "license", "allowed-tools", "metadata", "compatibility", "requires_auth", "requires_payment", "openapi",
    "mcp_server", "author", "api_version", "Name", "desciption", "allowed_tools", "argument-hint", "tags",
    "user-invocable", "when_to_use", '"version"', "'auth'", "rate-limit", "baseUrl", "on", "languages ", "Rate_Limit",
    "apiVersion",
)  # fmt: skip
LINES = (
    "# Pay", "## Steps", "text  ", "```", "~~~sh", "<b>x</b>", "[a](b.md)", "[a](references\\x.md)", "\ufeff",
    "a\u200bb", "\x07", "- item", "| a |", "---", "<!-- agentskills-lint: ignore[name-kebab-case] -->",
    "curl http://localhost:3000", "", "\t", "[a](references/A.md)", "[a]: refs/a.md", "![](a%20b.md)",
    "<!-- agentskills-lint: ignore[nothing, SKL201] -->", "see http://acme.example/x",
    "<!-- agentskills-lint: ignore-file[link-broken] -->", "curl -H 'Authorization: Bearer x' /a",
)  # fmt: skip
STARTS = ("", "", "", "", "\ufeff", "\n", "<!-- made -->\n", "\n\n<!-- a -->\n")
FENCES = ("---", "---", "---", "--- ", "---\t")
LAYOUTS: tuple[dict[str, Any], ...] = ({"indent": 2}, {}, {"separators": (",", ":")}, {"indent": "\t"}, {"indent": 4})
NAMES = ("pay", "buy-now", "Refund_It", "no", "café")
SPECS = ("agentskills", "discovery", "dualnova", "wsp", "claude")
SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
WELL_KNOWN = ".well-known/agent-skills"

fronts = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=6)
bodies = st.lists(st.sampled_from(LINES), max_size=6)
ends = st.sampled_from(["\n", "\r\n"])
specs = st.sets(st.sampled_from(SPECS), min_size=1)


def text_of(start: str, fence: str, front: list[tuple[str, str]], body: list[str], end: str) -> bytes:
    """A SKILL.md of random parts before the body of a clean one."""
    lines = "\n".join(f"{key}: {value}" for key, value in front)
    text = skill_text(lines, "\n".join(["", *body, CLEAN_BODY])).replace("---", fence, 1)
    return (start + text).replace("\n", end).encode()


skills = st.builds(text_of, st.sampled_from(STARTS), st.sampled_from(FENCES), fronts, bodies, ends)


class Change(NamedTuple):
    """A fault of an index: the key of an entry (or of the root) and another value, None to leave it out."""

    key: str
    value: Any


ENTRY_CHANGES = tuple(
    Change(key, value)
    for key, values in {
        "name": (None, "", "Pay_Invoice", "pay", "buy", "ünï", 1, "no"),
        "description": (None, "", "Other words. Use when asked.", 5, "a\nb"),
        "type": (None, "skill", "SKILL-MD", "archive"),
        "url": (
            None, "", "pay/skill.md", "/.well-known/agent-skills/pay/SKILL.md", "http://acme.example/x", "../x",
            "a b/SKILL.md", "https://acme.example/.well-known/agent-skills/pay/SKILL.md", "pay/SKILL.md",
            "gone/SKILL.md",
        ),
        "digest": (None, "", "sha256:" + "0" * 64, "sha256:" + "A" * 64, "sha256-" + "A" * 43 + "=", "a" * 64, "LATER"),
        "sha256": ("a" * 64, "REAL"),
        "languages": (["en", "EN"], ["iw"], [], ["en_US", "no"], "en", ["de"]),
        "tags": (["Pay", "pay"], "x", ["OK"]),
        "execution_url": ("https://acme.example/other", "x"),
        "files": (["SKILL.md"], ["references/a.md", "SKILL.md"], [], ["references/gone.md"]),
        "title": ("Pay", ""),
        "version": ("1.0.0",),
        "\u00e9": ("x",),
    }.items()
    for value in values
)  # fmt: skip
ROOT_CHANGES = tuple(
    Change(key, value)
    for key, values in {
        "$schema": (None, "x", "https://schemas.agentskills.io/discovery/0.1.0/schema.json"),
        "version": (None, "1.0", "0.1", 1),
        "provider": (None, "Acme", ""),
        "provider_url": (None, "https://acme.example", "acme"),
        "generated": ("2026-01-01",),
    }.items()
    for value in values
)


class Listed(NamedTuple):
    """A skill of a random site: its folder, its text, the faults of its entry in the index."""

    name: str
    raw: bytes
    changes: list[Change]


def entry_of(skill: Listed, dialect: str) -> dict[str, Any]:
    """The right entry of a skill, and then its faults."""
    document = Skill("x", "/x", skill.raw, None)
    digest = hashlib.sha256(skill.raw).hexdigest()
    entry: dict[str, Any] = {
        "name": document.value("name") or skill.name,
        "description": document.value("description") or "Pays. Use when asked.",
    }
    if dialect != "0.1":
        entry |= {"type": "skill-md", "url": f"{skill.name}/SKILL.md", "digest": f"sha256:{digest}"}
    else:
        entry["files"] = ["SKILL.md"]
    if dialect in ("dualnova", "both"):
        entry |= {"title": "Pay", "url": f"https://acme.example/{WELL_KNOWN}/{skill.name}/SKILL.md", "version": "1.0.0"}
        entry["languages"] = ["en"]
    for key, value in skill.changes:
        entry.pop(key, None)
        if value is not None:
            entry[key] = value if value != "REAL" else digest
    return entry


def site_of(
    listed: list[Listed],
    unlisted: bytes | None,
    dialect: str,
    changes: list[Change],
    layout: dict[str, Any],
    end: str,
    mark: str,
    text: list[str] | None,
    llms: str | None,
) -> dict[str, bytes]:
    """The files of a random site."""
    root: dict[str, Any] = {"$schema": SCHEMA} if dialect in ("0.2", "both") else {}
    if dialect in ("dualnova", "both"):
        root |= {"version": "1.0", "provider": "Acme", "provider_url": "https://acme.example"}
    for key, value in changes:
        root.pop(key, None)
        if value is not None:
            root[key] = value
    root["skills"] = [entry_of(skill, dialect) for skill in listed]
    index = json.dumps(root, ensure_ascii=False, **layout)
    files = {f"{WELL_KNOWN}/index.json": (mark + index + "\n").replace("\n", end).encode()}
    files |= {f"{WELL_KNOWN}/{skill.name}/SKILL.md": skill.raw for skill in listed}
    if unlisted is not None:
        files[f"{WELL_KNOWN}/new-one/SKILL.md"] = unlisted
        files[f"{WELL_KNOWN}/new-one/references/a.md"] = b"# A\n"
    if text is not None:
        files["skills.txt"] = (mark + "\n".join(text) + "\n").replace("\n", end).encode()
        files["skills/pay/SKILL.md"] = files["skills/refund/SKILL.md"] = text_of(
            "", "---", [("name", "pay"), ("description", "Pays. Use when asked."), ("version", "1.0.0")], [], "\n"
        )
    if llms is not None:
        files["llms.txt"] = llms.replace("\n", end).encode()
    return files


TEXT_LINES = (
    "# Acme", "> Skills of Acme", "", "## Skills", "- [Pay](/skills/pay/SKILL.md): Pays.",
    "* [Pay](/skills/pay/SKILL.md) - Pays.", "- [Pay](skills/pay/skill.md)",
    "- [Refund](/skills/refund/SKILL.md) Refunds", "+ [Gone](/skills/gone/SKILL.md) — Gone",
    "- [Pay](https://acme.example/skills/pay/SKILL.md): Pays.", "- [X](http://x.example/skills/x/SKILL.md): X",
    "- item", "text", "1. [Pay](/skills/pay/SKILL.md): Pays.", "  - [Pay](/skills/pay/SKILL.md) \u2013 Pays.",
    "- [Pay](</skills/pay/SKILL.md>): Pays.", "- [Pay](/skills/pay/): Pays.", "- [Pay](/agents/pay/SKILL.md)",
    "<!-- note -->", "```", "-\t[Pay](/skills/pay/SKILL.md)  :  x",
)  # fmt: skip

plain = st.builds(
    text_of,
    st.sampled_from(STARTS[:6]),
    st.just("---"),
    st.lists(st.tuples(st.sampled_from(KEYS[:14]), st.sampled_from(VALUES)), max_size=3).map(
        lambda more: [("name", "pay"), ("description", "Pays an invoice. Use when asked to pay."), *more]
    ),
    st.just([]),
    ends,
)
listings = st.builds(Listed, st.sampled_from(NAMES), plain, st.lists(st.sampled_from(ENTRY_CHANGES), max_size=2))
sites = st.builds(
    site_of,
    st.lists(listings, max_size=3, unique_by=lambda skill: skill.name),
    st.none() | plain,
    st.sampled_from(["0.2", "0.2", "0.1", "dualnova", "both"]),
    st.lists(st.sampled_from(ROOT_CHANGES), max_size=1),
    st.sampled_from(LAYOUTS),
    ends,
    st.sampled_from(["", "", "", "\ufeff"]),
    st.none() | st.lists(st.sampled_from(TEXT_LINES), max_size=6).map(lambda more: ["# Acme", *more]),
    st.none() | st.just("# Acme\n\n> Pays.\n\n## Docs\n\n- [a](/a.md): a\n"),
)


def fixed(files: dict[str, bytes], specs: tuple[str, ...], unsafe: bool, ends: bool) -> Fixed:
    """Fix a tree in memory, by specs that are chosen or detected, with or without the rules on line ends."""
    located = {f"/r/{path}": raw for path, raw in files.items()}
    config = Config(level="note", spec=specs, origin="https://acme.example", ignore=() if ends else LINE_ENDS)
    return fix(["."], config, unsafe=unsafe, source=Memory(located), cwd="/r", rules=RULES)


def parsed(path: str, raw: bytes) -> tuple[Any, Any]:
    """What a file holds: whether it cannot be read, and its keys."""
    if path.endswith("SKILL.md"):
        skill = Skill(path, f"/r/{path}", raw, None)
        items = skill.front.items if skill.front is not None else []
        return skill.fault is not None, {item.key.value for item in items if item.key is not None}
    if path.endswith(".json"):
        try:
            json.loads(raw.decode("utf-8-sig"))
        except ValueError:
            return True, set()
    return False, set()


def faults_of(files: dict[str, bytes], specs: tuple[str, ...], unsafe: bool, ends: bool) -> list[str]:
    """What goes wrong when a tree is fixed; nothing should."""
    first = fixed(files, specs, unsafe, ends)
    after = files | {file.removeprefix("/r/"): change.after for file, change in first.changes.items()}
    faults = [f"dropped: a fix of {rule} in {path}" for path, _, rule, _ in first.dropped]
    faults += [
        f"left: {found.rule} in {found.path}"
        for found in first.report.shown
        if found.fix is not None and (found.fix.safe or unsafe) and found.via is None
    ]
    second = fixed(after, specs, unsafe, ends)
    faults += [f"second run: {change.path}" for change in second.changes.values()]
    for path, raw in files.items():
        (was_faulty, keys), (is_faulty, new_keys) = parsed(path, raw), parsed(path, after[path])
        if is_faulty and not was_faulty:
            faults.append(f"unreadable: {path}")
        if not unsafe and not was_faulty and not keys <= new_keys:
            faults.append(f"lost keys: {path} {sorted(keys - new_keys)}")
        if not ends and b"\n" not in raw.replace(b"\r\n", b"") and b"\n" in after[path].replace(b"\r\n", b""):
            faults.append(f"line ends: {path}")
    return faults


def several(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """So many examples, however long one takes."""
    return settings(max_examples=count, deadline=None, suppress_health_check=list(HealthCheck))


@several(60)
@given(skills, specs, st.booleans(), st.booleans())
def test_fixes_of_skills_are_kept_and_settle(raw: bytes, specs: set[str], unsafe: bool, ends: bool) -> None:
    files = {"pay-invoice/SKILL.md": raw, "pay-invoice/references/a.md": b"# A\n"}
    assert faults_of(files, tuple(sorted(specs)), unsafe, ends) == []


@several(25)
@given(sites, st.booleans(), st.booleans())
def test_fixes_of_sites_are_kept_and_settle(files: dict[str, bytes], unsafe: bool, ends: bool) -> None:
    assert faults_of(files, (), unsafe, ends) == []
