"""Writing files: whole or not at all."""

from __future__ import annotations

import os


def replace(path: str, content: bytes) -> None:
    """Write a file whole or leave it as it was; its mode stays, a link stays a link. Raises OSError.

    A device or a pipe is written to as it is.
    """
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            file.write(content)
        return
    temporary = f"{path}.{os.urandom(4).hex()}.tmp"
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise


def replace_unchanged(path: str, before: bytes | None, after: bytes) -> None:
    """The same, where the file still holds what it held, or still does not exist; else raises OSError."""
    try:
        with open(path, "rb") as file:
            now: bytes | None = file.read()
    except FileNotFoundError:
        now = None
    if now != before:
        raise OSError("it was changed meanwhile")
    replace(path, after)
