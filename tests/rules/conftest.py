"""Fixtures of the rule tests: each test that lays or deals a table runs on both engines."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.rules.table")

from tests.rules.table import deal_on, lay_on  # noqa: E402


@pytest.fixture(params=["compiled", "reference"])
def engine(request: pytest.FixtureRequest) -> str:
    """Name the engine: rules are pinned by what the rules page says, not by what one engine does."""
    name: str = request.param
    return name


@pytest.fixture
def lay(engine: str) -> Any:
    """Lay a position out on this engine; see `tests.rules.table.lay_on`."""
    return partial(lay_on, engine)


@pytest.fixture
def deal(engine: str) -> Any:
    """Deal a game on this engine; see `tests.rules.table.deal_on`."""
    return partial(deal_on, engine)
