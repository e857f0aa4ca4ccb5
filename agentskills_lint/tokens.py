"""An offline estimate of how many tokens a text costs an agent."""

from __future__ import annotations


def estimate(text: str) -> int:
    """About how many tokens a language model makes of a text."""
    ascii_only = text.encode("ascii", "ignore")
    return round(len(ascii_only) / 4 + (len(text) - len(ascii_only)))
