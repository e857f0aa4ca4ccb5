"""Ask for what linting a live site asks for, with httpx and nothing else: what it costs at least.

That is an index, all that it lists, and with HEAD the files of their own to which skills link.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterable
from urllib.parse import urljoin

import httpx

LINK = re.compile(r"\]\((?![a-z]+:|[/#]|\.\./)([^)#\s]+)")


async def fetch(url: str, concurrency: int) -> tuple[int, int]:
    """Fetch all; gives the number of requests and of bytes."""
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        index = await client.get(urljoin(url, "/.well-known/agent-skills/index.json"))
        listed = [urljoin(str(index.url), entry["url"]) for entry in json.loads(index.content)["skills"]]
        bodies: dict[str, str] = {}
        asked = 1

        async def work(method: str, waiting: Iterable[str]) -> None:
            nonlocal asked
            for address in waiting:
                bodies[address] = (await client.request(method, address)).text
                asked += 1

        async def together(method: str, urls: Iterable[str]) -> None:
            waiting = iter(list(urls))
            await asyncio.gather(*(work(method, waiting) for _ in range(concurrency)))

        await together("GET", listed)
        await together("HEAD", {urljoin(at, href) for at, text in bodies.items() for href in LINK.findall(text)})
    return asked, len(index.content) + sum(map(len, bodies.values()))


if __name__ == "__main__":
    print(*asyncio.run(fetch(sys.argv[1], 8)))
