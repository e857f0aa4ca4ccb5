"""Measure what the plugin costs flake8 on Python files that lie in no skill: the same run with and without it."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.run import Pair, as_json, compare, environment, table

RUN = """
import importlib.metadata as metadata
found = metadata.distributions
metadata.distributions = lambda **chosen: (d for d in found(**chosen) if d.metadata["name"] != {hidden!r})
from flake8.main.cli import main
raise SystemExit(main({arguments!r}))
"""
"""flake8 without the plugins of one distribution; both runs pay for the sieve."""

FUNCTION = '''

def step_{number}(values: list[int], limit: int = {number}) -> dict[str, int]:
    """Count the values below a limit."""
    counts: dict[str, int] = {{}}
    for value in values:
        if value % 7 == {rest} and value < limit:
            counts[f"{{value:04}}"] = counts.get(str(value), 0) + 1
        elif value > limit * 2:
            raise ValueError("too large: " + repr(value))
    return counts
'''


def generate(folder: Path, count: int) -> None:
    """Write some Python files, some in folders of their own."""
    for number in range(count):
        path = folder / f"package_{number % 20}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        functions = (FUNCTION.format(number=at, rest=at % 7) for at in range(2 + number % 11))
        path.write_text(f'"""Module {number}."""\n{"".join(functions)}', encoding="utf-8")


def measure(count: int, rounds: int) -> list[Pair]:
    """flake8 with and without the plugin, then with the search for literals as well."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "files")
        generate(folder, count)
        clean = environment(str(Path(temporary, "bytecode")))
        plain = ["-j", "1", "--isolated", str(folder)]

        def command(hidden: str, *arguments: str) -> tuple[str, ...]:
            return sys.executable, "-c", RUN.format(hidden=hidden, arguments=[*plain, *arguments])

        without = "without plugin", command("agentskills-lint")
        literals = "skill-literals", command("nothing", "--skill-literals")
        return [
            compare("plugin", ("with plugin", command("nothing")), without, rounds, clean),
            compare("literals", literals, without, rounds, clean),
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.flake8", description=__doc__)
    parser.add_argument("--count", type=int, default=500, metavar="N", help="number of Python files (500)")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="measured runs of each command (7)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--quick", action="store_true", help="5 files, one round: does it work at all?")
    options = parser.parse_args(arguments)
    count, rounds = (5, 1) if options.quick else (options.count, options.rounds)
    pairs = measure(count, rounds)
    if options.json:
        figures = json.loads(as_json(0, pairs))
        print(
            json.dumps({"python": figures["python"], "files": count, "comparisons": figures["comparisons"]}, indent=2)
        )
    else:
        print(table(0, pairs).replace("0 skills", f"{count} Python files in no skill", 1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
