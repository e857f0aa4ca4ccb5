"""`python -m agentskills_lint`."""

from agentskills_lint.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
