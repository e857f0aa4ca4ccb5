"""Rules about links, anchors and paths."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from agentskills_lint.documents import Skill
from agentskills_lint.model import Finding
from agentskills_lint.rules.links import link_broken, link_depth, path_missing, slug
from tests.support import brief, clean_skill, findings_in, fixed, only, report_on

TOP = 4
"""Lines of the frontmatter of a clean skill of agentskills."""

GUIDE = {"references/guide.md": "# Guide\n"}


def of(rule: str, body: str, files: Mapping[str, str] = {}, *, spec: str = "agentskills") -> list[Finding]:
    tree = {f"pay-invoice/{path}": text for path, text in files.items()}
    text = clean_skill(spec, body=body)
    report = report_on({**tree, "pay-invoice/SKILL.md": text}, (spec,))
    return [f for f in report.findings if f.rule == rule and f.path == "pay-invoice/SKILL.md"]


def told(findings: list[Finding]) -> list[tuple[int, int, str]]:
    return [(f.line - TOP, f.column, f.message) for f in findings]


# --- SKL706 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["agentskills", "wsp"])
def test_case_091_a_missing_file_with_a_suggestion(spec: str) -> None:
    body = "# Pay\n\nSee [guide](references/guid.md).\n"
    (finding,) = of("link-broken", body, GUIDE, spec=spec)
    assert (finding.level, finding.column, finding.location.end_column) == ("warning", 13, 31)
    assert finding.message == (
        "the link leads to nothing: there is no 'references/guid.md'; did you mean 'references/guide.md'?"
    )
    assert finding.fix is not None
    assert not finding.fix.safe
    assert fixed(clean_skill(spec, body=body), finding) == clean_skill(spec, body=body.replace("guid.md", "guide.md"))


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("htps://acme.example/a", "https://acme.example/a"),
        ("hhtp://acme.example", "http://acme.example"),
        ("https//acme.example/a", "https://acme.example/a"),
        ("http:/acme.example", "http://acme.example"),
        ("https:///acme.example", "https://acme.example"),
        ("https:acme.example", "https://acme.example"),
        ("www.acme.example/a", "https://www.acme.example/a"),
        ("docs.acme.com/a?b#c", "https://docs.acme.com/a?b#c"),
    ],
)
def test_web_addresses_without_their_scheme(href: str, address: str) -> None:
    (finding,) = of("link-broken", f"# Pay\n\nSee [a]({href}).\n")
    assert (finding.level, finding.line - TOP, finding.column) == ("warning", 3, 9)
    assert finding.message == f"the link leads to nothing: '{href}' is no web address; did you mean '{address}'?"


@pytest.mark.parametrize(
    "href",
    ["https://acme.example", "HTTPS://acme.example", "vscode://acme.tool/a", "slack://a.b", "hdfs://a.b/c",
     "urn:isbn:1.2", "mailto:a@acme.example", "tel:1.23", "htpp://localhost", "//acme.example/a"],
)  # fmt: skip
def test_other_schemes_are_addresses(href: str) -> None:
    assert of("link-broken", f"# Pay\n\nSee [a]({href}).\n") == []


def test_an_escaped_web_address_is_left_to_its_author() -> None:
    (finding,) = of("link-broken", "# Pay\n\nSee [a](htps://acme.example/a\\_b).\n")
    assert (finding.fix, finding.hint) == (None, "link to https://acme.example/a_b")


@pytest.mark.parametrize(
    ("link", "files"),
    [
        ("[a](a%20b.md)", {"a b.md": ""}),
        ("[a](<a b.md>)", {"a b.md": ""}),
        ("[a](a%20b.md)", {"a%20b.md": ""}),
        ("[a](m(1).md)", {"m(1).md": ""}),
        ("[a](m\\(1.md)", {"m(1.md": ""}),
        ('[a](a.md "a title")', {"a.md": ""}),
        ("[a](a b.md)", {}),
        ("[a](a.md?raw=1#part)", {"a.md": ""}),
        ("[a](C%23.md)", {"C#.md": ""}),
        ("[a](C#.md)", {"C#.md": ""}),
        ("[a](caf%C3%A9.md)", {"café.md": ""}),
        ("[a](café.md)", {"café.md": ""}),
        ("[a](a&amp;b.md)", {"a&b.md": ""}),
    ],
)
def test_case_092_names_that_have_to_be_decoded(link: str, files: Mapping[str, str]) -> None:
    assert of("link-broken", f"# Pay\n\n{link}\n", files) == []


@pytest.mark.parametrize(
    "text",
    [
        "`[a](no.md)`",
        "```\n[a](no.md)\n```",
        "~~~~\n[a](no.md)\n~~~\n[a](no.md)\n~~~~",
        "````md\n```\n[a](no.md)\n```\n````",
        "    [a](no.md)",
        "<!-- [a](no.md) -->",
        "`Cls[T](key)` and `Cls[T](key: str)`",
        "Call Cls[T](key) then.",
        "Take x[0](y) or [0, 2](MON/WED) of it.",
    ],
)
def test_case_094_what_is_code_or_no_link(text: str) -> None:
    assert of("link-broken", f"# Pay\n\n{text}\n") == []
    after = of("link-broken", f"# Pay\n\n{text}\n\n[a](gone.md)\n")
    assert [f.line for f in after] == [TOP + 4 + text.count("\n") + 1]


@pytest.mark.parametrize(
    ("link", "files"),
    [
        ("[a](references/guide.md)", GUIDE),
        ("[a](./references/guide.md)", GUIDE),
        ("[a](references)", GUIDE),
        ("[a](references/)", GUIDE),
        ("[a](.)", {}),
        ("[a](../pay-invoice/references/guide.md)", GUIDE),
        ("![a](i.png)", {"i.png": ""}),
        ("[a][r]\n\n[r]: references/guide.md", GUIDE),
        ("[a](https://a.example/no.md)", {}),
        ("[a](//a.example/no.md)", {}),
        ("[a](mailto:a@b.example)", {}),
        ("<a@b.example>", {}),
        ("[a](#pay)", {}),
        ("[a](?x=1)", {}),
        ("[a]()", {}),
        ("[a](/no.md)", {}),
        ("[a]({file}.md)", {}),
        ("[a](<file>.md)", {}),
        ("[a](${CLAUDE_SKILL_DIR}/a.md)", {}),
        ("[a]($ARGUMENTS)", {}),
        ("[a]({{ path }})", {}),
        ("[a](...)", {}),
        ("[a](url)", {}),
        ("[a](path/to/file.md)", {}),
        ("[a](your-file.md)", {}),
        ("[a](docs/ADR-NNN.md)", {}),
        ("- [name.md](./name.md) - [What it is about]", {}),
    ],
)
def test_links_that_lead_somewhere_or_stand_for_others(link: str, files: Mapping[str, str]) -> None:
    assert of("link-broken", f"# Pay\n\n{link}\n", files) == []


@pytest.mark.parametrize(
    ("written", "files", "after"),
    [
        ("references/GUIDE.md", GUIDE, "references/guide.md"),
        ("References/guide.md", GUIDE, "references/guide.md"),
        ("reference/guide.md", GUIDE, "references/guide.md"),
        ("references/guide", GUIDE, "references/guide.md"),
        ("./references/guid.md#x", GUIDE, "./references/guide.md#x"),
        ("references/guid.md?raw=1", GUIDE, "references/guide.md?raw=1"),
        ("guide.md", GUIDE, "references/guide.md"),
        ("docs/guide.md", GUIDE, "references/guide.md"),
        ("my%20guid.md", {"my guide.md": ""}, "my%20guide.md"),
        ("guid.md", {"guide (1).md": "", "guide.md": ""}, "guide.md"),
        ("Guide_(1).md", {"guide_(1).md": ""}, "guide_%281%29.md"),
    ],
)
def test_suggestions(written: str, files: Mapping[str, str], after: str) -> None:
    body = f"# Pay\n\n[a]({written}) é\n"
    (finding,) = of("link-broken", body, files)
    assert fixed(clean_skill("agentskills", body=body), finding) == clean_skill(
        "agentskills", body=body.replace(written, after)
    )
    assert of("link-broken", body.replace(written, after), files) == []


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("[a](<my guid.md> 't')", "[a](<my guide.md> 't')"),
        ("[a][r] and [b][r]\n\n[r]: my%20guid.md 't'", "[a][r] and [b][r]\n\n[r]: my%20guide.md 't'"),
        ("![a](my%20guid.md)", "![a](my%20guide.md)"),
        ("[![a](my%20guide.md)](my%20guid.md)", "[![a](my%20guide.md)](my%20guide.md)"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_suggestions_keep_the_form_of_the_link(body: str, after: str, newline: str) -> None:
    body, after = (f"# Pay\n\n{text}\n".replace("\n", newline) for text in (body, after))
    (finding,) = of("link-broken", body, {"my guide.md": ""})
    assert fixed(clean_skill("agentskills", body=body), finding) == clean_skill("agentskills", body=after)


@pytest.mark.parametrize(
    ("link", "files"),
    [
        ("[a](references/other.md)", GUIDE),
        ("[a](no/such/folder/x.md)", GUIDE),
        ("[a](tools/SKILL.md)", GUIDE),
        ("> [a](\n> references/guid.md)", GUIDE),
    ],
)
def test_broken_without_an_edit(link: str, files: Mapping[str, str]) -> None:
    (finding,) = of("link-broken", f"# Pay\n\n{link}\n", files)
    assert finding.fix is None


def test_images_and_links_are_named() -> None:
    found = of("link-broken", "# Pay\n\n![a](i.png) and [b](j.md)\n")
    assert told(found) == [
        (3, 6, "the image leads to nothing: there is no 'i.png'"),
        (3, 21, "the link leads to nothing: there is no 'j.md'"),
    ]


def test_each_link_is_a_finding_and_a_definition_is_one() -> None:
    body = "# Pay\n\n[a](no.md) [a](no.md)\n\n[b][r] [c][r]\n\n[r]: gone.md\n"
    assert [(line, column) for line, column, _ in told(of("link-broken", body))] == [(3, 5), (3, 16), (7, 6)]


def test_positions_behind_other_scripts() -> None:
    assert told(of("link-broken", "# Pay\n\n😀 [日本](無.md)\n")) == [
        (3, 8, "the link leads to nothing: there is no '無.md'"),
    ]


def test_a_file_above_the_skill_is_suggested() -> None:
    text = clean_skill("agentskills", body="# Pay\n\n[a](docs/terms.md)\n")
    files = {"skills/pay-invoice/SKILL.md": text, "docs/terms.md": "x"}
    (finding,) = only(report_on(files, ("agentskills",)).findings, "link-broken")
    assert finding.message.endswith("did you mean '../../docs/terms.md'?")


def test_what_follows_a_stray_fence_is_not_judged() -> None:
    body = "# Pay\n\n[a](gone.md)\n\n```md\n```sh\nx\n```\n[a](no.md)\n```\n\n[a](no.md)\n"
    assert [f.line - TOP for f in of("link-broken", body)] == [3]


def published(link: str, files: Mapping[str, str] = {}) -> list[Finding]:
    path = ".well-known/agent-skills/pay-invoice/SKILL.md"
    index = '{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": []}'
    tree = {path: clean_skill("agentskills", body=f"# Pay\n\n{link}\n"), ".well-known/agent-skills/index.json": index}
    findings = report_on({**tree, **files}).findings
    return [f for f in findings if f.rule in ("link-broken", "link-outside")]


@pytest.mark.parametrize(
    ("link", "files", "near"),
    [
        ("[a](/llms.txt)", {}, None),
        ("[a](/docs/terms.md#x)", {"docs/term.md": ""}, "/docs/term.md#x"),
        ("![a](/logo.png)", {"assets/logo.png": ""}, "/assets/logo.png"),
    ],
)
def test_links_from_the_root_of_a_site(link: str, files: Mapping[str, str], near: str | None) -> None:
    (finding,) = published(link, files)
    assert finding.rule == "link-broken"
    assert (finding.fix.edits[0].text if finding.fix else None) == (near.partition("#")[0] if near else None)


@pytest.mark.parametrize(
    ("link", "files"),
    [
        ("[a](/llms.txt)", {"llms.txt": "x"}),
        ("[a](/docs/a%20b.md)", {"docs/a b.md": "x"}),
        ("[a](/pricing)", {}),
        ("[a](/docs/start/)", {}),
        ("[a](../../../pricing)", {}),
        ("[a](/{page}.html)", {}),
        ("[a](//cdn.example/x.js)", {}),
    ],
)
def test_routes_and_files_of_a_site(link: str, files: Mapping[str, str]) -> None:
    assert published(link, files) == []


# --- SKL708 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("link", "column", "message"),
    [
        ("[a](../no.md)", 5, "the link leaves the skill and leads to nothing: there is no '../no.md'"),
        ("[a](../../x/)", 5, "the link leaves the skill and leads to nothing: there is no '../../x/'"),
        ("[a](references/../../no.md)", 5, None),
        ("![a](../no%20x.png)", 6, "the link leaves the skill and leads to nothing: there is no '../no x.png'"),
        ("[a](file:///srv/x.md)", 5, "'file:///srv/x.md' is a file on one machine"),
        ("<file:///srv/x.md>", 2, "'file:///srv/x.md' is a file on one machine"),
    ],
)
def test_links_that_leave_the_skill(link: str, column: int, message: str | None) -> None:
    (finding,) = of("link-outside", f"# Pay\n\n{link}\n", GUIDE)
    assert (finding.level, finding.line, finding.column) == ("warning", TOP + 3, column)
    assert message is None or finding.message == message
    assert finding.hint is not None
    assert of("link-broken", f"# Pay\n\n{link}\n", GUIDE) == []


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("scripts\\run.py", "the link 'scripts\\run.py' has a backslash, which separates no folders"),
        ("C:\\x.md", "'C:\\x.md' is a path on one machine"),
        ("C:/x.md", "'C:/x.md' is a path on one machine"),
        ("file:///x.md", "'file:///x.md' is a file on one machine"),
    ],
)
def test_case_096_windows_separators_and_drives(target: str, message: str) -> None:
    (finding,) = of("link-outside", f"# Pay\n\nRun [it]({target}).\n", {"scripts/run.py": ""})
    assert told([finding]) == [(3, 10, message)]
    assert finding.level == "warning"


def test_case_096_in_code_they_pass() -> None:
    body = "# Pay\n\nRun `scripts\\run.py` or `[x](C:\\x.md)`.\n\n```\nC:\\x.md\n```\n"
    assert of("link-outside", body) == []


def test_the_backslash_has_a_hint() -> None:
    (finding,) = of("link-outside", "# Pay\n\n[it](scripts\\run.py)\n")
    assert finding.hint == "write 'scripts/run.py'"


@pytest.mark.parametrize(
    "link",
    [
        "[a](../other/SKILL.md)",
        "[a](../other)",
        "[a](../)",
        "[a](../{name}/x.md)",
        "[a](../your-skill/SKILL.md)",
        "[a](x.md)",
    ],
)
def test_links_to_what_stands_beside_the_skill(link: str) -> None:
    files = {"a/SKILL.md": clean_skill("agentskills", body=f"# Pay\n\n{link}\n"), "other/SKILL.md": "x"}
    assert only(report_on(files, ("agentskills",)).findings, "link-outside") == []


# --- SKL707 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Error handling", "error-handling"),
        ("What's `new` in 2.0?", "whats-new-in-20"),
        ("A & B", "a--b"),
        ("snake_case \u2013 dash", "snake_case--dash"),
        ("Qué hace", "qué-hace"),
        ("错误 处理\uff01", "错误-处理"),
        ("हिन्दी", "हिन्दी"),
        ("🚀 Start", "-start"),
        ("  Spaces  ", "spaces"),
    ],
)
def test_slugs_of_github(title: str, anchor: str) -> None:
    assert slug(title) == anchor


HEADINGS = (
    "# Pay\n\n## Error handling\n\n## Step `one` *two*\n\n## Step\n\n## Step\n\n## A & B\n\n## 🚀 Start\n\n"
    '## Kept {#own-id}\n\n<a name="Old"></a><a id="new"></a>\n\n<div id=block>\nx\n</div>\n\n[^n]: note\n\n'
)


@pytest.mark.parametrize(
    "fragment",
    [
        "error-handling", "Error-Handling", "step-one-two", "step", "step-1", "a--b", "a-b", "start", "-start",
        "own-id", "kept", "old", "new", "block", "fn-n", "user-content-step", "top", "L10", "L10-L20", ":~:text=pay",
        "!/route", "page=3", "{anchor}", "%65rror-handling", "/route",
    ],
)  # fmt: skip
def test_anchors_that_are_there(fragment: str) -> None:
    assert of("link-anchor", f"{HEADINGS}See [it](#{fragment}) or [that](#).\n") == []


@pytest.mark.parametrize(
    ("fragment", "hint"),
    [
        ("errors-handling", "did you mean #error-handling?"),
        ("step-2", "did you mean #step-1?"),
        ("zzz", None),
        ("error_handling", "did you mean #error-handling?"),
    ],
)
def test_anchors_that_are_not(fragment: str, hint: str | None) -> None:
    (finding,) = of("link-anchor", f"{HEADINGS}See [it](#{fragment}).\n")
    assert brief([finding]) == [("link-anchor", "note", TOP + HEADINGS.count("\n") + 1, 10)]
    assert finding.location.end_column == 11 + len(fragment)
    assert finding.message == f"no heading has the anchor '{fragment}'"
    assert finding.hint == hint


def test_headings_in_code_have_no_anchor() -> None:
    assert len(of("link-anchor", "# Pay\n\n```md\n## There\n```\n\n[it](#there)\n")) == 1


@pytest.mark.parametrize(
    ("link", "text", "fires"),
    [
        ("references/guide.md#fields", "# Guide\n\n## Fields\n", False),
        ("references/guide.md#field", "# Guide\n\n## Fields\n", True),
        ("references/guide.md#fields", "", False),
        ("references/guide.md#fields", " \n", False),
        ("references/guide.md#L3", "# Guide\n", False),
        ("references/guide.md#é", "# É\n", False),
        ("references/guide.md#no", "---\nx: 1\n---\n# Guide\n", True),
        ("references/guide.txt#no", "# Guide\n", False),
        ("references/gone.md#no", "# Guide\n", False),
        ("../beside.md#no", "# Guide\n", False),
        ("https://a.example/guide.md#no", "# Guide\n", False),
    ],
)
def test_anchors_of_other_files(link: str, text: str, fires: bool) -> None:
    files = {"references/guide.md": text, "references/guide.txt": "x"}
    found = of("link-anchor", f"# Pay\n\n[it]({link})\n", files)
    assert [f.column for f in found] == [6 + link.index("#")] * fires
    assert [f.message.split(" has")[0] for f in found] == ["no heading in 'references/guide.md'"] * fires


# --- SKL709 ---------------------------------------------------------------------------------------


def chain(body: str, **files: str) -> list[tuple[int, int, str]]:
    return told(of("link-depth", f"# Pay\n\n{body}\n", {f"r/{name}.md": text for name, text in files.items()}))


@pytest.mark.parametrize(
    ("body", "files", "message"),
    [
        ("[a](r/a.md)", {"a": "[b](b.md)", "b": "x"}, "'r/a.md' leads on to 'r/b.md', which the skill does not name"),
        ("[a](r/a.md)", {"a": "[b](r/b.md)", "b": "x"}, "'r/a.md' leads on to 'r/b.md', which the skill does not name"),
        (
            "[a](r/a.md)",
            {"a": "[b](b.md#x) [c](./c.md) [b](b.md)", "b": "x", "c": "x"},
            "'r/a.md' leads on to 'r/b.md' and 1 more, which the skill does not name",
        ),
        (
            "[a](r/a.md)",
            {"a": "[b]\n\n[b]: b.md", "b": "x"},
            "'r/a.md' leads on to 'r/b.md', which the skill does not name",
        ),
    ],
)
def test_case_098_chains(body: str, files: dict[str, str], message: str) -> None:
    assert chain(body, **files) == [(3, 5, message)]


@pytest.mark.parametrize(
    ("body", "files"),
    [
        ("[a](r/a.md)", {"a": "x"}),
        ("[a](r/a.md)", {"a": ""}),
        ("[a](r/a.md)", {"a": "[b](gone.md)"}),
        ("[a](r/a.md)", {"a": "`[b](b.md)`\n\n```\n[b](b.md)\n```", "b": "x"}),
        ("[a](r/a.md)", {"a": "![b](b.md)", "b": "x"}),
        ("[a](r/a.md)", {"a": "[home](../SKILL.md) [self](a.md) [top](#x)"}),
        ("[a](r/a.md) [b](r/b.md)", {"a": "[b](b.md)", "b": "[a](a.md)"}),
        ("[a](r/a.md), then `r/b.md`", {"a": "[b](b.md)", "b": "x"}),
        ("[a](r/a.md)", {"a": "[b](../../other/x.md) [c](https://a.example/b.md)"}),
        ("[a](r/a.md)", {"a": "[b](LICENSE.md)", "LICENSE": "x"}),
        ("`[a](r/a.md)`", {"a": "[b](b.md)", "b": "x"}),
        ("[folder](r/)", {"a": "[b](b.md)", "b": "x"}),
        ("[a](${CLAUDE_SKILL_DIR}/r/a.md)", {"a": "[b](b.md)", "b": "x"}),
    ],
)
def test_case_098_one_level(body: str, files: dict[str, str]) -> None:
    assert chain(body, **files) == []


def test_one_finding_for_a_file() -> None:
    assert [line for line, *_ in chain("[a](r/a.md)\n\n[again](r/a.md)", a="[b](b.md)", b="x")] == [3]


def test_another_skill_has_files_of_its_own() -> None:
    body = "[a](sub/SKILL.md)"
    files = {"sub/SKILL.md": clean_skill("agentskills", body="[b](b.md)"), "sub/b.md": "x"}
    assert of("link-depth", body, files) == []


def test_folders_do_not_count() -> None:
    assert of("link-depth", "# Pay\n\n[a](a/b/c/d.md)\n", {"a/b/c/d.md": "x"}) == []


# --- SKL713 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path", "column"),
    [
        ("Run `/Users/maria/bin/pay R-1`.", "/Users/maria/bin/pay", 6),
        ("```bash\npython '/home/jruiz/x y.py'\n```", "/home/jruiz/x", 9),
        ("[a](/Users/maria/x.md)", "/Users/maria/x.md", 5),
        ("`C:\\Users\\Maria\\x.md`", "C:\\Users\\Maria\\x.md", 2),
        ("`C:/Users/Maria/x.md`", "C:/Users/Maria/x.md", 2),
        ('```json\n{"p": "C:\\\\Users\\\\Maria\\\\x"}\n```', "C:\\\\Users\\\\Maria\\\\x", 8),
        ("`cd /home/devin`", "/home/devin", 5),
        ("`PATH=/home/theo/bin:$PATH`", "/home/theo/bin:$PATH", 7),
    ],
)
def test_paths_of_one_machine(text: str, path: str, column: int) -> None:
    (finding,) = of("path-absolute", f"# Pay\n\n{text}\n")
    line = TOP + 3 + (1 if text.startswith("```") else 0)
    assert brief([finding]) == [("path-absolute", "warning", line, column)]
    assert finding.location.end_column == column + len(path)
    assert finding.message == f"'{path}' exists on one machine only"


@pytest.mark.parametrize(
    "text",
    [
        "In the text /Users/maria/x is mentioned.",
        "`~/x` `$HOME/x` `/mnt/data/x` `/workspace/x` `/tmp/x` `/Users`",
        "`/home/user/x` `/home/runner/work/x` `/home/node/app` `/home/vscode/x` `/home/ubuntu` `/home/claude/x`",
        "`/Users/you/x` `/Users/yourname/x` `/Users/<you>/x` `/Users/$USER/x` `/home/{user}/x` `/Users/.../x`",
        "`/Users/username/x` `/Users/john/x` `C:\\Users\\%USERNAME%\\x` `C:\\Users\\Public\\x` `/Users/Shared/x`",
        "`https://a.example/home/maria/x` `~/home/maria` `$ROOT/home/maria` `./home/maria`",
        "`docker run -v .:/home/maria/x` `scp x host:/home/maria/x`",
        "`/Users/my-user-name/x` `/Users/myuserName/x` `/home/test_user/x` `/home/user1/x`",
    ],
)
def test_paths_that_are_nobodys(text: str) -> None:
    assert of("path-absolute", f"# Pay\n\n{text}\n") == []


def test_one_finding_for_each_path() -> None:
    found = of("path-absolute", "# Pay\n\n`/home/maria/x` `/home/maria/x` `/home/maria/y`\n")
    assert [f.column for f in found] == [2, 34]


# --- SKL715 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path", "line", "column"),
    [
        ("Run `scripts/pay.py`.", "scripts/pay.py", 3, 6),
        ("Run `python ./scripts/pay.py R-1`.", "scripts/pay.py", 3, 15),
        ("```bash\npython scripts/sub/pay.py\n```", "scripts/sub/pay.py", 4, 8),
        ("See `references/terms.md`.", "references/terms.md", 3, 6),
        ("Fill in `assets/form.docx`.", "assets/form.docx", 3, 10),
        ("```sh\n${CLAUDE_SKILL_DIR}/scripts/pay.sh\n```", "scripts/pay.sh", 4, 21),
        ("`{baseDir}/scripts/pay.sh`", "scripts/pay.sh", 3, 12),
    ],
)
@pytest.mark.parametrize("spec", ["agentskills", "wsp"])
def test_files_that_are_not_there(text: str, path: str, line: int, column: int, spec: str) -> None:
    (finding,) = of("path-missing", f"# Pay\n\n{text}\n", spec=spec)
    assert (finding.level, finding.column) == ("note", column)
    assert finding.line - clean_skill(spec, body="").count("\n") == line
    assert finding.location.end_column == column + len(path)
    assert finding.message == f"there is no '{path}'"


@pytest.mark.parametrize(
    "text",
    [
        "Run `scripts/there.py` and `./scripts/there.py`.",
        "The folder `scripts/` and `scripts/there`.",
        "In words: scripts/pay.py is none.",
        "```python\nopen('scripts/pay.py')\n```",
        "```\nskill/\n  scripts/pay.py\n```",
        "[`scripts/pay.py`](https://a.example/pay.py)",
        "Create `scripts/pay.py` with this:",
        "Files, e.g. `references/terms.md`.",
        "```bash\nmkdir x && touch scripts/pay.py\n```",
        "`scripts/{name}.py` `scripts/<name>.py` `scripts/*.py` `scripts/pay.py...`",
        "`references/your-file.md` `references/file.md` `scripts/path/to/x.py`",
        "`other/scripts/pay.py` `../scripts/pay.py` `~/scripts/pay.py` `$HOME/scripts/pay.py`",
        "`[text](references/terms.md)`",
        "`scripts/../x.py`",
    ],
)
def test_files_that_are_there_or_need_not_be(text: str) -> None:
    assert of("path-missing", f"# Pay\n\n{text}\n", {"scripts/there.py": "", "scripts/there": ""}) == []


def test_once_a_path_with_a_suggestion() -> None:
    body = "# Pay\n\nRun `scripts/pay-it.py`, again `scripts/pay-it.py`, then `scripts/none.py`.\n"
    found = of("path-missing", body, {"scripts/pay_it.py": ""})
    assert [(f.message, f.hint) for f in found] == [
        ("there is no 'scripts/pay-it.py'", "did you mean scripts/pay_it.py?"),
        ("there is no 'scripts/none.py'", None),
    ]


def test_files_of_the_repository_pass() -> None:
    text = clean_skill("agentskills", body="# Pay\n\nRun `scripts/pay.py`.\n")
    files = {".agents/skills/pay-invoice/SKILL.md": text, "scripts/pay.py": "x"}
    assert only(report_on(files, ("agentskills",)).findings, "path-missing") == []


# --- all ------------------------------------------------------------------------------------------


def test_without_a_folder_nothing_is_missing() -> None:
    text = clean_skill("agentskills", body="# Pay\n\n[a](no.md) `scripts/no.py` [b](../no.md)\n")
    skill = Skill("-", "-", text.encode(), None)
    for rule in (link_broken, link_depth, path_missing):
        assert list(rule.check(skill, None)) == []


@pytest.mark.parametrize("spec", ["dualnova"])
def test_dualnova_does_not_ask(spec: str) -> None:
    text = clean_skill(spec, body="# Pay\n\n[a](no.md) `scripts/no.py` [b](../no.md) `/Users/maria/x`\n" + "x" * 100)
    rules = {"link-broken", "link-outside", "link-depth", "path-absolute", "path-missing"}
    assert [f.rule for f in findings_in(text, spec) if f.rule in rules] == []


DEMANDS = [
    ("agentskills", "File references: paths are relative", "Run `/Users/maria/x.py`.", "path-absolute"),
    ("agentskills", "File references: paths start at the root", "[a](no.md)", "link-broken"),
    ("agentskills", "File references: paths start at the root", "[a](../no.md)", "link-outside"),
    ("agentskills", "File references: paths start at the root", "Run `scripts/no.py`.", "path-missing"),
    ("agentskills", "File references: one level deep", "[a](r/a.md)", "link-depth"),
    ("agentskills", "File references: no chains", "[a](r/a.md)", "link-depth"),
    ("wsp", "4.4 auxiliary files are fetched when named", "[a](no.md)", "link-broken"),
    ("wsp", "4.4 auxiliary files are fetched when named", "Run `scripts/no.py`.", "path-missing"),
    ("discovery", "Progressive Disclosure: relative links", "[a](no.md)", "link-broken"),
    ("discovery", "Progressive Disclosure: relative links", "[a](../no.md)", "link-outside"),
    ("discovery", "Progressive Disclosure: relative links", "Run `/Users/maria/x.py`.", "path-absolute"),
]


@pytest.mark.parametrize(("spec", "demand", "text", "rule"), DEMANDS)
def test_demands_of_the_specs(spec: str, demand: str, text: str, rule: str) -> None:
    path = "pay-invoice/SKILL.md"
    files = {
        path: clean_skill(spec, body=f"# Pay\n\n{text}\n"),
        "pay-invoice/r/a.md": "[b](b.md)",
        "pay-invoice/r/b.md": "x",
    }
    # discovery builds on the format of agentskills
    specs = (spec, "agentskills") if spec == "discovery" else (spec,)
    findings = [f for f in report_on(files, specs).findings if f.path == path]
    assert rule in {f.rule for f in findings}


# --- many links with one cause --------------------------------------------------------------------


def test_links_into_a_missing_folder_are_one_finding() -> None:
    body = "# Pay\n\n" + "".join(f"See [{name}](references/{name}.md).\n" for name in "abcd") + "[e](e.md)\n"
    assert told(of("link-broken", body)) == [
        (3, 9, "4 links lead to nothing: there is no folder 'references'"),
        (7, 5, "the link leads to nothing: there is no 'e.md'"),
    ]
    (first, _) = of("link-broken", body)
    assert (first.location.end_column, first.fix, first.hint) == (24, None, "add the folder, or take the links out")


def test_a_few_links_into_a_missing_folder_are_told_one_by_one() -> None:
    body = "# Pay\n\n" + "".join(f"See [{name}](references/x/{name}.md).\n" for name in "abc")
    assert len(of("link-broken", body)) == 3


def test_links_that_can_be_mended_are_told_one_by_one() -> None:
    files = {f"reference/{name}.md": "" for name in "abcde"}
    body = "# Pay\n\n" + "".join(f"See [{name}](references/{name}.md).\n" for name in "abcde")
    found = of("link-broken", body, files)
    assert [f.fix.title for f in found if f.fix is not None] == [f"link to reference/{name}.md" for name in "abcde"]


def test_links_to_missing_files_of_one_folder_are_told_one_by_one() -> None:
    body = "# Pay\n\n" + "".join(f"See [{name}](references/part-{name}.md).\n" for name in "abcde")
    assert len(of("link-broken", body, {"references/zzz.txt": ""})) == 5


def test_links_into_a_missing_folder_outside_are_one_finding() -> None:
    body = "# Pay\n\n" + "".join(f"See [{name}](../../docs/{name}.md).\n" for name in "abcd")
    assert told(of("link-outside", body)) == [(3, 9, "4 links lead to nothing: there is no folder '../../docs'")]


# --- SKL717 ---------------------------------------------------------------------------------------


def siblings(body: str, *paths: str, spec: str = "agentskills", at: str = "skills/pay-invoice") -> list[Finding]:
    files = dict.fromkeys(paths, "# Other\n") | {f"{at}/SKILL.md": clean_skill(spec, body=f"\n# Pay\n\n{body}\n")}
    rules = ("link-broken", "link-outside", "link-sibling", "path-absolute")
    return [f for f in report_on(files, (spec,)).findings if f.rule in rules and f.path == f"{at}/SKILL.md"]


@pytest.mark.parametrize("spec", ["agentskills", "wsp"])
def test_a_link_to_a_file_beside_the_skill(spec: str) -> None:
    (found,) = siblings("See [the guide](../shared/guide.md#x).", "skills/shared/guide.md", spec=spec)
    assert (found.rule, found.level, found.column, found.location.end_column) == ("link-sibling", "note", 17, 37)
    assert found.message == "the link leads out of the skill: '../shared/guide.md' is not installed with it"
    assert found.hint == "copy what the skill needs into its folder, or link to where it is published"


def test_another_skill_is_to_be_named() -> None:
    (found,) = siblings("See [refunds](../refund/SKILL.md).", "skills/refund/SKILL.md")
    assert found.hint == "name the other skill instead of linking to its file"


def test_many_siblings_are_one_finding_and_each_is_counted_once() -> None:
    paths = [f"skills/shared/{name}.md" for name in "abcde"]
    body = " ".join(f"[{name}](../shared/{name}.md)" for name in "aabbcde")
    (found,) = siblings(body, *paths)
    assert found.message == (
        "5 links lead out of the skill: to '../shared/a.md', '../shared/b.md' and 3 more, "
        "which are not installed with it"
    )
    assert len(siblings("[a](../shared/a.md) [b](../shared/b.md) [a](../shared/a.md)", *paths)) == 2


DIVIDED = [
    ("references/x.md", ["link-broken"]),
    ("../shared/x.md", ["link-outside"]),
    ("../shared/guide.md", ["link-sibling"]),
    ("../shared/", ["link-sibling"]),
    ("..", ["link-sibling"]),
    ("../../../outside.md", ["link-outside"]),
    ("../pay-invoice/own.md", []),
    ("file:///srv/x.md", ["link-outside"]),
    ("C:/Users/maria/x.md", ["link-outside"]),
    ("file:///home/maria/x.md", ["link-outside"]),
    ("/Users/maria/x.md", ["path-absolute"]),
]


@pytest.mark.parametrize(("href", "rules"), DIVIDED)
def test_a_link_is_the_matter_of_one_rule(href: str, rules: list[str]) -> None:
    found = siblings(f"See [it]({href}).", "skills/shared/guide.md", "skills/pay-invoice/own.md")
    assert [f.rule for f in found] == rules


def test_below_the_root_of_a_site_too() -> None:
    text = clean_skill("wsp", body="\n# Pay\n\nSee [it](/Users/maria/x.md) and [that](/docs/x.md).\n")
    files = {"skills.txt": "- [pay-invoice](/skills/pay-invoice/SKILL.md)\n", "skills/pay-invoice/SKILL.md": text}
    found = [f for f in report_on(files).findings if f.rule in ("link-broken", "path-absolute")]
    assert [(f.rule, f.column) for f in found] == [("path-absolute", 10), ("link-broken", 40)]


@pytest.mark.parametrize(
    "at", [".claude/skills/pay-invoice", ".github/skills/pay-invoice", "x/.cursor/skills/a/pay-invoice"]
)
def test_a_skill_that_stays_where_it_is_may_link_to_what_is_around_it(at: str) -> None:
    depth = "../" * (at.count("/") + 1)
    assert siblings(f"See [the docs]({depth}docs/x.md).", "docs/x.md", at=at) == []


def test_a_published_skill_does_not_stay_where_it_is() -> None:
    at = ".well-known/agent-skills/pay-invoice"
    assert [f.rule for f in siblings("See [the docs](../../../docs/x.md).", "docs/x.md", at=at)] == ["link-sibling"]


def test_a_document_of_a_skill_is_shipped_with_it() -> None:
    body = "\n# iOS\n\nSee [the skill](../SKILL.md), [the rest](../../rest/SKILL.md).\n"
    files = {
        "skills/zoom/SKILL.md": clean_skill("agentskills", "name: zoom"),
        "skills/zoom/ios/SKILL.md": clean_skill("agentskills", body=body),
        "skills/rest/SKILL.md": clean_skill("agentskills", "name: rest"),
    }
    found = only(report_on(files, ("agentskills",)).findings, "link-sibling")
    assert [f.message for f in found] == [
        "the link leads out of the skill: '../../rest/SKILL.md' is not installed with it"
    ]


def test_a_file_outside_of_the_repository_is_one_of_this_machine() -> None:
    text = clean_skill("agentskills", body="\n# Pay\n\nSee [it](../../notes.md) and [that](../README.md).\n")
    files = {"work/.git/HEAD": "", "work/README.md": "", "notes.md": "", "work/pay-invoice/SKILL.md": text}
    found = [f for f in report_on(files, ("agentskills",)).findings if f.rule in ("link-outside", "link-sibling")]
    assert [(f.rule, f.level, f.message) for f in found] == [
        ("link-outside", "warning", "the link leaves the repository: '../../notes.md' is a file on one machine"),
        ("link-sibling", "note", "the link leads out of the skill: '../README.md' is not installed with it"),
    ]


def test_a_path_from_a_root_to_a_file_of_the_skill() -> None:
    text = clean_skill(
        "agentskills", body="\n# Pay\n\nSee [the guide](/references/guide.md#fields) and [more](/pricing.md).\n"
    )
    files = {"pay-invoice/SKILL.md": text, "pay-invoice/references/guide.md": "# Fields\n"}
    (found,) = only(list(report_on(files).findings), "link-broken")
    assert (found.level, found.line, found.column, found.message) == (
        "warning",
        8,
        17,
        "the link begins at a root, which an installed skill does not have; the file is 'references/guide.md'",
    )
    assert "[the guide](references/guide.md#fields)" in fixed(text, found)
