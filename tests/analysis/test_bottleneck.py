"""What escape windows lack, on windows small enough to count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import rsc_sim
from rsc_sim.analysis import bottleneck
from rsc_sim.analysis.batches import batch_share, jackknife, ratio
from rsc_sim.findings import bottleneck_finding

Lack = tuple[int, int, str, int]


def windows_of(lacking: Sequence[Lack]) -> pl.LazyFrame:
    """Lay out (batch, round, what is missing as letters of r, t, m, windows)."""
    schema = {
        "batch": pl.UInt32,
        "strategy": pl.Enum(["a"]),
        "round": pl.UInt8,
        "lacks_read": pl.Boolean,
        "lacks_ticket": pl.Boolean,
        "lacks_merch": pl.Boolean,
        "windows": pl.UInt64,
    }
    rows = [(b, "a", r, "r" in what, "t" in what, "m" in what, n) for b, r, what, n in lacking]
    return pl.DataFrame(rows, schema=schema, orient="row").lazy()


def test_shares_by_round_and_over_all() -> None:
    found = bottleneck(
        windows_of([(0, 1, "rtm", 6), (0, 1, "m", 2), (1, 1, "rm", 2), (0, 2, "r", 3), (1, 2, "", 1), (1, 2, "t", 4)])
    )
    first, second = found.rounds[1], found.rounds[2]
    assert (first.n_windows, second.n_windows, found.all_rounds.n_windows) == (10, 8, 18)
    assert [first.lacks[need].value for need in ("read", "ticket", "merch")] == pytest.approx([0.8, 0.6, 1.0])
    assert [first.lacks_only[need].value for need in ("read", "ticket", "merch")] == pytest.approx([0, 0, 0.2])
    assert [second.lacks_only[need].value for need in ("read", "ticket", "merch")] == pytest.approx([3 / 8, 0.5, 0])
    assert (first.ready.value, second.ready.value) == (0, pytest.approx(1 / 8))
    assert found.all_rounds.lacks["read"].value == pytest.approx(11 / 18)
    assert list(found.rounds) == [1, 2]


def test_intervals_are_from_batches() -> None:
    lacking = [7, 3, 9, 4]
    found = bottleneck(windows_of([(b, 5, "r", n) for b, n in enumerate(lacking)] + [(b, 5, "", 10) for b in range(4)]))
    counted = np.array(lacking, dtype=float)
    value, variance = jackknife(ratio, counted, counted + 10)
    assert found.rounds[5].lacks["read"] == batch_share(float(value), float(variance), 4)


def test_typical_rounds_leave_out_the_long_tail_and_the_round_of_all_later_ones() -> None:
    found = bottleneck(windows_of([(0, 1, "r", 100), (0, 2, "r", 6), (0, 3, "r", 4), (0, 100, "r", 5_000)]))
    assert list(found.typical()) == [1, 2]


def lead(need: str, rounds: range) -> list[Lack]:
    """Give rounds in which one need is clearly most often the only one missing."""
    other = "t" if need != "t" else "r"
    return [(b, n, what, w) for b in range(20) for n in rounds for what, w in ((need, 50 + b % 3), (other, 5), ("", 9))]


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        ([], "No escape window came up"),
        (lead("m", range(1, 9)), "What holds up an escape is Merch, from first to last"),
        (
            lead("m", range(1, 9)) + lead("r", range(9, 14)),
            "What holds up an escape: Merch until round 8, Read from round 9",
        ),
        (
            lead("m", range(1, 4)) + lead("r", range(4, 6)) + lead("m", range(6, 8)),
            "What holds up an escape is mostly Merch: in 5 of 7 rounds",
        ),
        ([(b, 1, what, 10) for b in range(20) for what in ("r", "t", "m")], "No single thing holds up the escape"),
        ([(b, 1, "rm", 10 + b) for b in range(9)] + [(9, 1, "m", 5)], "No seat ever tabled enough Merch to escape"),
        ([(b, 1, "t", 10 + b) for b in range(9)], "No seat ever held an Escape Ticket"),
    ],
)
def test_finding(lacking: list[Lack], told: str) -> None:
    assert bottleneck_finding(bottleneck(windows_of(lacking))) == told


def test_real_windows_lack_read_mostly_and_merch_at_first() -> None:
    found = bottleneck(rsc_sim.simulate("booklet", ["collector"] * 4, games=2_000).windows)
    assert found.rounds[1].lacks["merch"].value > 0.99
    assert all(windows.lacks["read"].value > 0.6 for windows in found.typical().values())
    for windows in found.rounds.values():
        assert all(windows.lacks_only[need].value <= windows.lacks[need].value for need in windows.lacks)
