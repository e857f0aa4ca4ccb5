"""What headings of the recommended sections look like, in other words and other languages too."""

# ruff: noqa: RUF001

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from agentskills_lint.documents import Skill
from agentskills_lint.lazy import lazy
from agentskills_lint.markdown import Heading
from agentskills_lint.model import Span

_NO_WORD = lazy(r"[\W_]+")


def folded(title: str) -> str:
    """A title for comparison: lower case, no accents, one blank for all that is no word, blanks around."""
    title = title.casefold()
    if not title.isascii():
        parts = unicodedata.normalize("NFD", title)
        title = unicodedata.normalize("NFC", "".join(char for char in parts if not "\u0300" <= char <= "\u036f"))
    return f" {_NO_WORD.sub(' ', title).strip()} "


def _stems(*languages: str) -> tuple[str, ...]:
    """Stems apart by blanks; `-` is a blank in a stem, a final `.` the end of the word.

    Those of alphabets begin a word, those of Chinese, Japanese and Korean stand anywhere.
    """
    stems = [stem.replace("-", " ") for language in languages for stem in language.split()]
    return tuple(stem if stem >= "\u1100" else " " + stem.replace(".", " ") for stem in stems)


# English, Spanish, French, German, Portuguese, Italian, Russian, Chinese, Japanese, Korean; what is
# the same in several languages stands once
_WORKFLOW = (
    "workflow step process procedure instruction flow how-to how-it phase stage quick-start getting-started",
    "flujo paso. pasos. proceso procedimiento instruccion",
    "flux etape deroulement marche-a-suivre",
    "ablauf schritt arbeitsablauf vorgehen anleitung prozess",
    "fluxo passo etapa instruc",
    "flusso passi. passagg istruzion",
    "шаг процесс порядок инструкц",
    "流程 步骤 步驟 工作流 操作",
    "手順 ワークフロー 流れ ステップ",
    "절차 단계 워크플로",
)
STEMS = {
    "Endpoints": _stems(
        "endpoint api-reference api-call route",
        "rutas puntos-de-acceso",
        "points-d-acces points-de-terminaison",
        "endpunkt schnittstelle",
        "pontos-de-acesso",
        "эндпоинт",
        "端点 接口",
        "エンドポイント",
        "엔드포인트",
    ),
    "Parameters": _stems(
        "param argument input option field request-body query",
        "entrada campos",
        "entree",
        "eingabe",
        "параметр аргумент",
        "参数 參數 输入",
        "パラメータ 引数 入力",
        "매개변수 파라미터 입력",
    ),
    "Request examples": _stems(
        "request example sample usage demo",
        "ejemplo peticion solicitud uso.",
        "exemple requete utilisation",
        "beispiel anfrage",
        "exemplo requisic pedido",
        "esemp richiest",
        "пример запрос",
        "示例 例子 范例 範例 请求",
        "例 リクエスト",
        "예시 예제 요청",
    ),
    "Response format": _stems(
        "response output return result",
        "respuesta salida",
        "reponse sortie",
        "antwort ausgabe ergebnis",
        "resposta saida",
        "rispost uscita risultat",
        "ответ вывод результат",
        "响应 返回 输出 回應",
        "レスポンス 応答 出力",
        "응답 출력",
    ),
    "Error handling": _stems(
        "error exception failure fail troubleshoot status-code edge-case problem",
        "fallo excepcion solucion-de",
        "erreur depannage",
        "fehler",
        "erro. erros.",
        "errori. errore.",
        "ошиб сбо исключен",
        "错误 异常 故障 錯誤",
        "エラー トラブル",
        "오류 에러",
    ),
    "Workflow": _stems(*_WORKFLOW),
    "Authentication": _stems(
        "auth. authn. authent authoriz authoris credential api-key access-token api-token login log-in sign-in oauth",
        "autentic autoriz clave-de-api clave-api",
        "identifiants cle-api cle-d-api",
        "authentis anmeld zugangsdaten api-schlussel berechtig",
        "chave-de-api",
        "credenzial chiave-api",
        "аутентификац авторизац",
        "认证 鉴权 身份验证 授权 凭证 凭据 密钥 認證",
        "認証 apiキー api-キー",
        "인증",
    ),
    "Notes": _stems(
        "note. notes. constraint limit caution warning caveat important tip. tips. rule best-practice guideline",
        "consideration gotcha pagination",
        "nota. notas. restric aviso",
        "remarque contrainte attention",
        "hinweis einschrank grenze anmerkung beschrank",
        "observac",
        "vincol avvertenz",
        "примечан ограничен замечан важно",
        "注意 限制 说明 备注 備註 约束",
        "制限 備考 メモ",
        "참고 주의 제한",
    ),
    "When to invoke this skill": _stems(
        "when trigger use-case activat invo",
        "cuando",
        "quand",
        "wann",
        "quando",
        "когда",
        "何时 什么时候 使用场景 适用 触发 何時",
        "いつ 使用場面 使う場面 タイミング トリガー",
        "언제 시점",
    ),
    "What this skill does": _stems(
        "what-this what-it what-the what-is what-you overview about purpose summary description capabilit introduction",
        "goal que-hace resumen descripcion objetivo",
        "ce-que apercu objectif presentation",
        "was-diese was-der was-macht uberblick ubersicht beschreibung zweck ziel",
        "o-que visao-geral descricao",
        "cosa-fa panoramica descrizione scopo",
        "что-делает что-умеет обзор описание",
        "功能 概述 简介 作用 介绍",
        "概要 機能 できること",
        "개요 기능 하는",
    ),
    "Step-by-step flow for the assistant": _stems(*_WORKFLOW),
    "Information the assistant should provide to the user": _stems(
        "information what-to-tell tell-the-user output expectation what-to-prepare",
        "informacion que-decir",
        "infos a-dire",
        "informac",
        "информац сообщ",
        "信息 告知 提供给",
        "情報 伝える",
        "정보 안내",
    ),
    "Common follow-up questions": _stems(
        "question faq follow-up q-a",
        "pregunta",
        "frage haufige",
        "pergunta",
        "domand",
        "вопрос",
        "问题 问答 常见",
        "質問 よくある",
        "질문",
    ),
    "Fallback": _stems(
        "fallback fall-back alternativ plan-b backup if-it-fail if-something if-this-fail troubleshoot",
        "si-falla respaldo conting",
        "repli. secours",
        "ausweich ruckfall notfall wenn-es",
        "ripiego",
        "запасн резервн альтернатив",
        "备用 替代 降级 备选 失败",
        "フォールバック 代替 失敗",
        "대안 대체",
    ),
}
"""Beginnings of words in headings, by the title of the section that they stand for."""


def titles_of(skill: Skill) -> list[tuple[str, Heading]]:
    """The headings of a body, each with its title for comparison."""
    return [(folded(heading.text), heading) for heading in skill.markdown.headings]


def find(titles: list[tuple[str, Heading]], title: str, sections: Mapping[str, tuple[str, ...]]) -> Heading | None:
    """The heading of a recommended section; `sections` are further titles, by title, of the configuration."""
    stems = STEMS[title]
    more = []
    if sections:
        wanted = folded(title)
        more = [folded(extra) for name, extras in sections.items() if folded(name) == wanted for extra in extras]
    together = "\n".join(text for text, _ in titles)
    likely = [stem for stem in stems if stem in together]
    if not likely and not more:
        return None
    for text, heading in titles:
        if any(stem in text for stem in likely) or text in more:
            return heading
    return None


def span_of(skill: Skill, heading: Heading) -> Span:
    """A section's place: from its heading to the next one of its level or above."""
    headings = skill.markdown.headings
    later = headings[headings.index(heading) + 1 :]
    end = next((other.span.start for other in later if other.level <= heading.level), len(skill.source))
    return Span(heading.span.start, end)
