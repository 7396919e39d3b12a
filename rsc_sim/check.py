"""The rule-change gate: plays what is compared and gives one of three honest answers.

Two levels. *Exact*: the same rules on the same streams must give the same games, to the last byte. Where they do not,
the games say where they part first and how many are touched at all. *Statistical*: both sides on the same deals, block
by block, until every watched figure is known to lie within its margin or beyond it (`sequential.Gate`), or the games
run out. Which games are played depends on the question alone, and so does the answer: never on jobs, backend or cuts.

What a baseline is stands in `baseline`, what is watched in `metrics`; how an answer looks in `present_check`.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rsc_sim.baseline import Baseline, Golden, is_experiment
from rsc_sim.check_result import CheckResult, Divergence, Judged
from rsc_sim.errors import EnvironmentFailure, InputError
from rsc_sim.experiment import Experiment, Margins, ResolvedExperiment, bundled
from rsc_sim.jobs import ProcessesLost, Rows, Stop
from rsc_sim.metrics import BlockMetrics, Columns, Metric, blocks_of_games, watched
from rsc_sim.pairing import paired
from rsc_sim.plan import LEAF_BLOCKS
from rsc_sim.ruleset import Difference, describe_diff
from rsc_sim.sequential import FIRST_LOOK, Gate, Sums
from rsc_sim.store import outcome_digest
from rsc_sim.tables import play_tables, spans

if TYPE_CHECKING:
    from rsc_sim.engine import Tallies
    from rsc_sim.narrate import Replay
    from rsc_sim.ruleset import Ruleset

__all__ = ["MAX_GAMES", "CheckResult", "Divergence", "Judged", "Progress", "check", "find_candidate"]

MAX_GAMES = 1_000_000
"""Games a side at which an undecided check gives up, unless told otherwise."""

_TALLIED_BLOCKS = 256
"""Blocks in a span where cards are watched: their tallies take some 60 kB a block."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Progress:
    """Tell how far a check is."""

    n_games: int
    """Games played so far, both sides."""
    most: int
    """Games at which it ends at the latest."""
    decided: int
    figures: int
    seconds: float


def find_candidate(
    baseline: Baseline, candidate: str | None, settings: Sequence[str] = ()
) -> tuple[ResolvedExperiment, str]:
    """Find what is compared with a baseline, and what to call it: a ruleset, an experiment, a run, or what is now.

    Without a candidate it is, for a reference folder that bears the name of a bundled experiment, that experiment as it
    stands now; for anything else the baseline's own rules, played by the code as it is now. `settings` (`KEY=VALUE`)
    come on top. Raises `InputError` where the two cannot be compared, with what differs.
    """
    from rsc_sim.ruleset import Ruleset

    there = baseline.experiment
    name = candidate or "rules and code as they are now"
    if candidate is None and baseline.kind == "reference" and there.name in bundled():
        rules = _rules_of(baseline, Experiment.load(there.name).resolve(), f"experiment {there.name!r} as it is now")
    elif candidate is None:
        rules = Ruleset.from_dict(there.ruleset)
    elif Path(candidate).is_dir():
        from rsc_sim.run import Run

        rules = _rules_of(baseline, Run.open(candidate).experiment, candidate)
    elif candidate in bundled() or is_experiment(Path(candidate)):
        described = Experiment.load(candidate if candidate in bundled() else Path(candidate))
        rules = _rules_of(baseline, described.resolve(), candidate)
    else:
        rules = Ruleset.booklet() if candidate == "booklet" else Ruleset.load(candidate)
    if settings:
        rules = rules.override_text([setting.strip().removeprefix("rules.") for setting in settings])
        name = ", ".join(([candidate] if candidate else []) + list(settings))
    return _with_rules(there, rules), name


def _rules_of(baseline: Baseline, other: ResolvedExperiment, what: str) -> Ruleset:
    """Take the rules of an experiment that sits the same strategies at the same table, or say what differs."""
    from rsc_sim.ruleset import Ruleset

    there = baseline.experiment
    if other.lineup != there.lineup:
        raise InputError(
            f"{what}: played by {', '.join(other.lineup)}, but {baseline.name} by {', '.join(there.lineup)}; a check "
            "compares rules, with the same strategies in the same seats: compare with a baseline of that lineup, or "
            f"renew this one with rsc check {baseline.name} --accept"
        )
    return Ruleset.from_dict(other.ruleset)


def _with_rules(there: ResolvedExperiment, rules: Ruleset) -> ResolvedExperiment:
    """Play the baseline's experiment by other rules, or by the same ones with strategies as they are now."""
    from rsc_sim.experiment import Intervention

    forced = there.intervention
    try:
        now = ResolvedExperiment.of(
            rules,
            there.lineup,
            name=there.name,
            description=there.description,
            games=there.games_asked,
            seed=there.seed,
            intervention=None if forced is None else Intervention(seat=forced[0], card=forced[1], kind=forced[2]),
            deal_order=there.deal_order if rules.to_dict()["cards"] == there.ruleset["cards"] else None,
        )
    except InputError as error:
        raise InputError(f"{error}\n     the baseline was played by {', '.join(there.lineup)}") from None
    return replace(now, n_blocks=there.n_blocks, games_asked=there.games_asked)


# ---- the check


def check(
    baseline: Baseline,
    candidate: ResolvedExperiment,
    *,
    name: str = "candidate",
    margins: Margins | None = None,
    max_games: int = MAX_GAMES,
    full: bool = False,
    jobs: int | None = None,
    backend: str = "auto",
    on_progress: Callable[[Progress], None] | None = None,
) -> CheckResult:
    """Compare a candidate with a baseline and give the answer; see the module's head for how.

    `margins` say how much does not matter, the experiment's own unless given. `max_games` are games a side. With `full`
    the exact level takes all of the baseline's games and not the first 50,000. A candidate with another seed is played
    on deals of its own, which shows what chance alone does.

    Raises `InputError`, `StrategyError`, `EnvironmentFailure`, and `Interrupted` on Ctrl-C.
    """
    from rsc_sim.engine import Cancelled
    from rsc_sim.runner import available_jobs

    started = time.monotonic()
    there = baseline.experiment
    if candidate.lineup != there.lineup:
        raise InputError("candidate: expected the baseline's lineup; see find_candidate")
    margins = margins if margins is not None else there.margins
    with Stop() as stop:
        players = _Players(jobs or available_jobs(), backend, stop, on_progress, started)
        try:
            result = _check(baseline, candidate, players, name=name, margins=margins, max_games=max_games, full=full)
        except (Cancelled, KeyboardInterrupt):
            raise stop.interruption(
                "interrupted before there was an answer; a check keeps nothing, run it again"
            ) from None
        except ProcessesLost as error:
            raise EnvironmentFailure(str(error)) from None
    return replace(result, seconds=time.monotonic() - started)


@dataclass(frozen=True)
class _Players:
    """Who plays, and who is told."""

    jobs: int
    backend: str
    stop: Stop
    on_progress: Callable[[Progress], None] | None
    started: float

    def fresh(self) -> Stop:
        """Give the flag for another round of play: closing the one before set it, or a signal did."""
        from rsc_sim.engine import Cancelled

        if self.stop.asked:
            raise Cancelled("stopped on request")
        self.stop.cancel[0] = 0
        return self.stop

    def tell(self, games: int, most: int, gate: Gate) -> None:
        if self.on_progress is not None:
            decided = sum(verdict != "undecided" for verdict in gate.verdicts)
            seconds = time.monotonic() - self.started
            self.on_progress(Progress(games, most, decided, len(gate.verdicts), seconds))


def _check(
    baseline: Baseline,
    candidate: ResolvedExperiment,
    players: _Players,
    *,
    name: str,
    margins: Margins,
    max_games: int,
    full: bool,
) -> CheckResult:
    there = baseline.experiment
    differences = _rule_differences(there, candidate)
    same_rules = not any(difference.affects_play for difference in differences)
    same_deals = candidate.seed == there.seed
    notes = _strategy_notes(there, candidate)
    answer = CheckResult(
        verdict="unchanged",
        level="exact",
        baseline=baseline.name,
        candidate=name,
        experiment=there,
        changes=tuple(describe_diff(differences)),
        compared=0,
        differing=0,
        first_difference=None,
        divergence=None,
        golden=None,
        judged=(),
        trail=(),
        n_blocks=0,
        rotations=there.rotations,
        seconds=0.0,
        wanted=watched(there, margins),
    )
    if baseline.kind != "rules":
        n_blocks, digest = baseline.digest_of(full=full)
        sound = _digest(there, n_blocks, players) == digest
        if same_rules and same_deals and sound:
            return replace(answer, compared=n_blocks * there.rotations, notes=tuple(notes))
        if same_rules and same_deals:
            return _against_stored(baseline, candidate, players, answer=answer, max_games=max_games, notes=notes)
        if not sound:
            notes.append(
                "The code has changed since the baseline was played: by its own rules it no longer gives the same "
                "games. Both sides are played by the code as it is now, so only the change of rules shows."
            )
    elif same_rules and same_deals:
        notes.append("The rules are the same, and so is every game: there was nothing to play.")
        return replace(answer, notes=tuple(notes))
    return _against_played(
        there, candidate, players, answer=answer, max_games=max_games, notes=notes, shared=same_deals
    )


def _rule_differences(there: ResolvedExperiment, candidate: ResolvedExperiment) -> list[Difference]:
    from rsc_sim.ruleset import Ruleset

    return Ruleset.from_dict(there.ruleset).diff(Ruleset.from_dict(candidate.ruleset))


def _strategy_notes(there: ResolvedExperiment, candidate: ResolvedExperiment) -> list[str]:
    return [
        f"Strategy {before.spec} is not as it was: {dict(before.parameters)} there, {dict(now.parameters)} now."
        for before, now in zip(there.strategies, candidate.strategies, strict=True)
        if before != now
    ]


# ---- the exact level


def _leaf(rows: Rows, rotations: int) -> str:
    return hashlib.sha256(rows.tobytes()).hexdigest()


def _digest(experiment: ResolvedExperiment, n_blocks: int, players: _Players) -> str:
    """Play the first blocks by the code as it is now and digest them as a run does."""
    playing = play_tables(
        [experiment], _leaf, over=spans(0, n_blocks), jobs=players.jobs, stop=players.fresh(), backend=players.backend
    )
    with closing(playing):
        return outcome_digest([leaf for span in playing for leaf in span.results])


def _courses(games: Columns) -> npt.NDArray[np.uint64]:
    """Tell courses of games apart by one number each.

    The trace hashes moves and cards, not who drew them, so that a draw which moves from one seat to the next can leave
    it as it was where the pile runs out; turns and the seat that plays first part those games as well.
    """
    turns = games["turns"].astype(np.uint64) * np.uint64(8) + games["first_seat"].astype(np.uint64)
    return np.asarray(games["trace"] ^ (turns * np.uint64(0x9E3779B97F4A7C15)))


@dataclass(frozen=True)
class _Look:
    """The reducer of a check: watched figures by block, and each game's course."""

    metrics: BlockMetrics

    def __call__(
        self, rows: Rows, rotations: int, tallies: Tallies | None = None
    ) -> tuple[Numbers, npt.NDArray[np.uint64]]:
        columns: Any = rows
        return self.metrics(columns, rotations, tallies), _courses(columns)


def _against_stored(
    baseline: Baseline,
    candidate: ResolvedExperiment,
    players: _Players,
    *,
    answer: CheckResult,
    max_games: int,
    notes: list[str],
) -> CheckResult:
    """Compare with games that other code has played, of which only what was kept is known."""
    there, r = baseline.experiment, answer.rotations
    games = baseline.games()
    traces = _courses({name: games[name].to_numpy() for name in ("trace", "turns", "first_seat")})
    stored = blocks_of_games(games, there)
    most = min(len(stored), max(1, max_games // r))
    figures_kept = tuple(metric for metric in answer.wanted if not metric.key.startswith("card."))
    if len(figures_kept) < len(answer.wanted):
        notes.append("What cards do cannot be compared: the baseline keeps no opening hands.")
    comparison = _Comparison(figures_kept, most)
    playing = play_tables(
        [candidate], _Look(BlockMetrics.of(there)), over=spans(0, most), jobs=players.jobs, stop=players.fresh(),
        backend=players.backend,
    )  # fmt: skip
    with closing(playing):
        for span in playing:
            ((figures, now),) = span.results
            first, end = span.first_block, span.first_block + span.n_blocks
            comparison.compare(traces[first * r : end * r], now)
            players.tell(end * r, most * r, comparison.gate)
            if comparison.add(stored[first:end], figures):
                break
    golden = baseline.golden()
    differing = [(game, parted) for game in golden if (parted := _golden_parts(game, candidate)) is not None]
    notes.insert(
        0,
        f"The baseline was played by other code (rsc-sim {baseline.manifest['versions']['rsc_sim']}); its games cannot "
        f"be played again, only what it kept of {len(traces):,} of them can be compared.",
    )
    if most == len(stored) and comparison.gate.verdict == "undecided" and most * r < max_games:
        notes.append("The baseline keeps no more games; check against a run directory of the old code to learn more.")
    if not comparison.differing:
        notes.append(
            "No game that was compared took another course: what changed shows in the scores, or in later games."
        )
    return replace(
        comparison.fill(answer),
        golden=(len(golden), len(differing)) if golden else None,
        divergence=differing[0][1] if differing else None,
        notes=tuple(notes),
    )


def _golden_parts(golden: Golden, experiment: ResolvedExperiment) -> Divergence | None:
    """Play a golden game again and say where it parts from what was kept."""
    from rsc_sim.engine import Event
    from rsc_sim.narrate import Replay, first_difference, play_again

    now = play_again(experiment, golden.game)
    events = [Event._make((*event, 0, 0)) for event in golden.events]
    kept = Replay(golden.game, now.block, now.rotation, golden.lineup, events, None, False)
    parted = first_difference(kept, now, experiment, experiment)
    return None if parted is None else Divergence(golden.game, *parted)


# ---- the statistical level


class _Comparison:
    """Gather what two sides came to, block by block."""

    def __init__(self, metrics: Sequence[Metric], most: int) -> None:
        self._metrics = metrics
        self._most = most
        self._scales: Numbers | None = None
        self._waiting: list[tuple[Numbers, Numbers]] = []
        self._n_waiting = 0
        self._sides = Sums.empty(2 * len(metrics))
        self._products = Sums.empty(len(metrics))
        self.compared = self.differing = 0
        self.first: int | None = None
        margins = [metric.margin for metric in metrics]
        self.gate = Gate(margins, bound=[metric.bound for metric in metrics], most=most)

    def compare(self, baseline: npt.NDArray[np.uint64], candidate: npt.NDArray[np.uint64]) -> None:
        """Take the courses of the next games of both sides."""
        differ = np.flatnonzero(baseline != candidate)
        if self.first is None and len(differ):
            self.first = self.compared + int(differ[0])
        self.compared += len(baseline)
        self.differing += len(differ)

    def add(self, baseline: Numbers, candidate: Numbers) -> bool:
        """Take the figures of the next blocks of both sides; True once nothing more is to be played."""
        self._waiting.append((baseline, candidate))
        self._n_waiting += len(baseline)
        if self._scales is None:
            if self._n_waiting < min(FIRST_LOOK, self._most):
                return False
            self._set_scales()
        assert self._scales is not None
        done = False
        for before, now in self._waiting:
            seen = self.gate.sums.n
            done = self.gate.add((now - before) / self._scales)
            taken = self.gate.sums.n - seen
            self._sides = self._sides.add(np.hstack([before[:taken], now[:taken]]))
            self._products = self._products.add(before[:taken] * now[:taken])
            if done:
                break
        self._waiting.clear()
        return done

    def _set_scales(self) -> None:
        """Fix the unit of relative margins: the baseline's mean over the blocks of the first look, 1 for the others.

        Known to about 1 %, so a margin of 2 % is one of 1.98 to 2.02 %.
        """
        first = np.vstack([before for before, _ in self._waiting])[:FIRST_LOOK]
        self._scales = np.array(
            [max(first[:, i].mean(), 1e-9) if metric.relative else 1.0 for i, metric in enumerate(self._metrics)]
        )
        bound = np.array([metric.bound for metric in self._metrics]) / self._scales
        self.gate = Gate([metric.margin for metric in self._metrics], bound=bound, most=self._most)

    def fill(self, answer: CheckResult) -> CheckResult:
        """Give the answer that follows."""
        gate, scales = self.gate, self._scales if self._scales is not None else np.ones(len(self._metrics))
        before, now = np.split(self._sides.mean, 2)
        squares = np.split(self._sides.squares / max(gate.sums.n, 1), 2)
        variances = [np.maximum(0.0, square - mean**2) for square, mean in zip(squares, (before, now), strict=True)]
        covariance = self._products.mean - before * now
        last = gate.trail[-1] if gate.trail else None
        judged = []
        for i, metric in enumerate(self._metrics):
            apart = variances[0][i] + variances[1][i]
            together = apart - 2 * covariance[i]
            spread = float(np.sqrt(variances[0][i] * variances[1][i]))
            judged.append(
                Judged(
                    metric=metric,
                    baseline=float(before[i]),
                    candidate=float(now[i]),
                    difference=float(now[i] - before[i]),
                    low=float(last.low[i] * scales[i]) if last else -np.inf,
                    high=float(last.high[i] * scales[i]) if last else np.inf,
                    margin=float(metric.margin * scales[i]),
                    verdict=gate.verdicts[i],
                    correlation=float(covariance[i]) / spread if spread > 0 else float("nan"),
                    worth=float(apart / together) if together > 1e-12 else float("inf") if apart > 0 else float("nan"),
                )
            )
        return replace(
            answer,
            verdict=gate.verdict,
            level="statistical",
            judged=tuple(judged),
            trail=tuple(gate.trail),
            n_blocks=gate.sums.n,
            compared=self.compared,
            differing=self.differing,
            first_difference=self.first,
        )


def _against_played(
    there: ResolvedExperiment,
    candidate: ResolvedExperiment,
    players: _Players,
    *,
    answer: CheckResult,
    max_games: int,
    notes: list[str],
    shared: bool,
) -> CheckResult:
    """Play both sides, on shared deals unless the seeds differ."""
    sides = paired([there, candidate])
    r = answer.rotations
    most = max(1, max_games // r)
    comparison = _Comparison(answer.wanted, most)
    cards = [metric.key.removeprefix("card.") for metric in answer.wanted if metric.key.startswith("card.")]
    playing = play_tables(
        sides,
        [_Look(BlockMetrics.of(side, cards)) for side in sides],
        over=spans(0, most, size=_TALLIED_BLOCKS) if cards else _growing_spans(most),
        jobs=players.jobs,
        stop=players.fresh(),
        backend=players.backend,
        tallied=bool(cards),
    )
    with closing(playing):
        for span in playing:
            (before, traces), (now, changed) = span.results
            if shared:
                comparison.compare(traces, changed)
            games = (span.first_block + span.n_blocks) * r
            players.tell(2 * games, 2 * most * r, comparison.gate)
            if comparison.add(before, now):
                break
    if not shared:
        notes.append(f"Each side was played on deals of its own: seed {there.seed} and seed {candidate.seed}.")
    elif not comparison.differing:
        notes.append(
            f"The change touches no game: all {comparison.compared:,} that were played twice took the same course, "
            "move by move."
        )
    result = comparison.fill(answer)
    if comparison.first is None:
        return replace(result, notes=tuple(notes))
    return replace(result, divergence=_divergence(comparison.first, sides), notes=tuple(notes))


def _growing_spans(most: int) -> list[tuple[int, int]]:
    """Cut the blocks so that the first look comes soon: 500 blocks at a time for the first leaf, then whole leaves."""
    first = min(most, LEAF_BLOCKS)
    return spans(0, first, size=500) + spans(first, most - first)


def _divergence(game: int, sides: Sequence[ResolvedExperiment]) -> Divergence | None:
    from rsc_sim.narrate import first_difference, play_again

    replays: list[Replay] = [play_again(side, game) for side in sides]
    parted = first_difference(replays[0], replays[1], sides[0], sides[1])
    return None if parted is None else Divergence(game, *parted)
