"""What the description says and how (SKL301 to SKL306, SKL308 to SKL311)."""

from __future__ import annotations

import pytest

from agentskills_lint.model import Finding
from tests.support import CLEAN_BODY, brief, clean_skill, findings_in, fixed, only, report_on, skill_text

DESCRIPTION_RULES = {
    "description-length", "description-short", "description-sentence", "description-when", "description-markup",
    "placeholder-text", "description-newline", "description-person", "description-vague", "description-exclusion",
}  # fmt: skip


def about(description: str, spec: str = "agentskills", *more: str) -> list[Finding]:
    """All findings on a skill with this description, written in double quotes."""
    quoted = description.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return findings_in(clean_skill(spec, f'description: "{quoted}"'), spec, *more)


def rules(description: str, spec: str = "agentskills") -> list[tuple[str, str]]:
    """(rule, level) of the findings of this module."""
    return [(f.rule, f.level) for f in about(description, spec) if f.rule in DESCRIPTION_RULES]


# --- length -----------------------------------------------------------------------------------------


def test_case_048_characters_are_counted_not_bytes() -> None:
    assert only(about("字" * 342), "description-length") == []
    assert only(about("字" * 1024), "description-length") == []
    (found,) = only(about("字" * 1025), "description-length")
    assert (found.level, found.line, found.column, found.location.end_line) == ("error", 3, 14, 3)
    assert found.message == "the description has 1025 characters, 1 more than the limit of 1024"
    assert only(about("😀" * 1024), "description-length") == []


def test_case_048_the_parsed_value_counts() -> None:
    lines = "\n".join(["  " + "word " * 19 + "word"] * 11)  # 100 a line when folded
    text = clean_skill("agentskills", f"description: >\n{lines}")
    (found,) = only(findings_in(text, "agentskills"), "description-length")
    assert found.message.startswith("the description has 1099 characters, 75 more")
    assert (found.line, found.column, found.location.end_line, found.location.end_column) == (3, 14, 3, 15)
    exact = clean_skill("agentskills", "description: |\n  " + "a" * 1024 + "\n")
    assert only(findings_in(exact, "agentskills"), "description-length") == []
    doubled = clean_skill("agentskills", "description: '" + "a''" * 512 + "'")
    assert only(findings_in(doubled, "agentskills"), "description-length") == []


def test_description_length_is_asked_by_agentskills_and_discovery() -> None:
    assert [(f.rule, f.level) for f in only(about("a" * 1025, "discovery"), "description-length")] == [
        ("description-length", "error")
    ]
    assert only(about("a" * 1025, "dualnova"), "description-length") == []


@pytest.mark.parametrize(("spec", "level"), [("dualnova", "warning"), ("agentskills", "note"), ("wsp", "note")])
def test_description_short(spec: str, level: str) -> None:
    (found,) = only(about("Pays open invoices", spec), "description-short")
    assert found.level == level
    assert found.message == "the description 'Pays open invoices' has 18 characters; under 20 say too little"
    assert only(about("Pays open invoices 1", spec), "description-short") == []


def test_description_short_weighs_wide_characters() -> None:
    assert only(about("预约三十分钟的免费通话", "dualnova"), "description-short") == []
    assert len(only(about("预约通话", "dualnova"), "description-short")) == 1
    assert only(about("請求書をカードで支払う", "dualnova"), "description-short") == []


def test_case_050_one_sentence_of_two_hundred_characters() -> None:
    long = "Help a user, e.g. a new one, with v1.2 of https://acme.example. " * 4
    (found,) = only(about(long.strip(), "dualnova"), "description-sentence")
    assert (found.level, found.line, found.column) == ("warning", 3, 14)
    assert found.message == "the description has 255 characters; one sentence of at most 200 is asked for"
    assert only(about("a b. c! " * 25, "dualnova"), "description-sentence") == []


@pytest.mark.parametrize("other", ["agentskills", "wsp", "discovery"])
def test_case_050_is_silent_where_another_spec_asks_for_more(other: str) -> None:
    assert only(about("word " * 80, "dualnova", other), "description-sentence") == []
    assert only(about("word " * 80, other), "description-sentence") == []


# --- what and when ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "hit"),
    [
        ("Product search functionality.", True),
        ("Searches the products of the shop and shows their prices.", True),
        ("Manages an executive's schedule, inbox, and communications.", True),
        ("Design patterns for building autonomous AI agents that can plan and execute tasks.", True),
        ("Busca productos en la tienda y muestra los precios de cada uno de ellos.", True),
        ("Pesquisa produtos da loja e mostra os preços para o cliente com as fotos.", True),
        ("Recherche les produits de la boutique et affiche les prix dans une liste.", True),
        ("Durchsucht die Produkte der Firma und zeigt die Preise mit den Bildern.", True),
        ("Cerca i prodotti del negozio e mostra il prezzo di una lista con le foto.", True),
        ("Ищет товары магазина и показывает цены для покупателя, выводит список.", True),
        ("帮助老师把学习表现转成家长听得懂的反馈报告。", True),
        ("商品を検索して価格の一覧を表示するスキルです。", True),
        ("상품을 검색하고 가격 목록을 보여준다.", True),
        # what says when, in the words of its language
        ("Searches products. Use when the user wants to find one.", False),
        ("Searches products whenever a price is asked for.", False),
        ("Searches products if the stock is known.", False),
        ("Use for product search and price questions.", False),
        ("Use this skill to search products.", False),
        ("Search products. Trigger phrases: find, search, look for.", False),
        ("Product search, invoked by /search.", False),
        ("Guidelines for tasks that involve prices.", False),
        ("Ideal for anyone who compares prices.", False),
        ("Checks the prices before each release of the shop.", False),
        ("Busca productos en la tienda cuando el usuario pregunta por el precio.", False),
        ("Busca productos de la tienda. Úsala al comparar los precios.", False),
        ("Pesquisa produtos da loja. Use quando o usuário perguntar o preço.", False),
        ("Recherche les produits de la boutique lorsque l'on demande un prix.", False),
        ("Durchsucht die Produkte der Firma, wenn nach den Preisen gefragt wird.", False),
        ("Cerca i prodotti del negozio quando si vuole sapere il prezzo.", False),
        ("Ищет товары магазина, когда покупатель просит показать цены.", False),
        ("搜索商店的商品。当用户询问价格时使用。", False),
        ("適用於查詢商品價格的情況、顯示清單。", False),
        ("商品を検索する。価格を聞かれたときに使用。", False),
        ("상품을 검색한다. 사용자가 가격을 물을 때 사용한다.", False),
        # languages that the tables do not know
        ("Zoekt producten van de winkel en toont de prijzen voor een klant met het beeld.", False),
        ("Wyszukuje produkty w sklepie i pokazuje ceny dla klienta na liście.", False),
        ("Mencari produk dan menampilkan harga untuk pelanggan dengan gambar yang ada.", False),
        ("Mağazadaki ürünleri arar ve fiyatları müşteri için bir listede gösterir.", False),  # noqa: RUF001
        ("Söker produkter i butiken och visar priser för en kund med bilder.", False),
        ("Шукає товари крамниці й показує ціни для покупця, виводить їхній перелік.", False),
        ("Търси стоки в магазина и показва цените на клиента в списък.", False),
        ("Αναζητά προϊόντα του καταστήματος και δείχνει τις τιμές.", False),
        ("يبحث عن منتجات المتجر ويعرض الأسعار للعميل.", False),
        ("ค้นหาสินค้าในร้านและแสดงราคาให้ลูกค้า", False),
        ("Tìm kiếm sản phẩm của cửa hàng và hiển thị giá cho khách trong danh sách.", False),
        ("tamp xyzzy qux plugh", False),
    ],
)
def test_description_when(description: str, hit: bool) -> None:
    found = only(about(description, "wsp"), "description-when")
    assert brief(found) == ([("description-when", "warning", 3, 14)] if hit else [])


def test_description_when_is_a_note_for_the_format_and_discovery() -> None:
    text = "Searches the products of the shop and shows their prices."
    assert rules(text) == [("description-when", "note")]
    assert rules(text, "discovery") == [("description-when", "note")]
    assert [f.level for f in only(about(text, "wsp", "agentskills"), "description-when")] == ["warning"]


def test_case_049_the_wording_of_the_occasion_is_never_an_error() -> None:
    for spec in ("agentskills", "discovery", "wsp"):
        assert [
            f.rule for f in about("Sells red and blue bicycles to the people of the town.", spec) if f.level == "error"
        ] == []


@pytest.mark.parametrize(
    ("description", "hit"),
    [
        ("Pays an open invoice by card. Use when the user wants to pay.", True),
        ("Paga una factura abierta con la tarjeta del usuario cuando lo pide.", True),
        ("搜索商店的商品、当用户询问价格时使用、显示价格清单。", True),
        ("Pays an open invoice. Use when the user wants to pay, not for refunds.", False),
        ("Pays an open invoice. Use only when the user wants to pay.", False),
        ("Pays invoices when asked. Don't use for refunds.", False),
        ("Pays invoices when asked, refunds excluded.", False),
        ("Paga una factura abierta cuando el usuario lo pide, no los reembolsos.", False),
        ("搜索商店的商品、当用户询问价格时使用、不用于下单。", False),
        ("Betaalt een open rekening voor de klant met het bedrag van de bon.", False),
    ],
)
def test_description_exclusion(description: str, hit: bool) -> None:
    found = only(about(description, "wsp"), "description-exclusion")
    assert brief(found) == ([("description-exclusion", "note", 3, 14)] if hit else [])
    assert only(about(description), "description-exclusion") == []


def test_description_exclusion_waits_until_the_occasion_is_said() -> None:
    assert [f.rule for f in about("Searches the products of the shop and shows their prices.", "wsp")] == [
        "description-when"
    ]


@pytest.mark.parametrize(
    "description",
    [
        "Helps with PDFs.",
        "Helps you with PDFs and forms",
        "This skill helps users with invoices.",
        "Assists with PDF forms",
        "Works with PDFs",
        "Tool for PDFs",
        "A simple tool for PDF forms.",
        "Skill for invoices",
        "A helper for invoices",
        "PDF skill",
        "A PDF helper.",
        "Invoice payment utility",
        "Product search functionality.",
        "Ayuda con facturas.",
        "Herramienta para facturas",
        "Ajuda com faturas",
        "Aide avec les factures.",
        "Outil pour les PDF",
        "Hilft bei Rechnungen.",
        "Werkzeug für Rechnungen",
        "Strumento per fatture",
        "Инструмент для счетов",
        "发票工具",
        "处理PDF的技能",
        "請求書ツール",
        "송장 도구",
    ],
)
def test_description_vague(description: str) -> None:
    (found,) = only(about(description), "description-vague")
    assert (found.level, found.line, found.column) == ("warning", 3, 14)
    assert only(about(description), "description-when") == []
    assert only(about(description), "description-short") == []
    assert only(about(description, "dualnova"), "description-vague") == []


@pytest.mark.parametrize(
    "description",
    [
        "Helps with writing tests for React components.",
        "Helps with PDFs: extracts text, fills forms, merges files.",
        "Tool for converting CSV",
        "Tool for invoices. Use when the user wants to pay.",
        "A simple calculator skill for basic arithmetic operations.",
        "Extracts text from PDF files.",
        "Runbook Generator",
        "Best practices for PDF forms",
        "帮助用户预订会议",
        "Ayuda a reservar una llamada",
        "Pays invoices with the payment tool of the shop, a utility",
    ],
)
def test_description_vague_look_alikes_pass(description: str) -> None:
    assert only(about(description), "description-vague") == []


def test_one_cause_one_finding_for_a_short_vague_description() -> None:
    assert rules("Helps with PDFs.") == [("description-vague", "warning")]
    assert rules("Helps with PDFs.", "dualnova") == [("description-short", "warning")]


# --- form -------------------------------------------------------------------------------------------


def test_case_051_a_tag_is_a_warning_and_a_bare_sign_none() -> None:
    text = clean_skill("agentskills", "description: Use the <wa-tag> element when n < 5 > 3, not else")
    (found,) = only(findings_in(text, "agentskills"), "description-markup")
    assert (found.level, found.line, found.column, found.location.end_column) == ("warning", 3, 22, 30)
    assert only(about("Use it when n < 5 and m > 3, not else."), "description-markup") == []
    folded = clean_skill("agentskills", "description: >\n  Use it when the user pays, not else.")
    assert only(findings_in(folded, "agentskills"), "description-markup") == []
    assert (
        only(findings_in(clean_skill("agentskills", body="<b>x</b>" + CLEAN_BODY), "agentskills"), "description-markup")
        == []
    )


TAGS = [
    "<b>bold</b>", "</system>", "<br/>", "<br />", "<img src='x'>", "<script setup>", "<div>", "<!-- note -->",
    "the `<ViewTransition>` component", "<my-card> elements", "<?xml version='1.0'?>", "<!doctype html>",
]  # fmt: skip
NO_TAGS = [
    "List<string>", "IRecipient<TMessage>", "Map<K, V>", "ask <model> <question>", "`run <file>`",
    "content/<locale>/_meta.yaml",
    "<company>", "id-<proposal-id>-tagged", "a <- b -> c", "a <= b >= c", "x<y>z", "<3", "<email@acme.example>",
    "<https://acme.example>", "path/<code>", "if a<b and c>d",
]  # fmt: skip


@pytest.mark.parametrize("part", TAGS)
def test_description_markup(part: str) -> None:
    assert [f.level for f in only(about(f"Use when {part} is asked for, not else."), "description-markup")] == [
        "warning"
    ]
    claude = about(f"Use when {part} is asked for, not else.", "claude")
    assert [f.level for f in only(claude, "description-markup")] == ["error"]


@pytest.mark.parametrize("part", NO_TAGS)
def test_description_markup_look_alikes_pass(part: str) -> None:
    assert only(about(f"Use when {part} is asked for, not else."), "description-markup") == []


@pytest.mark.parametrize(
    ("part", "hit"), [("<company>", True), ("List<string>", True), ("n < 5 > 3", False), ("<3", False)]
)
def test_description_markup_for_claude_takes_every_tag(part: str, hit: bool) -> None:
    found = only(about(f"Use when {part} is asked for.", "claude"), "description-markup")
    assert [f.level for f in found] == (["error"] if hit else [])


def test_description_markup_counts_and_is_one_finding() -> None:
    (found,) = only(about("Use <b>this</b> when asked, not else."), "description-markup")
    assert found.message.startswith("the description holds the tag '<b>' and 1 more; ")


def test_case_006_folded_scalars_are_fine() -> None:
    text = clean_skill("agentskills", "description: >\n  Book a table when asked. Note: weekdays only, not\n  Sundays.")
    assert [f for f in findings_in(text, "agentskills") if f.rule in DESCRIPTION_RULES] == []


def test_case_007_literal_newlines_are_a_note_at_the_indicator() -> None:
    text = clean_skill("agentskills", "description: |-\n  Pays invoices when asked,\n  not refunds.")
    (found,) = [f for f in findings_in(text, "agentskills") if f.rule in DESCRIPTION_RULES]
    assert brief([found]) == [("description-newline", "note", 3, 14)]
    assert (found.location.end_line, found.location.end_column) == (3, 16)
    assert found.fix is not None
    assert not found.fix.safe
    after = fixed(text, found)
    assert "description: >-\n  Pays" in after
    assert only(findings_in(after, "agentskills"), "description-newline") == []


@pytest.mark.parametrize(
    "entry",
    [
        "description: >\n  Pays invoices when asked,\n\n  not refunds.",
        "description: |\n  Pays invoices when asked:\n    - not refunds\n",
    ],
)
def test_case_007_other_newlines_get_a_hint(entry: str) -> None:
    (found,) = only(findings_in(clean_skill("agentskills", entry), "agentskills"), "description-newline")
    assert found.fix is None
    assert found.hint is not None
    assert found.hint.startswith("write one paragraph")


@pytest.mark.parametrize(
    "entry",
    [
        "description: |\n  Pays invoices when asked, not refunds.",
        "description: Pays invoices\n  when asked, not refunds.",
    ],
)
def test_case_007_a_final_newline_is_none_inside(entry: str) -> None:
    assert only(findings_in(clean_skill("agentskills", entry), "agentskills"), "description-newline") == []


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("I can pay invoices when asked, not refunds.", "I can"),
        ("I will help you pay when asked.", "I will"),
        ("Pays invoices. I'll ask when needed.", "I'll"),
        ("You can use me when an invoice is open.", "You can use me"),
        ("You are an expert in invoices. Use when asked.", "You are an"),
        ("Let me pay your invoices when asked.", "Let me"),
        ("我可以在需要时支付发票。", "我可以"),
        ("Puedo pagar facturas cuando lo pidas.", "Puedo"),
    ],
)
def test_description_person(description: str, words: str) -> None:
    (found,) = only(about(description), "description-person")
    assert found.level == "note"
    assert f"('{words}')" in found.message.replace('"', "'")
    assert found.column == 15 + description.index(words)


@pytest.mark.parametrize(
    "description",
    [
        "Use when the user says 'I can not pay' or \"I will pay later\".",
        "Pays what you are asked for, when you can use cards.",
        "Use it when I/O fails. I/O is slow.",
        "Henry VIII. I am not sure"[:10] + " is a play; use when asked.",
        "Use when your invoices are open and we agree.",
        "You MUST use this when an invoice is open.",
    ],
)
def test_description_person_look_alikes_pass(description: str) -> None:
    assert only(about(description), "description-person") == []


# --- placeholders -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "description",
    [
        "TODO",
        "todo",
        "TBD",
        "TODO: describe the skill",
        "[TODO: Complete and informative explanation]",
        "[TODO]",
        "FIXME: later",
        "TODO write this",
        "...",
        "xxx",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit",
        "Describe here",
        "Describe what this skill does and when to use it",
        "Replace with description of the skill and when Claude should use it.",
        "Replace this text",
        "Insert description below",
        "[Insert description here]",
        "Your description here",
        "<description>",
        "{{description}}",
        "{description}",
        "A description of what this skill does and when to use it.",
        "Brief description of the skill",
        "Skill description",
        "Description goes here",
        "Add a short description here",
    ],
)
def test_case_049_placeholders_are_one_warning(description: str) -> None:
    for spec in ("agentskills", "dualnova", "wsp"):
        assert rules(description, spec) == [("placeholder-text", "warning")]
    (found,) = only(about(description), "placeholder-text")
    assert (found.line, found.column) == (3, 14)


@pytest.mark.parametrize(
    "description",
    [
        "TODO comment finder: lists TODOs when planning, not tests.",
        "Todo list manager. Use when tasks are planned, not for mail.",
        "Todo: a task manager. Use when tasks are planned, not for mail.",
        "Finds placeholder text such as lorem ipsum when pages are reviewed, not code.",
        "Replaces placeholders in templates when asked, not in code.",
        "Describe images here and now when the user asks, not videos.",
        "Insert images into documents when asked, not into mails.",
        "Writes the description of the skill when asked, not the body.",
        "Summary writer. Use when a summary of the skill is needed, not a list.",
        "Replace this library with that one when migrating, not before.",
        "Add a description to each photo when asked, not to videos.",
    ],
)
def test_case_049_skills_about_placeholders_pass(description: str) -> None:
    assert only(about(description), "placeholder-text") == []


def test_case_049_blank_descriptions_are_left_to_the_empty_rule() -> None:
    assert rules("  ") == []


@pytest.mark.parametrize(
    "entry",
    ["author: Your Name", "author: TODO", "contact: your-email", "license: TBD", "version: TODO", "author: <author>"],
)
def test_placeholders_in_other_fields(entry: str) -> None:
    found = findings_in(clean_skill("wsp", entry), "wsp")
    line = clean_skill("wsp", entry).split("\n").index(entry) + 1
    assert brief(only(found, "placeholder-text")) == [("placeholder-text", "warning", line, entry.index(":") + 3)]
    assert only(found, "contact-format") == []


@pytest.mark.parametrize(
    "entry", ["author: Your Name Ltd", "license: MIT", "metadata: {short: TODO}", "author: Description AG"]
)
def test_other_fields_pass(entry: str) -> None:
    assert only(findings_in(clean_skill("wsp", entry), "wsp"), "placeholder-text") == []


FRONT = "name: pay-invoice\ndescription: Pays invoices. Use when the user wants to pay, not for refunds."


@pytest.mark.parametrize(
    ("body", "line", "column", "end"),
    [
        ("\n# Insert instructions below\n", 6, 1, 28),
        ("\n# Pay\n\nTODO\n", 8, 1, 5),
        ("\n# Pay\n\n## Steps\n\n- TODO: write them\n", 10, 1, 19),
        ("\n[Add your instructions here]\n", 6, 1, 29),
        ("\r\n# Pay\r\n\r\nTBD\r\n", 8, 1, 4),
        ("\nLorem ipsum dolor sit amet,\nconsectetur adipiscing elit.\n\nLorem ipsum again.\n", 6, 1, 28),
    ],
)
def test_placeholder_as_the_whole_body(body: str, line: int, column: int, end: int) -> None:
    found = only(findings_in(skill_text(FRONT, body), "agentskills"), "placeholder-text")
    assert brief(found) == [("placeholder-text", "warning", line, column)]
    assert found[0].location.end_column == end


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\n# TODO\n\nList what is to be done.\n",
        "\n# Pay\n",
        "\nRun `pay`.\n\nTODO: write the rest\n",
        "\n```\nTODO\n```\n\nReplace TODO with the number.\n",
    ],
)
def test_a_body_with_text_of_its_own_passes(body: str) -> None:
    assert only(findings_in(skill_text(FRONT, body), "agentskills"), "placeholder-text") == []


def test_placeholder_is_one_finding_a_file() -> None:
    text = skill_text("name: pay-invoice\ndescription: TODO\nauthor: TODO", "\n# Insert instructions below\n")
    assert brief(only(findings_in(text, "agentskills"), "placeholder-text")) == [("placeholder-text", "warning", 3, 14)]


@pytest.mark.parametrize("path", ["template/SKILL.md", "templates/basic/SKILL.md", "skills/template-skill/SKILL.md"])
def test_a_template_may_hold_placeholders(path: str) -> None:
    text = skill_text(
        "name: pay-invoice\ndescription: Replace with description of the skill.", "\n# Insert instructions below\n"
    )
    assert only(report_on({path: text}).findings, "placeholder-text") == []
    assert len(only(report_on({"skills/pay-invoice/SKILL.md": text}).findings, "placeholder-text")) == 1


# --- demands ----------------------------------------------------------------------------------------

DEMANDS = [
    ("wsp", "5.5 what the skill does", "Helps with PDFs.", "agentskills", "description-vague", "warning"),
    ("wsp", "5.5 when to use it", "Product search functionality.", "", "description-when", "warning"),
    ("wsp", "5.5 what it does not do", "Sells bicycles when asked.", "", "description-exclusion", "note"),
    ("dualnova", "one sentence", "Sells bicycles. " * 13, "", "description-sentence", "warning"),
    ("dualnova", "validator: 20 characters", "Sells bicycles", "", "description-short", "warning"),
    ("dualnova", "validator: 200 characters", "word " * 41, "", "description-sentence", "warning"),
    ("discovery", "index: 1,024 characters", "word " * 206, "", "description-length", "error"),
    ("discovery", "index: purpose and occasion", "Sells bicycles to the people.", "", "description-when", "note"),
    ("agentskills", "1 to 1,024 characters", "word " * 206, "", "description-length", "error"),
    ("agentskills", "what the skill does", "Helps with PDFs.", "", "description-vague", "warning"),
    ("agentskills", "when to use it", "Sells bicycles to the people.", "", "description-when", "note"),
    ("agentskills", "particular keywords", "A useful tool for things", "", "description-vague", "warning"),
]


@pytest.mark.parametrize(("spec", "demand", "description", "base", "rule", "level"), DEMANDS)
def test_demand(spec: str, demand: str, description: str, base: str, rule: str, level: str) -> None:
    found = about(description, spec, *([base] if base else []))
    assert [f.level for f in only(found, rule)] == [level], demand


def test_patterns_are_linear() -> None:
    for text in (
        "a " * 50_000,
        "I " * 50_000,
        "<a " * 50_000,
        "use" * 50_000,
        "TODO " * 50_000,
        "。" * 50_000,
        "<!--" * 30_000,
    ):
        about(text, "wsp", "claude")


@pytest.mark.parametrize(
    ("front", "lines"),
    [
        ("", [3]),
        ("when_to_use: the user wants to pay", []),
        ("disable-model-invocation: true", []),
        ("disable-model-invocation: false", [3]),
    ],
)
def test_when_may_be_said_in_a_field_of_its_own_or_by_the_user(front: str, lines: list[int]) -> None:
    text = clean_skill("agentskills", f"description: Searches the products of the shop.\n{front}")
    assert [f.line for f in only(findings_in(text, "agentskills"), "description-when")] == lines
