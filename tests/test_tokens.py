"""The token estimate: exact values, what must hold for any text, texts that were counted once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentskills_lint.tokens import estimate, may_exceed

ENGLISH = (
    "Pays an open invoice by card and returns the receipt. Use it when the user wants to pay, "
    "not when money has to be given back.\n"
)
CODE = "for name in names:\n    if name not in seen:\n        seen.add(name)\n        print(name, len(name))\n"
CHINESE = "用户要支付发票时使用此技能。先询问发票号码、再确认金额、最后返回收据。\n"
RUSSIAN = "Этот навык оплачивает счёт по номеру. Сначала спросите номер, затем подтвердите сумму.\n"
FRENCH = "Paie une facture par carte et renvoie le reçu. À utiliser quand la cliente préfère régler tout de suite.\n"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("    ", 1),
        ("pay-invoice", 2),
        ("a" * 100, 12),
        ("1234567890", 7),
        ("a b c d e f", 3),
        ("\n" * 10, 7),
        ("x\n" + " " * 40 + "y", 1),
        ("é" * 10, 23),
        ("ж" * 100, 45),
        ("λ" * 10, 7),
        ("発" * 100, 87),
        ("ก" * 100, 87),
        ("─" * 10, 6),
        ("🚀" * 3, 6),
        ("\ud800", 1),
    ],
)
def test_a_text_is_the_sum_of_its_characters(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@pytest.mark.parametrize(
    ("text", "claude", "o200k"),
    [
        pytest.param(ENGLISH, 31, 29, id="english"),
        pytest.param(CODE, 29, 24, id="code"),
        pytest.param(CHINESE, 30, 26, id="chinese"),
        pytest.param(RUSSIAN, 46, 22, id="russian"),
        pytest.param(FRENCH, 33, 23, id="french"),
    ],
)
def test_it_is_near_to_what_two_tokenizers_counted(text: str, claude: int, o200k: int) -> None:
    assert estimate(text) == pytest.approx((claude + o200k) / 2, rel=0.25)


@pytest.mark.parametrize("text", [ENGLISH, CODE, CHINESE, RUSSIAN, FRENCH])
def test_more_lines_are_never_fewer_tokens(text: str) -> None:
    lines = "".join((ENGLISH, text, CHINESE, text)).splitlines(keepends=True)
    estimates = [estimate("".join(lines[:end])) for end in range(len(lines) + 1)]
    assert estimates == sorted(set(estimates))
    assert estimate(text * 3) == pytest.approx(3 * estimate(text), abs=2)


def test_scripts_do_not_change_what_others_cost() -> None:
    assert estimate(ENGLISH + CHINESE) == pytest.approx(estimate(ENGLISH) + estimate(CHINESE), abs=1)


def test_the_page_tells_the_weights() -> None:
    page = (Path(__file__).parents[1] / "docs/tokens.md").read_text(encoding="utf-8")
    told = {kind: float(weight) for kind, weight in re.findall(r"^\| ([^|]+) \| ([0-9.]+) \|$", page, re.M)}
    samples = {
        "ASCII letter": "a",
        "space": "\n ",
        "digit, punctuation, line end": "1",
        "Latin letter with an accent": "é",
        "Cyrillic": "ж",
        "Greek, Hebrew, Arabic": "λ",
        "Chinese, Japanese, Korean, Indic, Thai": "発",
        "dashes, quotes, arrows, box drawing": "—",
        "emoji": "🚀",
    }
    assert told.keys() == samples.keys()
    for kind, sample in samples.items():
        blank = 0.7 if sample == "\n " else 0.0
        assert estimate(sample * 100) == pytest.approx(100 * (told[kind] + blank), abs=0.01), kind


@given(st.text(st.sampled_from("az09 \n|é\u0436λ—発🚀\ud800"), max_size=60), st.integers(0, 60))
def test_what_may_not_exceed_a_limit_does_not(text: str, limit: int) -> None:
    raw = text.encode(errors="replace")
    assert may_exceed(raw, len(text), limit) or estimate(text) <= limit


def test_most_texts_are_told_apart_without_counting() -> None:
    assert not may_exceed(ENGLISH.encode() * 100, len(ENGLISH) * 100, 5000)
    assert may_exceed(ENGLISH.encode() * 200, len(ENGLISH) * 200, 5000)
    assert not may_exceed(b"1" * 7142, 7142, 5000)
    assert may_exceed(b"1" * 7143, 7143, 5000)
