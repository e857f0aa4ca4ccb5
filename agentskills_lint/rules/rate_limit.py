"""How often an agent may call: the `rate_limit` mapping and the limits in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from agentskills_lint.documents import Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.model import Edit, Fix, Problem, Related
from agentskills_lint.rule import Ask, may, must, rule
from agentskills_lint.rules.fields import head
from agentskills_lint.specs import WSP
from agentskills_lint.trees import Node
from agentskills_lint.wording import closest, shown

_FIELDS = WSP + "#optional-fields"
_SCHEMA = WSP + "#appendix-b-skillmd-frontmatter-schema"
_ABUSE = WSP + "#113-rate-limiting-and-abuse"

_LIMITS = ("rate_limit.agent", "rate_limit.api")

_UNITS = {
    "second": ("s", "sec", "secs", "second", "seconds"),
    "minute": ("m", "min", "mins", "minute", "minutes"),
    "hour": ("h", "hr", "hrs", "hour", "hours"),
    "day": ("d", "day", "days"),
}
_UNIT_OF = {alias: unit for unit, aliases in _UNITS.items() for alias in aliases}
_UNIT_OF_SHORT = {"s": "second", "m": "minute", "h": "hour", "d": "day"}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}
_OTHER_UNITS = frozenset(
    {
        "ms", "millisecond", "milliseconds", "w", "week", "weeks", "mo", "month", "months", "quarter", "y", "year",
        "years",
    }
)  # fmt: skip

_MAX_LENGTH = 80
_MAX_DIGITS = 15
_CANONICAL = lazy(r"([1-9][0-9]*)/(second|minute|hour|day)", re.A)
_VARIANT = lazy(
    r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9][0-9_]*)"
    r"[ \t]*(?:requests?|reqs?|calls?|queries|hits|times|r|x)?"
    r"[ \t]*(?:/|per|every|each|an?|p)[ \t]*(1[ \t]+)?([a-z]+)",
    re.A | re.I,
)
_SHORT = lazy(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9][0-9_]*)[ \t]*[rqt]p([smhd])", re.A | re.I)
_SEVERAL_UNITS = lazy(r"[0-9]+[ \t]*/[ \t]*[0-9]+[ \t]*[a-z]+", re.A | re.I)
_SEVERAL_LIMITS = lazy(r"[;,|&+]")
_FRACTION = lazy(r"[0-9]*\.[0-9]+[^0-9.].*", re.A)


class Limit(NamedTuple):
    """A limit that can be read: so many calls a unit; `sure` is False where the unit has two meanings."""

    calls: int
    unit: str
    sure: bool = True

    def __str__(self) -> str:
        return f"{self.calls}/{self.unit}"

    def exceeds(self, other: Limit) -> bool:
        """Whether it allows more calls in the same time."""
        return self.calls * _SECONDS[other.unit] > other.calls * _SECONDS[self.unit]


def limit_of(text: str) -> Limit | None:
    """The limit that a text states, in the canonical form or a variant of it whose meaning is plain."""
    if len(text) > _MAX_LENGTH:
        return None
    found = _CANONICAL.fullmatch(text)
    if found is not None:
        return _limit(found[1], found[2])
    text = text.strip(" \t")
    found = _SHORT.fullmatch(text)
    if found is not None:
        return _limit(found[1], _UNIT_OF_SHORT[found[2].lower()])
    found = _VARIANT.fullmatch(text)
    if found is not None and found[3].lower() in _UNIT_OF:
        return _limit(found[1], _UNIT_OF[found[3].lower()], found[3].lower() != "m")
    return None


def _limit(digits: str, unit: str, sure: bool = True) -> Limit | None:
    digits = digits.replace(",", "").replace("_", "").lstrip("0")
    return Limit(int(digits), unit, sure) if 0 < len(digits) <= _MAX_DIGITS else None


def _fault(text: str) -> str:
    """Why a text is no limit."""
    plain = text.strip(" \t")
    if len(text) > _MAX_LENGTH:
        return "is a text, not a number of calls in a unit of time"
    if re.fullmatch(r"[0-9][0-9,_.]*", plain, re.A):
        return "names no unit of time"
    if re.match(r"0+(?![0-9.,_])", plain):
        return "allows no call at all"
    if re.match(rf"[0-9]{{{_MAX_DIGITS + 1},}}", plain, re.A):
        return "has a number that no client can count to"
    if _FRACTION.fullmatch(plain):
        return "has a fraction, but calls are counted in whole numbers"
    if _SEVERAL_UNITS.match(plain):
        return "counts by a period of several units, which the format cannot say"
    if re.match(r"[0-9]", plain) and _SEVERAL_LIMITS.search(plain):
        return "names more than one limit or a burst, which the format cannot say"
    found = _VARIANT.match(plain)
    unit = found[3] if found is not None else ""
    if unit.lower() in _OTHER_UNITS:
        return f"counts by {shown(unit)}, which is no second, minute, hour or day"
    if unit:
        near = closest(unit.lower(), [alias for alias in _UNIT_OF if len(alias) > 2], 0.6)
        return f"counts by {shown(unit)}, which is no unit" + (f"; did you mean '{_UNIT_OF[near]}'?" if near else "")
    return "is no number of calls in a unit of time"


@rule(
    "rate-limit-type",
    "SKL604",
    on=Skill,
    at="rate_limit",
    needs=("yaml-anchor", "field-empty"),
    fix="unsafe",
    asked_by={"wsp": must(_FIELDS)},
)
def rate_limit_type(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """`rate_limit` is no mapping.

    Clients look for two entries in it: `agent`, the limit that agents should keep to, and
    `api`, the one that the API enforces. A single text says which of the two it is to nobody,
    and code that reads `rate_limit.agent` fails on it.

    ```yaml bad
    rate_limit: 20/minute
    ```
    ```yaml bad
    rate_limit: [20/minute, 100/minute]
    ```
    ```yaml good
    rate_limit:
      agent: 20/minute
      api: 100/minute
    ```
    """
    if node.kind in ("map", "alias") or node.tag == "null":
        return
    sort = "a list" if node.kind == "list" else "text" if node.tag == "str" else "a single value"
    fix = None
    limit = node.items[0] if node.kind == "list" and len(node.items) == 1 else node
    if limit.kind == "scalar" and not limit.block and limit_of(limit.value) is not None:
        fix = _nested(node, skill, limit)
    yield Problem(
        head(node, skill),
        f"'rate_limit' must be a mapping with 'agent', 'api' or both, not {sort}",
        fix,
        hint=None if fix else "write 'agent: 20/minute' indented below 'rate_limit:'",
    )


def _nested(node: Node, skill: Skill, limit: Node) -> Fix | None:
    """Make the value, or its one item, the agent's limit: who calls the API is told best by that one."""
    written = skill.source[limit.span.start : limit.span.end]
    colon = skill.source.find(":", node.key.span.end, node.span.start) if node.key is not None else -1
    if colon < 0 or skill.root is None or "\n" in written or "\r" in written:
        return None
    if skill.root.style == "flow":
        return Fix("make it the limit for agents", (Edit(*node.span, f"{{agent: {written}}}"),), False)
    entry = f"{skill.text.newline}  agent: {written}"
    return Fix("make it the limit for agents", (Edit(colon + 1, node.span.end, entry),), False)


@rule(
    "rate-limit-syntax",
    "SKL605",
    on=Skill,
    at=_LIMITS,
    needs=("yaml-anchor", "field-empty", "field-type", "yaml-ambiguous", "rate-limit-key"),
    asked_by={"wsp": must(_SCHEMA, level="warning")},
)
def rate_limit_syntax(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A rate limit cannot be read.

    An agent can keep to a limit only when it knows the number of calls and the time they
    count for. `20/minute` says both; `unlimited`, `20` and `20/month` leave an agent guessing,
    and a limit of 0 forbids what the skill teaches.

    ```yaml bad
    rate_limit:
      agent: a few a minute
    ```
    ```yaml bad
    rate_limit:
      agent: 0/minute
      api: 1000/month
    ```
    ```yaml good
    rate_limit:
      agent: 20/minute
      api: 100/minute
    ```
    """
    if node.kind == "alias":
        return
    hint = "write a whole number, a slash and second, minute, hour or day, such as 20/minute"
    if node.kind != "scalar":
        sort = "a list" if node.kind == "list" else "a mapping"
        yield Problem(head(node, skill), f"a rate limit is a text such as '20/minute', not {sort}", hint=hint)
    elif not node.is_text:
        yield Problem(head(node, skill), "the rate limit is empty", hint=hint)
    elif limit_of(node.value) is None:
        yield Problem(head(node, skill), f"the rate limit {shown(node.value)} {_fault(node.value)}", hint=hint)


@rule(
    "rate-limit-key",
    "SKL606",
    on=Skill,
    at="rate_limit",
    needs="rate-limit-type",
    fix="unsafe",
    asked_by={"wsp": must(_FIELDS, level="warning")},
)
def rate_limit_key(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """`rate_limit` holds something other than `agent` and `api`.

    Clients read these two entries and no other, so a limit under any other name binds nobody.

    ```yaml bad
    rate_limit:
      agents: 20/minute
    ```
    ```yaml bad
    rate_limit: {}
    ```
    ```yaml good
    rate_limit:
      agent: 20/minute
    ```
    """
    if node.kind != "map":
        return
    if not node.items:
        yield Problem(head(node, skill), "'rate_limit' is empty", hint="write 'agent: 20/minute' below it")
    present = {item.key.value for item in node.items if item.key is not None}
    for item in node.items:
        key = item.key
        if key is None or key.value in ("agent", "api", "<<"):
            continue
        near = _meant(key.value)
        if near is not None and near not in present:
            fix = Fix(f"rename it to '{near}'", (Edit(*key.span, near),), False)
            yield Problem(key, f"'rate_limit' has no entry {shown(key.value)}; did you mean '{near}'?", fix)
        else:
            yield Problem(
                key, f"'rate_limit' has no entry {shown(key.value)}", hint="'agent' and 'api' are all that clients read"
            )


def _meant(word: str) -> str | None:
    bare = re.sub(r"[^a-z]", "", word.lower().replace("limit", "").replace("rate", ""))
    return closest(bare, ("agent", "api"), 0.7) if bare else None


@rule(
    "rate-limit-order",
    "SKL607",
    on=Skill,
    at="rate_limit",
    needs=("rate-limit-type", "rate-limit-syntax"),
    asked_by={"wsp": must(_ABUSE, level="warning")},
)
def rate_limit_order(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """Agents may call more often than the API allows.

    Where both limits are there, agents go by `agent`. When that is the looser one, they run
    into refusals by the API, and no agent can keep to both. The two are compared after
    conversion, so 10/second is more than 100/minute.

    ```yaml bad
    rate_limit:
      agent: 10/second
      api: 100/minute
    ```
    ```yaml good
    rate_limit:
      agent: 100/minute
      api: 10/second
    ```
    """
    agent, api = node.get("agent"), node.get("api")
    if agent is None or api is None:
        return
    own, bound = limit_of(agent.value), limit_of(api.value)
    if own is not None and bound is not None and own.sure and bound.sure and own.exceeds(bound):
        yield Problem(
            agent,
            f"agents may call {own}, more than the {bound} that the API allows",
            related=(Related(api, "the limit of the API"),),
            hint="state a limit for agents that is no looser than that of the API",
        )


@rule(
    "rate-limit-canonical",
    "SKL610",
    on=Skill,
    at=_LIMITS,
    needs="rate-limit-syntax",
    fix="safe",
    asked_by={"wsp": may(_SCHEMA)},
)
def rate_limit_canonical(node: Node, skill: Skill, ask: Ask) -> Iterator[Problem]:
    """A rate limit is written in another way than number, slash, unit.

    People and agents understand `100 requests/minute` or `10 rps`; code that expects
    `100/minute` may not. `20/m` could be minutes or months, so it has no fix.

    ```yaml bad
    rate_limit:
      agent: 20 per min
    ```
    ```yaml good
    rate_limit:
      agent: 20/minute
    ```
    """
    limit = limit_of(node.value) if node.kind == "scalar" else None
    if limit is None or node.value == str(limit):
        return
    if not limit.sure:
        message = f"the rate limit {shown(node.value)} can mean minutes or months"
        yield Problem(head(node, skill), message, hint=f"write {limit} where minutes are meant")
        return
    fix = None
    if not node.block:
        quote = node.style if node.style in ("'", '"') else ""
        fix = Fix(f"write {limit}", (Edit(*node.span, f"{quote}{limit}{quote}"),), True)
    yield Problem(
        head(node, skill), f"the rate limit {shown(node.value)} is commonly written '{limit}'", fix,
        hint=None if fix else f"write {limit}",
    )  # fmt: skip
