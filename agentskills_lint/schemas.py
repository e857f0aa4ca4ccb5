"""JSON Schemas (Draft 2020-12) of frontmatter and index.json, built from the tables of the specs."""

from __future__ import annotations

from typing import Any

from agentskills_lint.about import project_url
from agentskills_lint.specs import BUILDS_ON, CLIENT_NAMESPACES, INDEXES, SKILL_FIELDS, SPECS, Field, IndexTable

DRAFT = "https://json-schema.org/draft/2020-12/schema"
BOTH = "index-both"
"""The schema of an index that follows both drafts at once."""

Schema = dict[str, Any]

_TYPES: dict[str, Schema] = {
    "text": {"type": "string"},
    "version": {"type": ["string", "number"], "minimum": 0},
    "boolean": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "map": {"type": "object"},
    "absent": {"not": {}},
    "map of texts": {
        "type": "object",
        "properties": dict.fromkeys(sorted(CLIENT_NAMESPACES), True),
        "additionalProperties": {"type": ["string", "null"]},
    },
}


def names() -> tuple[str, ...]:
    """The names of all schemas: `skill-` and a spec, `index-` and a dialect."""
    return (*(f"skill-{spec}" for spec in SKILL_FIELDS), *(f"index-{dialect}" for dialect in INDEXES), BOTH)


def skill_schema(spec: str) -> Schema:
    """The frontmatter of a skill under a spec, the fields of the spec on which it builds included."""
    fields = {field.name: field for field in SKILL_FIELDS.get(BUILDS_ON.get(spec, ""), ())}
    for field in SKILL_FIELDS[spec]:
        base = fields.get(field.name)
        fields[field.name] = field._replace(max=field.max or base.max) if base is not None else field
    return _object(tuple(fields.values()), {}, nothing_is_absence=True)


def index_schema(dialect: str) -> Schema:
    """An index.json of a dialect, a key of INDEXES."""
    return _index(INDEXES[dialect])


def both_schema() -> Schema:
    """An index.json that follows discovery 0.2 and DualNova's draft."""
    one, other = INDEXES["discovery-0.2"], INDEXES["dualnova-0.1"]
    return _index(IndexTable("", "", _merged(one.fields, other.fields), _merged(one.entry, other.entry)))


def published(name: str) -> Schema:
    """A schema as it stands in `schemas/`, with its address and a title."""
    if name == BOTH:
        title, schema = "An index.json for clients of both drafts", both_schema()
        about = f"{INDEXES['discovery-0.2'].url} and {INDEXES['dualnova-0.1'].url}"
    elif name.startswith("index-"):
        table = INDEXES[name.removeprefix("index-")]
        title, about, schema = f"An index.json of {table.title}", table.url, _index(table)
    else:
        spec = name.removeprefix("skill-")
        title, about = f"The frontmatter of a SKILL.md: {SPECS[spec].title}", SPECS[spec].url
        schema = skill_schema(spec)
    head = {"$schema": DRAFT, "$id": address(name), "title": title, "description": f"By {about}"}
    return head | schema


def file_name(name: str) -> str:
    """The name of a schema's file."""
    return f"{name}.schema.json"


def address(name: str) -> str:
    """The stable address of a schema."""
    return f"{project_url()}/raw/main/schemas/{file_name(name)}"


def validator(schema: Schema) -> Any:
    """A validator of jsonschema's that reads patterns as JSON Schema means them.

    `$` is the end of the text there (ECMA-262); Python lets it stand before a last line break.
    """
    import re

    from jsonschema import Draft202012Validator, ValidationError, validators

    def check_pattern(_validator: object, pattern: str, instance: object, _schema: object) -> Any:
        if isinstance(instance, str) and re.search(pattern.replace("$", r"\Z"), instance) is None:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")

    kind = validators.extend(Draft202012Validator, {"pattern": check_pattern})  # type: ignore[no-untyped-call]
    return kind(schema)


def _merged(one: tuple[Field, ...], other: tuple[Field, ...]) -> tuple[Field, ...]:
    """The fields of both; what both know is as strict as the first."""
    known = {field.name for field in one}
    return (*one, *(field for field in other if field.name not in known))


def _index(table: IndexTable) -> Schema:
    return _object(table.fields, {"entries": {"type": "array", "items": _object(table.entry, {})}})


def _object(fields: tuple[Field, ...], types: dict[str, Schema], nothing_is_absence: bool = False) -> Schema:
    """An object of fields; those that nobody knows are allowed, since clients ignore them."""
    return {
        "type": "object",
        "properties": {field.name: _property(field, types, nothing_is_absence) for field in fields},
        "required": [field.name for field in fields if field.required],
    }


def _property(field: Field, types: dict[str, Schema], nothing_is_absence: bool) -> Schema:
    schema: Schema = {"description": field.about} | (types | _TYPES)[field.type]
    optional = nothing_is_absence and not field.required and not field.filled
    if optional:
        known = schema["type"]
        schema["type"] = [known, "null"] if isinstance(known, str) else [*known, "null"]
    if field.words:
        schema["enum"] = [*field.words, *([None] if optional else [])]
    elif field.form:
        schema["pattern"] = f"^(?:{field.form})$" if "|" in field.form else f"^{field.form}$"
    elif (field.required or field.filled) and field.type == "text":
        schema["pattern"] = r"\S"
    if field.holds:
        schema["contains"] = {"const": field.holds}
    if field.max is not None:
        schema["maxLength"] = field.max
    if field.example and not field.words:
        schema["examples"] = [[field.example] if field.type == "texts" else field.example]
    return schema
