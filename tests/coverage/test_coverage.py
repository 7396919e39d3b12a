"""Ranges hold the truth as often as they say: what `measure` named beforehand, and that it counts right.

    python -m pytest -m slow tests/coverage

Some 22 minutes of one processor; goes on where it was stopped, and leaves its result in reports/coverage/figures.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.coverage import measure

REPORT = measure.ROOT / "reports" / "coverage" / "figures.json"


@pytest.mark.slow
def test_ranges_hold_the_truth_in_93_8_to_96_2_per_cent_of_4000_runs() -> None:
    found = measure.measure(measure.ROOT / "build" / "coverage")
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    missed = {
        name: told["held"] for name, told in found["asked"].items()
        if not told["asked"][0] <= told["held"] <= told["asked"][1]
    }  # fmt: skip
    assert missed == {}


def test_the_committed_result_is_of_what_was_named() -> None:
    found = json.loads(REPORT.read_text(encoding="utf-8"))
    assert (found["runs"], found["games_a_run"]) == (4_000, 2_000)
    assert (
        min(found["games_behind_the_truth"]["of shares and lengths"], found["games_behind_the_truth"]["of cards"])
        >= 200_000
    )
    assert {name: tuple(told["asked"]) for name, told in found["asked"].items()} == measure.ASKED
    for name, told in found["asked"].items():
        assert told["asked"][0] <= told["held"] <= told["asked"][1], name


def test_a_measurement_that_was_stopped_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"GAMES": 80, "FILE_RUNS": 2, "TRUE_GAMES": 400, "TRUE_STUDIED": 80}.items():
        monkeypatch.setattr(measure, name, value)
    whole = measure.measure(tmp_path, 4)
    files = sorted(measure.state(tmp_path).glob("runs-*.npy"))
    assert [file.name for file in files] == ["runs-00001.npy", "runs-00003.npy"]
    files[1].unlink()
    again = measure.measure(tmp_path, 4)
    assert {**again, "processor_seconds": 0} == {**whole, "processor_seconds": 0}
    assert set(whole["asked"]) == set(measure.ASKED)


def test_ranges_are_counted_as_holding_the_truth_at_their_ends_and_between() -> None:
    """Of ranges of known level the share is that level; a range that ends at the truth holds it."""
    rng = np.random.default_rng(1)
    value = rng.normal(0.3, 0.01, 100_000)
    made = np.stack([value, value - 0.0196, value + 0.0196], axis=1)
    told = measure._held(made, 0.3)
    assert told["held"] == pytest.approx(0.95, abs=0.004)
    assert told["range_above"] == pytest.approx(0.025, abs=0.003)
    assert told["half_the_range"] == pytest.approx(told["spread_of_estimates_times_1_96"], rel=0.01)
    assert measure._held(np.array([[1.0, 1.0, 2.0], [0.0, 0.0, 1.0], [2.0, 1.5, 3.0]]), 1.0)["held"] == pytest.approx(
        2 / 3
    )
