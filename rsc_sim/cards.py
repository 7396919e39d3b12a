"""What each card does: plays an experiment, plays on from sampled cards with every other kind in their place, and plays
it with a copy more and a copy less of each kind.

`study_cards` plans, has it played, hands the sums to analysis and writes the directory of a study. Batches of blocks
are the pieces that are handed out, and their sums are added up in order, so that a study comes out the same on any
number of jobs and on threads or processes. What the figures mean is analysis' matter, how they look `present_cards`'.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rsc_sim.analysis.cards import CardImpact, card_impact
from rsc_sim.analysis.causal import (
    FIGURES,
    CardEffect,
    ImpactSums,
    Seen,
    band_names,
    card_effects,
    opening_effects,
    seen_edges,
)
from rsc_sim.analysis.copies import CopyEffect, copy_effects
from rsc_sim.analysis.disagreement import Disagreement, disagreements
from rsc_sim.errors import InputError
from rsc_sim.experiment import ResolvedExperiment
from rsc_sim.jobs import Blocks, Rows, Table, backend_for, done
from rsc_sim.pairing import paired
from rsc_sim.plan import plan_batches
from rsc_sim.recorded import TABLES
from rsc_sim.ruleset import Ruleset
from rsc_sim.runner import available_jobs, play
from rsc_sim.study import OnProgress, stoppable, write_study
from rsc_sim.tables import play_tables, spans

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FORMAT", "MOMENTS", "WHAT", "CardStudy", "impact_sums", "study_cards"]

WHAT = "cards"
"""What is studied, in messages."""
FORMAT = 1
"""Version of `cards.json` and `impact.parquet`."""
MOMENTS = 2.2
"""Moments a game: enough that the games they begin from cost next to nothing, few enough to be of many deals."""
SHARES_OF_BANDS = (0.8, 0.8, 1.4)
"""How moments are spread over the bands of n: games that are played on from late cards are short, and differ most."""
LONG = 40
"""Rounds from on which a game counts as so long, that a few endless ones do not make all the difference."""
PILOT_BLOCKS = 64
"""Blocks from which is taken how many cards each strategy sees in each band."""
TASK_BLOCKS = 64
"""Blocks that a task plays on from at least, where there are so many: 0.1 to 0.5 s of work."""
COPIES_GAMES = 20_000
"""Games that are played at most with each deck that has a copy more or a copy less."""


@dataclass(frozen=True)
class CardStudy:
    """What a study found."""

    experiment: ResolvedExperiment
    sums: ImpactSums
    observational: tuple[CardImpact, ...]
    """Win rates of the same games by card, as a run gives them, with how often copies are played and left."""
    copies: tuple[CopyEffect, ...]
    """What a copy more, and a copy less, of each kind changes; empty where that was not asked for."""
    copies_games: int
    """Games that were played with each deck for that."""
    path: Path | None = None

    @cached_property
    def effects(self) -> tuple[CardEffect, ...]:
        """What having each kind instead of an average card changes."""
        return card_effects(self.sums)

    @cached_property
    def by_strategy(self) -> tuple[CardEffect, ...]:
        """The same for each strategy's seats."""
        return card_effects(self.sums, by_strategy=True)

    @cached_property
    def by_band(self) -> tuple[CardEffect, ...]:
        """The same by the number of the card."""
        return card_effects(self.sums, by_band=True)

    @cached_property
    def opening(self) -> tuple[CardEffect, ...]:
        """The same for dealt cards, from the deal alone."""
        return opening_effects(self.sums)

    @cached_property
    def seen(self) -> tuple[Seen, ...]:
        """What goes with each kind."""
        return seen_edges(self.sums)

    @cached_property
    def disagreements(self) -> tuple[Disagreement, ...]:
        """Where what goes with a kind is not what it does."""
        return disagreements(self.effects, card_effects(self.sums, drawn=True), self.seen)

    @property
    def n_moments(self) -> int:
        """Moments that games were played on from."""
        return int(self.sums.counts[..., 1].sum())

    @property
    def n_played_on(self) -> int:
        """Games that were played on from them."""
        return int(self.sums.counts[..., 2].sum())

    def to_dict(self) -> dict[str, Any]:
        """Give what `cards.json` holds (docs/contracts.md)."""
        cards = self.experiment.ruleset["cards"]
        flags = {flag.kind: flag for flag in self.disagreements}
        kinds = []
        for k, kind in enumerate(self.sums.kinds):
            card = cards[kind]
            kinds.append(
                {
                    "kind": kind,
                    "name": card["name"],
                    "type": card["type"],
                    "copies": card["copies"],
                    "causal": self.effects[k].to_dict(),
                    "by_strategy": [effect.to_dict() for effect in self.by_strategy if effect.kind == kind],
                    "by_n": [effect.to_dict() for effect in self.by_band if effect.kind == kind],
                    "opening": self.opening[k].to_dict(),
                    "seen": self.seen[k].to_dict(),
                    "observational": self.observational[k].to_dict(),
                    "disagreement": flags[kind].to_dict() if kind in flags else None,
                }
            )
        return {
            "format": FORMAT,
            "experiment": self.experiment.to_dict(),
            "experiment_digest": self.experiment.digest,
            "bands": list(band_names(self.sums.bands)),
            "long_game_rounds": LONG,
            "n_moments": self.n_moments,
            "n_played_on": self.n_played_on,
            "copies_games": self.copies_games,
            "kinds": kinds,
            "copies": [effect.to_dict() for effect in self.copies],
        }

    def frame(self) -> pl.DataFrame:
        """Give what `impact.parquet` holds: a row a kind, strategy, band, source and figure (docs/contracts.md)."""
        import polars as pl

        rows = []
        for source, effects in (
            ("causal", (*self.effects, *self.by_strategy, *self.by_band)),
            ("opening", self.opening),
        ):
            for effect in effects:
                for figure in FIGURES:
                    estimate = getattr(effect, figure)
                    p = (effect.p, effect.p_adjusted) if figure == "won" else (None, None)
                    rows.append((effect.kind, effect.strategy, effect.band, source, figure, estimate, *p))
        for seen in self.seen:
            rows.append((seen.kind, None, None, "in_hand", "won", seen.edge, None, None))
            rows.append((seen.kind, None, None, "drawn", "won", seen.drawn, None, None))
        return pl.DataFrame(
            [
                (kind, strategy, band, source, figure, e.value, e.low, e.high, p, q)
                for kind, strategy, band, source, figure, e, p, q in rows
            ],
            schema={
                "kind": pl.Enum(list(self.sums.kinds)),
                "strategy": pl.String,
                "n": pl.String,
                "source": pl.Enum(["causal", "opening", "in_hand", "drawn"]),
                "figure": pl.Enum(list(FIGURES)),
                "value": pl.Float64,
                "low": pl.Float64,
                "high": pl.Float64,
                "p": pl.Float64,
                "p_adjusted": pl.Float64,
            },
            orient="row",
        ).fill_nan(None)

    def write(self, folder: Path) -> None:
        """Write `impact.parquet` and `cards.json`, the last one last."""
        folder.mkdir(parents=True, exist_ok=True)
        self.frame().write_parquet(folder / "impact.parquet")
        write_study(folder / "cards.json", self.to_dict())


def study_cards(
    experiment: ResolvedExperiment,
    *,
    jobs: int | None = None,
    backend: str = "auto",
    copies: bool = True,
    on_progress: OnProgress | None = None,
) -> CardStudy:
    """Play and work out what each card of an experiment does.

    With `copies` false decks with a copy more and a copy less are left out. Neither `jobs` nor `backend` change what
    comes out. Raises `InputError` for an experiment with an intervention of its own, `Interrupted`, `StrategyError`
    and `EnvironmentFailure`.
    """
    if experiment.intervention is not None:
        raise InputError("intervention: this experiment forces a card already; `rsc cards` forces all of them in turn")
    experiment = replace(experiment, precision=None, record=TABLES)  # it has questions and tallies of its own
    jobs = jobs or available_jobs()
    tell = on_progress or (lambda _done, _of, _what: None)
    tell(0, 1, "games left alone")
    with stoppable(WHAT, experiment):
        observed = card_impact(play(experiment, jobs=jobs, backend=backend).cards)
    n_games = min(experiment.n_games, COPIES_GAMES) if copies else 0
    sums = impact_sums(experiment, jobs=jobs, backend=backend, on_progress=tell)
    changed = _play_copies(experiment, n_games, jobs, backend, tell) if copies else ()
    return CardStudy(experiment, sums, observed, changed, n_games)


# ---- playing on


@dataclass(frozen=True)
class _PlayOn(Blocks):
    """The task of playing on from the cards picked in some blocks; gives what came of each of their batches."""

    batches: tuple[tuple[int, int], ...]
    chances: npt.NDArray[np.float64]
    bands: tuple[int, ...]
    turn_limit: int

    def __call__(self, cancel: bytearray | None) -> list[dict[str, Any]]:
        from rsc_sim.engine.impact import play_impact

        how = {"chances": self.chances, "bands": self.bands, "turn_limit": self.turn_limit}
        return [self.table.ask(play_impact, first, n, cancel, **how) for first, n in self.batches]


def impact_sums(
    experiment: ResolvedExperiment,
    *,
    moments: float = MOMENTS,
    jobs: int | None = None,
    backend: str = "auto",
    on_progress: OnProgress | None = None,
) -> ImpactSums:
    """Play an experiment and on from so many `moments` a game, and add up what came of it in the order of the batches.

    More moments a game narrow the ranges of what cards change as more games do, for less; what is seen to go with cards
    is left as it is.
    """
    jobs = jobs or available_jobs()
    table = Table.of(experiment)
    hand = int(experiment.ruleset["hand_size"])
    bands = (max(hand, 1), max(hand, 1) + max(hand, 1))
    shape = (len(experiment.strategies), len(bands) + 1)
    n_pilot = min(PILOT_BLOCKS, experiment.n_blocks)
    pilot = _PlayOn(table, 0, n_pilot, ((0, n_pilot),), np.zeros(shape), bands, LONG * experiment.seats)
    chosen = backend_for(experiment, backend)
    with stoppable(WHAT, experiment) as stop, closing(done([pilot], jobs, stop, backend=chosen)) as results:
        ((_, (counted,)),) = list(results)
    cards = counted["counts"][..., 0] / n_pilot
    a_block = moments * experiment.rotations / shape[0] * np.array(SHARES_OF_BANDS) / sum(SHARES_OF_BANDS)
    chances = np.minimum(1.0, np.divide(a_block, cards, out=np.ones(shape), where=cards > 0))
    tasks = [
        replace(pilot, first_block=some[0][0], n_blocks=sum(n for _, n in some), batches=tuple(some), chances=chances)
        for some in _together(plan_batches(experiment.n_blocks))
    ]
    there: dict[int, list[dict[str, Any]]] = {}
    pairs: npt.NDArray[np.float64] = np.zeros_like(counted["pairs"])
    kept: dict[str, list[Any]] = {"sums": [], "counts": [], "seen": [], "dealt": []}
    n_taken = 0
    with stoppable(WHAT, experiment) as stop, closing(done(tasks, jobs, stop, backend=chosen)) as results:
        for n_done, (number, result) in enumerate(results, 1):
            there[number] = result
            if on_progress:
                on_progress(n_done, len(tasks), "games played on")
            while n_taken in there:
                for batch in there.pop(n_taken):
                    pairs += batch["pairs"]
                    for name, parts in kept.items():
                        parts.append(batch[name])
                n_taken += 1
    cards_of = experiment.ruleset["cards"]
    return ImpactSums(
        kinds=tuple(cards_of),
        copies=tuple(card["copies"] for card in cards_of.values()),
        strategies=tuple(strategy.spec for strategy in experiment.strategies),
        bands=bands,
        pairs=pairs,
        **{name: np.stack(parts) for name, parts in kept.items()},
    )


def _together(batches: Sequence[tuple[int, int]]) -> Iterator[Sequence[tuple[int, int]]]:
    """Put batches of few blocks together, so that a task is worth handing out; sums are the batches' own either way."""
    size = max(1, TASK_BLOCKS // batches[0][1])
    for first in range(0, len(batches), size):
        yield batches[first : first + size]


# ---- a copy more, a copy less


@dataclass(frozen=True)
class _Figures:
    """What is kept of a block: the win share a seat of each strategy, the mean length, the share unfinished."""

    strategy_ids: tuple[int, ...]
    turn_limit: int

    def __call__(self, rows: Rows, rotations: int) -> npt.NDArray[np.float64]:
        n_blocks, seats = len(rows) // rotations, len(self.strategy_ids)
        seats_of = np.bincount(self.strategy_ids)
        found = np.zeros((n_blocks, len(seats_of) + 2))
        for seat in range(seats):
            won, who = rows[f"won_{seat}"].astype(np.float64), rows[f"strategy_{seat}"]
            for strategy in range(len(seats_of)):
                found[:, strategy] += np.where(who == strategy, won, 0).reshape(n_blocks, rotations).sum(axis=1)
        found[:, :-2] /= seats_of * rotations
        found[:, -2] = np.minimum(rows["turns"], self.turn_limit).reshape(n_blocks, rotations).mean(axis=1)
        found[:, -1] = (rows["end"] != 0).reshape(n_blocks, rotations).mean(axis=1)
        return found


def _play_copies(
    experiment: ResolvedExperiment, n_games: int, jobs: int, backend: str, tell: OnProgress
) -> tuple[CopyEffect, ...]:
    """Play each deck beside the experiment's own, on deals that agree but for the copy."""
    rules = Ruleset.from_dict(experiment.ruleset)
    n_blocks = -(-n_games // experiment.rotations)
    tables = [experiment]
    pairs: list[tuple[str, int, int, int]] = []  # kind, change, the deck as it is, the deck changed
    for kind, card in experiment.ruleset["cards"].items():
        for change in (1, -1):
            changed = _with_copies(experiment, rules, kind, card["copies"] + change)
            if changed is None:
                continue
            before, after = paired([experiment, changed])
            if before == experiment:
                pairs.append((kind, change, 0, len(tables)))
                tables.append(after)
            else:
                pairs.append((kind, change, len(tables), len(tables) + 1))
                tables += [before, after]
    reduce = _Figures(experiment.strategy_ids, LONG * experiment.seats)
    parts: list[list[Any]] = [[] for _ in tables]
    over = spans(0, n_blocks, size=max(64, min(1024, n_blocks // 4)))
    with (
        stoppable(WHAT, experiment) as stop,
        closing(play_tables(tables, reduce, over=over, jobs=jobs, stop=stop, backend=backend)) as playing,
    ):
        for number, span in enumerate(playing):
            tell(number + 1, len(over), "decks with a copy more or less")
            for mine, result in zip(parts, span.results, strict=True):
                mine.append(result)
    figures = [np.concatenate(mine) for mine in parts]
    names = (*(strategy.spec for strategy in experiment.strategies), "turns", "unfinished")
    differences = {(kind, change): figures[after] - figures[before] for kind, change, before, after in pairs}
    return copy_effects(differences, names)


def _with_copies(experiment: ResolvedExperiment, rules: Ruleset, kind: str, copies: int) -> ResolvedExperiment | None:
    """Give the experiment with another number of copies of a kind; None where there can be no such deck."""
    try:
        changed = rules.override({f"cards.{kind}.copies": copies})
        changed.check_seats(experiment.seats)
    except InputError:
        return None
    return replace(experiment, ruleset=changed.to_dict(), ruleset_digest=changed.digest, deal_order=None)
