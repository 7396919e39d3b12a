"""One game of a run, played again and told in plain sentences.

`replay_game` plays a recorded game once more, step by step, and checks that it comes out as recorded; `narrate` tells
what happened, hidden cards included, with the names that are printed on the cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from rsc_sim.errors import EnvironmentFailure, InputError, StrategyError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.run import Run

if TYPE_CHECKING:
    from rsc_sim.engine import CompiledRules, Event

__all__ = ["Replay", "first_difference", "narrate", "play_again", "replay_game"]


_PILES = {"discard": "discard", "pickup": "pick-up", None: "pick-up"}


@dataclass(frozen=True)
class Replay:
    """A game played again."""

    game: int
    block: int
    rotation: int
    lineup: tuple[str, ...]
    """The strategy at each seat."""
    events: Sequence[Event]
    row: Mapping[str, Any] | None
    """The outcome; None where a strategy failed before there was one."""
    checked: bool
    """Whether the run holds the game's row, and it is the same; a part that is not written yet cannot be compared."""
    failure: StrategyError | None = None


def replay_game(run: Run, number: int) -> Replay:
    """Play game `number` of a run again and compare it with what the run recorded.

    Raises `InputError` for a number that the run has not, and `EnvironmentFailure` where the game comes out otherwise.
    """
    played = run.experiment
    if not 0 <= number < played.n_games:
        raise InputError(f"game {number}: expected 0 to {played.n_games - 1}, as many as the run has")
    replay = play_again(played, number)
    return replace(replay, checked=replay.row is not None and _compare(run, number, replay.row))


def play_again(experiment: ResolvedExperiment, number: int) -> Replay:
    """Play game `number` of an experiment step by step, by the code as it is; nothing is compared."""
    from rsc_sim.engine import CompiledRules, Game

    block, rotation = divmod(number, experiment.rotations)
    seats = experiment.seats
    seated = [experiment.strategy_ids[(seat + rotation) % seats] for seat in range(seats)]
    lineup = tuple(experiment.strategies[i].spec for i in seated)
    strategies = [strategy.find() for strategy in experiment.strategies]
    bound = [strategy.bind() for strategy in strategies]
    rules = CompiledRules(experiment.ruleset, seats=seats, deal_order=experiment.deal_order)
    game = Game(rules, seed=experiment.seed, block=block, intervention=experiment.intervention)
    failure = None
    if any(strategy.kind == "batched" for strategy in strategies):
        choices, failure = _choices_in_company(experiment, rules, bound, block, rotation)
        for index in choices:
            game.apply(index)
        failure = failure if game.decision is not None else None
    try:
        while game.decision is not None and failure is None:
            game.apply(game.choose(bound[seated[game.seat]]))
    except StrategyError as error:
        failure = error
    if failure is not None:
        named = StrategyError(f"strategy {lineup[game.seat]!r} {failure}")
        named.__dict__.update(failure.__dict__)
        failure = named
    return Replay(number, block, rotation, lineup, game.events, None if failure else game.row(), False, failure)


def _choices_in_company(
    experiment: ResolvedExperiment, rules: CompiledRules, bound: Sequence[object], block: int, rotation: int
) -> tuple[list[int], StrategyError | None]:
    """Play a game among those that it was played side by side with; give its choices, and the failure that ended it.

    What a batched strategy answers may depend, in its last digits, on how much it is asked at once.
    """
    from rsc_sim.engine import play_blocks

    choices: list[int] = []
    try:
        play_blocks(
            rules,
            [bound[i] for i in experiment.strategy_ids],
            seed=experiment.seed,
            first_block=block,
            n_blocks=1,
            strategy_ids=experiment.strategy_ids,
            intervention=experiment.intervention,
            choices=(rotation, choices),
        )
    except StrategyError as error:
        return choices, error
    return choices, None


def _compare(run: Run, number: int, row: Mapping[str, Any]) -> bool:
    import polars as pl

    try:
        recorded = run.games.filter(pl.col("game") == number).collect()
    except InputError:
        return False  # an unfinished run without a single part
    if recorded.is_empty():
        return False
    there = recorded.row(0, named=True)
    for name, now in row.items():
        for column, value in (
            [(f"{name}_{i}", v) for i, v in enumerate(now)] if isinstance(now, list) else [(name, now)]
        ):
            if column in there and there[column] != value:
                raise EnvironmentFailure(
                    f"game {number} does not come out as recorded: {column} is {there[column]} there, {value} now\n"
                    "     the engine or a strategy is not the one that played it "
                    f"(rsc-sim {run.manifest['versions']['rsc_sim']}), or the files were changed"
                )
    return True


def narrate(replay: Replay, experiment: ResolvedExperiment) -> Iterator[str]:
    """Tell a game line by line."""
    story = _Story(replay, experiment)
    yield (
        f"Game {replay.game:,}: deal {replay.block:,}, seating {replay.rotation + 1} of {experiment.rotations}, "
        f"seed {experiment.seed}, rules {experiment.ruleset['name']!r}"
    )
    yield from ("", "The deal")
    yield from story.deal()
    for event in story.rest:
        yield from story.tell(event)
    yield ""
    yield from story.end()


def first_difference(
    one: Replay, other: Replay, experiment: ResolvedExperiment, other_experiment: ResolvedExperiment
) -> tuple[int, str, str] | None:
    """Find where two tellings of a game part: the turn (0: the deal), and what happens there in each, in words.

    None where nothing that happens differs (what it is worth may differ all the same).
    """
    stories = (_Story(one, experiment), _Story(other, other_experiment))
    if any(a is None or b is None or a[:7] != b[:7] for a, b in zip_longest(*(story.opening for story in stories))):
        deals = [list(story.deal()) for story in stories]
        first, second = next((a, b) for a, b in zip_longest(*deals, fillvalue="(nothing)") if a != b)
        return 0, first.strip(), second.strip()
    for story in stories:
        list(story.deal())
    for event, changed in zip_longest(*(story.rest for story in stories)):
        if event is None or changed is None or event[:7] != changed[:7]:
            there = event if event is not None else changed
            return there.turn, _told(stories[0], event), _told(stories[1], changed)
        for story in stories:
            list(story.tell(event))
    return None


def _told(story: _Story, event: Event | None) -> str:
    """Word one event with who is up; what ends a game is an event as well."""
    if event is None:
        return "the game is over"
    if event.what == "end":
        return "the game ends"
    text = " ".join(part.strip() for part in story.tell(event) if part)
    actor = story.up if event.what not in {"turn", "missed"} else None
    return text if actor is None else f"{story.who(actor, start=True)}: {text[0].lower()}{text[1:]}"


class _Story:
    """Keep what the telling needs: who is up, what lies on the tables, who displays Read."""

    def __init__(self, replay: Replay, experiment: ResolvedExperiment) -> None:
        self.replay = replay
        self.rules = experiment.ruleset
        self.cards: Mapping[str, Mapping[str, Any]] = experiment.ruleset["cards"]
        self.seats = experiment.seats
        self.merch: dict[int | None, int] = dict.fromkeys(range(self.seats), 0)
        self.holder: int | None = None
        self.up: int | None = None
        events = list(replay.events)
        start = next((i for i, event in enumerate(events) if event.what == "first"), len(events) - 1) + 1
        self.opening, self.rest = events[:start], events[start:]
        self._tellers: dict[str, Callable[[Event], str]] = {
            "missed": lambda e: f"{self.who(e.seat, start=True)} pays a missed turn.",
            "renew": lambda e: f"The discard pile is shuffled into a new pick-up pile of {e.of} cards.",
            "draw": lambda e: f"Picks up {self.card(e.kind)}.",
            "display": lambda e: "Displays Read in its Read slot.",
            "empty": lambda e: "There is nothing left to pick up.",
            "passed": lambda e: "Has no card to put down.",
            "escape": lambda e: "Escapes, and the game ends.",
            "stay": lambda e: "Could escape, but stays.",
            "discard": lambda e: f"Discards {self.card(e.kind)}.",
            "table": lambda e: f"Tables {self.card(e.kind)}.",
            "play": self._play,
            "take": lambda e: f"Chooses {self.card(e.kind)}.",
            "stop": lambda e: "Tables no more.",
            "pass": lambda e: f"{self.who(e.seat, start=True)} could react, but lets it happen.",
            "react": lambda e: f"{self.who(e.seat, start=True)} reacts with {self.card(e.kind)}.",
            "picked": self._picked,
            "found": lambda e: f"Tables {self.card(e.kind)} from the {_PILES[e.choice]} pile.",
            "not_found": lambda e: "Finds none.",
            "cancelled": lambda e: f"{self.card(e.kind)} is cancelled and does nothing.",
            "moved_read": lambda e: f"Read moves from {self.who(e.seat)} to {self.who(e.target)}.",
            "moved": lambda e: (
                f"{self.card(e.kind)} moves from the table of {self.who(e.seat)} to that of {self.who(e.target)}."
            ),
            "returned": lambda e: f"{self.card(e.kind)} goes from the table of {self.who(e.seat)} back to its hand.",
            "moved_protect": lambda e: (
                f"The protection of {self.card(e.kind)} goes from {self.who(e.seat)} to {self.who(e.target)}."
            ),
            "swapped": lambda e: f"(The experiment turns this card into {self.card(e.kind)}.)",
        }

    def who(self, seat: int | None, *, start: bool = False) -> str:
        if seat is None:
            return "nobody"
        return f"{'Seat' if start else 'seat'} {seat} ({self.replay.lineup[seat]})"

    def card(self, kind: str | None) -> str:
        if kind is None:
            return "a card"
        card = self.cards[kind]
        return f"{card['name']} (${card['value']:,})" if card["type"] == "merch" else str(card["name"])

    def deal(self) -> Iterator[str]:
        hands: dict[int | None, list[str]] = {seat: [] for seat in range(self.seats)}
        for event in self.opening:
            if event.what in {"deal", "draw"}:
                hands[event.seat].append(self.card(event.kind))
        for seat, hand in hands.items():
            yield f"  {self.who(seat, start=True)} is dealt {', '.join(hand) or 'nothing'}."
        for event in self.opening:
            if event.what == "display":
                self.holder = event.seat
                yield f"  {self.who(event.seat, start=True)} displays Read, and so plays first."
            elif event.what == "swapped":
                yield f"  (The experiment turned one card of {self.who(event.seat)} into {self.card(event.kind)}.)"
            elif event.what == "first" and self.holder is None:
                yield f"  {self.who(event.seat, start=True)} plays first, by chance."

    def tell(self, event: Event) -> Iterator[str]:
        if event.what == "end":
            return
        if event.what == "turn":
            yield ""
            yield self._turn(event)
            return
        if event.what == "missed":
            yield ""
            yield self._tellers["missed"](event)
            self.up = event.seat
            return
        self._keep(event)
        yield f"  {self._tellers[event.what](event)}"

    def _turn(self, event: Event) -> str:
        again = ", once more" if self.up == event.seat else ""
        self.up = event.seat
        has = f"${self.merch[event.seat]:,} tabled" + (", displays Read" if self.holder == event.seat else "")
        return f"Turn {event.turn}, round {-(-event.turn // self.seats)}: {self.who(event.seat)}{again}, {has}"

    def _keep(self, event: Event) -> None:
        """Follow what lies on the tables and who displays Read."""
        value = self.cards[event.kind].get("value", 0) if event.kind else 0
        if event.what in {"table", "found"}:
            self.merch[event.seat] += value
        elif event.what in {"moved", "returned"}:
            self.merch[event.seat] -= value
            if event.what == "moved":
                self.merch[event.target] += value
        elif event.what == "display":
            self.holder = event.seat
        elif event.what == "moved_read":
            self.holder = event.target

    def _play(self, event: Event) -> str:
        primitive = self.cards[event.kind or ""]["primitive"]
        text = f"Plays {self.card(event.kind)}"
        if primitive == "take_read":
            text += f" against {self.who(self.holder)}"
        elif event.target is not None:
            text += f" against {self.who(event.target)}"
        if primitive == "steal_protect":
            text += f", to move the protection of its {self.card(event.choice)} beneath the own {self.card(event.own)}"
        elif primitive == "protect_merch":
            text += f" and keeps it beneath its {self.card(event.choice)}"
        elif primitive == "protect_hand":
            text += f" over {self.card(event.choice)} in its hand"
        elif event.choice is not None:
            text += f", for {self.card(event.choice)}"
        extra = {"extra_turn": ", for one more turn after this one", "skip_turn": ", who is to miss a turn"}
        return f"{text}{extra.get(primitive, '')}."

    def _picked(self, event: Event) -> str:
        where = "is discarded" if event.target is None else f"goes to {self.who(event.target)}"
        return f"By chance {self.card(event.kind)} leaves the hand of {self.who(event.seat)} and {where}."

    def end(self) -> Iterator[str]:
        row = self.replay.row
        if row is None:
            yield "Here the strategy failed."
            return
        limit, seats = self.rules["max_rounds"], self.seats
        yield {
            "escape": f"The end: {self.who(row['escaper'])} escaped in turn {row['turns']}.",
            "turn_cap": f"The end: stopped at the limit of {limit} rounds, {limit * seats} turns.",
            "deadlock": f"The end: deadlock in turn {row['turns']}, nobody can move any more.",
        }[row["end"]]
        for seat in range(seats):
            points, merch = row["score"][seat], row["merch"][seat]
            read = f", Read {points - merch:,}" if self.holder == seat else ""
            won = row["won"][seat]
            verdict = " Wins." if won == 1 else " Ties at the top." if won > 0 else ""
            yield f"  {self.who(seat, start=True)}: Merch {merch:,}{read}: {points:,} points.{verdict}"
        if row["winner"] == -1:
            yield "  Nobody wins a game that did not end."
        if self.replay.checked:
            yield "  As recorded."
        else:
            yield "  (The run does not hold this game, or not yet, so it could not be compared.)"
