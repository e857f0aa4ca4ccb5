"""JUnit XML, which Jenkins, GitLab and others show as tests: a finding fails, a clean file passes.

The elements and attributes are those of junit-10.xsd of Jenkins' xUnit plugin.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from agentskills_lint.model import LEVELS, Finding, Report
from agentskills_lint.reporters import Style
from agentskills_lint.reporters._places import Places, advice, text
from agentskills_lint.wording import escaped


def render(report: Report, style: Style) -> str:
    """One test suite; what does not fail the run is a passed test that says something, an unread file an error."""
    places = Places(report, style)
    shown = report.shown
    failing = LEVELS[: LEVELS.index(style.fail_on) + 1] if style.fail_on in LEVELS else ()
    failures = sum(1 for finding in shown if finding.level in failing)
    clean = _clean(report, places)
    counts = {
        "tests": str(len(clean) + len(shown) + len(report.unread)),
        "failures": str(failures),
        "errors": str(len(report.unread)),
    }
    top = Element("testsuites", {"name": "agentskills-lint", **counts})
    suite = SubElement(top, "testsuite", {"name": "agentskills-lint", **counts, "skipped": "0"})
    for path in clean:
        _case(suite, path, "no findings")
    for finding in shown:
        _finding(suite, finding, places, finding.level in failing)
    for path, reason in report.unread:
        SubElement(_case(suite, path, "could not be read"), "error", type="unread", message=escaped(reason))
    indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(top, encoding="unicode")}\n'


def _clean(report: Report, places: Places) -> list[str]:
    found = {finding.path for finding in report.shown}
    return [places.path(file, path) for path, file in report.documents if path not in found]


def _finding(suite: Element, finding: Finding, places: Places, fails: bool) -> None:
    place = places.place(finding)
    case = _case(suite, place.path, f"{finding.code} {finding.rule} {place.line}:{place.column}")
    asked = [demand.url for demand in finding.demands if demand.url]
    rest = [f"{escaped(place.path)}:{place.line}:{place.column}", *advice(finding), *asked]
    if not fails:
        SubElement(case, "system-out").text = "\n".join([text(finding), *rest])
        return
    SubElement(case, "failure", type=finding.level, message=text(finding)).text = "\n".join(rest)


def _case(suite: Element, path: str, name: str) -> Element:
    # no attribute `file`: the schema has none, and Jenkins' xUnit plugin refuses what breaks it
    return SubElement(suite, "testcase", name=name, classname=escaped(path))
