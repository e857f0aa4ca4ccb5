"""The entries of an index.json, judged by themselves: digests, types, addresses, names that repeat, tags."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Related
from agentskills_lint.registries import Entry, Index
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.rules import json_edits
from agentskills_lint.rules.url_format import split
from agentskills_lint.specs import DISCOVERY, DUALNOVA
from agentskills_lint.trees import Node
from agentskills_lint.urls import hidden, resolve
from agentskills_lint.wording import quoted, shown

_FORMAT = DISCOVERY + "#index-format"
_FILES = DISCOVERY + "#files-array"
_SUMMARY = DUALNOVA + "#skill-summary-fields-entries-in-skills"


def _is_string(node: Node | None) -> bool:
    return node is not None and node.tag == "str" and node.is_text


# --- digests --------------------------------------------------------------------------------------

_EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The SHA-256 of no bytes at all."""

_RIGHT = lazy(r"sha256:[0-9a-f]{64}", re.A)
_PREFIX = lazy(r"sha[-_]?256[ \t]*[:=-][ \t]*", re.A | re.I)
_HEX = lazy(r"[0-9a-f]+", re.A | re.I)
_BASE64 = lazy(r"[A-Za-z0-9+/_-]{43}=?", re.A)
_ALGORITHM = lazy(r"(sha[-_]?(?:1|224|384|512)|sha3[-_]?[0-9]+|md5|blake[0-9a-z]+|crc32)[ \t]*[:=-]", re.A | re.I)
_LENGTHS = {32: "MD5", 40: "SHA-1", 96: "SHA-384", 128: "SHA-512"}


class _Digest(NamedTuple):
    """What is wrong with a digest, and the right spelling where that is known."""

    fault: str
    right: str | None = None


def _judged(text: str) -> _Digest | None:
    """What is wrong with the text of a digest, None where nothing is."""
    if _RIGHT.fullmatch(text) and not text.endswith(_EMPTY):
        return None
    bare = text.strip()
    prefix = _PREFIX.match(bare)
    digits = bare[prefix.end() :] if prefix is not None else bare
    if _HEX.fullmatch(digits):
        return _judged_hex(text, prefix[0] if prefix is not None else "", digits)
    encoded = digits.strip(":")
    if prefix is not None and _BASE64.fullmatch(encoded):
        import base64

        plain = encoded.translate({ord("-"): "+", ord("_"): "/"}).rstrip("=")
        return _spelt("is written in base64, not in hex digits", base64.b64decode(plain + "=").hex())
    other = _ALGORITHM.match(bare)
    if other is not None:
        return _Digest(f"is a digest by {other[1]}, not by SHA-256")
    if digits.endswith(("...", "\u2026")):
        return _Digest("is cut short")
    return _Digest("is no SHA-256 digest" if bare else "is empty")


def _judged_hex(text: str, prefix: str, digits: str) -> _Digest:
    count = len(digits)
    if count != 64:
        known = f", the length of {_LENGTHS[count]}," if count in _LENGTHS else ""
        return _Digest(f"has {count} hex digits{known} in place of 64")
    faults = []
    if not prefix:
        faults.append("lacks 'sha256:' before its digits")
    elif prefix.lower() != "sha256:":
        faults.append(f"begins with {shown(prefix)}")
    if (prefix + digits) != (prefix + digits).lower():
        faults.append("has capital letters")
    if text != text.strip():
        faults.append("has blanks around it")
    return _spelt(" and ".join(faults), digits.lower())


def _spelt(fault: str, digits: str) -> _Digest:
    return _Digest(fault, f"sha256:{digits}") if digits != _EMPTY else _Digest("is the digest of an empty file")


@rule(
    "index-digest-format",
    "SKL808",
    on=Index,
    at=("skills[].digest", "skills[].sha256"),
    needs="index-schema",
    fix="safe",
    asked_by={"discovery": must(DISCOVERY + "#integrity-and-verification")},
)
def index_digest_format(node: Node, index: Index, ask: Ask) -> Iterator[Problem]:
    """A digest is not written as sha256: and 64 lowercase hex digits.

    Clients compare the text of the digest with the one that they compute, and use nothing that
    does not match: bare digits, capitals and the base64 of web pages all fail. Many indexes
    have the digits under a key `sha256`, where no client looks; the fix moves them.

    ```entry bad
    "digest": "[sha256 of .well-known/agent-skills/pay-invoice/SKILL.md]"
    ```
    ```entry good
    "digest": "sha256:[sha256 of .well-known/agent-skills/pay-invoice/SKILL.md]"
    ```
    """
    if index.discovery != "0.2" or node.tag != "str" or node.key is None:
        return
    if node.key.value == "sha256":
        yield from _misnamed(node, node.key, index)
        return
    found = _judged(node.value)
    if found is None:
        return
    fix = None
    if found.right is not None:
        fix = Fix(f"write {found.right}", (Edit(*node.span, quoted(found.right, node.style)),), True)
    hint = "write 'sha256:' and the SHA-256 of the file at the url, in 64 lowercase hex digits"
    message = f"digest {shown(node.value)} {found.fault}"
    yield Problem(node, message, fix, hint=None if fix is not None else hint)


def _misnamed(node: Node, key: Node, index: Index) -> Iterator[Problem]:
    """A digest under the key `sha256`, where there is none under its own."""
    entry = index.entry_at(node.span.start)
    if entry is None or entry.field("digest") is not None:
        return
    found = _judged(node.value)
    right = node.value if found is None else found.right
    fix = None
    message = "the key 'sha256' holds the digest, but clients look for 'digest'"
    if right is None and found is not None:
        message += f"; the value {shown(node.value)} {found.fault}"
    else:
        edits = (Edit(*key.span, quoted("digest", key.style)), Edit(*node.span, quoted(right or "", node.style)))
        fix = Fix("rename it to 'digest' and write 'sha256:' before the digits", edits, True)
    yield Problem(key, message, fix, hint=None if fix is not None else "write a digest of 'sha256:' and 64 hex digits")


# --- what stands twice ----------------------------------------------------------------------------


def _folded(name: str) -> str:
    """A name as a system knows it that minds neither letter case nor Unicode form."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


@rule(
    "index-duplicate",
    "SKL809",
    on=Index,
    asked_by={"discovery": must(_FORMAT), "dualnova": must(_SUMMARY)},
)
def index_duplicate(index: Index, ask: Ask) -> Iterator[Problem]:
    """Two entries of an index have one name.

    The name is what clients know a skill by: of two with the same name one hides the other.
    Names that differ in letter case alone, or only in how an accent is stored, end up in one
    folder on many systems and count as the same.

    ```entry bad
    "name": "pay-invoice",
    "url": "pay-invoice/SKILL.md"

    "name": "pay-invoice",
    "url": "/.well-known/agent-skills/pay-invoice/SKILL.md"
    ```
    ```entry good
    "name": "pay-invoice"

    "name": "refund-payment",
    "description": "Pays a card payment back. Use when the user wants the money back, not for open invoices."
    ```
    """
    seen: dict[str, tuple[Node, str]] = {}
    for entry in index.entries:
        node, name = entry.field("name"), entry.name
        if node is None or name is None:
            continue
        first, known = seen.setdefault(_folded(name), (node, name))
        if first is node:
            continue
        message = f"name {shown(name)} is listed twice"
        if name != known:
            what = "Unicode form" if name.casefold() != known.casefold() else "letter case"
            message = f"name {shown(name)} differs from {shown(known)} in {what} alone"
        yield Problem(
            node, message, related=(Related(first, "first listed here"),), hint="give each skill its own name"
        )


@rule("index-duplicate-url", "SKL820", on=Index, asked_by={"advice": advice("warning")})
def index_duplicate_url(index: Index, ask: Ask) -> Iterator[Problem]:
    """Two entries of an index lead to one file.

    A skill is one file or archive with a name of its own. Under a second name its content does
    not fit the entry: most often an entry was copied and its address forgotten.

    ```entry bad
    "name": "pay-invoice",
    "url": "https://skills.acme.example/pay-invoice/SKILL.md"

    "name": "refund-payment",
    "url": "https://skills.acme.example/pay-invoice/SKILL.md"
    ```
    ```entry good
    "name": "pay-invoice",
    "url": "https://skills.acme.example/pay-invoice/SKILL.md"

    "name": "refund-payment",
    "description": "Pays a card payment back. Use when the user wants the money back, not for open invoices.",
    "url": "https://skills.acme.example/refund-payment/SKILL.md"
    ```
    """
    if not _has_urls(index):
        return
    seen: dict[str, tuple[Node, Entry]] = {}
    for entry in index.entries:
        node, href = entry.field("url"), entry.text("url")
        if node is None or href is None:
            continue
        address = resolve(href, index.site_path, ask.origin).url + "".join(href.partition("#")[1:])
        first, other = seen.setdefault(address, (node, entry))
        if first is node or (entry.name and other.name and _folded(entry.name) == _folded(other.name)):
            continue
        name = f"of {shown(other.name)} " if other.name else ""
        yield Problem(
            node, f"url {shown(href)} is that {name}too", related=(Related(first, "first listed here"),),
            hint="give each skill the address of its own file",
        )  # fmt: skip


def _has_urls(index: Index) -> bool:
    """Whether entries have addresses: clients of discovery 0.1 build them from the names."""
    return index.discovery == "0.2" or index.is_dualnova


# --- addresses and paths --------------------------------------------------------------------------

_SCHEME = lazy(r"[A-Za-z][A-Za-z0-9+.-]*:", re.A)
_DRIVE = lazy(r"[A-Za-z]:[\\/]", re.A)
_ADDRESS = lazy(r"[A-Za-z][A-Za-z0-9+.-]*://", re.A)


@rule(
    "index-url-form",
    "SKL812",
    on=Index,
    at="skills[].url",
    needs=("index-schema", "url-malformed", "index-url-escape"),
    asked_by={"dualnova": must(_SUMMARY)},
)
def index_url_form(node: Node, index: Index, ask: Ask) -> Iterator[Problem]:
    """The url of an entry is relative where an absolute one is asked for.

    The DualNova draft wants whole addresses in the index: an assistant may have been given its
    text without the address that it came from. The discovery draft allows both forms.

    ```entry bad
    "url": "/.well-known/agent-skills/pay-invoice/SKILL.md"
    ```
    ```entry good
    "url": "https://acme.example/.well-known/agent-skills/pay-invoice/SKILL.md"
    ```
    """
    value = node.value
    if not _is_string(node) or _SCHEME.match(value) or value.startswith(("{", "$", "<", "%")):
        return
    hint = "write the whole address, beginning with https://"
    origin = ask.origin or _home(index)
    if origin is not None and index.site_path:
        address = resolve(value, index.site_path, origin)
        hint = f"write {shown(address.url, 200)}" if address.kind == "path" else hint
    yield Problem(node, f"url {shown(value)} is relative; an absolute https URL is asked for", hint=hint)


def _home(index: Index) -> str | None:
    """The origin that the index itself tells."""
    node = index.tree.get("provider_url") if index.tree is not None else None
    url = split(node.value) if node is not None and _is_string(node) else None
    if url is None or url.scheme not in ("http", "https") or not url.host:
        return None
    return f"{url.scheme}://{url.host}" + (f":{url.port}" if url.port else "")


@rule(
    "index-url-escape",
    "SKL813",
    on=Index,
    at=("skills[].name", "skills[].files[]", "skills[].url"),
    needs="index-schema",
    asked_by={"discovery": must(DISCOVERY + "#security-considerations")},
)
def index_url_escape(node: Node, index: Index, ask: Ask) -> Iterator[Problem]:
    """An index entry leads out of its folder, or hides where it leads.

    Clients store a skill below a folder of its name, and write each file below that. `..`, an
    absolute path or a backslash would put files anywhere on the user's machine, so careful
    clients refuse the index. In a `url` plain `..` is resolved by all clients alike and is
    fine; dots and slashes behind percent signs are not.

    ```entry bad
    "files": ["SKILL.md", "../shared/prices.md"]
    ```
    ```entry good
    "url": "../agent-skills/pay-invoice/SKILL.md"
    ```
    """
    if not _is_string(node):
        return
    value = node.value
    what = node.key.value if node.key is not None else "file"
    if what == "url":
        if _has_urls(index) and (reason := _hides(value, index, ask.origin)) is not None:
            yield Problem(node, f"url {shown(value)} hides where it leads: {reason}")
        return
    if what == "file" and index.discovery != "0.1":
        return
    if what == "file" and "\\" in value and _leaves(value.replace("\\", "/")) is None:
        better = value.replace("\\", "/")
        yield Problem(node, f"file {shown(value)} has a backslash; paths use '/'", hint=f"write {shown(better)}")
    elif (reason := _leaves(value)) is not None:
        hint = "put the file, or a copy of it, into the skill's folder" if what == "file" else None
        yield Problem(node, f"{what} {shown(value)} leads out of the skill's folder: {reason}", hint=hint)


def _hides(href: str, index: Index, origin: str | None) -> str | None:
    """Why an address may lead elsewhere than it seems to: below other hosts a slash may well be escaped."""
    address = resolve(href, index.site_path, origin or _home(index))
    if address.kind != "refused":
        return None
    path = re.split(r"[?#]", href, maxsplit=1)[0]
    return hidden(path.partition("://")[2].partition("/")[2] if _ADDRESS.match(path) else path)


def _leaves(path: str) -> str | None:
    """Why a path leads out of the folder that it is meant to lie in, or may to some client."""
    if ".." in re.split(r"[/\\]", path):
        return "it has '..'"
    if path.startswith(("/", "\\")) or _DRIVE.match(path):
        return "it is absolute"
    return hidden(path)


_PAGES = (".md", ".markdown")
_ARCHIVES = (
    ".zip", ".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".7z", ".rar",
)  # fmt: skip


@rule(
    "index-type",
    "SKL815",
    on=Index,
    at="skills[].type",
    needs="index-schema",
    asked_by={"discovery": must(_FORMAT)},
)
def index_type(node: Node, index: Index, ask: Ask) -> Iterator[Problem]:
    """The type of an entry contradicts its url.

    By the type clients decide whether to read the file as a skill or to unpack it. A Markdown
    file cannot be unpacked, and the bytes of an archive are no instructions.

    ```entry bad
    "type": "skill-md",
    "url": "https://skills.acme.example/pay-invoice.tar.gz"
    ```
    ```entry good
    "type": "archive",
    "url": "https://skills.acme.example/pay-invoice.tar.gz"
    ```
    """
    entry = index.entry_at(node.span.start) if index.discovery == "0.2" else None
    href = entry.text("url") if entry is not None else None
    if entry is None or href is None or "?" in href:  # a server may answer a query with anything
        return
    path = href.partition("#")[0].strip().lower()
    ends = {"skill-md": _ARCHIVES, "archive": _PAGES}.get(node.value, ())
    ending = next((end for end in ends if path.endswith(end)), None)
    if ending is None:
        return
    other, what = ("archive", "an archive") if node.value == "skill-md" else ("skill-md", "a Markdown file")
    yield Problem(
        node,
        f"type {node.value!r} contradicts the url, which leads to {what} ({ending})",
        related=(Related(entry.where, "the url"),),
        hint=f"write {other!r}, or the url of what the type says",
    )


# --- files of discovery 0.1 -----------------------------------------------------------------------

_FOREIGN = lazy(r"[^ -~]|[?#\[\]]")


@rule(
    "index-files-path",
    "SKL823",
    on=Index,
    at="skills[].files[]",
    needs=("index-schema", "index-url-escape"),
    asked_by={"discovery": must(_FILES)},
)
def index_files_path(node: Node, index: Index, ask: Ask) -> Iterator[Problem]:
    """A path in files has characters that it must not have.

    Clients of discovery 0.1 put the paths into addresses as they are: `?` and `#` cut an
    address off, and letters beyond ASCII are escaped by some clients and not by others.

    ```entry bad
    "files": ["SKILL.md", "references/prices[eur].md"]
    ```
    ```tree good
    === entry of .well-known/skills/index.json
    "files": ["SKILL.md", "references/prices-eur.md"]
    === .well-known/skills/pay-invoice/SKILL.md
    [clean skill]
    === .well-known/skills/pay-invoice/references/prices-eur.md
    # Prices
    ```
    """
    if index.discovery != "0.1" or node.tag != "str":
        return
    found = list(dict.fromkeys(_FOREIGN.findall(node.value)))
    if found:
        chars = " ".join(shown(char) for char in found[:5])
        yield Problem(
            node, f"file {shown(node.value)} has {chars}; printable ASCII without ? # [ ] is right",
            hint="rename the file",
        )  # fmt: skip


@rule(
    "index-files-order",
    "SKL824",
    on=Index,
    at="skills[].files",
    needs="index-schema",
    fix="safe",
    asked_by={"discovery": should(_FILES)},
)
def index_files_order(node: Node, index: Index, ask: Ask) -> Iterator[Problem]:
    """SKILL.md is not the first of the files.

    Clients of discovery 0.1 may fetch the files in their order, and need SKILL.md before all
    others.

    ```tree bad
    === entry of .well-known/skills/index.json
    "files": ["references/prices.md", "SKILL.md"]
    === .well-known/skills/pay-invoice/SKILL.md
    [clean skill]
    === .well-known/skills/pay-invoice/references/prices.md
    # Prices
    ```
    ```tree good
    === entry of .well-known/skills/index.json
    "files": ["SKILL.md", "references/prices.md"]
    === .well-known/skills/pay-invoice/SKILL.md
    [clean skill]
    === .well-known/skills/pay-invoice/references/prices.md
    # Prices
    ```
    """
    files = node.items if index.discovery == "0.1" and node.kind == "list" else []
    at = next((at for at, item in enumerate(files) if item.tag == "str" and item.value == "SKILL.md"), 0)
    if at == 0:
        return
    first, item, source = files[0], files[at], index.source
    gap = source[first.span.end : files[1].span.start]
    edits = (
        Edit(first.span.start, first.span.start, source[item.span.start : item.span.end] + gap),
        Edit(files[at - 1].span.end, item.span.end, ""),
    )
    message = f"'SKILL.md' is number {at + 1} of the files; it comes first by convention"
    yield Problem(item, message, Fix("put it first", edits, True))


# --- tags -----------------------------------------------------------------------------------------


@rule(
    "index-tags",
    "SKL829",
    on=Index,
    at="skills[].tags[]",
    needs="index-schema",
    fix="safe",
    asked_by={"dualnova": should(_SUMMARY)},
)
def index_tags(node: Node, index: Index, ask: Ask) -> Iterator[Problem]:
    """A tag has capital letters.

    Clients that compare tags letter by letter take `Billing` and `billing` for two, and show
    both.

    ```entry bad
    "tags": ["Billing"]
    ```
    ```entry good
    "tags": ["billing"]
    ```
    """
    small = node.value.lower()
    if not _is_string(node) or small == node.value:
        return
    message = f"tag {shown(node.value)} has capital letters; tags are lowercase"
    entry = index.entry_at(node.span.start)
    tags = entry.field("tags") if entry is not None else None
    if tags is not None and any(item.value == small for item in tags.items):
        yield Problem(node, message, hint=f"take it out: {shown(small)} is there already")
    else:
        yield Problem(node, message, Fix(f"write {small}", (json_edits.replaced(index.source, node, small),), True))
