"""Ratings of strategies from who won each table: the conditional logit, with place terms and intervals by block.

At a table the seat j wins with a probability in proportion to exp(rating of its strategy + term of its place). With two
seats that is Bradley and Terry's model; with more it is the first choice of Plackett and Luce's. It holds that the odds
of two strategies are the same whoever else is there; `fit_test` asks whether they are.

Sources: McFadden, D. (1974), Conditional logit analysis of qualitative choice behavior, in Frontiers in Econometrics,
105-142. Bradley, R. A. and Terry, M. E. (1952), Rank analysis of incomplete block designs, Biometrika 39, 324-345.
Plackett, R. L. (1975), The analysis of permutations, Appl. Stat. 24, 193-202. Luce, R. D. (1959), Individual Choice
Behavior. Hunter, D. R. (2004), MM algorithms for generalized Bradley-Terry models, Ann. Statist. 32, 384-406.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsc_sim.analysis.intervals import LEVEL, Estimate, critical_value
from rsc_sim.analysis.tables import Integers, Numbers, TableCounts

__all__ = ["ELO", "RIDGE", "Fit", "Miss", "Ratings", "fit_ratings", "fit_test", "win_groups"]

ELO = 400 / math.log(10)
"""Elo points of one unit of log odds: 400 points are odds of 10 to 1."""

RIDGE = 0.01
"""Weight of the penalty on ratings, as a fraction of one game: enough to keep the rating of a strategy that never wins
finite, too little to be seen in any other."""

LEAST_BLOCKS, LEAST_BLOCKS_A_TABLE = 100, 20
"""Deals in all and a table from which on their spread is known well enough for a test of the fit."""

_SMALL = 1e-9
"""Spread below this, beside the largest, is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings in log odds; `elo` and `places` in Elo points with intervals."""

    values: Numbers
    """By strategy; they add up to 0."""
    place_values: Numbers
    """By place, from the one that plays first on; they add up to 0."""
    covariance: Numbers
    """Of strategies and then places, in log odds, by blocks."""
    groups: tuple[tuple[int, ...], ...]
    """From above: strategies no game connects in both directions; one group when all are connected. Between groups no
    difference can be told, only that it is large: a strategy of a group never won where one of a higher group sat."""
    elo: tuple[Estimate, ...]
    places: tuple[Estimate, ...]
    n_games: int
    """Games that somebody won."""
    n_dropped: int
    """Games that nobody won: they say nothing about who is stronger."""
    n_blocks: int
    iterations: int

    def difference(self, a: int, b: int, *, level: float = LEVEL) -> Estimate:
        """Estimate by how many Elo points strategy a is above b."""
        c = self.covariance
        spread = float(c[a, a] + c[b, b] - 2 * c[a, b])
        return _elo(float(self.values[a] - self.values[b]), spread, self.n_blocks, level)

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        n = len(self.values)
        return {
            "model": "conditional logit on the winner, with place terms",
            "ridge": RIDGE,
            "strategies": {name: rating.to_dict() for name, rating in zip(names, self.elo, strict=True)},
            "places": [place.to_dict() for place in self.places],
            "covariance": None if np.isnan(self.covariance).any() else (self.covariance[:n, :n] * ELO**2).tolist(),
            "groups": [[names[i] for i in group] for group in self.groups],
            "n_games": self.n_games,
            "n_dropped": self.n_dropped,
            "n_blocks": self.n_blocks,
        }


@dataclass(frozen=True, slots=True)
class Miss:
    """What a strategy won at a table, a seat and finished game, beside what the ratings say it should."""

    table: tuple[int, ...]
    """The strategies that sat there, one a seat."""
    strategy: int
    won: float
    expected: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether one rating a strategy tells who wins at every table."""

    statistic: float
    """As many as there are degrees of freedom where the ratings tell all."""
    freedom: int
    """0 where the tables leave nothing to test, such as a single one."""
    p: float
    """Chance of a statistic this large if the ratings told all; NaN where nothing was tested."""
    reason: str
    """Why nothing was tested; empty otherwise."""
    misses: tuple[Miss, ...]
    """By table and strategy, the largest first."""

    @property
    def typical_miss(self) -> float:
        """Root mean square of the differences between shares won and expected."""
        return math.sqrt(sum((miss.won - miss.expected) ** 2 for miss in self.misses) / max(len(self.misses), 1))

    def to_dict(self, names: Sequence[str]) -> dict[str, Any]:
        """Give plain data for a JSON file."""
        return {
            "test": "Pearson's, of wins by table, orthogonal to places, with mean and variance by blocks",
            "statistic": self.statistic if self.freedom else None,
            "degrees_of_freedom": self.freedom,
            "p": self.p if self.freedom else None,
            "reason": self.reason or None,
            "typical_miss": self.typical_miss,
            "tables": [
                {
                    "table": [names[i] for i in miss.table],
                    "strategy": names[miss.strategy],
                    "won": miss.won,
                    "expected": miss.expected,
                }
                for miss in self.misses
            ],
        }


class _Model:
    """The games of all tables, laid out by seating, and the chances that ratings give them."""

    def __init__(self, tables: Sequence[TableCounts], n_strategies: int) -> None:
        self.n, self.seats = n_strategies, tables[0].seats
        self.seatings: Integers = np.concatenate([table.seatings for table in tables])
        self.finished: Numbers = np.concatenate([table.finished for table in tables]).astype(np.float64)
        self.wins = np.zeros(self.n + self.seats)
        for table in tables:
            self.wins[list(table.strategies)] += table.wins
            self.wins[self.n :] += table.wins_by_place
        ends = np.cumsum([len(table.seatings) for table in tables])
        self.of_table = [slice(int(end - len(t.seatings)), int(end)) for t, end in zip(tables, ends, strict=True)]

    def chances(self, at: Numbers) -> Numbers:
        """Give the chance to win of each place, a row a seating."""
        utility = at[: self.n][self.seatings] + at[self.n :]
        odds = np.exp(utility - utility.max(axis=1, keepdims=True))
        chances: Numbers = odds / odds.sum(axis=1, keepdims=True)
        return chances

    def objective(self, at: Numbers) -> float:
        """Give the log-likelihood less the penalty."""
        utility = at[: self.n][self.seatings] + at[self.n :]
        top = utility.max(axis=1)
        log_sum = top + np.log(np.exp(utility - top[:, None]).sum(axis=1))
        return float(self.wins @ at - self.finished @ log_sum - RIDGE / 2 * (at @ at))

    def expected(self, chances: Numbers) -> Numbers:
        """Give the expected wins by strategy and place, a row a seating."""
        rows = np.zeros((len(chances), self.n + self.seats))
        for place in range(self.seats):
            rows[np.arange(len(chances)), self.seatings[:, place]] += chances[:, place]
        rows[:, self.n :] = chances
        return rows

    def information(self, chances: Numbers, expected: Numbers, part: slice = slice(None)) -> Numbers:
        """Give the information on strategies and places that some seatings hold."""
        weights = self.finished[part, None] * chances[part]
        seated, size = self.seatings[part], self.n + self.seats
        both = np.zeros((size, size))
        for place in range(self.seats):
            by_strategy = np.bincount(seated[:, place], weights=weights[:, place], minlength=self.n)
            both[np.arange(self.n), np.arange(self.n)] += by_strategy
            both[: self.n, self.n + place] = both[self.n + place, : self.n] = by_strategy
            both[self.n + place, self.n + place] = by_strategy.sum()
        held: Numbers = both - (expected[part] * self.finished[part, None]).T @ expected[part]
        return held


def fit_ratings(tables: Sequence[TableCounts], n_strategies: int, *, level: float = LEVEL) -> Ratings:
    """Rate strategies by penalised maximum likelihood, by Newton's method from 0.

    An m-way tie counts 1/m for each; games that nobody won are left out. Intervals are cluster-robust: the variance is
    H⁻¹ M H⁻¹ with the information H and the covariance M of the blocks' scores, tables being strata, so that neither
    the dependence of a deal's games nor a model that holds only roughly makes them too narrow. Sources: White, H.
    (1982), Maximum likelihood estimation of misspecified models, Econometrica 50, 1-25; Liang, K.-Y. and Zeger, S. L.
    (1986), Longitudinal data analysis using generalized linear models, Biometrika 73, 13-22.

    All tables have the same number of seats; strategies are numbered from 0.
    """
    model = _Model(tables, n_strategies)
    at, iterations = _climb(model)
    groups = win_groups(tables, n_strategies)
    # The largest connected group is centred: a strategy that never wins would else shift all others by its own guess.
    main = max(groups, key=len)
    centre = np.zeros((n_strategies, n_strategies))
    centre[:, list(main)] = 1 / len(main)
    project = np.eye(len(at))
    project[:n_strategies, :n_strategies] -= centre
    project[n_strategies:, n_strategies:] -= 1 / model.seats
    values = project @ at
    covariance = _sandwich(model, tables, at, project)
    n_blocks = sum(table.n_blocks for table in tables)
    spreads = np.diag(covariance).tolist()
    estimates = [_elo(v, spread, n_blocks, level) for v, spread in zip(values.tolist(), spreads, strict=True)]
    for i in (i for group in groups if group != main for i in group):
        told = "kept finite by the penalty alone"
        estimates[i] = Estimate(estimates[i].value, -math.inf, math.inf, level, "Elo", n_blocks, told)
    return Ratings(
        values=values[:n_strategies],
        place_values=values[n_strategies:],
        covariance=covariance,
        groups=groups,
        elo=tuple(estimates[:n_strategies]),
        places=tuple(estimates[n_strategies:]),
        n_games=int(model.finished.sum()),
        n_dropped=sum(table.n_games for table in tables) - int(model.finished.sum()),
        n_blocks=n_blocks,
        iterations=iterations,
    )


def _climb(model: _Model) -> tuple[Numbers, int]:
    """Find the maximum, which the penalty makes unique; the penalty also makes ratings and place terms add up to 0."""
    at = np.zeros(model.n + model.seats)
    value = model.objective(at)
    for iteration in range(1, 201):
        chances = model.chances(at)
        expected = model.expected(chances)
        slope = model.wins - model.finished @ expected - RIDGE * at
        step = np.linalg.solve(model.information(chances, expected) + RIDGE * np.eye(len(at)), slope)
        scale = 1.0
        while (there := model.objective(at + scale * step)) < value - 1e-9 * abs(value) and scale > 1e-6:
            scale /= 2
        at, value = at + scale * step, there
        if np.abs(scale * step).max() < 1e-9:
            return at, iteration
    return at, iteration


def _sandwich(model: _Model, tables: Sequence[TableCounts], at: Numbers, project: Numbers) -> Numbers:
    chances = model.chances(at)
    expected = model.expected(chances)
    spread = np.zeros((len(at), len(at)))
    for table, part in zip(tables, model.of_table, strict=True):
        scores = _scores(table, model, expected[part])
        spread += table.n_blocks * scores @ table.block_covariance() @ scores.T
    bread = np.linalg.inv(model.information(chances, expected) + RIDGE * np.eye(len(at)))
    bread = project @ bread
    covariance: Numbers = bread @ spread @ bread.T
    return covariance


def _scores(table: TableCounts, model: _Model, expected: Numbers) -> Numbers:
    """Give what turns a block's vector into its score: wins, less those expected of its finished games."""
    q = len(table.strategies)
    scores = np.zeros((model.n + model.seats, len(table.sums)))
    scores[list(table.strategies), np.arange(q)] = 1
    scores[model.n + np.arange(model.seats), q + np.arange(model.seats)] = 1
    scores[:, q + model.seats :] = -expected.T
    return scores


def _elo(value: float, variance: float, n_blocks: int, level: float) -> Estimate:
    if not math.isfinite(variance):
        return Estimate(value * ELO, -math.inf, math.inf, level, "Elo", n_blocks, "one block a table: no interval")
    half = critical_value(level, n_blocks) * math.sqrt(max(variance, 0.0)) * ELO
    return Estimate(value * ELO, value * ELO - half, value * ELO + half, level, "Elo", n_blocks, "sandwich by blocks")


def win_groups(tables: Sequence[TableCounts], n_strategies: int) -> tuple[tuple[int, ...], ...]:
    """Group strategies that wins connect in both directions, the highest group first.

    Ratings have a finite maximum of likelihood only within a group. Source: Ford, L. R. (1957), Solution of a ranking
    problem from binary comparisons, Am. Math. Monthly 64, 28-33; Hunter (2004), assumption 1, for larger tables.
    """
    reach = np.eye(n_strategies, dtype=bool)
    for table in tables:
        numbers = list(table.strategies)
        for i, won in zip(numbers, table.wins, strict=True):
            if won > 0:
                reach[i, numbers] = True
    for via in range(n_strategies):
        reach |= np.outer(reach[:, via], reach[via])
    both = reach & reach.T
    groups = {tuple(int(j) for j in np.flatnonzero(both[i])) for i in range(n_strategies)}
    return tuple(sorted(groups, key=lambda group: (-int(reach[group[0]].sum()), group)))


def fit_test(tables: Sequence[TableCounts], ratings: Ratings) -> Fit:
    """Test whether the same ratings hold at every table.

    For each group of strategies that sat together the wins of each are compared with those expected, in Pearson's
    manner: the differences, made orthogonal to the place terms (Neyman's C(α)), are weighed by the inverse of the
    information. Were all games independent, what is left of their size once ratings are free to move would be χ² with
    as many degrees of freedom as there are differences beyond ratings. Games of a deal are not: mean and variance of
    the statistic are those that the covariance over deals gives, and are matched by a scaled χ². It holds for many
    deals in all, be they few a table; with fewer than 20 a table, or 100 in all, nothing is tested. A strategy that
    beats, loses and is level by who else is there is what it finds; that a place helps one strategy more than another
    is not.
    Sources: Rao, J. N. K. and Scott, A. J. (1984), On chi-squared tests for multiway contingency tables with cell
    proportions estimated from survey data, Ann. Statist. 12, 46-60; Neyman, J. (1959), Optimal asymptotic tests of
    composite statistical hypotheses, in Probability and Statistics, 213-234; Satterthwaite, F. E. (1946), An
    approximate distribution of estimates of variance components, Biometrics 2, 110-114.
    """
    model = _Model(tables, len(ratings.values))
    n, at = model.n, np.concatenate([ratings.values, ratings.place_values])
    chances = model.chances(at)
    expected = model.expected(chances)
    together: dict[tuple[int, ...], list[int]] = {}
    for index, table in enumerate(tables):
        together.setdefault(tuple(sorted(int(i) for i in table.seatings[0])), []).append(index)
    misses = tuple(
        miss for seated, indices in together.items() for miss in _misses(seated, indices, tables, model, expected)
    )
    misses = tuple(sorted(misses, key=lambda miss: (-abs(miss.won - miss.expected), miss.table, miss.strategy)))

    def untested(reason: str) -> Fit:
        return Fit(math.nan, 0, math.nan, reason, misses)

    if ratings.n_blocks < LEAST_BLOCKS or min(table.n_blocks for table in tables) < LEAST_BLOCKS_A_TABLE:
        return untested(f"it takes {LEAST_BLOCKS} deals, and {LEAST_BLOCKS_A_TABLE} a table")
    tested = [_differences(indices, tables, model, chances, expected) for indices in together.values()]
    inverses = [_inverse(each.information) for each in tested]
    pooled, n_free = _inverse(np.sum([each.information for each in tested], axis=0))
    freedom = sum(rank for _, rank in inverses) - n_free
    if freedom <= 0:
        return untested("the tables leave nothing to compare: ratings fit them whatever they are")
    left = np.sum([each.moments for each in tested], axis=0)
    size = sum(float(each.moments @ w @ each.moments) for each, (w, _) in zip(tested, inverses, strict=True))
    size = max(0.0, size - float(left @ pooled @ left))
    # The statistic is u' B u, B being the weights of all tables less the pooled one, and u independent by table.
    mean, half_variance, spread = 0.0, 0.0, np.zeros((n, n))
    for each, (weight, _) in zip(tested, inverses, strict=True):
        own = weight @ each.covariance
        trace = float(np.trace(own))
        # The square of an estimated covariance is too large by what its estimation adds.
        square = (float((own * own.T).sum()) - trace**2 / each.known) / (1 + 1 / each.known)
        mean += trace
        half_variance += square - 2 * float(np.trace(own @ pooled @ each.covariance))
        spread += each.covariance
    of_pooled = pooled @ spread
    mean -= float(np.trace(of_pooled))
    half_variance += float((of_pooled * of_pooled.T).sum())
    if mean <= 0 or half_variance <= 0:
        return untested("no game came out otherwise than the others")
    from scipy.special import gammaincc  # type: ignore[import-untyped]

    stretch, shape = half_variance / mean, mean**2 / half_variance
    return Fit(size / mean * freedom, freedom, float(gammaincc(shape / 2, size / stretch / 2)), "", misses)


@dataclass(frozen=True, slots=True, eq=False)
class _Differences:
    """What one group of strategies won beyond what is expected, by strategy, orthogonal to places."""

    moments: Numbers
    information: Numbers
    covariance: Numbers
    """Of the moments, by deals."""
    known: int
    """Degrees of freedom of the covariance."""


def _differences(
    indices: Sequence[int], tables: Sequence[TableCounts], model: _Model, chances: Numbers, expected: Numbers
) -> _Differences:
    n, size = model.n, model.n + model.seats
    moments, spread, information = np.zeros(size), np.zeros((size, size)), np.zeros((size, size))
    for index in indices:
        table, part = tables[index], model.of_table[index]
        scores = _scores(table, model, expected[part])
        moments += scores @ np.concatenate([table.wins, table.wins_by_place, table.finished])
        spread += table.n_blocks * scores @ table.block_covariance() @ scores.T
        information += model.information(chances, expected, part)
    turn = np.eye(n, size)
    turn[:, n:] = -information[:n, n:] @ _inverse(information[n:, n:])[0]
    return _Differences(
        moments=turn @ moments,
        information=(turn @ information)[:, :n],
        covariance=turn @ spread @ turn.T,
        known=sum(tables[index].n_blocks - 1 for index in indices),
    )


def _misses(
    seated: tuple[int, ...], indices: Sequence[int], tables: Sequence[TableCounts], model: _Model, expected: Numbers
) -> list[Miss]:
    games = sum(int(tables[i].finished.sum()) for i in indices)
    if not games:
        return []
    won = np.sum([tables[i].wins for i in indices], axis=0)
    should = np.sum([tables[i].finished @ expected[model.of_table[i]] for i in indices], axis=0)
    return [
        Miss(seated, number, float(won[at]) / share, float(should[number]) / share)
        for at, number in enumerate(sorted(set(seated)))
        for share in (games * seated.count(number),)
    ]


def _inverse(matrix: Numbers) -> tuple[Numbers, int]:
    """Invert a symmetric matrix where it is not singular; give the rank too."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > _SMALL * max(float(values.max(initial=0.0)), 1e-300)
    if not kept.any() or values.max() <= 0:
        return np.zeros_like(matrix), 0
    inverse: Numbers = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
    return inverse, int(kept.sum())
