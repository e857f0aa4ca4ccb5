"""Rules about the Markdown body: title, sections, length, code blocks."""

from __future__ import annotations

from typing import Any

import pytest

from agentskills_lint.model import Finding
from agentskills_lint.rules.section_titles import STEMS, find, folded, titles_of
from tests.support import CLEAN_BODY, CLEAN_FRONT, brief, clean_skill, findings_in, only, report_on, skill_text

SPECS = ("agentskills", "discovery", "dualnova", "wsp")


def of(rule: str, body: str, spec: str = "agentskills", **settings: Any) -> list[Finding]:
    return only(findings_in(clean_skill(spec, body=body), spec, **settings), rule)


def lines_of(spec: str) -> int:
    """How many lines the frontmatter of a clean skill has, its fences included."""
    return len(CLEAN_FRONT[spec]) + 2


# --- SKL701 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "level"), [("agentskills", "warning"), ("discovery", "warning"), ("dualnova", "warning"), ("wsp", "error")]
)
@pytest.mark.parametrize("body", ["", "\n", " \t\n\r\n\u3000\n"])
def test_case_102_no_body(spec: str, level: str, body: str) -> None:
    (finding,) = of("body-empty", body, spec)
    assert brief([finding]) == [("body-empty", level, 1, 1)]
    assert finding.message == "the skill has no body"


def test_case_102_no_body_to_several_specs() -> None:
    (finding,) = only(findings_in(clean_skill("wsp", body=""), "agentskills", "dualnova", "wsp"), "body-empty")
    assert finding.level == "error"
    assert {demand.spec for demand in finding.demands} == {"agentskills", "dualnova", "wsp"}


def test_a_closing_fence_may_end_the_file() -> None:
    text = clean_skill("wsp", body="").rstrip("\n")
    assert brief(only(findings_in(text, "wsp"), "body-empty")) == [("body-empty", "error", 1, 1)]


@pytest.mark.parametrize(("length", "fires"), [(1, True), (99, True), (100, False)])
def test_dualnova_asks_for_100_characters(length: int, fires: bool) -> None:
    body = "\n\n  " + "é" * length + "\n\n"
    found = of("body-empty", body, "dualnova")
    assert brief(found) == [("body-empty", "warning", lines_of("dualnova") + 3, 3)] * fires
    assert [f.message for f in found] == [f"the body has {length} characters, fewer than 100"] * fires
    for spec in ("agentskills", "discovery", "wsp"):
        assert of("body-empty", body, spec) == []


# --- SKL702 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("spec", "level"), [("dualnova", "warning"), ("agentskills", "note")])
def test_no_title(spec: str, level: str) -> None:
    (finding,) = of("body-heading", "\nText.\n\n## Use\n\n" + "x" * 100 + "\n", spec)
    assert brief([finding]) == [("body-heading", level, lines_of(spec) + 2, 1)]
    assert finding.location.end_column == 6
    assert finding.message == "the body has no H1 title; it begins with text"
    assert finding.hint == "begin the body with '# Title'"


def test_no_heading_at_all() -> None:
    assert [f.message for f in of("body-heading", "Just text.\n")] == ["the body has no H1 title; it begins with text"]


@pytest.mark.parametrize(
    ("body", "column", "end", "message"),
    [
        ("## Use\n\nText.\n", 1, 7, "the body has no H1 title; it begins with an H2"),
        ("<!-- made\nby a machine -->\n\n### Use it\n", 1, 11, "the body has no H1 title; it begins with an H3"),
        ("<!-- made -->\n\n  Text.  \n", 3, 8, "the body has no H1 title; it begins with text"),
        ("<!-- made -->\n", 1, 14, "the body has no H1 title"),
    ],
)
def test_the_place_is_where_the_title_is_missing(body: str, column: int, end: int, message: str) -> None:
    (finding,) = of("body-heading", body)
    assert (finding.column, finding.location.end_column, finding.message) == (column, end, message)


def test_a_second_title() -> None:
    (finding,) = of("body-heading", "# One\n\nText.\n\n# Two\n")
    assert brief([finding]) == [("body-heading", "note", 9, 1)]
    assert finding.message == "the body has a second H1 title"
    assert [(place.line, message) for place, message in finding.related] == [(5, "the first title")]


def test_many_titles_are_one_finding() -> None:
    assert [f.message for f in of("body-heading", "# 1\n\n# 2\n\n# 3\n\n# 4\n")] == ["the body has 4 H1 titles"]


def test_text_above_the_title() -> None:
    (finding,) = of("body-heading", "\nPreface to it.\n\n# One\n")
    assert brief([finding]) == [("body-heading", "note", 6, 1)]
    assert finding.location.end_column == 15
    assert [place.line for place, _ in finding.related] == [8]


@pytest.mark.parametrize(
    "body",
    [
        "# One\n\ntext\n",
        "\n\n   # One\n",
        "One\n===\n\ntext\n",
        "<!-- agentskills -->\n\n# One\n",
        '<h1 align="center">One</h1>\n\ntext\n',
        "# One\n\n```bash\n# no title\n```\n",
        "# One\n\n    # no title\n\n## # neither\n",
        "# `One` *and only*\n",
    ],
)
def test_one_title_in_front(body: str) -> None:
    assert of("body-heading", body) == []


def test_titles_in_a_fence_that_never_closes_are_not_counted_twice() -> None:
    body = "# One\n\n```md\n# A\n\n```sh\nx\n```\n\n# B\n\n```\n"
    assert [f.rule for f in findings_in(clean_skill("agentskills", body=body), "agentskills")] == ["fence-unclosed"]


# --- SKL703 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "missing"),
    [
        (
            "wsp",
            "'Endpoints', 'Parameters', 'Request examples', 'Response format', 'Error handling', 'Workflow', 'Notes'",
        ),
        (
            "dualnova",
            "'When to invoke this skill', 'What this skill does', 'Step-by-step flow for the assistant', "
            "'Information the assistant should provide to the user', 'Common follow-up questions', 'Fallback'",
        ),
    ],
)
def test_all_sections_are_missing(spec: str, missing: str) -> None:
    (finding,) = of("section-missing", "\n# Pay\n\n" + "Text. " * 20 + "\n", spec)
    assert brief([finding]) == [("section-missing", "note", lines_of(spec) + 2, 1)]
    assert finding.message == f"recommended sections missing: {missing}"


def test_one_section_is_missing_and_there_is_no_title() -> None:
    body = CLEAN_BODY.replace("# Pay an invoice\n\n", "", 1).replace("## Endpoints", "## More")
    (finding,) = of("section-missing", body, "wsp")
    assert brief([finding]) == [("section-missing", "note", lines_of("wsp") + 2, 1)]
    assert finding.message == "recommended section missing: 'Endpoints'"


@pytest.mark.parametrize("spec", ["wsp", "dualnova"])
def test_the_words_of_the_specs_are_all_there(spec: str) -> None:
    assert of("section-missing", CLEAN_BODY, spec) == []


SECTIONS = [
    ("Endpoints", ["Endpoint(s)", "API Endpoints", "API reference", "Endpunkte", "接口说明", "エンドポイント一覧"]),
    (
        "Parameters",
        ["Request parameters", "Inputs", "Parámetros", "Paramètres", "参数", "パラメータ", "매개변수", "Параметры"],
    ),
    ("Request examples", ["Example", "3. Examples", "Ejemplos", "Exemples", "Beispiele", "请求示例", "Пример запроса"]),
    ("Response format", ["Response", "Output", "Respuesta", "Réponse", "Antwortformat", "返回结果", "応答"]),
    ("Error handling", ["⚠️ Errors", "Troubleshooting", "Errores", "Fehlerbehandlung", "错误处理", "Обработка ошибок"]),
    ("Workflow", ["Steps", "How to pay", "Pasos", "Étapes", "Ablauf", "工作流程", "手順", "Порядок действий"]),
    ("Authentication", ["Auth", "API keys", "Sign-in", "Autenticación", "Authentification", "认证", "API キー"]),
    ("Notes", ["Notes / Constraints", "Rate limits", "Limitaciones", "Hinweise", "注意事项", "Примечания"]),
    (
        "When to invoke this skill",
        ["When to use", "Triggers", "Cuándo invocar esta skill", "Wann", "何时使用", "いつ使うか"],
    ),
    ("What this skill does", ["Overview", "Qué hace esta skill", "Was dieser Skill macht", "功能概述", "できること"]),
    ("Step-by-step flow for the assistant", ["Workflow", "Paso a paso para el asistente", "步骤"]),
    ("Information the assistant should provide to the user", ["What to tell the user", "Información que dar", "信息"]),
    ("Common follow-up questions", ["FAQ", "Q&A", "Preguntas comunes", "Häufige Fragen", "常见问题"]),
    ("Fallback", ["If something fails", "Plan B", "Ausweichweg", "备用方案", "フォールバック"]),
]


@pytest.mark.parametrize(("title", "heading"), [(title, heading) for title, all in SECTIONS for heading in all])
@pytest.mark.parametrize("level", ["#", "######"])
def test_headings_in_other_words_and_languages(title: str, heading: str, level: str) -> None:
    from agentskills_lint.documents import Skill

    skill = Skill("SKILL.md", "/SKILL.md", skill_text("name: x", f"{level} {heading}\n").encode(), None)
    found = find(titles_of(skill), title, {})
    assert found is not None
    assert found.text == heading


@pytest.mark.parametrize(
    ("title", "heading"),
    [
        ("Authentication", "Authors"),
        ("Authentication", "Authoring guide"),
        ("Notes", "Notebook setup"),
        ("Endpoints", "Pay an invoice"),
        ("Error handling", "Terrors of the deep"),
        ("When to invoke this skill", "Whenua"),
        ("Workflow", "Pasos" + "ka"),
    ],
)
def test_headings_that_only_look_alike(title: str, heading: str) -> None:
    from agentskills_lint.documents import Skill

    skill = Skill("SKILL.md", "/SKILL.md", skill_text("name: x", f"## {heading}\n").encode(), None)
    expected = heading if heading == "Whenua" else None
    found = find(titles_of(skill), title, {})
    assert (found.text if found else None) == expected


def test_every_section_has_its_own_title_among_its_stems() -> None:
    for title, stems in STEMS.items():
        assert any(stem in folded(title) for stem in stems), title


def test_headings_in_code_are_none() -> None:
    body = CLEAN_BODY.replace("## Notes", "```md\n## Notes\n```")
    assert [f.message for f in of("section-missing", body, "wsp")] == ["recommended section missing: 'Notes'"]


@pytest.mark.parametrize("extra", ["House rules of ours", "HOUSE-RULES of ours", "house rules, of ours!"])
def test_titles_of_the_configuration_count(extra: str) -> None:
    body = CLEAN_BODY.replace("## Endpoints", "## House rules of ours")
    assert of("section-missing", body, "wsp", sections={"endpoints": (extra,)}) == []
    assert len(of("section-missing", body, "wsp", sections={"Notes": (extra,)})) == 1


# --- SKL704, SKL705 -------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("final", ["", "\n"])
@pytest.mark.parametrize(
    ("spec", "limit", "of_body"), [("wsp", 300, False), ("agentskills", 500, False), ("dualnova", 400, True)]
)
def test_case_058_the_first_line_beyond_the_limit(
    spec: str, limit: int, of_body: bool, final: str, newline: str
) -> None:
    front = lines_of(spec)
    length = limit if of_body else limit - front
    whole = "\n".join(["# T", *("- x" for _ in range(length - 1))]) + final
    longer = whole.removesuffix("\n") + "\n- beyond" + final
    for body, fires in ((whole, False), (longer, True)):
        text = clean_skill(spec, body=body).replace("\n", newline)
        found = only(findings_in(text, spec), "body-length")
        assert brief(found) == [("body-length", "warning", length + front + 1, 1)] * fires
        what = "body" if of_body else "file"
        assert [f.message for f in found] == [f"the {what} has {limit + 1} lines, more than {limit}"] * fires
        assert [(f.location.end_line, f.location.end_column) for f in found] == [(length + front + 1, 9)] * fires


def test_case_058_the_strictest_limit_speaks() -> None:
    text = clean_skill("wsp", body="# T\n" + "- x\n" * 600)
    (finding,) = only(findings_in(text, "agentskills", "dualnova", "wsp"), "body-length")
    assert finding.line == 301
    assert {demand.spec for demand in finding.demands} == {"agentskills", "dualnova", "wsp"}


@pytest.mark.parametrize("words", [2000, 20000])
def test_the_token_budget(words: int) -> None:
    body = "\n# T\n\n" + "word " * words + "\n"
    found = of("token-budget", body)
    assert brief(found) == [("token-budget", "warning", 6, 1)] * (words == 20000)
    assert all(f.message.endswith(" tokens, more than 5,000") and f.location.end_column == 4 for f in found)


def test_the_token_budget_counts_characters_of_every_script() -> None:
    assert len(of("token-budget", "# T\n\n" + "字" * 12000 + "\n")) == 1
    assert of("token-budget", "# T\n\n" + "字" * 800 + "\n") == []


# --- SKL710 ---------------------------------------------------------------------------------------


def fences(body: str) -> list[tuple[int, int, str, list[int]]]:
    """(line in the body, column, message, lines in the body of what is related) of the findings."""
    return [
        (f.line - 4, f.column, f.message, [place.line - 4 for place, _ in f.related])
        for f in only(findings_in(clean_skill("agentskills", body=body), "agentskills"), "fence-unclosed")
    ]


REST = "the code fence is never closed, so the rest of the file is code"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("# T\n\n```sh\nrun\n\nText.\n", (3, 1, REST, [])),
        ("# T\n\n````sh\nrun\n```\n\nText.\n", (3, 1, REST, [5])),
        ("# T\n\n```sh\nrun\n    ```\n\nText.\n", (3, 1, REST, [5])),
        ("# T\n\n```sh\nrun\n``\n\nText.\n", (3, 1, REST, [5])),
        ("# T\n\n~~~\nrun\n~~~ end\n", (3, 1, REST, [5])),
        ("# T\n\n```sh\nrun\n```\n\n```\n", (7, 1, "a code fence opens at the end of the file", [])),
        ("# T\n\n- ```sh\n  run\n\nText.\n", (3, 3, "the code fence is not closed before its list or quote ends", [])),
        (
            "# T\n\n```md\n# A\n\n```sh\nrun\n```\n\nText\n```\n\nMore.\n",
            (3, 1, "the code block runs to line 12, over the opening fence '```sh' of line 10", [6]),
        ),
        (
            "# T\n\n```sh\nrun\n\nText.\n\n```json\n{}\n```\n\nMore.\n",
            (3, 1, "the code block runs to line 14, over the opening fence '```json' of line 12", [8]),
        ),
        (
            "# T\n\n<Good>\n```sh\nrun\n\nmore\n```\n</Good>\n\nText.\n",
            (4, 1, "the code fence stands in HTML, where it opens no block, but its end does", [3]),
        ),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_fences_that_go_astray(body: str, expected: tuple[int, int, str, list[int]], newline: str) -> None:
    assert fences(body.replace("\n", newline)) == [expected]


def test_only_the_first_fault_speaks() -> None:
    body = "# T\n\n```md\n```sh\nrun\n```\n```\n\ntext\n\n```md\n```sh\nrun\n```\n```\n\n```\n"
    assert [line for line, *_ in fences(body)] == [3]


def test_the_hint_counts_the_fence() -> None:
    (finding,) = of("fence-unclosed", "# T\n\n````md\n````sh\nrun\n````\n\n````\n\ntext\n\n````\n````\n")
    assert finding.hint == "close the block above line 8, or begin and end it with ````` if it is to hold that one"
    assert (finding.line, finding.location.end_column) == (7, 7)


@pytest.mark.parametrize(
    "body",
    [
        "# T\n\n```sh\nrun\n```\n",
        "# T\n\n```sh\nrun\n```",
        "# T\n\n````md\n```sh\nrun\n```\n````\n",
        "# T\n\n~~~md\n```sh\nrun\n```\n~~~\n",
        "# T\n\n```md\n~~~sh\nrun\n~~~\n```\n",
        "# T\n\n```sh\necho '```'\n```\n",
        "# T\n\n```md\n    ```sh\n```\n",
        "# T\n\n- ```sh\n  run\n  ```\n\n1. > ```\n   > x\n   > ```\n",
        "# T\n\n`` ```sh `` in text\n",
        "# T\n\n<div>\n```sh\nrun\n```\n</div>\n",
        "# T\n\n<!--\n```sh\n-->\n",
        "# T\n\n<pre>\n```sh\n</pre>\n",
    ],
)
def test_fences_that_close(body: str) -> None:
    assert fences(body) == []


def test_case_023_rules_and_front_matter_in_the_body() -> None:
    body = "# T\n\ntext\n\n---\n\n```yaml\n---\nx: 1\n---\n```\n\n***\n\n---\n\nSee [it](no.md).\n"
    found = findings_in(clean_skill("agentskills", body=body), "agentskills")
    assert brief(found) == [("link-broken", "warning", 21, 10)]


# --- SKL711 ---------------------------------------------------------------------------------------


def example(language: str, code: str, before: str = "") -> list[tuple[int, int, str]]:
    body = f"# T\n\n{before}```{language}\n{code}\n```\n"
    skipped = 3 + before.count("\n") + 4
    return [
        (f.line - skipped, f.column, f.message)
        for f in only(findings_in(clean_skill("agentskills", body=body), "agentskills"), "code-block-syntax")
    ]


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("json", '{"a": 1,}', (1, 8, "the example is no JSON: a comma stands before the closing bracket")),
        (
            "json",
            '{\n  "a": [1,\n  2,\n  ]\n}',
            (3, 4, "the example is no JSON: a comma stands before the closing bracket"),
        ),
        ("JSON", "{'a': 1}", (1, 2, "the example is no JSON: strings stand in double quotes")),
        ("json", '{"é": True}', (1, 7, "the example is no JSON: True is Python; write true")),
        ("json", '{"a": None}', (1, 7, "the example is no JSON: None is Python; write null")),
        (
            "json",
            '{\n  "a": 1\n  "b": 2\n}',
            (3, 3, "the example is no JSON: a comma is missing, or a backslash before a quote inside a string"),
        ),
        (
            "json",
            '{"a": "say "hi" now"}',
            (1, 13, "the example is no JSON: a quote inside a string needs a backslash before it"),
        ),
        (
            "json",
            '{"a": "C:\\dir"}',
            (1, 10, "the example is no JSON: the backslash stands before a character that it cannot escape"),
        ),
        ("json", '{"a": "one\ntwo"}', (1, 11, "the example is no JSON: a string runs over the end of its line")),
        (
            "json",
            '{"url": "https://a.example/x",}',
            (1, 30, "the example is no JSON: a comma stands before the closing bracket"),
        ),
        ("json", '{"a": {"b": 1}}}', (1, 16, "the example is no JSON: a closing bracket too many")),
        ("yaml", "a: b: c", (1, 5, "the example is no YAML: a value that holds ': ' needs quotes around it")),
        ("yml", "a:\n\tb: 1", (2, 1, "the example is no YAML: a tab indents the line")),
        ("yaml", "a: @b", (1, 4, "the example is no YAML: the value needs quotes around it")),
    ],
)
def test_examples_that_do_not_parse(language: str, code: str, expected: tuple[int, int, str]) -> None:
    assert example(language, code) == [expected]


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("json", '{"a": 1}'),
        ("json", '{"a": 1, ...}'),
        ("json", '{"a": [1, …]}'),
        ("json", '{\n  // a comment\n  "a": 1,\n}'),
        ("json", '{"a": 1, /* more */ }'),
        ("json", '{"a": <number>}'),
        ("json", '{"a": {{ value }},}'),
        ("json", '{"a": $VALUE}'),
        ("json", '{"a": "x" | "y"}'),
        ("json", '{"a": number}'),
        ("json", '{"a": }'),
        ("json", '"a": {"b": 1}'),
        ("json", '{"a": 1}\n{"a": 2}'),
        ("json", '{"a": 1}\n\n{"b": [\n'),
        ("json", '{\n  "a": {\n'),
        ("json", 'call({"a": 1})'),
        ("json", ""),
        ("json", "[" * 3000),
        ("json", "[" + "1" * 5000 + "]"),
        ("jsonc", '{"a": 1,}'),
        ("js", "{a: 1,}"),
        ("", '{"a": 1,}'),
        ("yaml", "a: 1\n---\nb: 2"),
        ("yaml", "---\nname: x\n---\n\n# Title\n\nText: with colons: here"),
        ("yaml", "a: {{ value }}\nb: c: d"),
        ("yaml", "a: ...\nb: c: d"),
        ("yaml", "a: &x 1\nb: *y"),
        ("yaml", "on: push\nname: <your name>: x"),
        ("yaml", "first\nsecond\nIf this: then that"),
        ("toml", "a = = 1"),
    ],
)
def test_examples_and_fragments_pass(language: str, code: str) -> None:
    assert example(language, code) == []


@pytest.mark.parametrize("before", ["Wrong:\n\n", "❌ Never write this:\n\n", "This is invalid:\n\n"])
def test_counterexamples_pass(before: str) -> None:
    assert example("json", "{'a': 1}", before) == []
    assert example("yaml", "# WRONG\na: b: c") == []


def test_examples_in_lists_have_their_true_place() -> None:
    body = '# T\n\n1. Send:\n\n   ```json\n   {\n     "a": 1,\n   }\n   ```\n'
    (finding,) = of("code-block-syntax", body)
    assert (finding.line, finding.column, finding.location.end_column) == (11, 12, 13)


# --- SKL716 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("POST /payments", "POST /payments"),
        ("Send `GET /v1/invoices/{id}` first.", "GET /v1/invoices/{id}"),
        ("**DELETE** `x`, then PUT https://api.acme.example/x", "PUT https://api.acme.example/x"),
        ("| `PATCH` | /x |\n\nPATCH `/x/y`", "PATCH `/x/y"),
    ],
)
def test_requests_without_an_example(line: str, shown: str) -> None:
    (finding,) = of("body-examples", f"# T\n\n{line}\n", "wsp")
    assert finding.level == "note"
    assert finding.message == f"the body names the request '{shown}', but no code block shows one"


@pytest.mark.parametrize(
    "body",
    [
        "# T\n\nPOST /x\n\n```sh\ncurl x\n```\n",
        "# T\n\nGET READY\n",
        "# T\n\nGET / POST\n",
        "# T\n\nTARGET /x\n",
        "# T\n\nText.\n",
    ],
)
def test_no_requests_or_an_example(body: str) -> None:
    assert of("body-examples", body, "wsp") == []


# --- all ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("front", ["name: x", "name: x\nlicense: MIT\nmetadata:\n  a: b"])
@pytest.mark.parametrize("blank", ["", "\n", "\n\n\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_case_100_lines_count_from_the_top_of_the_file(front: str, blank: str, newline: str, mark: str) -> None:
    text = mark + skill_text(front, f"{blank}# One\n\n```json\n{{'a': 1}}\n```\n\n# Two\n").replace("\n", newline)
    top = text[: text.index("# One")].count("\n")
    found = [f for f in findings_in(text, "agentskills") if f.rule in ("body-heading", "code-block-syntax")]
    assert brief(found) == [("code-block-syntax", "note", top + 4, 2), ("body-heading", "note", top + 7, 1)]


def test_a_clean_body_is_clean() -> None:
    for spec in SPECS:
        assert findings_in(clean_skill(spec), spec) == []


DEMANDS = [
    ("wsp", "5.2 a Markdown body is the second part", "", "body-empty"),
    ("agentskills", "SKILL.md format: Markdown content follows", "", "body-empty"),
    ("discovery", "Skill Directory Contents: Markdown instructions follow", "", "body-empty"),
    ("dualnova", "validator: 100 characters", "# T\n", "body-empty"),
    ("dualnova", "an H1 comes first; validator warns without", "## T\n\n" + "x" * 100, "body-heading"),
    ("dualnova", "recommended sections", "# T\n\n" + "x" * 100, "section-missing"),
    ("dualnova", "under 400 lines", "# T\n" + "- x\n" * 400, "body-length"),
    ("wsp", "5.4 recommended sections", "# T\n", "section-missing"),
    ("wsp", "5.4 complete requests in code blocks", "# T\n\nGET /x\n", "body-examples"),
    ("wsp", "5.4 under 300 lines", "# T\n" + "- x\n" * 300, "body-length"),
    ("wsp", "5.4 common errors are dealt with", CLEAN_BODY.replace("## Error handling", "## Other"), "section-missing"),
    ("agentskills", "under 500 lines", "# T\n" + "- x\n" * 500, "body-length"),
    ("agentskills", "under 5,000 tokens", "# T\n\n" + "word " * 20000, "token-budget"),
]


@pytest.mark.parametrize(("spec", "demand", "body", "rule"), DEMANDS)
def test_demands_of_the_specs(spec: str, demand: str, body: str, rule: str) -> None:
    (finding,) = of(rule, body, spec)
    assert spec in {d.spec for d in finding.demands}


def test_dualnova_alone_has_no_token_budget() -> None:
    report = report_on(
        {"pay-invoice/SKILL.md": clean_skill("dualnova", body="# T\n\n" + "word " * 20000)}, ("dualnova",)
    )
    assert only(report.findings, "token-budget") == []


LEFT_OVER = "if it was to end a block that has ended already"
OPEN = "close it where the code ends, by a line of as many fence characters and nothing else"


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("# T\n\n```\n\n## Next\n\ntext\n", f"remove it, {LEFT_OVER}"),
        ("# T\n\n```\n\n## Next\n\n```bash\nrun\n```\n", f"remove this fence, {LEFT_OVER}"),
        ("# T\n\n```\nrun\n\n## Next\n", OPEN),
        ("# T\n\n```sh\n\nrun\n", OPEN),
        (
            "# T\n\n```\nrun\n\n```bash\nrun\n```\n",
            "close the block above line 10, or begin and end it with ```` if it is to hold that one",
        ),
    ],
)
def test_a_fence_that_is_left_over_is_to_be_removed(body: str, hint: str) -> None:
    (finding,) = of("fence-unclosed", body)
    assert finding.hint == hint
