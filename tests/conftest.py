"""Options of the test suite."""

from __future__ import annotations

import signal

import pytest
from hypothesis import settings

# a machine that is busy is no failure
settings.register_profile("suite", deadline=None)
settings.load_profile("suite")

# a job in the background of a shell ignores interrupts, and so would the commands that tests start
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` writes recorded outputs anew."""
    parser.addoption("--update", action="store_true", help="write recorded outputs anew")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether recorded outputs are to be written anew."""
    return bool(request.config.getoption("--update"))
