"""Options of the test suite."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update` writes recorded outputs anew."""
    parser.addoption("--update", action="store_true", help="write recorded outputs anew")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether recorded outputs are to be written anew."""
    return bool(request.config.getoption("--update"))
