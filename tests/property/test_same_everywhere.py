"""The same games everywhere: rows do not depend on how blocks are cut into calls, on threads, or on the build.

The rows on record (tests/golden/rows.json) stand in for other builds in the default suite; `slow` compiles them.
"""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rsc_sim.engine import CHECKED, CompiledRules, Tallies
from tests.builds.building import ROOT, build_copy, run_in_copy
from tests.golden.rows import ON_RECORD, digests, matches, play

MATCHES = matches()
SOME = [name for name in MATCHES if "4" in name]


def test_rows_are_those_on_record() -> None:
    """After a change on purpose: `python -m tests.golden.rows`."""
    on_record = json.loads(ON_RECORD.read_text())
    assert digests() == on_record
    assert len(set(on_record.values())) == len(MATCHES)


def test_other_blocks_are_other_games() -> None:
    match = MATCHES["booklet, 4 mixed"]
    assert play(match, n_blocks=10) != play(match, first_block=1, n_blocks=10)


def cut(rng: random.Random, n_blocks: int) -> list[tuple[int, int]]:
    """Cut blocks 0 to n_blocks into ranges at random: (first, how many), some of them empty."""
    cuts = sorted([0, n_blocks, *(rng.randint(0, n_blocks) for _ in range(rng.choice([0, 1, 5, 40])))])
    return [(first, after - first) for first, after in pairwise(cuts)]


@pytest.mark.parametrize("name", SOME)
def test_any_cutting_gives_the_same_rows(name: str) -> None:
    match, rng = MATCHES[name], random.Random(name)
    whole = play(match, n_blocks=200)
    for _ in range(10):
        pieces = [play(match, first_block=first, n_blocks=n) for first, n in cut(rng, 200)]
        assert b"".join(pieces) == whole
    assert b"".join(play(match, first_block=block, n_blocks=1) for block in range(200)) == whole


@pytest.mark.parametrize("name", SOME)
def test_any_cutting_gives_the_same_tallies(name: str) -> None:
    """Batches cut in two by a call add up to the whole ones, and keeping tallies changes no row."""
    match, rng = MATCHES[name], random.Random(name)
    rules = CompiledRules(match.rules, seats=len(match.lineup))

    def tallies(first_block: int, n_blocks: int) -> Tallies:
        return Tallies(rules, n_strategies=2, batch_blocks=7, first_block=first_block, n_blocks=n_blocks)

    whole = tallies(3, 100)
    assert play(match, first_block=3, n_blocks=100, tallies=whole) == play(match, first_block=3, n_blocks=100)
    assert whole.cards.any()
    summed = tallies(3, 100)
    for first, n in cut(rng, 100):
        piece = tallies(3 + first, n)
        play(match, first_block=3 + first, n_blocks=n, tallies=piece)
        batches = slice(piece.first_batch - whole.first_batch, piece.first_batch - whole.first_batch + len(piece.cards))
        summed.cards[batches] += piece.cards
        summed.windows[batches] += piece.windows
    assert np.array_equal(summed.cards, whole.cards)
    assert np.array_equal(summed.windows, whole.windows)


@pytest.mark.parametrize("threads", [2, 8, 40])
def test_any_number_of_threads_gives_the_same_rows(threads: int) -> None:
    """All matches at once, in pieces and in a random order, so that threads play different lineups side by side."""
    rng = random.Random(threads)
    work = [(name, first, n) for name in MATCHES for first, n in cut(rng, 60)]
    rng.shuffle(work)

    def do(piece: tuple[str, int, int]) -> tuple[str, int, bytes]:
        name, first, n = piece
        return name, first, play(MATCHES[name], first_block=first, n_blocks=n)

    with ThreadPoolExecutor(threads) as pool:
        played = list(pool.map(do, work))
    for name, match in MATCHES.items():
        pieces = sorted((first, rows) for there, first, rows in played if there == name and rows)
        assert b"".join(rows for _, rows in pieces) == play(match, n_blocks=60)


def test_the_last_block_plays() -> None:
    match, last = MATCHES["booklet, 2 mixed"], 2**32 - 2
    assert play(match, first_block=last - 1, n_blocks=2).endswith(play(match, first_block=last, n_blocks=1))
    assert play(match, first_block=last, n_blocks=1) != play(match, first_block=0, n_blocks=1)


@pytest.mark.slow
@pytest.mark.skipif(CHECKED, reason="the installed engine is a checked build")
def test_any_instruction_set_gives_the_same_rows(tmp_path: Path) -> None:
    """Plain x86-64 has neither pdep nor popcnt, `native` all that this machine has."""
    on_record = json.loads(ON_RECORD.read_text())
    program = "import json, rsc_sim, tests.golden.rows as rows; print(json.dumps([rsc_sim.__file__, rows.digests()]))"
    many = set()
    copy = ROOT
    for march in ("", "x86-64-v3", "native"):
        copy = build_copy(tmp_path / (march or "plain"), source=copy, RSC_SIM_MARCH=march)
        engine, there = json.loads(run_in_copy(copy, ["-c", program]))
        assert Path(engine).is_relative_to(copy)
        assert there == on_record, march
        told = json.loads(run_in_copy(copy, ["-m", "tests.builds.play_many", "20000"]))
        many.add(told["digest"])
    assert len(many) == 1
