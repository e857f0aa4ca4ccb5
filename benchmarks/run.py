"""Measure the linter against what its parsers alone cost, and its start against its imports.

Each pair of commands runs alternately (A B A B ...), so that whatever else the machine does
falls on both; what counts is the CPU time of the child process, user and system.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.corpus import generate, publish
from benchmarks.floor import skills

ROOT = Path(__file__).parents[1]
IMPORTS = "import yaml, pyromark, argparse, json, re"


class Pair(NamedTuple):
    """Two commands to compare and the CPU seconds of each of their runs."""

    title: str
    names: tuple[str, str]
    seconds: tuple[list[float], list[float]]

    @property
    def medians(self) -> tuple[float, float]:
        """The median of the runs of each command."""
        return statistics.median(self.seconds[0]), statistics.median(self.seconds[1])

    @property
    def ratio(self) -> float:
        """How many times the second command's median the first one's is."""
        ours, theirs = self.medians
        return ours / theirs

    @property
    def spread(self) -> tuple[float, float]:
        """The smallest and the largest ratio of two neighbouring runs."""
        ratios = [ours / theirs for ours, theirs in zip(*self.seconds, strict=True)]
        return min(ratios), max(ratios)


def environment(bytecode: str) -> dict[str, str]:
    """That of the commands: compiled modules are kept in a folder of their own, as after an installation."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0", "PYTHONPYCACHEPREFIX": bytecode}


def cpu_seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    """User and system time of a command; raises where it could not do its work."""
    child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):  # 1: a linter has found something
        raise RuntimeError(f"exit code {child.returncode}: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def compare(
    title: str,
    ours: tuple[str, Sequence[str]],
    theirs: tuple[str, Sequence[str]],
    rounds: int,
    environment: Mapping[str, str],
) -> Pair:
    """Run two named commands alternately, once without a clock (modules are compiled) and some rounds with it."""
    pair = Pair(title, (ours[0], theirs[0]), ([], []))
    commands = (ours[1], theirs[1])
    for number in range(rounds + 1):
        for command, seconds in zip(commands, pair.seconds, strict=True):
            spent = cpu_seconds(command, environment)
            if number > 0:
                seconds.append(spent)
    return pair


def measure(
    corpus: Path | None, count: int, rounds: int, output_format: str, peers: Sequence[str] = ()
) -> tuple[int, list[Pair]]:
    """The number of skills, and what was measured."""
    python = sys.executable
    lint = (python, "-m", "agentskills_lint", "--isolated", "--format", output_format)
    with tempfile.TemporaryDirectory() as temporary:
        one = Path(temporary, "one")
        generate(one, 1)
        many = corpus
        if many is None:
            many = Path(temporary, "many")
            generate(many, count)
        floor = python, str(ROOT / "benchmarks" / "floor.py")
        site, half = Path(temporary, "site"), Path(temporary, "half")
        publish(site, 2 * count)
        publish(half, count)
        clean = environment(str(Path(temporary, "bytecode")))
        start = ("lint one skill", (*lint, str(one))), ("imports", (python, "-c", IMPORTS))
        ours = "lint all skills", (*lint, str(many))
        theirs = [[word.replace("{}", str(many)) for word in shlex.split(peer)] for peer in peers]
        return sum(1 for _ in skills(str(many))), [
            compare("start", *start, rounds * 3, clean),
            compare("skills", ours, ("floor", (*floor, str(many))), rounds, clean),
            compare("site", ("lint a site", (*lint, str(site))), ("floor", (*floor, str(site))), rounds, clean),
            compare("growth", ("lint a site", (*lint, str(site))), ("half of it", (*lint, str(half))), rounds, clean),
            *(compare("peer", ours, (Path(peer[0]).name[:18], peer), rounds, clean) for peer in theirs),
        ]


def table(found: int, pairs: Sequence[Pair]) -> str:
    """The figures for people."""
    lines = [f"{found} skills, CPU time, medians of alternating runs", ""]
    lines.append(f"{'':8}{'':>18}{'':>12}{'ratio':>8}  {'lowest':>6} {'highest':>7}")
    for pair in pairs:
        for name, median in zip(pair.names, pair.medians, strict=True):
            last = ""
            if name == pair.names[0]:
                low, high = pair.spread
                last = f"{pair.ratio:>8.2f}  {low:>6.2f} {high:>7.2f}"
            lines.append(f"{pair.title if last else '':8}{name:>18}{median * 1000:>9.1f} ms{last}")
    return "\n".join(lines)


def as_json(found: int, pairs: Sequence[Pair]) -> str:
    """The figures for programs."""
    return json.dumps(
        {
            "python": platform.python_version(),
            "skills": found,
            "comparisons": [
                {
                    "title": pair.title,
                    "commands": [
                        {"name": name, "median": median, "seconds": seconds}
                        for name, median, seconds in zip(pair.names, pair.medians, pair.seconds, strict=True)
                    ],
                    "ratio": pair.ratio,
                    "spread": list(pair.spread),
                }
                for pair in pairs
            ],
        },
        indent=2,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="lint the skills below this folder")
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="number of generated skills (1000)")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="measured runs of each command (7)")
    parser.add_argument("--format", default="text", metavar="NAME", help="the report that the linter writes (text)")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="COMMAND", help="another linter; {} is the folder"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="5 skills, one round: does it work at all?")
    options = parser.parse_args(arguments)
    count, rounds = (5, 1) if options.quick else (options.count, options.rounds)
    corpus = options.corpus.resolve() if options.corpus is not None else None
    found, pairs = measure(corpus, count, rounds, options.format, options.peer)
    print(as_json(found, pairs) if options.json else table(found, pairs))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
