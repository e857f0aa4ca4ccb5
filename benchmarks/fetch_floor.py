"""Fetch an index and all that it lists with httpx and nothing else: what a live site costs at least."""

from __future__ import annotations

import asyncio
import json
import sys
from urllib.parse import urljoin

import httpx


async def fetch(url: str, concurrency: int) -> int:
    """Fetch all; gives the number of bytes."""
    async with httpx.AsyncClient(trust_env=False, timeout=20) as client:
        index = await client.get(urljoin(url, "/.well-known/agent-skills/index.json"))
        waiting = iter([urljoin(str(index.url), entry["url"]) for entry in json.loads(index.content)["skills"]])
        size = len(index.content)

        async def work() -> None:
            nonlocal size
            for listed in waiting:
                size += len((await client.get(listed)).content)

        await asyncio.gather(*(work() for _ in range(concurrency)))
    return size


if __name__ == "__main__":
    print(asyncio.run(fetch(sys.argv[1], 8)))
