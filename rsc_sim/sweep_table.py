"""What an experiment's file may say of a sweep: over which keys, or which points one by one.

Plain data, checked for its shape alone. `sweep_plan` makes points of it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["HOW", "SweepTable", "SweptPoint"]

HOW = ("grid", "one-at-a-time")


class SweptPoint(BaseModel):
    """One point that is written out: a label, and what differs in it from the experiment around it."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", populate_by_name=True)

    label: Annotated[str, Field(min_length=1, max_length=80)]
    lineup: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    seats: int | None = None
    rules: str | None = None
    games: int | None = None
    overrides: Annotated[dict[str, Any], Field(alias="set")] = {}

    question: str = ""
    """What is unclear, in a few words; points that share a question are its alternative answers."""
    sentence: str = ""
    """The sentence of the booklet that it comes from."""
    usual: str = ""
    """How the experiment itself reads that sentence."""
    reading: str = ""
    """How this point reads it."""


class SweepTable(BaseModel):
    """The table `[sweep]`: `over` some keys, each with its values, or `points` that are written out."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    over: dict[str, Any] = {}
    """By key a list of values, or a range such as `"400..1400..200"`; for `lineup` also a table of labels."""
    how: Literal["grid", "one-at-a-time"] = "grid"
    points: tuple[SweptPoint, ...] = Field(default=(), strict=False)
    base: Annotated[str, Field(min_length=1, max_length=80)] = "as it is"
    """What the experiment as it stands is called among points that are written out, or swept one at a time."""
    show: tuple[str, ...] = Field(default=(), strict=False)
    """Figures to draw and to tell first; by themselves those that most designers ask for."""
