"""Measure linting a live site on loopback against fetching the same files with httpx alone.

The server runs in a process of its own and keeps all files in memory. The two commands run alternately; time on the
clock, CPU time of the child process and its peak memory are taken.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple, cast

from benchmarks.corpus import publish
from benchmarks.run import ROOT, environment

TYPES = {".md": "text/markdown; charset=utf-8", ".json": "application/json", ".txt": "text/plain; charset=utf-8"}


class Run(NamedTuple):
    """Seconds on the clock, seconds of CPU, bytes of memory at the most."""

    wall: float
    cpu: float
    peak: int


class _Connection(asyncio.Protocol):
    """Answers GET and HEAD, one request after the other."""

    def __init__(self, answers: Mapping[bytes, bytes]) -> None:
        self._answers = answers
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        while b"\r\n\r\n" in self._waiting:
            head, _, self._waiting = self._waiting.partition(b"\r\n\r\n")
            method, path, _ = head.split(b"\r\n", 1)[0].split(b" ")
            answer = self._answers.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            self._transport.write(answer if method == b"GET" else answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")


async def serve(root: Path) -> None:
    """Serve a folder until the process is ended; the first line on standard output is the URL."""
    answers = {}
    for file in root.rglob("*"):
        if file.is_file():
            body = file.read_bytes()
            head = (
                f"HTTP/1.1 200 OK\r\nContent-Type: {TYPES[file.suffix]}\r\nContent-Length: {len(body)}\r\n"
                "Cache-Control: public, max-age=86400\r\nAccess-Control-Allow-Origin: *\r\n\r\n"
            )
            answers[f"/{file.relative_to(root).as_posix()}".encode()] = head.encode() + body
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(answers), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


def timed(command: Sequence[str], environment: Mapping[str, str]) -> Run:
    """Run a command; raises where it could not do its work."""
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise RuntimeError(f"exit code {child.returncode}: {' '.join(command)}")
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return Run(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, peak)


def measure(count: int, rounds: int, warm_up: bool) -> dict[str, list[Run]]:
    """The runs of each command; that which compiles the modules does not count."""
    python = sys.executable
    with tempfile.TemporaryDirectory() as temporary:
        site = Path(temporary, "site")
        publish(site, count)
        clean = environment(str(Path(temporary, "bytecode")))
        server = subprocess.Popen(  # noqa: S603
            (python, "-m", "benchmarks.live", "--serve", str(site)), cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        try:
            url = cast(IO[str], server.stdout).readline().strip()
            lint = (python, "-m", "agentskills_lint", "--isolated")
            commands = {
                "lint the live site": (*lint, url),
                "fetch with httpx": (python, str(ROOT / "benchmarks" / "fetch_floor.py"), url),
                "lint the tree": (*lint, str(site)),
            }
            found: dict[str, list[Run]] = {name: [] for name in commands}
            for command in commands.values() if warm_up else ():
                timed(command, clean)
            for _ in range(rounds):
                for name, command in commands.items():
                    found[name].append(timed(command, clean))
            return found
        finally:
            server.terminate()
            server.communicate(timeout=10)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, metavar="N", help="number of listed skills (2000)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="measured runs of each command (5)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="3 skills, one round: does it work at all?")
    parser.add_argument("--serve", type=Path, metavar="DIR", help="serve a folder and do nothing else")
    options = parser.parse_args(arguments)
    if options.serve is not None:
        asyncio.run(serve(options.serve))
        return 0
    count, rounds = (3, 1) if options.quick else (options.count, options.rounds)
    found = measure(count, rounds, not options.quick)
    if options.json:
        print(json.dumps({name: [run._asdict() for run in runs] for name, runs in found.items()}, indent=2))
        return 0
    medians = {
        name: Run(*(statistics.median(part) for part in zip(*runs, strict=True))) for name, runs in found.items()
    }
    print(f"{count} skills over loopback, medians of {rounds} alternating runs\n")
    print(f"{'':20}{'clock':>10}{'CPU':>10}{'memory':>10}")
    for name, run in medians.items():
        print(f"{name:20}{run.wall:>8.2f} s{run.cpu:>8.2f} s{run.peak / 1e6:>7.0f} MB")
    ours, floor, tree = medians.values()
    print(f"\nlive / httpx: {ours.wall / floor.wall:.2f} on the clock, {ours.cpu / floor.cpu:.2f} of CPU")
    print(f"live / (httpx + tree): {ours.wall / (floor.wall + tree.wall):.2f} on the clock")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
