"""Standard input, output and error, and what ends a run."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import IO, Any

PROGRAM = "agentskills-lint"


class RunError(Exception):
    """What ends the run with exit code 2."""

    def __init__(self, *messages: str) -> None:
        self.messages = messages
        super().__init__(*messages)


def wants_color(stream: IO[str]) -> bool:
    """Whether a stream is a terminal that shows colours, or NO_COLOR and FORCE_COLOR say so."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def standard_input() -> bytes:
    """All of standard input; raises RunError."""
    if sys.stdin is None:
        raise RunError("standard input is closed")
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise RunError(f"cannot read standard input: {error.strerror or error}") from None


def shows_progress() -> bool:
    """Whether somebody looks at standard error."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def progress() -> Callable[[int, int], None] | None:
    """Tells a terminal how many requests are done, ten times a second at most; elsewhere nobody is told."""
    import time

    if not shows_progress():
        return None
    last = 0.0

    def told(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 0.1:
            last = now
            say(f"\r\x1b[K{done} of {total} requests")

    return told


def say(text: str) -> None:
    """Write to standard error as it is."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _mute(sys.stderr)


def write(text: str | bytes, binary: bool = False, to: IO[str] | None = None) -> None:
    """Write to standard output: what is for machines as UTF-8, what is for people as the terminal can."""
    stream: Any = to or sys.stdout
    if not text:
        return
    if stream is None:
        raise RunError("standard output is closed")
    try:
        if isinstance(text, bytes) or (binary and hasattr(stream, "buffer")):
            stream.flush()
            stream.buffer.write(text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace"))
        else:
            encoding = stream.encoding or "utf-8"
            stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError as error:
        # the reader has seen enough (`| head`): what was found stays what it is
        _mute(stream)
        if not isinstance(error, BrokenPipeError) and not (sys.platform == "win32" and error.errno == 22):
            raise RunError(f"cannot write to standard output: {error.strerror or error}") from None


def _mute(stream: IO[str]) -> None:
    """Lead a stream nowhere, so that the interpreter does not complain of it at the end."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
    except OSError:
        return


def tell(kind: str, message: str) -> None:
    """A line on standard error; when that is gone, too, there is nobody to tell."""
    from agentskills_lint.wording import escaped

    stream = sys.stderr
    if stream is None:
        return
    encoding = stream.encoding or "utf-8"
    line = f"{PROGRAM}: {kind}: {escaped(message)}\n"
    try:
        stream.write(line.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except OSError:
        _mute(stream)
