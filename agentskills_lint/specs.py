"""The dialects: their addresses, the fields they know, the fields that clients know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

AGENTSKILLS = "https://agentskills.io/specification"
DISCOVERY = "https://github.com/cloudflare/agent-skills-discovery-rfc"
DUALNOVA = "https://github.com/DualNova/agent-skills/blob/main/spec/SPEC.md"
WSP = "https://github.com/0xtresser/Web-Skills-Protocol/blob/main/SPEC.md"

KEBAB = "[a-z0-9]+(?:-[a-z0-9]+)*"
"""Lowercase words joined by single hyphens, as a regular expression for the whole text."""

SEMVER_NUMBER = "(?:0|[1-9][0-9]*)"
SEMVER_SUFFIX = (
    r"(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
SEMVER = rf"{SEMVER_NUMBER}\.{SEMVER_NUMBER}\.{SEMVER_NUMBER}{SEMVER_SUFFIX}"
"""A version by semver.org, as a regular expression for the whole text."""

SEMVER_LIKE = rf"[0-9]+(?:\.[0-9]+){{0,2}}{SEMVER_SUFFIX}"
"""One, two or three numbers and what semver.org allows behind them."""

SCHEMA_URI = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
"""The `$schema` of an index of discovery 0.2.0, an opaque string (discovery 0.2, Versioning)."""


class Field(NamedTuple):
    """What a spec's table says of a field of the frontmatter, of an index or of its entries.

    `type` is "text", "version" (text that YAML readers may take for a number), "boolean", "texts" (a list of
    texts), "map", "map of texts", "entries" or "absent" (must not be there). `max` counts code points, `words`
    are all values that are allowed, `form` is a regular expression for the whole text, `holds` has to be among
    the texts of a list. An optional field without a value counts as absent unless it is `filled`. `about` and
    `example` are for editors.
    """

    name: str
    about: str
    type: str = "text"
    required: bool = False
    filled: bool = False
    max: int | None = None
    words: tuple[str, ...] = ()
    form: str = ""
    holds: str = ""
    example: str = ""


_FORMAT_FIELDS = (
    Field(
        "name", "Lowercase words joined by single hyphens, the same as the name of the skill's folder",
        required=True, max=64, form=KEBAB, example="pay-invoice",
    ),
    Field(
        "description", "What the skill does and when to use it: all that an agent sees before it decides",
        required=True, max=1024, example="Pays an open invoice by card. Use when the user wants to pay an invoice.",
    ),
    Field("license", "The name of a licence, or that of a file with its text", example="MIT"),
    Field("compatibility", "What the skill needs to run, such as a product, packages or network access",
          filled=True, max=500),
    Field("metadata", "Further keys of your own or of a client, with text as their values", "map of texts"),
    Field("allowed-tools", "The tools that are approved beforehand, separated by blanks", example="Bash(git:*) Read"),
)  # fmt: skip

_DUALNOVA_FIELDS = (
    Field("name", "Lowercase words joined by single hyphens, the same as the name of the skill's folder",
          required=True, form=KEBAB, example="pay-invoice"),
    Field("description", "One sentence that says what the skill helps the user to do", required=True),
    Field("version", "The version of the instructions, such as 1.0.0", "version", True, form=SEMVER_LIKE,
          example="1.0.0"),
    Field("provider", "The site or organisation that publishes the skill"),
    Field("url", "Where the user lands to execute the skill", example="https://acme.example/pay"),
    Field("contact", "An e-mail address or a URL for support", example="help@acme.example"),
    Field("languages", "The languages in which the skill is offered, as BCP 47 tags", "texts", filled=True,
          example="en"),
    Field("requires_auth", "Whether the user has to sign in; false where it is left out", "boolean"),
    Field("requires_payment", "Whether money changes hands; false where it is left out", "boolean"),
    Field("mcp_server", "The URL of an MCP server that can execute the skill", example="https://acme.example/mcp"),
    Field("openapi", "The URL of an OpenAPI document of the API behind the skill"),
)  # fmt: skip

_WSP_FIELDS = (
    Field("name", "Lowercase words joined by single hyphens, the same as the name of the skill's folder",
          required=True, form=KEBAB, example="pay-invoice"),
    Field("description", "What the skill does, when to use it and for what it is not meant", required=True),
    Field("version", "The version of the skill: three numbers, as semver.org has it", "text", True,
          form=SEMVER, example="1.0.0"),
    Field("author", "The person or organisation that publishes the skill"),
    Field("api_version", "The version of the API behind the skill, as text", example="2026-03-01"),
    Field("auth", "How requests are authenticated", words=("none", "api-key", "bearer", "oauth2")),
    Field("rate_limit", "How often the API may be called: `agent` for agents, `api` for everyone", "map"),
    Field("base_url", "Where API calls go, if not to the site itself", example="https://api.acme.example/v1"),
    Field("contact", "An e-mail address or a URL for questions about the skill", example="help@acme.example"),
)  # fmt: skip

SKILL_FIELDS: dict[str, tuple[Field, ...]] = {
    "agentskills": _FORMAT_FIELDS,
    "discovery": _FORMAT_FIELDS,
    "dualnova": _DUALNOVA_FIELDS,
    "wsp": _WSP_FIELDS,
}
"""The fields of the frontmatter by spec."""


class IndexTable(NamedTuple):
    """The fields of an index.json of one dialect and those of its entries."""

    title: str
    url: str
    fields: tuple[Field, ...]
    entry: tuple[Field, ...]

    def missing(self, keys: Iterable[str]) -> list[str]:
        """The required fields of the index itself that are not among the keys."""
        return _missing(self.fields, keys)

    def missing_in_entry(self, keys: Iterable[str]) -> list[str]:
        """The required fields of an entry that are not among the keys."""
        return _missing(self.entry, keys)


def _missing(fields: tuple[Field, ...], keys: Iterable[str]) -> list[str]:
    there = frozenset(keys)
    return [field.name for field in fields if field.required and field.name not in there]


_ENTRY_NAME = Field(
    "name", "The name of the skill, as its SKILL.md has it", required=True, form=KEBAB, example="pay-invoice"
)

INDEXES: dict[str, IndexTable] = {
    "discovery-0.2": IndexTable(
        "Agent Skills Discovery 0.2", DISCOVERY + "#index-format",
        (
            Field("$schema", "Says that the index follows version 0.2.0; compared letter by letter", required=True,
                  words=(SCHEMA_URI,), example=SCHEMA_URI),
            Field("skills", "One entry for each skill that the site publishes", "entries", True),
        ),
        (
            _ENTRY_NAME._replace(max=64),
            Field("type", "skill-md for a single SKILL.md, archive for a bundle of files", required=True,
                  words=("skill-md", "archive"), example="skill-md"),
            Field("description", "What the skill does and when to use it, the same text as in its SKILL.md",
                  required=True, max=1024, example="Pays an open invoice by card."),
            Field("url", "Where the SKILL.md or the archive is, absolute or seen from the index", required=True,
                  example="/.well-known/agent-skills/pay-invoice/SKILL.md"),
            Field("digest", "SHA-256 of the file's bytes", required=True, form="sha256:[0-9a-f]{64}",
                  example="sha256:" + 16 * "9f2c"),
        ),
    ),
    "discovery-0.1": IndexTable(
        "Agent Skills Discovery 0.1", DISCOVERY + "#v010",
        (
            Field("$schema", "Clients read an index as version 0.1 only where it has none", "absent"),
            Field("skills", "One entry for each skill that the site publishes", "entries", True),
        ),
        (
            _ENTRY_NAME._replace(max=64, about="The name of the skill and of its folder below /.well-known/skills/"),
            Field("description", "What the skill does and when to use it", required=True, max=1024,
                  example="Pays an open invoice by card."),
            Field("files", "The paths of all files of the skill, seen from its folder, SKILL.md first", "texts", True,
                  holds="SKILL.md", example="SKILL.md"),
        ),
    ),
    "dualnova-0.1": IndexTable(
        "DualNova's Agent Skills draft 0.1", DUALNOVA + "#index-fields",
        (
            Field("version", "The version of the draft that the index follows", required=True, words=("1.0",),
                  example="1.0"),
            Field("provider", "The name of the site or organisation", required=True, example="Acme"),
            Field("provider_url", "The address of the site", required=True, example="https://acme.example"),
            Field("skills", "One entry for each skill that the site publishes", "entries", True),
            Field("contact", "An e-mail address or a URL for questions about the skills", example="help@acme.example"),
            Field("description", "One paragraph about the skills of the site"),
        ),
        (
            _ENTRY_NAME,
            Field("title", "A title that people read", required=True, example="Pay an invoice"),
            Field("description", "One sentence that says what the skill does", required=True,
                  example="Pays an open invoice by card."),
            Field("url", "The absolute address of the SKILL.md", required=True,
                  example="https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md"),
            Field("tags", "Lowercase words for search", "texts", example="billing"),
            Field("languages", "The languages in which the skill is offered, as BCP 47 tags", "texts", example="en"),
            Field("execution_url", "The page on which the user executes the skill", example="https://acme.example/pay"),
        ),
    ),
}  # fmt: skip
"""The dialects of index.json."""


class Spec(NamedTuple):
    """A specification or a profile: its address, the frontmatter fields that it knows."""

    title: str
    url: str
    fields: frozenset[str]


def _names(fields: tuple[Field, ...]) -> frozenset[str]:
    return frozenset(field.name for field in fields)


SPECS: dict[str, Spec] = {
    "agentskills": Spec("Agent Skills format", AGENTSKILLS, _names(_FORMAT_FIELDS)),
    "discovery": Spec("Agent Skills Discovery via Well-Known URIs", DISCOVERY, _names(_FORMAT_FIELDS)),
    "dualnova": Spec("Agent Skills draft 0.1 by DualNova", DUALNOVA, _names(_DUALNOVA_FIELDS)),
    "wsp": Spec("Web Skills Protocol 0.1", WSP, _names(_WSP_FIELDS)),
    "advice": Spec("our advice", "", frozenset()),
    "claude": Spec(
        "Claude's own limits",
        "https://platform.claude.com/docs/en/agents-and-tools/agent-skills/overview",
        _names(_FORMAT_FIELDS),
    ),
}

BUILDS_ON = {"discovery": "agentskills", "wsp": "agentskills", "claude": "agentskills"}
"""Specs whose skills answer to another spec's format as well."""

TELLING_FIELDS: dict[str, frozenset[str]] = {
    "wsp": frozenset({"auth", "rate_limit", "base_url"}),
    "dualnova": frozenset({"provider", "languages", "requires_auth", "requires_payment", "mcp_server", "openapi"}),
}
"""Fields by which a skill outside every registry shows the web convention it follows."""

_CLAUDE_CODE = "Claude Code"
_OPENCLAW = "OpenClaw"
_HERMES = "Hermes"
_KIMI = "Kimi Code"

CLIENT_FIELDS: dict[str, str] = {
    # https://code.claude.com/docs/en/skills#frontmatter-reference
    "when_to_use": _CLAUDE_CODE, "argument-hint": _CLAUDE_CODE, "arguments": _CLAUDE_CODE,
    "disable-model-invocation": _CLAUDE_CODE, "user-invocable": _CLAUDE_CODE, "disallowed-tools": _CLAUDE_CODE,
    "model": _CLAUDE_CODE, "effort": _CLAUDE_CODE, "context": _CLAUDE_CODE, "agent": _CLAUDE_CODE,
    "background": _CLAUDE_CODE, "hooks": _CLAUDE_CODE, "paths": _CLAUDE_CODE, "shell": _CLAUDE_CODE,
    # https://docs.openclaw.ai/tools/skills#optional-frontmatter-keys
    "homepage": _OPENCLAW, "command-dispatch": _OPENCLAW, "command-tool": _OPENCLAW, "command-arg-mode": _OPENCLAW,
    # https://hermes-agent.nousresearch.com/docs/developer-guide/creating-skills
    "platforms": _HERMES, "required_environment_variables": _HERMES, "required_credential_files": _HERMES,
    "prerequisites": _HERMES,
    # https://moonshotai.github.io/kimi-code/en/customization/skills
    "whenToUse": _KIMI, "disableModelInvocation": _KIMI,
}  # fmt: skip
"""Top-level keys that a client documents, with the client; the line above each group is the source.

Codex reads `name` and `description` alone (https://developers.openai.com/codex/skills): its other
settings stand in agents/openai.yaml. `requires`, `emoji` and their like are documented below
`metadata.openclaw` and `related_skills` below `metadata.hermes`, never at the top level; `tools` and
`color` belong to Claude Code's agents. Kimi Code's `type` is too common a word to tell a client.
"""

CLIENT_NAMESPACES = frozenset(
    {"openclaw", "clawdbot", "clawdis", "moltbot", "clawhub", "clawdhub", "hermes", "internal"}
)
"""Keys of `metadata` under which clients document values that are no strings.

OpenClaw and its former names (https://docs.openclaw.ai/tools/skills#gating,
https://github.com/openclaw/clawhub/blob/main/docs/skill-format.md), Hermes (see above),
`internal: true` of the skills installer (https://github.com/vercel-labs/skills).
"""


def known_fields(specs: frozenset[str]) -> frozenset[str]:
    """The frontmatter fields that at least one of the specs knows, or a spec that one of them builds on."""
    bases = (BUILDS_ON[spec] for spec in specs if spec in BUILDS_ON)
    return frozenset().union(*(SPECS[spec].fields for spec in (*specs, *bases) if spec in SPECS))
