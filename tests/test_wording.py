"""How values are written."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agentskills_lint.wording import quoted


@given(st.text(st.characters()))
def test_a_json_string_reads_back_and_hides_nothing(text: str) -> None:
    written = quoted(text, "json")
    assert json.loads(written) == text
    assert not {*written} & {*"\u200b\u202e\ufeff\ud800\x7f\U000e0041"}
