"""`rsc replay`: a game in words, and the proof that it is the game that was played."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from rsc_sim import engine
from rsc_sim.engine import Event
from rsc_sim.errors import StrategyError
from rsc_sim.experiment import Experiment
from rsc_sim.narrate import Replay, _Story, narrate, replay_game
from rsc_sim.play import run_experiment
from rsc_sim.run import Run
from rsc_sim.store import part_path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Run:
    lineup = ["collector", "random", "random", "collector", "random"]
    experiment = Experiment.from_dict({"lineup": lineup, "games": 400, "seed": 5}).resolve()
    return run_experiment(experiment, out=tmp_path_factory.mktemp("runs") / "five")[0]


def test_every_game_comes_out_as_recorded(played: Run) -> None:
    for number in range(0, 400, 3):
        replayed = replay_game(played, number)
        assert replayed.checked
        assert replayed.lineup[0] == played.experiment.lineup[number % 5]


def test_a_game_is_told_from_the_deal_to_the_score(rsc: Any, played: Run) -> None:
    row = played.games.filter(pl.col("game") == 7).collect().row(0, named=True)
    code, out, err = rsc("replay", played.path, "--game", 7)
    assert (code, err) == (0, "")
    assert out.startswith("Game 7: deal 1, seating 3 of 5, seed 5, rules 'booklet'\n")
    assert out.count(" is dealt ") == 5
    assert len(re.findall(r"^Turn \d+", out, flags=re.MULTILINE)) == row["turns"]
    for seat in range(5):
        assert re.search(rf"Seat {seat} \({row[f'strategy_{seat}']}\): .*{row[f'score_{seat}']:,} points", out)
    assert out.rstrip().endswith("As recorded.")


def test_what_lies_on_the_tables_is_told_right(played: Run) -> None:
    """The Merch that the story adds up to is the Merch that was scored, in every game."""
    for number in range(0, 400, 5):
        replayed = replay_game(played, number)
        assert replayed.row is not None
        story = _Story(replayed, played.experiment)
        for line in story.deal():
            assert line
        for event in story.rest:
            list(story.tell(event))
        assert list(story.merch.values()) == replayed.row["merch"]
        points = played.experiment.ruleset["read_points"]
        scores = [merch + points * (seat == story.holder) for seat, merch in story.merch.items()]
        assert scores == replayed.row["score"]


def test_sentences_name_cards_as_printed_and_players_by_seat(played: Run) -> None:
    cards = played.experiment.ruleset["cards"]
    text = "\n".join(line for number in range(120) for line in narrate(replay_game(played, number), played.experiment))
    for kind, card in cards.items():
        assert card["name"] in text, kind
    assert not re.search(r"\b(None|seat -1)\b", text)
    assert not re.search(r"\b(steal_|take_|kidnap_read|merch_protect)\b", text)
    for phrase in (
        "plays first, by chance",
        "displays Read, and so plays first",
        "pays a missed turn",
        "reacts with",
        "lets it happen",
        "is cancelled and does nothing",
        "Read moves from seat",
        "back to its hand",
        "leaves the hand of",
        "and keeps it beneath its",
        "for one more turn after this one",
        "from the discard pile",
        "from the pick-up pile",
        "shuffled into a new pick-up pile of",
        "Could escape, but stays",
        "Escapes, and the game ends",
    ):
        assert phrase in text, phrase


SENTENCES = {
    "escape": "  Escapes, and the game ends.",
    "stay": "  Could escape, but stays.",
    "discard": "  Discards Mug ($30).",
    "table": "  Tables Mug ($30).",
    "take": "  Chooses Mug ($30).",
    "stop": "  Tables no more.",
    "pass": "  Seat 1 (b) could react, but lets it happen.",
    "react": "  Seat 1 (b) reacts with Mug ($30).",
    "display": "  Displays Read in its Read slot.",
    "turn": "Turn 6, round 2: seat 1 (b), $0 tabled",
    "missed": "Seat 1 (b) pays a missed turn.",
    "renew": "  The discard pile is shuffled into a new pick-up pile of 3 cards.",
    "draw": "  Picks up Mug ($30).",
    "empty": "  There is nothing left to pick up.",
    "passed": "  Has no card to put down.",
    "picked": "  By chance Mug ($30) leaves the hand of seat 1 (b) and goes to seat 2 (c).",
    "not_found": "  Finds none.",
    "cancelled": "  Mug ($30) is cancelled and does nothing.",
    "moved_read": "  Read moves from seat 1 (b) to seat 2 (c).",
    "moved": "  Mug ($30) moves from the table of seat 1 (b) to that of seat 2 (c).",
    "returned": "  Mug ($30) goes from the table of seat 1 (b) back to its hand.",
    "moved_protect": "  The protection of Mug ($30) goes from seat 1 (b) to seat 2 (c).",
    "swapped": "  (The experiment turns this card into Mug ($30).)",
}


@pytest.mark.parametrize("what", SENTENCES)
def test_every_event_has_its_sentence(played: Run, what: str) -> None:
    assert told(played, Event(6, what, 1, "mug", 2, None, None, 0, 3)) == SENTENCES[what]


PLAYS = {
    ("kidnap_read", None, None, None): "Plays Kidnap Read against nobody.",
    ("teased", 2, "sticker", None): "Plays Teased Too Much against seat 2 (c), for Sticker ($5).",
    ("mine_now", 2, None, None): "Plays Mine Now against seat 2 (c).",
    ("wrong_hole", 2, "badge", "poster"): (
        "Plays Wrong Hole against seat 2 (c), to move the protection of its Badge ($15) beneath the own Poster ($50)."
    ),
    ("attention", 2, None, None): (
        "Plays Someone Else Got All the Attention against seat 2 (c), who is to miss a turn."
    ),
    ("read_time", None, None, None): "Plays Read Time Activates, for one more turn after this one.",
    ("merch_protect", None, "mug", None): (
        "Plays Blow a Kiss to Read — Merch Protect and keeps it beneath its Mug ($30)."
    ),
    ("hands_off", None, "not_today", None): "Plays Hands Off, Babe over Not Today Demon in its hand.",
    ("giveaway", None, None, None): "Plays You Won a Giveaway.",
}


@pytest.mark.parametrize("parts", PLAYS, ids=str)
def test_every_kind_of_play_has_its_sentence(
    played: Run, parts: tuple[str, int | None, str | None, str | None]
) -> None:
    assert told(played, Event(6, "play", 1, *parts, 0, 3)) == f"  {PLAYS[parts]}"


def told(played: Run, event: Event) -> str:
    replay = Replay(0, 0, 0, ("a", "b", "c", "d", "e"), [], None, False)
    *_, last = _Story(replay, played.experiment).tell(event)
    return last


def test_an_intervention_is_told() -> None:
    data = {"lineup": ["random", "random"], "games": 20, "intervention": {"seat": 0, "card": 2, "kind": "vinyl"}}
    run, _ = run_experiment(Experiment.from_dict(data).resolve())
    swapped = run.games.filter(pl.col("iv") == "swapped").collect()["game"].to_list()
    story = " ".join(narrate(replay_game(run, swapped[0]), run.experiment))
    assert "The experiment turned one card of seat 0 (random) into Vinyl" in story


def test_json_gives_every_event_and_the_outcome(rsc: Any, played: Run) -> None:
    lines = [json.loads(line) for line in rsc("replay", played.path, "--game", 0, "--json").out.splitlines()]
    assert lines[0]["what"] == "deal"
    assert lines[-2]["what"] == "end"
    assert lines[-1]["checked"] is True
    assert lines[-1]["outcome"]["turns"] == played.games.collect()["turns"][0]


def test_a_strategy_that_fails_is_followed_to_its_failure(
    rsc: Any, played: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(engine.Game):
        def choose(self, strategy: object) -> int:
            if self.turn == 3:
                raise StrategyError("returned 7 for a decision with 4 moves (turn 3, seat 1)")
            return super().choose(strategy)

    monkeypatch.setattr(engine, "Game", Failing)
    code, out, err = rsc("replay", played.path, "--game", 0)
    assert code == 4
    assert "Turn 3, round 1" in out
    assert out.endswith("Here the strategy failed.\n")
    assert err == "rsc: strategy 'random' returned 7 for a decision with 4 moves (turn 3, seat 1)\n"


def test_a_game_that_the_run_has_not_is_refused(rsc: Any, played: Run) -> None:
    code, _, err = rsc("replay", played.path, "--game", 400)
    assert (code, "expected 0 to 399" in err) == (2, True)


def test_a_game_that_comes_out_otherwise_is_an_error(rsc: Any, tmp_path: Path) -> None:
    rsc("run", "--lineup", "random,random", "--games", 50, "--out", "here")
    part = part_path(tmp_path / "here", 0)
    frame = pl.read_parquet(part)
    frame.with_columns(
        pl.when(pl.col("game") == 9).then(pl.col("trace") + 1).otherwise(pl.col("trace")).alias("trace")
    ).write_parquet(part)
    code, out, err = rsc("replay", "here", "--game", 9)
    assert (code, out) == (5, "")
    assert "game 9 does not come out as recorded: trace is" in err
    assert rsc("replay", "here", "--game", 8).code == 0
