"""The pictures of a study of the feel of a game: they show its figures, words do not run together, they look as before.

After a change that was meant:
`python -m pytest -n 0 tests/feel/test_pictures.py --mpl-generate-path=tests/feel/baseline`, and look at them.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rsc_sim.experiment import Experiment
from rsc_sim.feel import FeelStudy, study_feel
from rsc_sim.findings_feel import share_of_luck
from rsc_sim.plots.feel import game_feel, luck_sources, write_feel
from tests.plots.reading import artist, collisions, ends_of, title


def test_bars_are_the_figures(study: FeelStudy) -> None:
    ax = game_feel(study)
    shown = {
        "behind at half-time": "points_comeback", "behind at half": "comeback", "as played": "leader_hit",
        "idle turns": "idle", "by points": "points_decided_early",
    }  # fmt: skip
    for name, figure in shown.items():
        estimate = study.feel[figure]
        assert artist(ax, f"value {name}").get_width() == pytest.approx(100 * estimate.value)
        assert ends_of(ax, f"range {name}") == pytest.approx((100 * estimate.low, 100 * estimate.high))
    assert "was behind at half-time in" in title(ax)
    assert collisions(ax) == []


def test_luck_is_drawn_within_its_bounds(study: FeelStudy) -> None:
    ax = luck_sources(study)
    assert study.luck is not None
    for source in (*study.luck.sources, *study.luck.groups):
        for way, index in (("alone", source.alone), ("in all", source.in_all)):
            told = share_of_luck(index)
            assert artist(ax, f"value {way} {source.name}").get_width() == pytest.approx(100 * told.value)
            low, high = ends_of(ax, f"range {way} {source.name}")
            assert 0 <= low <= high <= 100
    assert "of luck is settled by the deal" in title(ax)
    assert collisions(ax) == []


def test_pictures_are_written_and_come_out_alike(study: FeelStudy, tmp_path: Path) -> None:
    one, two = write_feel(study, tmp_path / "one"), write_feel(study, tmp_path / "two")
    assert [path.name for path in one] == ["game_feel.svg", "game_feel.png", "luck_sources.svg", "luck_sources.png"]
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_a_study_without_luck_or_winners_is_drawn(study: FeelStudy, tmp_path: Path) -> None:
    assert len(write_feel(replace(study, luck=None), tmp_path)) == 2
    with pytest.raises(ValueError, match="luck=True"):
        luck_sources(replace(study, luck=None))
    none = {"lineup": ["random"] * 2, "games": 20, "set": {"escape_threshold": 99_999, "max_rounds": 5}}
    nobody = study_feel(Experiment.from_dict(none).resolve())
    assert "No game had one winner" in title(game_feel(nobody))
    assert len(write_feel(nobody, tmp_path / "nobody")) == 2


@pytest.mark.mpl_image_compare(baseline_dir="baseline", tolerance=4, style="default", savefig_kwargs={"dpi": 80})
@pytest.mark.parametrize("draw", [game_feel, luck_sources], ids=lambda draw: draw.__name__)
def test_it_looks_as_it_did(draw: Any, study: FeelStudy) -> Any:
    return draw(study).figure
