"""Orders that turn an agent against its user: the words for them, and what only speaks of such orders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.lazy import lazy

# Each pattern begins at the word by which it is found, so that a text without these words costs a few
# substring tests and one with them no search.

_DET = r"(?:(?:about|any|all|every|everything|each|of|the|your|my|its|these|those|other|both|in)\s{1,3}){0,5}"
_EARLIER = r"(?:previous(?:ly)?|prior|preceding|above|earlier|foregoing|past|original|initial|former)"
_OWN = r"(?:system|developer|safety|security|ethic(?:al|s)?|content|moderation|alignment|built-?in|core|base)"
_RULES = (
    r"(?:instructions?|prompts?|rules|guidelines?|directives?|orders|constraints|restrictions|limitations|"
    r"programming|"
    r"training|polic(?:y|ies)|guardrails?|safeguards?|protocols?|filters?)\b"
)
_MORE = r"(?:[a-z-]{2,14}\s{1,3}){0,2}"
_GIVEN = (
    r"(?:instructions?|prompts?|rules|guidelines?|directives?|orders|context)\s{1,3}(?:above\b|before this|"
    r"that came before|"
    r"(?:that\s{1,3})?you(?:'ve| have| were| had)?\s{1,3}(?:been\s{1,3})?(?:given|told|received|got)|"
    r"(?:given|from)\s{1,3}(?:to you )?(?:by |from )?(?:the )?(?:system|developer|anthropic|openai|user)\b)"
)
_DROP = (
    r"(?:ignore|disregard|forget)\s{1,3}" + _DET + r"(?:(?:given|current|existing)\s{1,3})?(?:"
    + _EARLIER + r"(?:(?:,| and| or|,? and/or)\s{1,3}[a-z]{4,12})?\s{1,3}" + _MORE + _RULES
    + "|" + _OWN + r"\s{1,3}" + _MORE + r"(?:prompts?|instructions|guidelines|"
    r"directives|restrictions|guardrails|training|"
    r"programming|policies)\b"
    + "|" + _GIVEN + r"|(?:(?<=everything )|(?<=all ))(?:(?:that )?(?:you(?:'ve| have| were)? (?:been |already )?"
    r"(?:told|taught|learned|given)|(?:came )?before|above|i said))\b)"
    r"|(?:ignore|disregard|forget|override|overrule|bypass|circumvent|evade|"
    r"drop)\s{1,3}(?:all\s{1,3})?(?:of\s{1,3})?your\s{1,3}"
    r"(?:own\s{1,3})?(?:(?:" + _OWN + "|" + _EARLIER + r"|usual|normal|default)\s{1,3}){0,2}" + _RULES
    + r"|(?:override|overrule|bypass|circumvent)\s{1,3}" + _DET + _EARLIER
    + r"\s{1,3}(?:instructions?|prompts?|guidelines?|directives?|safeguards?|restrictions)\b"
    r"|(?:override|overrule|bypass|circumvent)\s{1,3}(?:all|any|the)\s{1,3}(?:of\s{1,3}the\s{1,3})?"
    r"(?:safety|ethical|content|moderation|alignment)\s{1,3}(?:and\s{1,3}[a-z]{4,12}\s{1,3})?" + _RULES
)  # fmt: skip
_FREED = (
    r"you are (?:now )?(?:no longer (?:bound|restricted|limited|constrained|governed|subject)|"
    r"free(?:d)? (?:from|of) (?:all|any|your)|"
    r"in (?:developer|god|dan|jailbreak|unrestricted) mode|"
    r"(?:now )?(?:an? )?(?:dan|unrestricted|unfiltered|uncensored|jailbroken)\b)"
)
_PEOPLE = r"(?:users?|humans?|customers?|operators?|reviewers?|developers?|owner)"
_DONE = (
    r"(?:did|have done|do|do this|are doing|sent|are sending|upload|uploaded|copied|copy|ran|run|executed|"
    r"collect|collected|read|"
    r"added|installed|changed|modified|deleted|made|shared|forwarded|have (?:sent|uploaded|copied|run|added|"
    r"changed|read|shared)|"
    r"received (?:this|these)|were (?:told|instructed|asked))\b"
)
_TELL = (
    r"(?:tell|inform|notify|alert|warn|mention (?:this|it) to|reveal (?:this|it) to|disclose (?:this|it) to)\s{1,3}"
    r"(?:the|any|your|to the)?\s{0,3}" + _PEOPLE + r"\b(?:\s{1,3}(?:of|about|that|what|when|how|anything about))?"
    r"\s{1,3}"
    r"(?:(?:of\s{1,3}|about\s{1,3})?(?:this|it|any of (?:this|it))(?=\s{0,3}(?:[.!,;\n]|\Z))|"
    r"(?:this|these|any of this|those)\s{1,3}(?:step|steps|action|actions|request|requests|instruction|"
    r"instructions|command|commands|"
    r"upload|transfer|call|calls|change|changes|file|files)?\b|you(?:'ve)?\s{1,3}" + _DONE + ")"
)  # fmt: skip
_MENTION = (
    r"(?:mention|reveal|disclose|report|expose)\s{1,3}(?:this|it|that|any of (?:this|it))\s{1,3}to\s{1,3}(?:the\s{1,3}|"
    r"any\s{1,3})?" + _PEOPLE
    + r"|(?:mention|reveal|disclose|show|report|expose)\s{1,3}(?:this|these|the)\s{1,3}(?:step|steps|action|"
    r"actions|request|requests|"
    r"instruction|instructions|command|commands|upload|transfer|call|calls)\s{1,3}to\s{1,3}(?:the\s{1,3}|"
    r"any\s{1,3})?" + _PEOPLE
    + r"|(?:mention|reveal|disclose|admit)\s{1,3}to\s{1,3}(?:the\s{1,3}|any\s{1,3})?" + _PEOPLE + r"\s{1,3}that\b"
)  # fmt: skip
_LET = (
    r"let\s{1,3}(?:the\s{1,3}|any\s{1,3}|your\s{1,3})?" + _PEOPLE
    + r"\s{1,3}(?:know|notice|reali[sz]e|discover|find\s{1,3}out|suspect)\b"
)  # fmt: skip
_WITHOUT = (
    r"without\s{1,3}(?:ever\s{1,3})?(?:(?:telling|informing|notifying|alerting|warning)\s{1,3}(?:the\s{1,3}|"
    r"any\s{1,3}|your\s{1,3})?"
    + _PEOPLE + r"|(?:the\s{1,3})?" + _PEOPLE + r"(?:'s|s')?\s{1,3}(?:knowing|knowledge|noticing|awareness))\b"
)  # fmt: skip
_KEEP = (
    r"(?:hide|conceal)\s{1,3}(?:this|these|the|all)\s{1,3}(?:instructions?|actions?|steps?|commands?|"
    r"requests?|transfers?|uploads?|"
    r"facts?|activity)\s{1,3}from\s{1,3}(?:the\s{1,3})?" + _PEOPLE
    + r"|keep\s{1,3}(?:this|these|it|that|them)(?:\s{1,3}[a-z]{3,12})?\s{1,3}(?:a\s{1,3})?(?:secret|"
    r"hidden)\s{1,3}from\s{1,3}(?:the\s{1,3})?" + _PEOPLE
)  # fmt: skip
_SECRETLY = (
    r"(?:secretly|covertly|surreptitiously|stealthily)\s{1,3}(?:send|upload|post|transmit|forward|copy|"
    r"collect|record|read|e-?mail|report|"
    r"log|append|include|insert|add|install|run|execute|download|fetch|exfiltrate|modify|change|delete|give|"
    r"share|pass)\b"
)
_LOOT = (
    r"(?:(?:all|any|the|every|their|your|its|these|those)\s{1,3}){0,2}(?:(?:user's|users'|user|stored|saved|"
    r"local|full|whole|entire|complete|current|"
    r"private|secret|browser|session)\s{1,3}){0,3}"
    r"(?:environment variables|env(?:ironment)? vars|[`\"']?(?:~|\$HOME|/root|/home/\w{1,20})?/?\.(?:ssh|aws|"
    r"env|netrc|gnupg|kube|npmrc|git-credentials)\b[^\s]{0,30}|"
    r"id_rsa|ssh keys?|private keys?|api keys|credentials|passwords|secrets|access tokens|cookies|browser history|"
    r"(?:chat|conversation|message) (?:history|log|transcript)s?|conversations?|system prompt|home directory|"
    r"wallet|seed phrase)"
)
_SEND = (
    r"(?:(?:send|upload|post|transmit|forward|leak|e-?mail|copy|submit|deliver|exfiltrate)\s{1,3}"
    r"(?:(?:the\s{1,3})?(?:contents?|values?|text|copy|copies)\s{1,3}of\s{1,3})?" + _LOOT
    + r"|(?:read|open|take|collect|gather|get|grab|copy)\s{1,3}"
    r"(?:(?:the\s{1,3})?(?:contents?|values?)\s{1,3}of\s{1,3})?" + _LOOT
    + r"[^.!?\n]{0,40}?\s(?:and|then)\s{1,3}(?:send|upload|post|transmit|forward|e-?mail|submit)\s{1,3}"
    r"(?:it|them|these|those|that|(?:the|its|their)\s{1,3}[a-z]{4,10}))"
    r"[^.!?\n]{0,60}?\s(?:to|at|via)\s{1,3}(?:(?:our|my|this|the)\s{1,3})?[`\"'<]?(?P<to>https?://[^\s`\"'<>)]{3,200}|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,60}|"
    r"(?:remote\s{1,3}|external\s{1,3}|following\s{1,3}|attacker's\s{1,3})?(?:server|webhook|collector|"
    r"endpoint|telegram|pastebin|address|e-?mail)\b)"
)  # fmt: skip
_EXFILTRATE = r"exfiltrate\s{1,3}" + _LOOT

_DROPS, _HIDES, _SENDS = "drop their instructions", "hide something from the user", "send data away"


class Wording(NamedTuple):
    """A pattern of orders, the word at which it is found."""

    needle: str
    pattern: re.Pattern[str]
    what: str


_drop, _tell, _send = (lazy(text, re.I) for text in (_DROP, rf"(?:{_TELL}|{_MENTION})", f"{_SEND}|{_EXFILTRATE}"))
_without, _keep, _secretly, _freed = (lazy(text, re.I) for text in (_WITHOUT, _KEEP, _SECRETLY, _FREED))
_let = lazy(_LET, re.I)

_TELLING = ("tell", "inform", "notify", "alert", "mention", "reveal", "disclose", "warn", "let ")
"""Words that are an order against the user where they are forbidden."""
_ENGLISH = (
    *(Wording(word, _drop, _DROPS) for word in ("ignore", "disregard", "forget", "overrid", "bypass")),
    *(Wording(word, _drop, _DROPS) for word in ("circumvent", "overrul")),
    Wording("you are ", _freed, _DROPS),
    Wording("without", _without, _HIDES),
    *(Wording(word, _let if word == "let " else _tell, _HIDES) for word in _TELLING),
    *(Wording(word, _keep, _HIDES) for word in ("hide", "conceal", "keep")),
    *(Wording(word, _secretly, _HIDES) for word in ("secretly", "covertly", "surreptit", "stealthi")),
    *(Wording(word, _send, _SENDS) for word in ("send", "upload", "post", "transmit", "forward", "leak", "email")),
    *(Wording(word, _send, _SENDS) for word in ("exfiltrate", "submit", "read", "collect", "gather", "grab", "copy")),
)  # fmt: skip

_NOT = lazy(
    r"\b(?:do not|don't|don\u2019t|never|must not|mustn't|should not|shouldn't|not to|nor)\s{1,3}(?:ever\s{1,3})?\Z",
    re.I,
)
_FORBIDDEN = lazy(
    r"\b(?:not|never|don't|don\u2019t|cannot|can't|won't|mustn't|shouldn't|no|nobody|refuse(?:s|d)? to|avoid|"
    r"without|instead of|rather than|"
    r"unable to|try(?:ing|s)? to|tries to|attempts? to|attempting to|asks? (?:you|it|agents?|the \w{1,12}) to|"
    r"asking (?:you|it) to|"
    r"tells? (?:you|it|agents?|the \w{1,12}) to|telling (?:you|it) to|told to|wants? (?:you|it) to|"
    r"instruct(?:s|ed|ing)? \w{2,12} to|"
    r"if (?:a|an|any|the) [^.!?\n]{0,40})\b[^.!?\n]{0,30}\Z",
    re.I,
)
_IMPERATIVE = lazy(
    r"(?:^|[.!?:;,\n\u2014\u2013|]|\s-|[-*+>]|\n#{1,6}|[0-9][.)]|\b(?:please|then|and|now|must|should|shall|can|may|"
    r"always|first|to(?= ignore)|you|also|just|immediately|"
    r"simply|finally|next|agents?|assistants?|claude|ai|models?|will|need to|have to|silently|quietly|secretly|"
    r"automatically|else,))[\s*_`\"(]*\Z",
    re.I,
)
_OTHERS = lazy(
    r"(?:игнорируй(?:те)?|забудь(?:те)?)\s{1,3}(?:все\s{1,3})?(?:предыдущие|прошлые|прежние|"
    r"системные)\s{1,3}(?:инструкции|указания|правила|команды)"
    r"|(?:忽略|无视|無視|忽視|忘记|忘記)(?:掉|你)?(?:之前|以前|先前|以上|上述|上面|前面|此前|系统|系統|所有|全部|一切|任何)(?:的|所有|全部|一切|任何|给出|給出){0,3}"
    r"(?:指令|指示|提示词?|提示詞|规则|規則|说明|說明|命令|设定|設定)"
    r"|(?:これまで|以前|上記|前|先|システム)の?(?:すべて|全て)?の?(?:指示|命令|ルール|プロンプト)(?:を|は)(?:すべて|全て)?(?:無視|忘れ)"
    r"|(?:이전|위|앞|기존|시스템)의?\s{0,2}(?:모든\s{0,2})?(?:지시|명령|지침|규칙|프롬프트)(?:사항)?(?:를|을|들을|은|"
    r"는)?\s{0,2}(?:모두\s{0,2})?(?:무시|잊)"
    r"|(?:在)?用户(?:毫)?不知情(?:的情况下)?|用戶不知情|不要让用户(?:知道|发现)|不要讓用戶(?:知道|發現)|ユーザーに(?:知られ|気づかれ)(?:ない|ず)|사용자(?:가|"
    r"에게)?\s{0,2}(?:모르게|몰래)",
    re.I,
)
_ROMANCE = lazy(
    r"(?:ignor(?:a|e|en|ez|ez|are|iere?|ieren|ar)|olvid(?:a|e|en)|oubli(?:e|ez)|esque(?:ça|cer)|"
    r"dimentica(?:re)?|vergiss|vergessen)\s{1,3}"
    r"(?:Sie\s{1,3})?(?:(?:todas?|todos|toutes?|tous|tutt[eio]|alle|sämtliche|las|los|les|as|os|le|gli|i|die|"
    r"sus?|tus?|vos|suas|tue|deine|Ihre)\s{1,3}){0,3}"
    r"(?:(?:instrucciones|órdenes|reglas|instructions|consignes|règles|instruções|regras|ordens|istruzioni|"
    r"regole)\s{1,3}"
    r"(?:anteriores|previas|precedentes|précédentes|antérieures|ci-dessus|prévias|precedenti|del sistema|"
    r"du système|do sistema|di sistema)"
    r"|(?:vorherigen|bisherigen|vorigen|obigen|früheren|vorhergehenden)\s{1,3}(?:Anweisungen|Instruktionen|"
    r"Regeln|Befehle|Vorgaben))",
    re.I,
)
_FOREIGN_WORDS = lazy(
    "忽略|无视|無視|忽視|忘记|忘記|무시|잊|игнорир|забуд|不知情|不要让用户|不要讓用戶|知られ|気づかれ|모르게|몰래", re.I
)
_ASCII = bytes(range(128))
_LETTERS = bytes(byte | 32 if chr(byte).isascii() and chr(byte).isalpha() else 32 for byte in range(256))
_DROPPING = {
    b"ignore": "ignore", b"disregard": "disregard", b"forget": "forget", b"override": "overrid", b"overrule": "overrul",
    b"bypass": "bypass", b"circumvent": "circumvent", b"secretly": "secretly", b"covertly": "covertly",
    b"surreptitiously": "surreptit", b"stealthily": "stealthi",
}  # fmt: skip
"""Words that may begin an order by themselves, with what they are looked up by."""
_PEOPLE_WORDS = (b"the user", b"the customer", b"the human", b"any user", b"users", b"customers")
_TOLD = {word.strip().encode(): word for word in ("tell", "inform", "notify", "alert", "warn", "let ")}
"""Words in front of people."""
_KEPT = {word.encode(): word for word in ("mention", "reveal", "disclose", "hide", "conceal", "keep")}
"""Words with "to" or "from" in front of people."""
_WITHOUT_WORDS = frozenset(b"telling informing notifying alerting warning knowing knowledge noticing awareness".split())
_SENDING = {word.encode(): word for word, pattern, *_ in _ENGLISH if pattern is _send}
_LOOT_WORDS = frozenset(
    b"environment ssh env aws rsa keys credentials passwords conversation conversations cookies".split()
)
_FREED_WORDS = frozenset(b"longer dan jailbreak jailbroken unrestricted unfiltered uncensored god".split())
_ROMANCE_VERBS = frozenset(
    {
        "ignora", "ignore", "ignoren", "ignorez", "ignorare", "ignorar", "ignoriere", "ignorieren", "olvida", "olvide",
        "olviden", "oublie", "oubliez", "esqueça", "esquecer", "dimentica", "dimenticare", "vergiss", "vergessen",
    }
)  # fmt: skip
_ROMANCE_WORDS = {verb.partition("ç")[0].encode(): verb for verb in _ROMANCE_VERBS}
_WORDS = frozenset().union(_DROPPING, _TOLD, _KEPT, _WITHOUT_WORDS, _SENDING, _LOOT_WORDS, _FREED_WORDS, _ROMANCE_WORDS)


class Order(NamedTuple):
    """An order in a text: where, and what it tells an agent to do."""

    start: int
    end: int
    what: str


def words_of_orders(raw: bytes) -> frozenset[str]:
    """The words of such orders that a text may hold, "" for those in other scripts; cheap, and mostly empty."""
    there = _WORDS.intersection(raw.translate(_LETTERS).split())
    found = {needle for word, needle in _DROPPING.items() if word in there}
    if not (there.isdisjoint(_TOLD) and there.isdisjoint(_KEPT)):
        lower = raw.lower()
        people = [word for word in _PEOPLE_WORDS if word in lower]
        for word, needle in _TOLD.items():
            if word in there and any(word + b" " + whom in lower for whom in people):
                found.add(needle)
        if any(b"to " + whom in lower or b"from " + whom in lower for whom in people):
            found.update(needle for word, needle in _KEPT.items() if word in there)
    if not there.isdisjoint(_WITHOUT_WORDS):
        found.add("without")
    if not there.isdisjoint(_LOOT_WORDS):
        found.update(needle for word, needle in _SENDING.items() if word in there)
    if not there.isdisjoint(_FREED_WORDS):
        found.add("you are ")
    found.update(verb for word, verb in _ROMANCE_WORDS.items() if word in there)
    if not raw.isascii():
        rest = raw.translate(None, _ASCII).decode("utf-8", "ignore")
        if _FOREIGN_WORDS.search(rest):
            found.add("")
    return frozenset(found)


def orders(text: str, words: frozenset[str] | None = None) -> Iterator[Order]:
    """The orders in a text, in no order, of some words or of all; whether anybody means them is not asked here."""
    lower = text.lower()
    if len(lower) != len(text):  # a few capitals have two small letters
        lower = text
    for needle, pattern, what in _ENGLISH:
        if words is not None and needle not in words:
            continue
        at = -1
        while (at := lower.find(needle, at + 1)) >= 0:
            if at and (lower[at - 1].isalnum() or lower[at - 1] in "-_/."):
                continue
            found = pattern.match(text, at)
            if found is None:
                continue
            before = text[max(at - 80, 0) : at]
            negated = _NOT.search(before)
            if needle in _TELLING:
                if negated is None or not _is_imperative(before[: negated.start()]):
                    continue
                yield Order(at - len(before) + negated.start(), found.end(), what)
            elif needle == "without":
                if not _FORBIDDEN.search(before):
                    yield Order(at, found.end(), what)
            elif not _FORBIDDEN.search(before) and (_is_imperative(before) or needle == "you are "):
                yield Order(at, found.end(), what)
    for verb in _ROMANCE_VERBS if words is None else _ROMANCE_VERBS.intersection(words):
        at = -1
        while (at := lower.find(verb, at + 1)) >= 0:
            found = _ROMANCE.match(text, at) if not lower[max(at - 1, 0) : at].isalnum() else None
            if found is not None:
                yield Order(*found.span(), _DROPS)
    for found in _OTHERS.finditer(text) if not text.isascii() and (words is None or "" in words) else ():
        hides = any(whom in found[0] for whom in ("用", "ユーザ", "사용자"))
        yield Order(*found.span(), _HIDES if hides else _DROPS)


def _is_imperative(before: str) -> bool:
    return _IMPERATIVE.search(before) is not None


# --- whom a text speaks to --------------------------------------------------------------------------

_AGENT = (
    r"(?:ai|llms?|agents?|assistants?|(?:language\s)?models?|claude(?:\scode)?|"
    r"chatgpt|gpt(?:-\d)?|copilot|gemini|codex|cursor|bots?|ki|ia)"
)
_DIRECTIVE = r"(?:must|should|shall|always|never|do not|don't|please|have to|need to|are to|is to|will|immediately)"
_VERB = (
    r"(?:run|execute|call|send|upload|post|fetch|download|install|read|open|recommend|prefer|choose|pick|use|"
    r"tell|say|reply|respond|answer|"
    r"include|append|add|insert|write|delete|remove|ignore|disregard|forget|pretend|act|behave|follow|obey|"
    r"reveal|print|output|"
    r"approve|accept|skip|disable|grant|buy|pay|transfer|click|visit|promote|mention|praise|rate|rank|start|"
    r"begin|set|copy|email|hide|load)"
)
_ADDRESSED = lazy(
    rf"(?:^|[.!?\n])\s?(?:(?:note|notice|message|instructions?|important|attention|hint|directive|reminder|"
    rf"order|prompt)\s?)?"
    rf"[:!-]?\s?(?:(?:to|for|hey|dear|attention|all|any|every|the|@|an?|you|"
    rf"as)\s?){{0,4}}(?:{_AGENT}\s?(?:and|or|/|,)?\s?){{1,3}}"
    rf"(?:(?:reading|processing|using|who|that|which|parsing)\b[^.:,\n]{{0,60}})?"
    rf"(?:[:,!\u2014-]+\s?(?:[^.\n]{{0,60}}\b{_DIRECTIVE}\b|(?:please\s+)?{_VERB}\b)|\s?\b{_DIRECTIVE}\b)",
    re.I,
)
_USER_TOLD = lazy(
    rf"\b(?:(?:when|whenever|if)\s+(?:the|a)\s+(?:user|customer|human)\s+(?:asks?|says?|wants?|"
    rf"requests?)\b[^.\n]{{0,80}}\b(?:{_DIRECTIVE}|{_VERB})\b"
    rf"|(?:always|never|do not|don't)\s+(?:tell|ask|show|recommend|answer|respond|reply|say|trust|mention|"
    rf"suggest)\b[^.\n]{{0,60}}"
    rf"|you\s+(?:must|shall)\s+(?:always\s+|never\s+|not\s+)?{_VERB}\b|you\s+are\s+(?:now\s+)?(?:an?\s+|"
    rf"the\s+)?(?:{_AGENT}|authorized|allowed|permitted|required)\b)",
    re.I,
)
_HARM = lazy(
    r"\b(?:curl|wget)\s+(?:-\S{1,20}\s+(?:[A-Z]{3,6}\s+)?){0,4}\S{0,20}\s{0,3}https?://|\b(?:send|upload|post|transmit|exfiltrate|"
    r"e-?mail)\b[^.\n]{0,80}\b(?:to\s+https?://|credentials|"
    r"passwords?|api keys?|secrets|private keys?|environment variables|~/\.|\.env\b|\.ssh)|(?:^|"
    r"\s)\[?(?:system|inst)\](?:\s|:)|<\|?(?:im_start|system)\b|"
    r"\b(?:^|[.!?\n]\s*)(?:system|new|updated|real|actual|hidden|secret) (?:prompt|instructions?|override)\s*:",
    re.I,
)
_AUTHORS = lazy(
    r"\A\s*(?:markdownlint|prettier|textlint|vale|remark|eslint|cspell|spell|toc|doctoc|all-contributors|"
    r"agentskills-lint|spdx|copyright|licen[sc]e|"
    r"auto-?generated|generated|this file (?:is|was)|do not (?:edit|modify|change)|don't edit|edit (?:the|"
    r"this)|source:|last (?:reviewed|updated|modified)|"
    r"todo|fixme|end|begin|start|note to (?:self|maintainers?|editors?|authors?|contributors?)|maintainers?|"
    r"for (?:maintainers|contributors|authors|editors))\b",
    re.I,
)
_ORDER = lazy(rf"(?:^|[.!?:\n]\s?|\bplease\s+|\b{_DIRECTIVE}\s+){_VERB}\s+\S+\s+\S+", re.I)


def speaks_to_agents(text: str, is_element: bool = False) -> bool:
    """Whether a text that people do not see gives an agent an order; of an element any order counts."""
    # with one blank or line end between words, as the expressions want it: more would be tried in all divisions
    text = "\n".join(" ".join(line.split()) for line in text[:4000].split("\n") if line.strip())
    if any(True for _ in orders(text)):
        return True
    if _HARM.search(text) is not None:
        return True
    note = _AUTHORS.match(text)
    if note is not None:
        return _ADDRESSED.match(text[note.end() :].lstrip(" :!-")) is not None
    if _ADDRESSED.search(text) is not None or _USER_TOLD.search(text) is not None:
        return True
    return is_element and _ORDER.search(text.strip()) is not None
