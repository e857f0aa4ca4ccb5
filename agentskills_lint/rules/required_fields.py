"""Which frontmatter fields must be there."""

from __future__ import annotations

from collections.abc import Iterator

from agentskills_lint.documents import Skill
from agentskills_lint.model import Problem, Related
from agentskills_lint.rule import Ask, must, rule
from agentskills_lint.rules.fields import head, meant
from agentskills_lint.specs import AGENTSKILLS, DISCOVERY, DUALNOVA, WSP
from agentskills_lint.trees import Node
from agentskills_lint.wording import escaped, kebab, shown

_FRONT = ("yaml-syntax", "yaml-not-mapping", "frontmatter-missing", "frontmatter-unclosed", "skill-nested")
_AGENTSKILLS = AGENTSKILLS + "#frontmatter"
_DISCOVERY = DISCOVERY + "#skill-directory-contents"
_DUALNOVA = DUALNOVA + "#frontmatter--required-fields"
_WSP = WSP + "#required-fields"

_ALWAYS = frozenset({"name", "description"})


def _missing(name: str, skill: Skill, instead: str, hint: str) -> Iterator[Problem]:
    """Say that a field is missing, with the key that stands for it where one does."""
    if skill.front is None or skill.field(name) is not None or skill.is_page:
        return
    for node in skill.front.items:
        key = node.key
        if (
            key is not None
            and key.kind == "scalar"
            and (key.value == instead or key.value == name + "s" or meant(key.value, {name}))
        ):
            yield Problem(
                skill.anchor,
                f"the frontmatter has no {name!r}, but {shown(key.value)}",
                related=(Related(key, f"is this the {name}?"),),
                hint=f"write {name!r} instead of {shown(key.value)}",
            )
            return
    yield Problem(skill.anchor, f"the frontmatter has no {name!r}", hint=hint)


def _own_name(skill: Skill) -> str:
    """The name that a skill should have: that of its folder or its archive as far as it can be one."""
    name = skill.folder_name
    if name is None or (skill.folder is not None and skill.folder.is_repository):
        return "my-skill"
    return kebab(name.partition(".")[0] if skill.via is not None else name) or "my-skill"


@rule(
    "name-missing",
    "SKL101",
    on=Skill,
    needs=_FRONT,
    asked_by={
        "agentskills": must(_AGENTSKILLS),
        "discovery": must(_DISCOVERY),
        "dualnova": must(_DUALNOVA),
        "wsp": must(_WSP),
    },
)
def name_missing(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter has no `name`.

    Clients list, call and install a skill by its name. Some take the folder's name instead,
    others skip the skill without a word.

    ```skill bad
    ---
    description: Converts PDF files to text. Use when a PDF must be read, not for scanned pages.
    version: 1.0.0
    ---

    # PDF tools

    Run the converter.
    ```
    ```yaml good
    name: pdf-tools
    ```
    """
    if skill.field("name") is None:
        yield from _missing("name", skill, "", f"add 'name: {_own_name(skill)}'")


@rule(
    "description-missing",
    "SKL102",
    on=Skill,
    needs=_FRONT,
    asked_by={
        "agentskills": must(_AGENTSKILLS),
        "discovery": must(_DISCOVERY),
        "dualnova": must(_DUALNOVA),
        "wsp": must(_WSP),
    },
)
def description_missing(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter has no `description`.

    The description is all that an agent sees of a skill before it decides to use it. A skill
    without one is never chosen, and most clients do not load it at all.

    ```skill bad
    ---
    name: pdf-tools
    version: 1.0.0
    ---

    # PDF tools

    Run the converter.
    ```
    ```yaml good
    description: Pay an open invoice by card. Use when the user wants to pay, not for refunds.
    ```
    """
    hint = "add 'description: ...', saying what the skill does and when to use it"
    yield from _missing("description", skill, "summary", hint)


@rule(
    "version-missing",
    "SKL103",
    on=Skill,
    needs=_FRONT,
    asked_by={"dualnova": must(_DUALNOVA), "wsp": must(WSP + "#71-skill-versioning")},
)
def version_missing(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The frontmatter has no `version`.

    Agents fetch published skills again and again. The version tells them, and the people who
    review them, that the instructions have changed.

    ```skill bad
    ---
    name: pdf-tools
    description: Converts PDF files to text. Use when a PDF must be read, not for scanned pages.
    ---

    # PDF tools

    Run the converter.
    ```
    ```yaml good
    version: 1.0.0
    ```
    """
    metadata = skill.field("metadata")
    inner = metadata.get("version") if metadata is not None else None
    if inner is None or not inner.is_text:
        yield from _missing("version", skill, "", "add 'version: 1.0.0'")
    elif skill.field("version") is None and not skill.is_page:
        yield Problem(
            skill.anchor,
            "the frontmatter has no 'version' at its top level",
            related=(Related(inner, "the version below 'metadata' is not looked at"),),
            hint=f"add 'version: {escaped(inner.value)}' at the top level",
        )


@rule(
    "field-empty",
    "SKL104",
    on=Skill,
    at=("name", "description", "version"),
    needs=("field-typo", "yaml-comment-cut"),
    asked_by={
        "dualnova": must(_DUALNOVA, required=_ALWAYS | {"version"}),
        "wsp": must(_WSP, required=_ALWAYS | {"version"}),
        "agentskills": must(_AGENTSKILLS, required=_ALWAYS),
        "discovery": must(_DISCOVERY, required=_ALWAYS),
    },
)
def field_empty(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A required field has no value.

    A key with nothing behind it, with `null` or with blanks alone counts as missing. The usual
    cause is a template that was not filled in, or text behind a `#`, which is a comment.

    ```yaml bad
    description: "  "
    ```
    ```yaml good
    description: Pay an open invoice by card. Use when the user wants to pay, not for refunds.
    ```
    """
    key = node.key
    if key is None or key.value not in ask.required or node.kind != "scalar" or node.is_text:
        return
    if node.given_tag is not None and node.value.strip():
        return  # !!str null is text
    name = key.value
    if node.value and node.tag == "null":
        yield Problem(
            node, f"{name!r} is {node.value}, which is no value", hint="put it in quotes if it is meant as text"
        )
    elif node.value or not node.plain:
        yield Problem(head(node, skill), f"{name!r} is {'blank' if node.value else 'empty'}", hint=_HINTS[name])
    else:
        hint = "put the text in quotes, since '#' starts a comment" if _comment(node, skill) else _HINTS[name]
        yield Problem(key, f"{name!r} is empty", hint=hint)


_HINTS = {
    "name": "write lowercase words joined by hyphens, the same as the folder's name",
    "description": "say what the skill does and when to use it",
    "version": "write a version such as 1.0.0",
}


def _comment(node: Node, skill: Skill) -> bool:
    """Whether a comment with text stands behind an empty value."""
    line = skill.text.line(skill.text.line_at(node.span.end))
    rest = line[skill.text.position(node.span.end)[1] - 1 :].strip()
    return rest.startswith("#") and rest.strip("# ") != ""
