"""What an experiment's file may say of its report: from where on a figure is too much, and how long a turn takes.

Plain data, checked for its shape alone. What is said about figures beyond these limits is the report's matter.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["Limits"]

_Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
_Range = Annotated[
    tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], Annotated[float, Field(gt=0, allow_inf_nan=False)]],
    Field(strict=False),
]
_Shares = Annotated[
    tuple[
        Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)],
        Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)],
    ],
    Field(strict=False),
]


class Limits(BaseModel):
    """From where on a figure is too much; the table `[report]` in a file."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    unfinished: _Share = 0.05
    """Share of games that do not end."""
    strategy: _Share = 0.05
    """A strategy's win share a seat, above or below the equal share."""
    place: _Share = 0.03
    """The same of a place at the table, which is nobody's choice."""
    read_dealt: _Share = 0.05
    """What being dealt Read changes in win share, either way."""
    card: _Share = 0.10
    """What one card changes in win share, either way."""
    escaper_wins: _Share = 0.95
    """Share of escapes that the escaper wins; where it always does, points decide nothing."""
    median_rounds: _Range = (6.0, 25.0)
    """Rounds that half of the games may take, at least and at most."""
    minutes: _Range = (15.0, 60.0)
    """The same in minutes, at `seconds_per_turn`."""
    seconds_per_turn: Annotated[float, Field(gt=0, le=3_600, allow_inf_nan=False)] = 20.0
    """How long one turn of one seat takes at the table."""
    decided_early: _Share = 0.50
    """Share of the game's turns still to come when the winner goes ahead for good, by points."""
    comeback: _Shares = (0.20, 0.90)
    """Share of winners that were behind by points after half of the turns, at least and at most."""
    idle: _Share = 0.15
    """Share of turns with nothing useful to do."""
    single: _Share = 0.50
    """Share of decisions with one legal move."""
    targeted: _Range = (0.05, 0.50)
    """Actions against another seat, a turn, at least and at most."""
    leader_hit: _Share = 0.25
    """Share of Actions that go against the leader, above or below what targets drawn by lot would give."""
    deal_luck: _Share = 0.50
    """Share of luck that the deal and the order of the pile settle before the first turn."""
    skill: _Shares = (0.0, 0.25)
    """Share of who wins one game that the choice of strategy accounts for, at least and at most."""

    @model_validator(mode="after")
    def _least_first(self) -> Self:
        for name in ("median_rounds", "minutes", "comeback", "targeted", "skill"):
            least, most = getattr(self, name)
            if least > most:
                raise ValueError(f"{name}: the least, {least:g}, is above the most, {most:g}")
        return self
