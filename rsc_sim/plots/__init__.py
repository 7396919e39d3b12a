"""Pictures of a run, on matplotlib axes.

Each function draws one picture of a run and returns its axes: into those that are given, or on a page of its own, as
wide as a phone, without touching pyplot. A title says what was found; when nothing was, it says so.

    >>> from rsc_sim import plots
    >>> plots.win_share(run).figure.savefig("win_share.png")  # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rsc_sim.plots.bottleneck import bottleneck
from rsc_sim.plots.cards import card_impact
from rsc_sim.plots.chance import chance
from rsc_sim.plots.games import ends, game_length
from rsc_sim.plots.page import house_style, save, told
from rsc_sim.plots.shares import places, win_share

if TYPE_CHECKING:
    from rsc_sim.recorded import Recorded
    from rsc_sim.run import Run

__all__ = [
    "bottleneck",
    "card_impact",
    "chance",
    "ends",
    "game_length",
    "places",
    "win_share",
    "write_all",
    "write_told",
]

_ALL = (win_share, places, game_length, ends, card_impact, bottleneck, chance)
_NEEDS: dict[str, Recorded] = {"card_impact": "cards", "bottleneck": "windows"}
"""What a picture is drawn from, where not from games alone."""


def write_all(run: Run, folder: str | Path) -> list[Path]:
    """Draw every picture of a run and write each as SVG and PNG into a folder, which is made where it is missing.

    A picture of what the run did not record is left out.

    The same run gives the same bytes, on one version of matplotlib.
    """
    folder = Path(folder)
    return [folder / f"{name}.{kind}" for name, *_ in write_told(run, folder) for kind in ("svg", "png")]


def write_told(run: Run, folder: str | Path) -> list[tuple[str, str, str]]:
    """Write every picture as `write_all` does, and give the name, the title and the small print of each."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for draw in _ALL:
        if _NEEDS.get(draw.__name__, "games") not in run.recorded:
            continue
        ax = draw(run)
        with house_style():
            save(ax, folder, draw.__name__)
        drawn.append((draw.__name__, *told(ax)))
    return drawn
