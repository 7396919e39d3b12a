"""The studies under reports/: their pages are what the program makes of their frames, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from rsc_sim.plots.sweep import pictures_of
from rsc_sim.sweep import Sweep
from rsc_sim.sweep_page import page_lines, weigh
from rsc_sim.sweep_view import SweepView

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.mark.parametrize("name", ["rulings", "threshold"])
def test_a_committed_page_is_what_its_frame_says(name: str) -> None:
    sweep = Sweep.open(REPORTS / name)
    view = SweepView.of(sweep.record, sweep.frame)
    wanted = None if sweep.target is None else (sweep.target[0].figure, sweep.target[0].value)
    pictures = [sweep.path / "plots" / f"{stem}.svg" for stem in pictures_of(view, wanted=wanted)]
    assert all(picture.is_file() for picture in pictures)
    page = (sweep.path / "README.md").read_text(encoding="utf-8")
    assert page == "\n".join(page_lines(sweep, view, pictures))


def test_every_reading_is_advised_upon_and_the_gravest_come_first() -> None:
    sweep = Sweep.open(REPORTS / "rulings")
    view = SweepView.of(sweep.record, sweep.frame)
    page = (sweep.path / "README.md").read_text(encoding="utf-8")
    places = [page.index(f". {view.labels[weight.number]}\n") for weight in weigh(view)]
    assert places == sorted(places)
    assert page.count("**Advice.**") == len(view.others)
