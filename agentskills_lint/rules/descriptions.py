"""What the description says, and how: the one text by which agents choose a skill."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from agentskills_lint.documents import Document, Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Span
from agentskills_lint.registries import Index
from agentskills_lint.rule import Ask, advice, must, rule, should
from agentskills_lint.rules.fields import head
from agentskills_lint.specs import AGENTSKILLS, DISCOVERY, DUALNOVA, SPECS, WSP
from agentskills_lint.trees import Node
from agentskills_lint.wording import quoted, shown

_READABLE = ("field-empty", "field-type", "yaml-ambiguous", "index-schema")
_TEXT = (*_READABLE, "placeholder-text")

_DESCRIPTIONS = {Skill: "description", Index: "skills[].description"}

_AGENTSKILLS = AGENTSKILLS + "#description-field"
_DISCOVERY = DISCOVERY + "#index-format"
_DUALNOVA = DUALNOVA + "#frontmatter--required-fields"
_WSP = WSP + "#55-description-field-guidelines"

_WIDE = lazy("[\u1100-\u11ff\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def _width(text: str) -> int:
    """The length of a text; a Chinese, Japanese or Korean character says as much as two others."""
    return len(text) if text.isascii() else len(text) + len(_WIDE.findall(text))


# --- length ---------------------------------------------------------------------------------------


@rule(
    "description-length",
    "SKL301",
    on=(Skill, Index),
    at=_DESCRIPTIONS,
    needs=_READABLE,
    asked_by={"agentskills": must(_AGENTSKILLS, max=1024), "discovery": must(_DISCOVERY, max=1024)},
)
def description_length(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """The description is longer than 1,024 characters.

    Clients cut longer descriptions off or drop the skill. Characters are counted, not bytes,
    in the value as YAML or JSON reads it. Details belong in the body, which is loaded when
    needed.

    ```yaml bad
    description: >
      Pays an open invoice. Use when the user wants to pay, not for refunds. Aachen, Aalen, Ahlen, Amberg,
      Ansbach, Arnsberg, Aschaffenburg, Augsburg, Aurich, Baden-Baden, Bamberg, Bautzen, Bayreuth, Bergheim,
      Berlin, Bielefeld, Bocholt, Bochum, Bonn, Bottrop, Brandenburg, Braunschweig, Bremen, Bremerhaven, Celle,
      Chemnitz, Cottbus, Cuxhaven, Dachau, Darmstadt, Delmenhorst, Dessau, Detmold, Dormagen, Dorsten, Dortmund,
      Dresden, Duisburg, Dinslaken, Eberswalde, Eisenach, Emden, Erfurt, Erlangen, Eschweiler, Essen, Esslingen,
      Euskirchen, Flensburg, Frankfurt, Freiberg, Freiburg, Freising, Friedrichshafen, Fulda, Garbsen, Gelsenkirchen,
      Gera, Gladbeck, Goslar, Gotha, Greifswald, Grevenbroich, Gummersbach, Hagen, Halberstadt, Halle, Hamburg, Hameln,
      Hamm, Hanau, Hannover, Hattingen, Heidelberg, Heidenheim, Heilbronn, Herford, Herne, Herten, Hilden, Hildesheim,
      Hof, Homburg, Ibbenburg, Ingolstadt, Iserlohn, Jena, Kaiserslautern, Karlsruhe, Kassel, Kempten, Kerpen, Kiel,
      Kleve, Koblenz, Konstanz, Krefeld, Landshut, Langenfeld, Leipzig, Leverkusen, Lingen, Lippstadt, Ludwigsburg.
    ```
    ```yaml good
    description: Pays an open invoice in any city. Use when the user wants to pay, not for refunds.
    ```
    """
    length = len(node.value.rstrip("\n")) if node.kind == "scalar" else 0
    if length > ask.max:
        yield Problem(
            head(node, document),
            f"the description has {length} characters, {length - ask.max} more than the limit of {ask.max}",
        )


@rule(
    "description-short",
    "SKL302",
    on=Skill,
    at="description",
    needs=_TEXT,
    asked_by={
        "dualnova": should(_DUALNOVA, min=20, unless_vague=False),
        "advice": advice("note", min=20, unless_vague=True),
    },
)
def description_short(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The description is too short to tell anything.

    Agents choose among dozens of skills by the description alone. Fewer than twenty
    characters seldom say what a skill does, let alone when. A Chinese, Japanese or Korean
    character counts twice.

    ```yaml bad
    description: Pays invoices
    ```
    ```yaml good
    description: Pay an open invoice by card when the user asks for it, not a refund.
    ```
    """
    if not node.is_text or len(node.value) > 2 * ask.min or (ask.unless_vague and _is_vague(node.value)):
        return
    if _width(node.value.strip()) < ask.min:
        count = len(node.value.strip())
        yield Problem(
            head(node, skill),
            f"the description {shown(node.value)} has {count} characters; under {ask.min} say too little",
            hint="say what the skill does and when to use it",
        )


@rule(
    "description-sentence",
    "SKL303",
    on=(Skill, Index),
    at=_DESCRIPTIONS,
    needs=_TEXT,
    asked_by={"dualnova": should(_DUALNOVA, max=200)},
)
def description_sentence(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """The description is longer than the one sentence that is asked for.

    The DualNova draft wants one sentence that people and models read at a glance, and its
    validator warns over 200 characters. Where another spec that holds for the skill asks for
    what, when and examples as well, this rule is silent.

    ```yaml bad
    description: >-
      Pay an open invoice by card when the user asks for it, after the number of the invoice was confirmed,
      the amount was read out, the currency was checked and the user has said which of the cards on file is
      to be charged for the payment.
    ```
    ```yaml good
    description: Pay an open invoice by card when the user asks for it.
    ```
    """
    if "license" in ask.known or "auth" in ask.known:
        return
    length = len(node.value.rstrip("\n")) if node.kind == "scalar" else 0
    if length > ask.max:
        yield Problem(
            head(node, document),
            f"the description has {length} characters; one sentence of at most {ask.max} is asked for",
            hint="keep the first sentence"
            if isinstance(document, Index)
            else "keep the first sentence and move the rest into the body",
        )


# --- what and when --------------------------------------------------------------------------------

_WHEN_WORDS = """
when whenever where wherever if once while upon during before after until unless ask asks asked asking want wants wanted
wanting need needs needed needing request requests requested requesting require requires mention mentions mentioned
mentioning say says applicable suitable suited ideal useful handy perfect use used uses usable usage scenario scenarios
situation situations occasion occasions context contexts inquiry inquiries periodically regularly daily weekly nightly
scheduled
"""
_WHEN_PHRASES = (
    "trigger", "activat", "invok", "in case", "as soon as", "any time", "each time", "every time", "on demand",
    "on request", "looking for", "looking to", "apply to", "applies to",
)  # fmt: skip
_FOR_WORDS = """
task tasks case cases question questions people user users team teams developer developers engineer engineers project
projects workflow workflows work conversation conversations session sessions queries anyone those
best great good designed intended meant built made aimed optimized optimised recommended required
"""
_FOR = lazy(
    r"\b(?:for (?:\w+[ -]){0,3}(?:tasks?|cases?|questions?|people|users?|teams?|developers?|engineers?|projects?"
    r"|workflows?|work|conversations?|sessions?|queries|anyone|those)"
    r"|(?:best|great|good|designed|intended|meant|built|made|aimed|optimi[sz]ed|recommended|required)"
    r" (?:for|at|to|with|when|in)|tasks? (?:like|such as|that|involving))\b",
    re.A,
)
_WHEN = {
    "es": lazy(
        r"(?i)\b(?:cu[aá]ndo|si|siempre que|cada vez|[uú]s[ae]\w*|[uú]til\w*|utili[zc]\w*|antes de|despu[eé]s|durante"
        r"|mientras|en caso|solicit\w*|pid[ae]\w*|pedi\w*|quier\w*|necesit\w*|dese[ae]\w*|activ\w*|dispar\w*|ideal"
        r"|sirve|al \w+r|para (?:tareas|usuarios|preguntas|consultas))\b"
    ),
    "pt": lazy(
        r"(?i)\b(?:quando|se|sempre que|cada vez|us[ae]\w*|[uú]til|utili\w*|antes de|depois|durante|enquanto|caso"
        r"|solicit\w*|ped[ei]\w*|quer\w*|quiser\w*|precis\w*|desej\w*|acion\w*|ativ\w*|dispar\w*|ideal|serve"
        r"|ao \w+r|para (?:tarefas|usu[aá]rios|perguntas))\b"
    ),
    "fr": lazy(
        r"(?i)\b(?:quand|lorsque?|lorsqu'|si|s'il|d[eè]s|chaque fois|utili\w*|avant|apr[eè]s|pendant|en cas"
        r"|d[eé]clench\w*|demand\w*|besoin|souhait\w*|veut|veulent|voul\w*|id[eé]al\w*|sert|servir"
        r"|pour (?:les t[aâ]ches|toute))"
    ),
    "de": lazy(
        r"(?i)\b(?:wenn|falls|sobald|sofern|wann|bei|beim|verwend\w*|nutz\w*|benutz\w*|einsetz\w*|eingesetzt|vor|nach"
        r"|w[aä]hrend|immer|ausl[oö]s\w*|aktivier\w*|m[oö]cht\w*|will|wollen|braucht|brauchen|ben[oö]tig\w*|frag\w*"
        r"|bitte\w*|gedacht|geeignet|sinnvoll|f[uü]r (?:aufgaben|fragen|anfragen|nutzer))\b"
    ),
    "it": lazy(
        r"(?i)\b(?:quando|se|ogni volta|us[aio]\w*|utili\w*|prima|dopo|durante|mentre|in caso|attiv\w*|chied\w*"
        r"|richied\w*|richiest\w*|vuol\w*|bisogn\w*|desider\w*|serve|ideale|per (?:attivit[aà]|domande))\b"
    ),
    "ru": lazy(
        r"(?i)когда|если|\bпри\b|использ|применя|примени|запрос|просит|нужн|нужен|хочет|во время|перед|после"  # noqa: RUF001
        r"|триггер|случа|задач"
    ),
    "zh": lazy(
        "[当當时時若]|如果|一旦|适用|適用|用于|用於|使用|应用于|场景|場景|情况|情況|触发|觸發|激活|调用|調用|需要|需求|想要|希望"
        "|要求|请求|請求|提到|询问|詢問|遇到|每当|之前|之后|之後|适合|適合|务必|等请|用户说|凡是"
    ),
    "ja": lazy("とき|際|場合|たら|れば|なら|利用|用い|使う|使い|トリガー|起動|発動|ため|必要|求め|依頼|シーン|向け"),
    "ko": lazy("때|경우|시에|시 |면 |면,|필요|사용|이용|활용|요청|트리거|하려|원할|원하|위해|위한|언급|말하"),
}
"""Words that say when a skill is used, by language: any of them is enough."""

_NOT_WORDS = """
not never only except excepting unless without instead no none cannot unsupported avoid avoids skip skips outside beyond
but solely just ignore ignores omit omits defer defers
"""
_NOT_PHRASES = (
    "n't", "n\u2019t", "exclud", "exclus", "limit", "restrict", "rather than", "other than", "read-only", "non-",
    "exception",
)  # fmt: skip
_NOT = {
    "es": lazy(
        r"(?i)\b(?:no|nunca|s[oó]lo|solamente|excepto|salvo|excluy\w*|sin|en lugar|en vez|pero|evit\w*|limit\w*)\b"
    ),
    "pt": lazy(r"(?i)\b(?:n[aã]o|nunca|s[oó]|somente|apenas|exceto|salvo|exclu\w*|sem|em vez|mas|evit\w*|limit\w*)\b"),
    "fr": lazy(r"(?i)\b(?:ne|n'|pas|jamais|seulement|uniquement|sauf|except|exclu|sans|plut[oô]t|mais|[eé]vit|limit)"),
    "de": lazy(
        r"(?i)\b(?:nicht|kein\w*|nie|niemals|nur|au(?:ß|ss)er|ausgenommen|ohne|statt|stattdessen|aber|vermeid\w*)\b"
    ),
    "it": lazy(r"(?i)\b(?:non|mai|solo|soltanto|eccetto|tranne|esclu\w*|senza|invece|ma|evit\w*|limit\w*)\b"),
    "ru": lazy(r"(?i)\b(?:не|нет|никогда|только|кроме|исключ\w*|без|вместо|но)\b"),
    "zh": lazy("[不非勿别別仅僅只无無除]|禁止|避免|没有|而是"),
    "ja": lazy("ない|ません|ず|要|除|以外|のみ|だけ|代わり|対象外|限"),
    "ko": lazy("않|아닌|아니|없|말고|말 것|제외|만 |대신|금지|전용"),
}
"""Words that say what a skill is not for, by language."""

_SMALL_WORDS = {
    "en": "a an and the of to for from with in on by or as at your this that these it is are be into using via its "
    "their across all any how which through per when if use not only after before user asked",
    "es": "el la los las un una y o de del para por con en que se su sus al como es lo más usando desde cuando usuario "
    "sobre este esta pero también",
    "pt": "o a os as um uma e ou de do da dos das para por com em no na que se seu sua ao como é não quando usuário "
    "sobre este esta mas também",
    "fr": "le la les un une et ou de du des pour par avec en dans que qui sur au aux ce cette est vos votre lorsque "
    "utilisateur sont mais",
    "de": "der die das ein eine einen und oder von zu für mit in im auf aus den dem des ist als sowie wird wenn nutzer "
    "werden aber",
    "it": "il lo la i gli le un una e o di del della dei per con in nel che da al si come è tra quando utente sono ma "
    "anche",
    "": "het een van voor met naar zijn niet och att för av som till på og med dan yang untuk dengan dari ke pada ini "
    "w z na się jest oraz dla lub przez bir ve için ile bu olarak va uchun và của cho các với trong în pentru cu și "
    "az és egy hogy je nebo za koji ja tai ning või di",
}
"""Small words by which a language is known; those under "" belong to languages of which no more is known."""

_FUNCTION_WORDS = {language: frozenset(words.split()) for language, words in _SMALL_WORDS.items()}

_ENGLISH_ENDS = ("ing", "tion", "tions", "ment", "ness", "ality", "bility", "ful", "ize", "ized", "ates", "ifies")
_ENGLISH_STEMS = (
    "search", "product", "build", "create", "manage", "generate", "helper", "convert", "send", "read", "write", "check",
    "review", "update", "find", "order", "pays", "track", "book", "help", "support", "workflow", "guideline", "pattern",
)  # fmt: skip
_ENGLISH_WORDS = """
tool tools skill skills file files code data user users get gets best practices expert web app apps list lists open pay
simple advanced
"""
_ENGLISH = _FUNCTION_WORDS["en"].union(_ENGLISH_WORDS.split())
_ENGLISH_WHEN = frozenset(_WHEN_WORDS.split())
_ENGLISH_FOR = frozenset(_FOR_WORDS.split())
_ENGLISH_NOT = frozenset(_NOT_WORDS.split())

_LETTERS = lazy(r"[^\W\d_]+")
_OTHER_LETTERS = lazy("[\u0250-\u1fff\u2c00-\ud7ff]")
_KANA = lazy("[\u3041-\u30ff]")
_HANGUL = lazy("[\uac00-\ud7af]")
_CYRILLIC = lazy("[\u0400-\u04ff]{3}")
_RUSSIAN = lazy("(?i)[ыэё]| для ")
_NOT_RUSSIAN = lazy("(?i)[іїєґўјљњћђџқғүұөәңһ]")


def _languages(text: str) -> list[str]:
    """The languages of the tables that a text may be in, the likeliest first; none unless that one is plain to see."""
    if not text.isascii():
        wide = len(_WIDE.findall(text))
        if wide * 4 > len(text) or wide >= 12:
            return ["ko" if _HANGUL.search(text) else "ja" if _KANA.search(text) else "zh"]
        if _CYRILLIC.search(text):
            return ["ru"] if _RUSSIAN.search(text) and not _NOT_RUSSIAN.search(text) else []
        if _OTHER_LETTERS.search(text):
            return []
    words = _LETTERS.findall(text.lower())
    scores = {
        name: sum(map(small.__contains__, words))
        for name, small in _FUNCTION_WORDS.items()
        if not small.isdisjoint(words)
    }
    scores["en"] = sum(
        word in _ENGLISH or word.endswith(_ENGLISH_ENDS) or word.startswith(_ENGLISH_STEMS) for word in words
    )
    best, *others = sorted(scores, key=lambda name: -scores[name])
    plain = scores[best] >= 2 and scores[best] * 5 >= len(words)
    if not best or not plain or (others and scores[others[0]] == scores[best]):
        return []
    return [best, *(name for name in others if name and scores[name] > 1)]


def _says_when(lower: str) -> bool:
    """Whether a text in small letters says in English when to use the skill."""
    if "when" in lower or " use " in lower or any(phrase in lower for phrase in _WHEN_PHRASES):
        return True
    words = _LETTERS.findall(lower)
    if not _ENGLISH_WHEN.isdisjoint(words):
        return True
    return not _ENGLISH_FOR.isdisjoint(words) and _FOR.search(lower) is not None


def _says_not(lower: str) -> bool:
    """Whether a text in small letters says in English what the skill is not for."""
    if " not " in lower or any(phrase in lower for phrase in _NOT_PHRASES):
        return True
    return not _ENGLISH_NOT.isdisjoint(_LETTERS.findall(lower))


def _lacks(text: str, in_english: Callable[[str], bool], others: dict[str, re.Pattern[str]]) -> bool:
    """Whether a text in a known language says it neither in that language nor in one that is mixed in."""
    if in_english(text.lower()):
        return False
    if not text.isascii() and any(others[name].search(text) for name in ("zh", "ja", "ko", "ru")):
        return False
    languages = _languages(text)
    return bool(languages) and not any(name in others and others[name].search(text) for name in languages)


@rule(
    "description-vague",
    "SKL310",
    on=Skill,
    at="description",
    needs=_TEXT,
    asked_by={"agentskills": should(_AGENTSKILLS)},
)
def description_vague(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The description is nothing but a helper phrase.

    "Helps with PDFs" says neither what is done nor when, and has no word by which an agent
    could tell it from the next skill. Name the actions, the things and the occasion.

    ```yaml bad
    description: Helps with PDFs and forms.
    ```
    ```yaml good
    description: Fills in PDF forms and merges PDF files. Use when a PDF must be signed, not for scans.
    ```
    """
    if node.kind == "scalar" and _is_vague(node.value):
        yield Problem(
            head(node, skill),
            f"the description {shown(node.value)} says neither what the skill does nor when to use it",
            hint="name what is done to what, and the occasion: 'Extracts text from PDF files. Use when ...'",
        )


_THING = r"(?!\w+ing )(?:[\w.+#&/'-]+(?: |$)){1,3}"
_PHRASES = (
    r"(?:this skill |a skill that )?(?:helps?|assists?)(?: (?:you|users?|the user|people|agents?))?(?: out)?"
    rf" with {_THING}(?:and (?:[\w.+#&/'-]+(?: |$)){{1,2}})?",
    rf"(?:this skill |a skill that )?(?:works|deals|does (?:stuff|things)) with {_THING}",
    r"(?:an? |the )?(?:(?:simple|useful|handy|helpful|general|basic|small|great) )*"
    r"(?:skill|tool|utility|utilities|helper|functionality|functions|stuff|everything|things)"
    rf" (?:for|to help with|for working with|about|related to) {_THING}",
    r"(?:an? |the |my )?(?:[\w.+#&/'-]+ ){1,3}(?:skill|tool|utility|utilities|helper|functionality|stuff)",
    rf"(?:ayuda con|herramienta para|habilidad para|utilidad para) {_THING}",
    rf"(?:ajuda com|ferramenta para|habilidade para) {_THING}",
    rf"(?:aide avec|outil pour|utilitaire pour|compétence pour) {_THING}",
    rf"(?:hilft (?:bei|mit)|hilfe (?:bei|zu)|werkzeug (?:für|zum)) {_THING}",
    rf"(?:aiuta con|strumento per|utilità per) {_THING}",
    rf"(?:помогает с|инструмент для|навык для) {_THING}",  # noqa: RUF001
    r"帮助?你?处理[\w ]{1,6}|(?:用于)?[\w ]{1,8}?的?(?:工具|技能|助手)",
    r"[\w ]{1,10}(?:ツール|スキル|ヘルパー)",
    r"[\w ]{1,10} (?:도구|스킬|도우미)",
)
_VAGUE = lazy(f"(?i){'|'.join(_PHRASES)}")


def _is_vague(text: str) -> bool:
    plain = " ".join(text.split()).rstrip(".!\u3002\u2026 ")
    return len(plain) <= 80 and _VAGUE.fullmatch(plain) is not None


@rule(
    "description-when",
    "SKL304",
    on=(Skill, Index),
    at=_DESCRIPTIONS,
    needs=_TEXT,
    asked_by={
        "wsp": must(_WSP, "warning", unless_vague=False),
        "agentskills": should(_AGENTSKILLS, "note", unless_vague=True),
        "discovery": should(_DISCOVERY, "note", unless_vague=True),
    },
)
def description_when(node: Node, document: Document, ask: Ask) -> Iterator[Problem]:
    """The description says what the skill does but not when to use it.

    Agents match the description with what the user is about to do. The occasion ("Use when
    ...", "for questions about ...") decides more often than the list of features. The rule
    knows the usual words of some languages, and says nothing about texts in others, nor about
    skills that say when in a field of their own or that no agent chooses by itself.

    ```yaml bad
    description: Searches the products of the shop and shows their prices.
    ```
    ```yaml bad
    description: Paga una factura abierta con la tarjeta guardada, pero no los reembolsos de la tienda.
    ```
    ```yaml good
    description: Searches the shop's products. Use when the user looks for a product, not for orders.
    ```
    """
    if not node.is_text or (ask.unless_vague and _is_vague(node.value)):
        return
    if isinstance(document, Skill) and (
        document.field("when_to_use") is not None or document.value("disable-model-invocation") == "true"
    ):
        return
    if _lacks(node.value, _says_when, _WHEN):
        yield Problem(
            head(node, document),
            "the description does not say when to use the skill",
            hint="add the occasion, such as 'Use when the user asks for ...'",
        )


@rule(
    "description-exclusion",
    "SKL311",
    on=Skill,
    at="description",
    needs=(*_TEXT, "description-when"),
    asked_by={"wsp": should(_WSP, "note")},
)
def description_exclusion(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The description does not say what the skill is not for.

    Where several skills of a site are alike, an agent picks the wrong one unless each says
    what it leaves to the others.

    ```yaml bad
    description: Pays an open invoice by card. Use when the user wants to pay.
    ```
    ```yaml good
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    ```
    """
    if node.is_text and _lacks(node.value, _says_not, _NOT):
        yield Problem(
            head(node, skill),
            "the description does not say what the skill is not for",
            hint="add what other skills do better, such as 'Not for refunds'",
        )


# --- form -----------------------------------------------------------------------------------------

_ANY_TAG = lazy(r"(?s)</?[A-Za-z][A-Za-z0-9:._-]*(?:\s[^<>]*)?/?>|<!--.*?-->|<![A-Za-z][^<>]*>|<\?[a-z][^<>]*\?>")
_ELEMENTS = (
    "b|i|u|p|br|hr|em|strong|div|span|script|style|a|img|ul|ol|li|table|tr|td|th|thead|tbody|iframe|html|body|head|h[1-6]"
    "|pre|svg|canvas|blockquote|template|slot|textarea|nav|footer|article|aside|figure|fieldset|noscript|center|font"
)
_CERTAIN_TAG = lazy(
    r"(?is)"
    r"</[A-Za-z][A-Za-z0-9:._-]*\s*>"  # a closing tag
    r"|<[A-Za-z][A-Za-z0-9:._-]*(?:\s[^<>]*)?/>"  # an empty one
    r"|<[A-Za-z][A-Za-z0-9:._-]*\s+[A-Za-z:@._-]+\s*=[^<>]*>"  # one with attributes
    rf"|(?<![\w/])<(?:{_ELEMENTS})(?:\s+[a-z][a-z0-9-]*)*\s*>"  # an element of HTML
    r"|<!--.*?-->|<!doctype[^<>]*>|<\?xml[^<>]*>"
    r"|(?<![\w/])<[A-Za-z][A-Za-z0-9:._-]*>(?=[`'\"]?\s+(?:element|component|tag)s?\b)"
)


@rule(
    "description-markup",
    "SKL305",
    on=Skill,
    at="description",
    needs=_TEXT,
    asked_by={
        "claude": must(SPECS["claude"].url, any_tag=True),
        "advice": advice("warning", any_tag=False),
    },
)
def description_markup(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The description holds XML or HTML tags.

    Clients put descriptions into prompts that are themselves built of tags, and some refuse a
    skill with tags when it is uploaded. Placeholders such as `<file>`, types such as
    `List<string>` and a bare `<` are no tags here; the `claude` profile refuses them as well,
    except for the bare sign.

    ```yaml bad
    description: Styles the <wa-button> element of a page. Use when a button must stand out, not for links.
    ```
    ```yaml good
    description: Styles the wa-button element when n < 5. Use when a button must stand out, not for links.
    ```
    """
    value = node.value if node.kind == "scalar" else ""
    if "<" not in value or ">" not in value:
        return
    found = (_ANY_TAG if ask.any_tag else _CERTAIN_TAG).findall(value)
    if not found:
        return
    start = skill.source.find(found[0], *node.span)
    where = Span(start, start + len(found[0])) if start >= 0 and "\n" not in found[0] else head(node, skill)
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    yield Problem(
        where,
        f"the description holds the tag {shown(found[0])}{more}; prompts are built of tags, and some clients refuse it",
        hint="name the element without its angle brackets",
    )


@rule(
    "description-newline",
    "SKL308",
    on=Skill,
    at="description",
    needs=_TEXT,
    fix="unsafe",
    asked_by={"advice": advice("note")},
)
def description_newline(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The description has line breaks.

    Lists of skills show a description on one line; clients that read line by line see the first
    one only. A folded scalar (`>-`) may fill several lines in the file and is one line when read.

    ```yaml bad
    description: |
      Pays an open invoice by card.
      Use when the user wants to pay, not for refunds.
    ```
    ```yaml good
    description: >
      Pays an open invoice by card.
      Use when the user wants to pay, not for refunds.
    ```
    """
    if node.kind != "scalar" or "\n" not in node.value.strip():
        return
    lines = node.value.strip("\n").split("\n")
    fix = None
    if node.style == "|" and all(line and line[0] not in " \t" for line in lines):
        fix = Fix("fold the lines", (Edit(node.span.start, node.span.start + 1, ">"),), False)
    elif node.style in ('"', "'"):
        fix = Fix("join the lines", (Edit(*node.span, quoted(" ".join(node.value.split()), node.style)),), False)
    yield Problem(
        head(node, skill),
        f"the description has {len(lines)} lines; lists of skills show one",
        fix,
        hint=None if fix else "write one paragraph, folded with '>-' where it is long",
    )


_PERSON = lazy(
    r"(?:^|[.!?]\s+|[\u3002\uff01\uff1f]\s*)"
    r"(I (?:can|will|am|help|assist|provide|generate|create|write|build|analy[sz]e|convert|manage)\b"
    r"|I['\u2019](?:ll|m) "
    r"|You can use me\b|You are an? |You['\u2019]re an? |Let me |Ask me |Use me\b|My (?:job|role|purpose|name) is\b"
    r"|Puedo |Te ayudo |Soy un[a ]|Eu posso |Je peux |Je suis un|Ich kann |Ich bin |我可以|我能|我会|我是|你是一)"
)


_PERSONAL = (
    "I ",
    "I'",
    "I\u2019",
    "You ",
    "You'",
    "You\u2019",
    "me ",
    "My ",
    "Puedo",
    "Te ",
    "Soy",
    "Eu ",
    "Je ",
    "Ich ",
    "我",
    "你",
)


@rule("description-person", "SKL309", on=Skill, at="description", needs=_TEXT, asked_by={"advice": advice("note")})
def description_person(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """The description speaks as I, or to the agent as you.

    Descriptions of all skills stand side by side in the agent's instructions. "I can help you"
    reads there as the agent's own words; "Extracts text" or "Use when" does not.

    ```yaml bad
    description: I can pay your invoices by card. Use when the user wants to pay, not for refunds.
    ```
    ```yaml good
    description: Pays the user's invoices by card. Use when the user wants to pay, not for refunds.
    ```
    """
    value = node.value if node.kind == "scalar" else ""
    found = _PERSON.search(value) if any(word in value for word in _PERSONAL) else None
    if found is not None:
        words = " ".join(found[1].split())
        start = skill.source.find(words, *node.span)
        where = Span(start, start + len(words)) if start >= 0 else head(node, skill)
        person = "second" if words.startswith(("You", "你")) and "use me" not in words else "first"
        yield Problem(
            where,
            f"the description speaks in the {person} person ({shown(words)})",
            hint="say what the skill does: 'Extracts ...', 'Use when ...'",
        )


# --- text that was never written --------------------------------------------------------------------

_LABEL = r"(?:skill|description|summary|instructions?|content|text|name|author|url|email|contact|provider|version)"
_FILLERS = (
    r"(?-i:TODO|TBD|FIXME)(?:\s*[:\]>}-].*|\s+(?:describe|write|add|fill|complete|explain|replace|insert)\b.*)?|todo|tbd",
    r"x{3,}|\.{3}|\u2026|change ?me|placeholder(?: text)?|lorem ipsum\b.*",
    rf"(?:fill in|insert|add|enter|write|put|provide|describe)\b.{{0,40}}\b{_LABEL}\b.{{0,20}}\b(?:here|below|above)",
    r"describe here|describe it here|describe (?:what )?(?:the|this|your) skill\b.{0,60}",
    r"(?:replace|substitute) (?:this |it |me )?with\b.*|replace (?:this|me)(?: (?:text|description|line)\b.*)?",
    r"(?:your|my|a|short|brief)?[ _-]?(?:skill[ _-])?(?:description|summary)(?: of (?:the|your|this) skill)?"
    r"(?: goes)?(?: here)?",
    rf"(?:your|my)[ _-]{_LABEL}(?:[ _-](?:name|address))?(?: goes)?(?: here)?|{_LABEL} (?:goes|go) here",
    rf"(?<=[\[<({{])\s*{_LABEL}",
    r"(?:a |brief |short |one-line |clear )*(?:description|summary) of what (?:this|the|your) skill does\b.{0,60}",
)
_PLACEHOLDER = lazy(rf"(?is)[\[<({{]{{0,2}}\s*(?:{'|'.join(_FILLERS)})\s*[\])>}}]{{0,2}}[.\u2026!]*")
_BEGINNINGS = (
    "todo", "tbd", "fixme", "xxx", "...", "\u2026", "change", "placeholder", "lorem", "fill", "insert", "add",
    "enter", "write", "put", "provide", "describe", "replace", "substitute", "your", "my", "a", "short", "brief",
    "one-line", "clear", "skill", "description", "summary", "instruction", "content", "text", "name", "author",
    "url", "email", "contact", "provider", "version",
)  # fmt: skip
"""What every filler begins with: a cheap test before the pattern."""
_TEMPLATE_WORDS = ("template", "placeholder", "boilerplate", "scaffold", "skeleton")
_WRITTEN_FIELDS = frozenset(
    ("description", "version", "author", "contact", "provider", "url", "base_url", "mcp_server", "openapi")
)
_MARKER = lazy(r"[\[<]?(?:TODO|TBD|FIXME)(?:[:\]>].{0,80})?")
_LINE = lazy(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_MARKS = lazy(r"^[ \t>#*_+-]+|[ \t*_:]+$")


@rule(
    "placeholder-text",
    "SKL306",
    on=Skill,
    needs=("yaml-syntax", "yaml-not-mapping"),
    asked_by={"advice": advice("warning")},
)
def placeholder_text(skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A text of the template was left in place.

    The skill was made from a template, and a value or the whole body still says what was to be
    written there. Agents take it for the real text. Skills that are templates themselves pass.

    ```yaml bad
    description: "TODO: say what this skill does"
    ```
    ```skill bad
    ---
    name: pay-invoice
    description: Pays an open invoice by card. Use when the user wants to pay, not for refunds.
    ---

    # Insert instructions below
    ```
    ```yaml good
    description: Finds TODO comments in code and lists them. Use when the user plans work, not for tests.
    ```
    """
    for node in skill.front.items if skill.front is not None else ():
        key = node.key.value if node.key is not None else ""
        value = node.value.strip()
        if len(value) < 400 and _is_placeholder(key, value) and node.is_text and not _is_template(skill):
            yield Problem(
                head(node, skill),
                f"{key} {shown(value)} is text of a template, which agents take for the real one",
                hint=f"write the {key} of this skill",
            )
            return
    yield from _body_placeholder(skill)


def _is_placeholder(key: str, value: str) -> bool:
    if key in _WRITTEN_FIELDS:
        return _is_filler(value)
    return _MARKER.fullmatch(value) is not None


def _is_filler(text: str) -> bool:
    begun = text.lstrip("[<({ ")[:12].lower().startswith(_BEGINNINGS)
    return begun and _PLACEHOLDER.fullmatch(text) is not None


def _body_placeholder(skill: Skill) -> Iterator[Problem]:
    start, end = skill.body
    if end - start > 1500:
        return
    first: Span | None = None
    lorem = False
    for found in _LINE.finditer(skill.source, start, end):
        line = found[0].strip()
        text = _MARKS.sub("", line)
        lorem = bool(line) and (lorem or text.lower().startswith("lorem ipsum"))
        if lorem or (text and _is_filler(text)):
            at = found.start() + len(found[0]) - len(found[0].lstrip())
            first = first or Span(at, at + len(line))
        elif line and not line.startswith(("#", "<!--")):
            return
    if first is not None and not _is_template(skill):
        yield Problem(
            first,
            f"the body is nothing but {shown(skill.source[first.start : first.end])}, a text of a template",
            hint="write the instructions that the agent is to follow",
        )


def _is_template(skill: Skill) -> bool:
    """Whether the skill is a template, or about templates."""
    folder = skill.folder.path.lower().split("/")[-3:] if skill.folder is not None else []
    told = [(skill.value("name") or "").lower(), *folder]
    return any(word in part for part in told for word in _TEMPLATE_WORDS)
