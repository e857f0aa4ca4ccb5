"""`python -m agentskills_lint`."""

from agentskills_lint.cli import run

if __name__ == "__main__":
    run()
