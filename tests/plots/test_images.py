"""Pictures as they look, beside those that were looked at and found good.

A run is the same everywhere, and so are its pictures but for the last shade of an edge. After a change that was meant:
`python -m pytest -n 0 tests/plots/test_images.py --mpl-generate-path=tests/plots/baseline`, and look at them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

import rsc_sim
from rsc_sim import Run, plots

TOLERANCE = 4
"""Root mean square over the picture, of 0 to 255. The same picture gives 0, a mark that moved more than this."""


@cache
def run() -> Run:
    return rsc_sim.simulate("booklet", ["rusher", "raider", "collector", "guardian"], games=4_000)


def test_a_mark_that_moved_is_seen(tmp_path: Path) -> None:
    ax = plots.win_share(run())
    mark = next(line for line in ax.lines if line.get_gid() == "value rusher")
    mark.set_xdata([mark.get_xdata()[0] + 0.5])
    ax.figure.savefig(tmp_path / "moved.png", dpi=80)
    (baseline,) = (Path(__file__).parent / "baseline").glob("*win_share*.png")
    before, after = (imread(file)[..., :3] for file in (baseline, tmp_path / "moved.png"))
    assert 255 * float(np.sqrt(((before - after) ** 2).mean())) > TOLERANCE


@pytest.mark.mpl_image_compare(
    baseline_dir="baseline", tolerance=TOLERANCE, style="default", savefig_kwargs={"dpi": 80}
)
@pytest.mark.parametrize("name", ["win_share", "places", "game_length", "ends", "card_impact", "bottleneck", "chance"])
def test_it_looks_as_it_did(name: str) -> Any:
    return getattr(plots, name)(run()).figure
