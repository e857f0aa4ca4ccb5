"""What the readers of archives share: what was found, and how it ends before the end."""

from __future__ import annotations

from agentskills_lint.archives.members import Member

MAX_MEMBERS = 10_000
"""Members of an archive; with more of them the rest is not looked at."""

MAX_NAME = 1_024
"""Characters of a member's name or of a link's target; no system unpacks longer ones everywhere."""


class BrokenError(Exception):
    """The archive cannot be read further; completes "the archive …"."""


class LimitError(Exception):
    """A limit was reached; completes "the archive …"."""


class Found:
    """What has been read so far."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self.skill: bytes | None = None
        self.unpacked = 0
        self.streamed = 0

    def add(self, name: str, kind: str, size: int, target: str = "") -> Member:
        """Add a member, within the limits."""
        if len(self.members) >= MAX_MEMBERS:
            raise LimitError(f"has more than {MAX_MEMBERS:,} members")
        longest = max(len(name), len(target))
        if longest > MAX_NAME:
            raise BrokenError(f"has a member whose name takes {longest:,} characters, which most systems refuse")
        member = Member(name, kind, size, target)
        self.members.append(member)
        self.unpacked += size
        return member
