"""How runs are cut: everything once, in order, along leaves."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsc_sim.plan import BATCHES, LEAF_BLOCKS, PART_GAMES, plan_batch, plan_parts, plan_pieces

SIZES = st.integers(1, 400_000)
ROTATIONS = st.integers(1, 8)


@given(n_blocks=SIZES, rotations=ROTATIONS)
def test_parts_cover_every_block_once_in_whole_leaves(n_blocks: int, rotations: int) -> None:
    parts = plan_parts(n_blocks, rotations=rotations)
    assert parts[0].first_block == 0
    assert all(b.first_block == a.first_block + a.n_blocks for a, b in itertools.pairwise(parts))
    assert parts[-1].first_block + parts[-1].n_blocks == n_blocks
    assert all(part.first_block % LEAF_BLOCKS == 0 for part in parts)
    assert all(part.n_blocks > 0 for part in parts)


@given(n_blocks=SIZES, rotations=ROTATIONS)
def test_parts_hold_enough_games_for_a_good_file(n_blocks: int, rotations: int) -> None:
    parts = plan_parts(n_blocks, rotations=rotations)
    leaf = LEAF_BLOCKS * rotations
    for part in parts[:-1] if len(parts) > 1 else []:
        assert PART_GAMES <= part.n_blocks * rotations < 2 * (PART_GAMES + leaf)


@given(
    n_blocks=st.integers(1, 60_000),
    rotations=ROTATIONS,
    jobs=st.integers(1, 64),
    size=st.none() | st.integers(50, 9_000),
)
def test_pieces_cover_each_part_and_cross_no_leaf(n_blocks: int, rotations: int, jobs: int, size: int | None) -> None:
    parts = plan_parts(n_blocks, rotations=rotations, leaves_per_part=2)
    pieces = list(plan_pieces(parts, n_blocks=n_blocks, jobs=jobs, piece_blocks=size))
    assert [block for _, first, n in pieces for block in (first, first + n)][1:-1:2] == [
        first for _, first, _ in pieces[1:]
    ]
    assert sum(n for _, _, n in pieces) == n_blocks
    for part, first, n in pieces:
        assert n > 0
        assert part.first_block <= first < first + n <= part.first_block + part.n_blocks
        assert first // LEAF_BLOCKS == (first + n - 1) // LEAF_BLOCKS


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_each_job_gets_four_pieces_of_a_small_run(jobs: int) -> None:
    parts = plan_parts(10_000, rotations=4)
    assert len(list(plan_pieces(parts, n_blocks=10_000, jobs=jobs))) >= 4 * jobs


@given(n_blocks=SIZES, rotations=ROTATIONS, data=st.data())
def test_a_resumed_run_plays_what_is_missing_and_nothing_else(
    n_blocks: int, rotations: int, data: st.DataObject
) -> None:
    began = plan_parts(n_blocks, rotations=rotations, leaves_per_part=data.draw(st.integers(1, 9)))
    done = data.draw(st.lists(st.sampled_from(began), unique=True))
    missing = plan_parts(n_blocks, rotations=rotations, done=[part[1:] for part in done])
    whole = sorted([*done, *missing])
    assert [part.first_block for part in whole] == [0, *itertools.accumulate(part.n_blocks for part in whole)][:-1]
    assert sum(part.n_blocks for part in whole) == n_blocks
    assert len({part.number for part in whole}) == len(whole)


@given(n_blocks=SIZES)
def test_batches_are_about_400_or_a_block_each(n_blocks: int) -> None:
    size = plan_batch(n_blocks)
    n_batches = -(-n_blocks // size)
    assert n_batches <= BATCHES
    assert n_batches > BATCHES / 2 or size == 1


@settings(max_examples=40, deadline=None)
@given(data=st.data(), n_blocks=st.integers(1, 9_000), group=st.sampled_from([1, 256]))
def test_pieces_leave_out_what_is_there_and_keep_to_sizes_that_join(
    data: st.DataObject, n_blocks: int, group: int
) -> None:
    starts = sorted(data.draw(st.sets(st.integers(0, n_blocks - 1), max_size=6)))
    there = [
        (first, data.draw(st.integers(1, min(end - first, LEAF_BLOCKS - first % LEAF_BLOCKS))))
        for first, end in zip(starts, [*starts[1:], n_blocks], strict=False)
    ]
    limits = data.draw(st.lists(st.sampled_from([1, 8, 64, 512, 4_096]), min_size=1))
    left = n_blocks - sum(n for _, n in there)
    limit = itertools.cycle(max(group, size) for size in limits)
    cuts = sorted(data.draw(st.sets(st.integers(1, n_blocks), max_size=4)))
    pieces = [
        (first, n)
        for _, first, n in plan_pieces(
            plan_parts(n_blocks, rotations=1, leaves_per_part=1),
            **{"n_blocks": left, "jobs": 2, "there": there, "cuts": cuts, "group": group, "least": max(64, group)},
            limit=lambda: next(limit),
        )
    ]
    blocks = [block for first, n in [*pieces, *there] for block in range(first, first + n)]
    assert sorted(blocks) == list(range(n_blocks))
    edges = {n_blocks, *cuts, *(edge for first, n in there for edge in (first, first + n))}
    for first, n in pieces:
        assert not any(first < cut < first + n for cut in cuts)
        if first + n not in edges:  # nothing in the way
            assert (first + n) % group == 0
            if group == 1:
                assert n & (n - 1) == 0
                assert first % n == 0


def test_no_piece_is_smaller_than_the_games_that_are_played_side_by_side() -> None:
    parts = plan_parts(3_000, rotations=1)
    pieces = list(plan_pieces(parts, n_blocks=3_000, jobs=4, least=1_024))
    assert [first for _, first, _ in pieces] == [0, 1_024, 2_048]
