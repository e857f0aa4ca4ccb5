"""How messages show values, and the small transformations that fixes and hints share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

# controls, zero-width and bidi characters, lone surrogates, tag characters
_QUIET_ESCAPES = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)


def escaped(text: str) -> str:
    """Make control, bidi and invisible characters visible, so that no text can forge a line."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shown(value: str, limit: int = 60) -> str:
    """A value in quotes for a message: on one line, invisible characters escaped, shortened."""
    text = escaped(value)
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return f"'{text}'" if "'" not in text else f'"{text}"'


def several(names: Iterable[str], limit: int = 60, most: int = 3) -> str:
    """The first of some values for a message, each once, and how many more there are."""
    found = list(dict.fromkeys(names))
    first = ", ".join(shown(name, limit) for name in found[:most])
    return f"{first} and {len(found) - most} more" if len(found) > most else first


def closest(word: str, candidates: Iterable[str], cutoff: float = 0.8) -> str | None:
    """The candidate that is most like a word, None where none is close."""
    from difflib import get_close_matches

    found = get_close_matches(word, list(candidates), 1, cutoff)
    return found[0] if found else None


def kebab(text: str) -> str:
    """A name as lowercase ASCII words joined by single hyphens; "" where nothing is left."""
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def quoted(value: str, style: str = '"') -> str:
    """A YAML flow scalar that reads back as `value`: single quotes where asked and possible.

    `style` is that of a `Node`: of "json" comes a string of JSON.
    """
    if style == "json":
        return _json_quoted(value)
    if style == "'" and _QUIET_ESCAPES.search(value) is None:
        return "'" + value.replace("'", "''") + "'"
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + _QUIET_ESCAPES.sub(_yaml_escape, plain) + '"'


def _json_quoted(value: str) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)
    return _QUIET_ESCAPES.sub(lambda match: json.dumps(match[0])[1:-1], text)


def _yaml_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
