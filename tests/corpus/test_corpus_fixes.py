"""Fixing real skills and sites in memory, where the collection lies beside the checkout: nothing gets worse."""

from __future__ import annotations

import json

import pytest

from agentskills_lint.config import Config
from agentskills_lint.documents import Skill
from agentskills_lint.fixes import Change, fix
from tests.corpus.test_corpus import CORPUS

pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus of real skills is not beside this checkout")


def _is_read(change: Change, raw: bytes) -> bool:
    """Whether readers get past the syntax of a file."""
    if change.path.endswith(".json"):
        try:
            json.loads(raw.decode())
        except ValueError:
            return False
        return True
    return Skill(change.path, "/", raw, None).fault is None


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
def test_all_that_can_be_fixed_is_fixed_and_no_file_reads_worse(unsafe: bool) -> None:
    fixed = fix([str(CORPUS)], Config(level="note"), unsafe=unsafe, cwd=str(CORPUS))
    left = [
        (found.path, found.line, found.rule)
        for found in fixed.report.shown
        if found.fix is not None and (found.fix.safe or unsafe) and found.via is None
    ]
    assert left == []
    assert fixed.dropped == ()
    changes = list(fixed.changes.values())
    read_before = [change for change in changes if change.before is not None and _is_read(change, change.before)]
    assert [change.path for change in read_before if not _is_read(change, change.after)] == []
    assert len(changes) > 100
