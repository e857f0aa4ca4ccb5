"""An offline estimate of how many tokens a text costs an agent.

No model's tokenizer is asked: each is large, slow to load and its maker's own. Instead each
kind of character has a weight, fitted once to the mean of two public tokenizers on real
skills, which costs a few microseconds a kilobyte. On skills that the fit has not
seen the median error against that mean is 4 percent, and 12 percent or less for 95 in 100;
two tokenizers differ as much among themselves. `docs/tokens.md` has the method and the figures.
"""

from __future__ import annotations

_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ASCII = bytes(range(0x80))
_FOLLOWING = bytes(range(0x80, 0xC0))  # the bytes of a character behind its first, which tells its script

_WEIGHTS = (
    # Characters by their first byte in UTF-8, the most frequent first, and hundredths of a token
    # for each. Words are cheap by the letter, since many are one token; what parts them is not.
    (_LETTERS, 12),
    (b" ", 54),
    (_ASCII, 70),  # digits, punctuation and line ends: what the two above have left
    (_FOLLOWING, 0),
    (b"\xe0\xe1" + bytes(range(0xE3, 0xF0)), 87),  # CJK, kana, hangul; Indic and Thai
    (b"\xe2", 60),  # dashes, quotes, arrows, box drawing, many in runs
    (bytes(range(0xC2, 0xCC)), 230),  # accented Latin letters: they break the word in which they stand
    (bytes(range(0xD0, 0xD4)), 45),  # Cyrillic
    (bytes(range(0xCC, 0xE0)), 70),  # Greek, Hebrew, Arabic
    (bytes(range(0xF0, 0xF5)), 200),  # emoji
)
_INDENT = b"    "
_INDENT_WEIGHT = -4 * 54  # indentation joins the token that follows


def estimate(text: str) -> int:
    """About how many tokens a language model makes of a text."""
    left = text.encode(errors="replace")
    hundredths = left.count(_INDENT) * _INDENT_WEIGHT
    for members, weight in _WEIGHTS:
        rest = left.translate(None, members)
        hundredths += (len(left) - len(rest)) * weight
        left = rest
        if not left:
            break
    return max((hundredths + 50) // 100, 1 if text else 0)


def may_exceed(raw: bytes, length: int, limit: int) -> bool:
    """Whether a UTF-8 text of so many characters may have more tokens than a limit; quicker than to count them."""
    # no character weighs more than the 230 of one with a following byte, and none without more than 70
    following = len(raw) - length
    most = (length - following) * 70 + following * 230
    if most <= limit * 100:
        return False
    letters = len(raw) - len(raw.translate(None, _LETTERS))
    return most - letters * (70 - 12) > limit * 100
