"""The floor: read each SKILL.md below a folder, compose its frontmatter, iterate the events of its body.

No linter that looks at frontmatter and Markdown can do less with the same two parsers.
usage: floor.py FOLDER
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator

import pyromark
import yaml

_FRONT = re.compile(r"---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.M | re.S)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MARKDOWN = pyromark.Markdown(
    options=pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_FOOTNOTES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
)


def skills(folder: str) -> Iterator[str]:
    """The paths of all SKILL.md below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from skills(entry.path)
            elif entry.name == "SKILL.md":
                yield entry.path


def parse(path: str) -> int:
    """Read and parse one skill; the number of events of its body."""
    with open(path, "rb") as file:
        text = file.read().decode(errors="replace")
    start = 0
    front = _FRONT.match(text)
    if front is not None:
        start = front.end()
        with contextlib.suppress(yaml.YAMLError):
            yaml.compose(front[1], Loader=_LOADER)
    return sum(1 for _ in _MARKDOWN.events_with_range(text[start:], merge_text=True))


if __name__ == "__main__":
    counts = [parse(path) for path in skills(sys.argv[1])]
    print(f"{len(counts)} skills, {sum(counts)} events")
