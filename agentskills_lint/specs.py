"""The dialects: their addresses, the fields they know, the fields that clients know."""

from __future__ import annotations

from typing import NamedTuple

AGENTSKILLS = "https://agentskills.io/specification"
DISCOVERY = "https://github.com/cloudflare/agent-skills-discovery-rfc"
DUALNOVA = "https://github.com/DualNova/agent-skills/blob/main/spec/SPEC.md"
WSP = "https://github.com/0xtresser/Web-Skills-Protocol/blob/main/SPEC.md"

_FORMAT_FIELDS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})


class Spec(NamedTuple):
    """A specification or a profile: its address, the frontmatter fields that it knows."""

    title: str
    url: str
    fields: frozenset[str]


SPECS: dict[str, Spec] = {
    "agentskills": Spec("Agent Skills format", AGENTSKILLS, _FORMAT_FIELDS),
    "discovery": Spec("Agent Skills Discovery via Well-Known URIs", DISCOVERY, _FORMAT_FIELDS),
    "dualnova": Spec(
        "Agent Skills draft 0.1 by DualNova",
        DUALNOVA,
        frozenset(
            {
                "name", "description", "version", "provider", "url", "contact", "languages", "requires_auth",
                "requires_payment", "mcp_server", "openapi",
            }
        ),
    ),
    "wsp": Spec(
        "Web Skills Protocol 0.1",
        WSP,
        frozenset(
            {
                "name", "description", "version", "author", "api_version", "auth", "rate_limit", "base_url",
                "contact",
            }
        ),
    ),
    "advice": Spec("our advice", "", frozenset()),
    "claude": Spec(
        "Claude's own limits",
        "https://platform.claude.com/docs/en/agents-and-tools/agent-skills/overview",
        _FORMAT_FIELDS,
    ),
}  # fmt: skip

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
