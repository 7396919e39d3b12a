"""What an experiment's file may say of a check: how much a figure may change without mattering.

Plain data, checked for its shape alone. What is judged by it is the matter of `check`.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Margins"]


class Margins(BaseModel):
    """How much a figure may change without mattering, for `rsc check`; the table `[check]` in a file."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    win_share: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.01
    """Of a strategy or a place: ± 1 percentage point."""
    turns: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.02
    """Of the mean length of a game: ± 2 % of the baseline's."""
    unfinished: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.002
    """Of the share of games that do not end: ± 0.2 percentage points."""
    cards: Annotated[tuple[str, ...], Field(strict=False)] = ()
    """Cards to watch, by id: what one copy more in the opening hand goes with, in win share."""
    card: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.01
    """Of that: ± 1 percentage point."""
