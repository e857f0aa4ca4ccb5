"""The languages that a skill is offered in: BCP 47 tags, judged one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.documents import Document, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Related
from agentskills_lint.registries import Index
from agentskills_lint.rule import Ask, advice, may, must, rule, should
from agentskills_lint.specs import DUALNOVA
from agentskills_lint.trees import Node
from agentskills_lint.wording import quoted, shown

_FIELDS = DUALNOVA + "#frontmatter--optional-fields"

_ITEMS = {Skill: "languages[]", Index: "skills[].languages[]"}
_LIST = ("language-list", "index-schema")
_TEXT = (*_LIST, "language-boolean", "language-underscore", "yaml-ambiguous")

_TAG = lazy(
    r"(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*(?:-x(?:-[a-z0-9]{1,8})+)?"
    r"|x(?:-[a-z0-9]{1,8})+",
    re.A | re.I,
)
_SINGLETON = lazy(r"-([0-9a-wyz])(?=-)", re.A | re.I)
_VARIANT = lazy(r"[a-z0-9]{5,8}|[0-9][a-z0-9]{3}", re.A)
_FOREIGN = lazy(r"[^A-Za-z0-9-]")
_WORDS = lazy(r"[\s,;/|]+")
_YAML_BOOLEANS = lazy(r"y|n|yes|no|on|off", re.A | re.I)

_GRANDFATHERED = {
    "art-lojban": "jbo", "cel-gaulish": "cel-gaulish", "en-gb-oed": "en-GB-oxendict", "i-ami": "ami", "i-bnn": "bnn",
    "i-default": "i-default", "i-enochian": "i-enochian", "i-hak": "hak", "i-klingon": "tlh", "i-lux": "lb",
    "i-mingo": "i-mingo", "i-navajo": "nv", "i-pwn": "pwn", "i-tao": "tao", "i-tay": "tay", "i-tsu": "tsu",
    "no-bok": "nb", "no-nyn": "nn", "sgn-be-fr": "sfb", "sgn-be-nl": "vgt", "sgn-ch-de": "sgg", "zh-guoyu": "cmn",
    "zh-hakka": "hak", "zh-min": "zh-min", "zh-min-nan": "nan", "zh-xiang": "hsn",
}  # fmt: skip
"""Tags from before the grammar, in lower case, with what the registry prefers (RFC 5646 section 2.2.8)."""

_REDUNDANT = {
    "sgn-br": "bzs", "sgn-co": "csn", "sgn-de": "gsg", "sgn-dk": "dsl", "sgn-es": "ssp", "sgn-fr": "fsl",
    "sgn-gb": "bfi", "sgn-gr": "gss", "sgn-ie": "isg", "sgn-it": "ise", "sgn-jp": "jsl", "sgn-mx": "mfs",
    "sgn-ni": "ncs", "sgn-nl": "dse", "sgn-no": "nsl", "sgn-pt": "psr", "sgn-se": "swl", "sgn-us": "ase",
    "sgn-za": "sfs",
}  # fmt: skip
"""Whole tags with a preferred value that their subtags do not give."""

_OLD_LANGUAGES = """
in:id iw:he ji:yi jw:jv mo:ro aam:aas adp:dz asd:snz aue:ktz ayx:nun bgm:bcg bic:bir bjd:drl blg:iba ccq:rki cjr:mom
cka:cmr cmk:xch coy:pij cqu:quh dit:dif drh:khk drr:kzk drw:prs gav:dev gfx:vaj ggn:gvr gli:kzk gti:nyc guv:duz hrr:jal
ibi:opa ilw:gal jeg:oyb kgc:tdf kgh:kml koj:kwv krm:bmf ktr:dtp kvs:gdj kwq:yam kxe:tvd kxl:kru kzj:dtp kzt:dtp lii:raq
llo:ngt lmm:rmx meg:cir mst:mry mwj:vaj myd:aog myt:mry nad:xny ncp:kdz nns:nbr nnx:ngv nts:pij nxu:bpp oun:vaj pat:kxr
pcr:adx pmc:huw pmu:phr ppa:bfy ppr:lcq pry:prt puz:pub sca:hle skk:oyb tdu:dtp thc:tpo thw:ola thx:oyb tie:ras tkk:twm
tlw:weo tmp:tyj tne:kak tnf:prs tsf:taj uok:ema xba:cax xia:acn xkh:waw xrq:dmw ybd:rki yma:lrr ymt:mtm yos:zom yuu:yug
zir:scv
"""
_LANGUAGES = dict(pair.split(":") for pair in _OLD_LANGUAGES.split())
"""Deprecated languages with the one that the registry prefers to each."""

_OTHERS = {"bu": "mm", "dd": "de", "fx": "fr", "tp": "tl", "yd": "ye", "zr": "cd", "heploc": "alalc97"}
"""The same for regions and variants."""

_ISO_639_1 = """
aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik in io is it iu iw ja ji jv jw
ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng
nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv
sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_TWO_LETTERS = frozenset(_ISO_639_1.split())
"""All registered languages of two letters: ISO 639-1 takes in no more."""

_M49 = """
001 002 003 005 009 011 013 014 015 017 018 019 021 029 030 034 035 039 053 054 057 061 142 143 145 150 151 154 155 202
419
"""
_AREAS = frozenset(_M49.split())
"""All registered regions of three digits: the parts of the world, not the numbers of countries."""

_FREQUENT = """
hans hant latn cyrl arab jpan kore deva ae ar at au bd be bg bo br ca ch cl cn co cr cz de dk do dz ec ee eg es fi fr gb
gr gt hk hn hr hu id ie il in iq ir is it jo jp ke kr kw kz lb lt lu lv ma mx my ng ni nl no nz om pa pe ph pk pl pr pt
py qa ro rs ru sa se sg si sk sv th tn tr tw ua us uy ve vn za
"""
_COMMON = _AREAS.union(_FREQUENT.split())
"""Scripts and regions that need no look-up after a language of two letters."""

_ALIAS_REGIONS = frozenset(
    ("ct", "dy", "fq", "hv", "jt", "mi", "nh", "nq", "pc", "pu", "pz", "qu", "rh", "uk", "vd", "wk")
)
"""Codes that locale data keep as aliases of regions and that the registry does not have."""

_EXTLANG_PREFIXES = frozenset(("ar", "kok", "lv", "ms", "sgn", "sw", "uz", "zh"))

_COUNTRY_TAGS = {
    "jp": "ja", "cn": "zh", "kr": "ko", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "vn": "vi", "rs": "sr",
    "al": "sq", "ir": "fa", "il": "he", "us": "en-US", "gb": "en-GB", "mx": "es-MX", "ph": "fil", "kz": "kk",
    "by": "be", "pk": "ur", "bd": "bn", "np": "ne", "kh": "km", "hk": "zh-HK", "sp": "es", "ge": "ka", "po": "pl",
}  # fmt: skip
"""What is meant by codes that are no languages, most of them codes of countries."""

_NAMES = {
    "arabic": "ar", "basque": "eu", "bengali": "bn", "bulgarian": "bg", "catalan": "ca", "chinese": "zh",
    "croatian": "hr", "czech": "cs", "danish": "da", "deutsch": "de", "dutch": "nl", "english": "en", "español": "es",
    "espanol": "es", "estonian": "et", "farsi": "fa", "finnish": "fi", "français": "fr", "francais": "fr",
    "french": "fr", "galician": "gl", "german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "indonesian": "id", "irish": "ga", "italian": "it", "italiano": "it", "japanese": "ja", "korean": "ko",
    "latvian": "lv", "lithuanian": "lt", "malay": "ms", "mandarin": "zh", "norwegian": "nb", "persian": "fa",
    "polish": "pl", "polski": "pl", "portuguese": "pt", "português": "pt", "portugues": "pt", "romanian": "ro",
    "russian": "ru", "serbian": "sr", "slovak": "sk", "slovenian": "sl", "spanish": "es", "svenska": "sv",
    "swahili": "sw", "swedish": "sv", "tagalog": "tl", "tamil": "ta", "thai": "th", "turkish": "tr", "ukrainian": "uk",
    "urdu": "ur", "vietnamese": "vi", "welsh": "cy", "中文": "zh", "日本語": "ja", "한국어": "ko", "русский": "ru",
}  # fmt: skip


def is_well_formed(tag: str) -> bool:
    """Whether a text follows the grammar of BCP 47 (RFC 5646 section 2.1), names of languages left out.

    The grammar would take `english` as a language of five to eight letters; none was ever registered.
    """
    return tag.lower() in _GRANDFATHERED or (_TAG.fullmatch(tag) is not None and _repeated(tag) is None)


def _repeated(tag: str) -> str | None:
    """A singleton or a variant that stands twice (RFC 5646 section 2.2.9)."""
    head = re.split(r"(?:^|-)x-", tag.lower(), maxsplit=1)[0]
    singletons = _SINGLETON.findall(head)
    variants = [part for part in re.split(r"-[0-9a-wyz]-", head)[0].split("-")[1:] if _VARIANT.fullmatch(part)]
    for found in (singletons, variants):
        for index, part in enumerate(found):
            if part in found[:index]:
                return str(part)
    return None


def canonical(tag: str) -> str:
    """The canonical form of a well-formed tag (RFC 5646 section 4.5), with the letter case of section 2.1.1."""
    lower = tag.lower()
    whole = _GRANDFATHERED.get(lower) or _REDUNDANT.get(lower)
    if whole is not None:
        return whole
    parts = lower.split("-")
    at = next((index for index, part in enumerate(parts) if len(part) == 1), len(parts))
    if at == 0:
        return lower
    extlang = at > 1 and len(parts[0]) < 4 and len(parts[1]) == 3 and parts[1].isalpha()
    language, *others = parts[extlang:at]
    subtags = [_LANGUAGES.get(language, language)]
    for other in others:
        part = _OTHERS.get(other, other)
        subtags.append(part.upper() if len(part) == 2 else part.title() if len(part) == 4 and part.isalpha() else part)
    return "-".join(subtags + _ordered(parts[at:]))


def _ordered(parts: list[str]) -> list[str]:
    """Extensions in the order of their singletons, private use last."""
    groups: list[list[str]] = []
    for part in parts:
        if len(part) == 1 and (not groups or groups[-1][0] != "x"):
            groups.append([part])
        else:
            groups[-1].append(part)
    groups.sort(key=lambda group: (group[0] == "x", group[0]))
    return [part for group in groups for part in group]


class Unregistered(NamedTuple):
    """A subtag that the registry does not have, and what may be meant."""

    subtag: str
    what: str
    instead: str | None


def unregistered(tag: str) -> Unregistered | None:
    """The first subtag of a well-formed tag that is not in the IANA registry, None where all are."""
    lower = tag.lower()
    if lower in _GRANDFATHERED or lower.startswith("x-"):
        return None
    language, *parts = re.split(r"-[0-9a-z]-", lower, maxsplit=1)[0].split("-")
    if len(language) == 4 or (len(language) == 2 and language not in _TWO_LETTERS):
        instead = _COUNTRY_TAGS.get(language) if not parts else None
        return Unregistered(language, "language", instead)
    if len(language) == 2 and _COMMON.issuperset(parts):
        return None
    return _looked_up(language, parts, tag)


def _looked_up(language: str, parts: list[str], tag: str) -> Unregistered | None:
    from langcodes import tag_is_valid
    from langcodes.data_dicts import LANGUAGE_ALPHA3, LANGUAGE_ALPHA3_BIBLIOGRAPHIC

    if len(language) == 3:
        # langcodes takes ISO 639-2 codes for languages that have a shorter one; the registry does not
        for codes in (LANGUAGE_ALPHA3, LANGUAGE_ALPHA3_BIBLIOGRAPHIC):
            for short, long in codes.items():
                if language == long and len(short) == 2:
                    return Unregistered(language, "language", short + tag[3:])
    if len(language) != 2 and not tag_is_valid(language):
        return Unregistered(language, "language", None)
    for index, part in enumerate(parts):
        if len(part) == 3 and part.isalpha():
            if index > 0 or language not in _EXTLANG_PREFIXES or not tag_is_valid(part):
                return Unregistered(part, f"subtag of {language}", None)
        elif len(part) == 2 and part in _ALIAS_REGIONS:
            instead = re.sub(r"(?i)-uk(?=-|$)", "-GB", tag) if part == "uk" else None
            return Unregistered(part.upper(), "region", instead)
        elif (len(part) == 3 and part not in _AREAS) or not tag_is_valid(f"und-{part}"):
            script = len(part) == 4 and part.isalpha()
            what = "script" if script else "region" if len(part) <= 3 else "variant"
            return Unregistered(part.title() if script else part.upper() if len(part) == 2 else part, what, None)
    return None


def _rewrite(node: Node, value: str) -> Fix:
    """Write another value, in the quotes of the old one."""
    text = value if node.style == "" else quoted(value, node.style)
    return Fix(f"write {value}", (Edit(*node.span, text),), True)


# --- the list and the types of its items ----------------------------------------------------------


@rule(
    "language-list",
    "SKL401",
    on=Skill,
    at=("languages", "languages[]"),
    needs=("field-typo", "yaml-comment-cut"),
    fix="safe",
    asked_by={"dualnova": must(_FIELDS)},
)
def language_list(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The languages are not a list of strings.

    Clients loop over the languages: of one string they see single letters, of a number nothing.

    ```yaml bad
    languages: en, es
    ```
    ```yaml good
    languages: [en, es]
    ```
    """
    if node.key is None:
        yield from _item_problem(node)
        return
    if node.kind in ("list", "alias"):
        return
    hint = "write a list such as [en, es]"
    if node.kind == "map":
        yield Problem(node.key, "languages is a mapping, not a list of language tags", hint=hint)
        return
    if not node.is_text:
        yield Problem(node.key, "languages is empty, not a list of language tags", hint=hint)
        return
    tags = [word for word in _WORDS.split(node.value) if word]
    fix = None
    if tags and not node.block and all(_is_tag(tag.replace("_", "-")) for tag in tags):
        items = ", ".join(quoted(tag) if _YAML_BOOLEANS.fullmatch(tag) else tag for tag in tags)
        fix = Fix("make it a list", (Edit(*node.span, f"[{items}]"),), True)
    message = f"languages is the {_kind(node)} {shown(node.value)}, not a list of language tags"
    yield Problem(node, message, fix, hint=None if fix else hint)


def _is_tag(text: str) -> bool:
    return is_well_formed(text) and unregistered(text) is None


def _item_problem(node: Node) -> Iterator[Problem]:
    if node.kind in ("list", "map"):
        yield Problem(node, f"this language is a {'mapping' if node.kind == 'map' else 'list'}, not a string")
    elif node.kind == "scalar" and node.tag != "str" and not _YAML_BOOLEANS.fullmatch(node.value):
        what = "empty" if node.tag == "null" else f"the {_kind(node)} {node.value}"
        yield Problem(node, f"this language is {what}, not a string", hint="write a language tag such as en")


def _kind(node: Node) -> str:
    return {"int": "number", "float": "number", "bool": "boolean", "date": "date"}.get(node.tag, "string")


@rule(
    "language-boolean",
    "SKL406",
    on=Skill,
    at="languages[]",
    needs=_LIST,
    fix="safe",
    asked_by={"dualnova": must(_FIELDS)},
)
def language_boolean(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """An unquoted language reads as a boolean.

    YAML 1.1, which most readers follow, takes `no`, `on` and `y` for true and false: Norwegian
    vanishes from the list, or the whole file is refused. In quotes it stays text.

    ```yaml bad
    languages: [en, no]
    ```
    ```yaml good
    languages: [en, "no"]
    ```
    """
    if node.plain and _YAML_BOOLEANS.fullmatch(node.value):
        value = node.value
        told = "; Norwegian may also be nb or nn" if value.lower() == "no" else ""
        yield Problem(
            node,
            f"unquoted {value} is a boolean to YAML 1.1 readers, not a language{told}",
            Fix("quote it", (Edit(*node.span, quoted(value)),), True),
        )


@rule(
    "language-underscore",
    "SKL407",
    on=(Skill, Index),
    at=_ITEMS,
    needs=(*_LIST, "language-boolean"),
    fix="safe",
    asked_by={"dualnova": must(_FIELDS)},
)
def language_underscore(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A language tag has an underscore in place of a hyphen.

    `en_US` is the name of a locale on a computer; on the web the parts of a language tag are
    joined by hyphens, and a client that compares `en-US` finds no match.

    ```yaml bad
    languages: [en_US]
    ```
    ```yaml good
    languages: [en-US]
    ```
    """
    written = node.value.replace("_", "-")
    if node.kind == "scalar" and written != node.value and is_well_formed(written):
        yield Problem(
            node, f"{shown(node.value)} has an underscore; language tags have hyphens", _rewrite(node, written)
        )


# --- the tags -------------------------------------------------------------------------------------


@rule("language-tag", "SKL402", on=(Skill, Index), at=_ITEMS, needs=_TEXT, asked_by={"dualnova": must(_FIELDS)})
def language_tag(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A language is not a well-formed BCP 47 tag.

    Clients match the tags of a skill with the language of the user: `en`, `pt-BR`,
    `zh-Hant-TW`. Names of languages and half tags match nothing, in an index.json as in a skill.

    ```yaml bad
    languages: [english]
    ```
    ```yaml bad
    languages: [en-, de-419-DE]
    ```
    ```yaml good
    languages: [en, pt-BR, zh-Hans-CN, es-419, x-acme]
    ```
    """
    if node.kind == "scalar" and not is_well_formed(node.value):
        message, instead = _malformed(node.value)
        yield Problem(node, message, hint=f"write {instead}" if instead else None)


def _malformed(value: str) -> tuple[str, str | None]:
    """Why a text is no tag, and what to write where that is plain."""
    text = shown(value)
    if not value.strip():
        return "an empty string is no language tag", None
    if value == "*":
        return "'*' matches any language in a request; a skill lists the languages it has", None
    name = _NAMES.get(value.strip().lower())
    if name is not None:
        return f"{text} is the name of a language, not its tag", name
    if (foreign := _FOREIGN.search(value)) is not None:
        tag = re.split(r"[.@\s]", value.strip(), maxsplit=1)[0].replace("_", "-")
        instead = tag if is_well_formed(tag) and unregistered(tag) is None else None
        return f"{text} has {shown(foreign[0])}; language tags are made of letters, digits and hyphens", instead
    parts = value.split("-")
    if "" in parts:
        tag = "-".join(filter(None, parts))
        return f"{text} has a hyphen with nothing beside it", tag if is_well_formed(tag) else None
    if not (2 <= len(parts[0]) <= 3 and parts[0].isalpha()) and parts[0].lower() != "x":
        return f"{text} does not begin with a language of two or three letters", None
    if (twice := _repeated(value)) is not None:
        return f"{text} has the subtag {shown(twice)} twice", None
    if len(parts[-1]) == 1:
        return f"{text} ends with {shown(parts[-1])}, which opens an extension that is not there", None
    return f"{text} has the subtag {shown(_misplaced(parts))} where none of its kind can stand", None


def _misplaced(parts: list[str]) -> str:
    """The first subtag with which a tag stops being well-formed."""
    for count in range(1, len(parts)):
        so_far = "-".join(parts[: count + 1])
        # a singleton needs one more subtag before it can be judged
        if not is_well_formed(so_far) and not is_well_formed(so_far + "-aa"):
            return parts[count]
    return parts[-1]


@rule(
    "language-unregistered",
    "SKL403",
    on=(Skill, Index),
    at=_ITEMS,
    needs=(*_TEXT, "language-tag"),
    asked_by={"dualnova": should(_FIELDS)},
)
def language_unregistered(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A language tag has a subtag that is not registered.

    The tag looks right, but no such language, script or region is in the IANA registry, so it
    matches no user. Often it is the code of a country: Japanese is `ja`, not `jp`.

    ```yaml bad
    languages: [jp, en-UK]
    ```
    ```yaml good
    languages: [ja, en-GB]
    ```
    """
    found = unregistered(node.value) if node.kind == "scalar" else None
    if found is not None:
        whole = "" if found.subtag == node.value else f"{shown(node.value)}: "
        yield Problem(
            node,
            f"{whole}{shown(found.subtag)} is no registered {found.what}",
            hint=f"write {found.instead}" if found.instead else None,
        )


@rule(
    "language-duplicate",
    "SKL405",
    on=(Skill, Index),
    at=_ITEMS,
    needs=(*_TEXT, "language-tag", "language-unregistered"),
    fix="safe",
    asked_by={"advice": advice("warning")},
)
def language_duplicate(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A language is listed twice.

    Tags that differ only in letter case, or of which one is the old form of the other, are one
    language; a client that shows the list shows it twice.

    ```yaml bad
    languages: [en, es, EN]
    ```
    ```yaml good
    languages: [en, es]
    ```
    """
    listed = _list_of(node, document)
    if listed is None or node.kind != "scalar" or not is_well_formed(node.value):
        return
    tag = canonical(node.value)
    for item in listed.items:
        if item is node:
            return
        if item.kind == "scalar" and is_well_formed(item.value) and canonical(item.value) == tag:
            break
    else:
        return
    if unregistered(node.value) is not None:  # a list of programming languages, say
        return
    previous = listed.items[listed.items.index(node) - 1]
    gap = document.source[previous.span.end : node.span.start]
    yield Problem(
        node,
        f"{shown(node.value)} is listed twice"
        if item.value == node.value
        else f"{shown(node.value)} is the same as {shown(item.value)}",
        None if "#" in gap else Fix("remove it", (Edit(previous.span.end, node.span.end, ""),), True),
        related=(Related(item, "first listed here"),),
    )


def _list_of(node: Node, document: Document) -> Node | None:
    """The list of languages in which one of them stands."""
    if isinstance(document, Skill):
        return document.field("languages")
    entry = document.entry_at(node.span.start) if isinstance(document, Index) else None
    return entry.field("languages") if entry is not None else None


@rule(
    "language-canonical",
    "SKL404",
    on=(Skill, Index),
    at=_ITEMS,
    needs=(*_TEXT, "language-tag", "language-unregistered", "language-duplicate"),
    fix="safe",
    asked_by={"dualnova": may(_FIELDS)},
)
def language_canonical(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """A language tag is not in its canonical form.

    The tag is valid, yet it is an old name of the language or unusual in its letter case.
    Clients that compare text, as many do, miss it.

    ```yaml bad
    languages: [iw, pt-br]
    ```
    ```yaml good
    languages: [he, pt-BR]
    ```
    """
    if node.kind != "scalar" or not is_well_formed(node.value):
        return
    tag = canonical(node.value)
    if tag == node.value:
        return
    same = tag.lower() == node.value.lower()
    what = f"is written {tag} by convention" if same else f"is {tag} in its canonical form"
    yield Problem(node, f"{shown(node.value)} {what}", _rewrite(node, tag))
