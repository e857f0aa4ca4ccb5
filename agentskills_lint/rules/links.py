"""Where a skill points: links and images, anchors, files named in code, paths of one machine."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from agentskills_lint.documents import Folder, Skill
from agentskills_lint.markdown import Link, Markdown
from agentskills_lint.model import Edit, Fix, Problem, Related, Span
from agentskills_lint.rule import Ask, advice, may, rule, should
from agentskills_lint.rules.body_sections import stray_fence
from agentskills_lint.specs import AGENTSKILLS, WSP
from agentskills_lint.text import Text
from agentskills_lint.wording import closest, shown

_REFERENCES = AGENTSKILLS + "#file-references"
_AUXILIARY = WSP + "#44-auxiliary-files"

_SPLIT = ("frontmatter-missing", "frontmatter-unclosed")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:", re.A)
_DRIVE = re.compile(r"[A-Za-z]:[\\/]", re.A)
_HOST = re.compile(r"(?:www\.[^/\s]+|[a-z0-9-]+\.(?:com|org|net|io|dev|ai|app|co|gov|edu))(?:[/?#].*)?", re.A | re.I)
_TEMPLATE = re.compile(r"[{}<>$*|]|\.\.\.|…|%7[BD]|%s\b|(?:^|/)(?:path/to|your|my|some|xxx|foo|bar)(?:[-_/.]|$)", re.I)
_WORDS = frozenset(
    {
        "url", "uri", "link", "href", "path", "file", "filename", "filepath", "src", "source", "target", "image", "img",
        "address", "anchor", "placeholder", "website", "page", "permalink", "string", "text", "todo", "tbd", "x", "y",
        "http", "https", "example", "relative-path", "relative/path", "image-url", "image_url", "link-url",
    }
)  # fmt: skip
_MARKDOWN_FILE = (".md", ".markdown", ".mdx")


class Target(NamedTuple):
    """What a link to a file names: the path as written and decoded, relative to the skill's folder.

    `written` is the part of the destination before query and fragment, `paths` the readings of
    it: percent-decoded first, then letter by letter where that differs.
    """

    link: Link
    written: str
    paths: tuple[str, ...]
    fragment: str

    @property
    def path(self) -> str:
        return self.paths[0]

    @property
    def leaves(self) -> bool:
        """Whether it leads out of the skill's folder."""
        return posixpath.normpath(self.path).startswith("..")


def targets(skill: Skill) -> list[Target]:
    """The links and images of the body that name a file or folder by a relative path."""
    found = []
    for link in skill.markdown.links:
        target = target_of(link)
        if target is not None and not _is_subscript(skill, target):
            found.append(target)
    return found
