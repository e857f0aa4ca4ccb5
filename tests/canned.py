"""Answers of a site written down, for the examples in the documentation of rules; real servers stand in tests/live."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urljoin

from agentskills_lint.config import Config
from agentskills_lint.live import build
from agentskills_lint.live.fetch import Fetched, Wanted
from agentskills_lint.live.site import home
from agentskills_lint.model import Response
from agentskills_lint.site import Project


class Canned:
    """Answers by URL: header lines, an empty line, the content. A URL that ends in `*` stands for all others.

    `Location` redirects, `Status` is 200 unless said otherwise, `HEAD` is the status of a HEAD request.
    """

    def __init__(self, answers: Mapping[str, bytes]) -> None:
        self._answers = answers
        self.asked: list[str] = []

    def get(self, wanted: Iterable[Wanted]) -> list[Fetched]:
        return [self._get(want) for want in wanted]

    def _get(self, want: Wanted) -> Fetched:
        self.asked.append(want.url)
        url, hops = want.url, list[str]()
        while True:
            known = next((key for key in self._answers if key == url), None)
            known = known or next((key for key in self._answers if key[-1] == "*" and url.startswith(key[:-1])), None)
            if known is None:
                return Fetched(Response(want.url, url, 404, {}, tuple(hops)))
            head, _, body = self._answers[known].partition(b"\n\n")
            lines = (line.partition(":") for line in head.decode().splitlines())
            headers = {name.lower(): value.strip() for name, _, value in lines}
            if "location" not in headers:
                break
            url = urljoin(url, headers["location"])
            hops.append(url)
        status = headers.pop("head", "200") if want.method == "HEAD" else headers.pop("status", "200")
        headers.pop("head", None)
        return Fetched(Response(want.url, url, int(status), headers, tuple(hops)), body)


def canned_project(answers: Mapping[str, bytes], config: Config) -> Project:
    """The project of the sites whose URLs stand among the answers, the first one's root first."""
    first = next(iter(answers))
    return build.project([home(first)], Canned(answers), config)
