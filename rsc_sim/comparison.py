"""What a comparison plays: which strategies sit together, in which order around the table, on which deals.

Every group of as many strategies as there are seats is a table; where there are fewer strategies than seats, every
group that has each of them on one seat or more. A block of a table is one deal, played with all seatings: every order
around the table, and each of its rotations. Beyond 4 seats, where orders are too many, it is 6 orders of a sample.

Every table has deals of its own, which follow from the seed and from who sits there alone: a strategy more in the list
changes no game of the other tables. Playing is left to `compare`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from typing import Any, Self

from rsc_sim.errors import InputError
from rsc_sim.experiment import ResolvedExperiment, ResolvedStrategy, period

__all__ = ["ALL_ORDERS_SEATS", "ORDERS_A_BLOCK", "ComparedTable", "Comparison"]

ALL_ORDERS_SEATS = 4
"""Up to here a block has every order around the table: 6 with four strategies."""

ORDERS_A_BLOCK = 6
"""Orders in a block beyond that."""

_SAMPLES = 4
"""Samples of orders a table at most, each with deals of its own: of five strategies that is all 24."""
_DEALS_A_SAMPLE = 50
"""Deals that there are to be for each, lest samples leave every table too few."""

_MOST_TABLES = 20_000


@dataclass(frozen=True)
class ComparedTable:
    """Strategies that sit together, by number, and how they are seated."""

    seated: tuple[int, ...]
    """One a seat, in order of number."""
    sample: int
    """Which sample of orders it has; 0 where it has all."""
    orders: tuple[tuple[int, ...], ...]
    """Orders around the table, none a rotation of another."""
    seed: int
    """That of its deals."""

    @cached_property
    def seatings(self) -> tuple[tuple[int, ...], ...]:
        """Each rotation of each order; a game of a block for each."""
        return tuple(order[shift:] + order[:shift] for order in self.orders for shift in range(period(order)))


@dataclass(frozen=True)
class Comparison:
    """Hold all that a comparison's results depend on; the number of games asked for is for reading."""

    base: ResolvedExperiment
    """Rules and seed, and some lineup of these strategies, as an experiment; only what all tables share is used."""
    strategies: tuple[ResolvedStrategy, ...]
    seats: int
    games_asked: int
    n_blocks: int
    """Deals a table and sample."""
    samples: int = 1
    """Samples of orders a table; 1 where it has all."""

    @classmethod
    def of(cls, base: ResolvedExperiment, specs: Sequence[str], *, seats: int) -> Self:
        """Compare strategies by the rules, the seed and the number of games, in all, of an experiment.

        The number of games is rounded up to whole deals. Raises `InputError` on fewer than two strategies, on one that
        is there twice, and on more tables than anybody can wait for.
        """
        from rsc_sim.strategy import resolve

        found: dict[str, ResolvedStrategy] = {}
        for text in specs:
            strategy = resolve(text)
            if strategy.spec in found:
                raise InputError(f"strategy {strategy.spec!r} is there twice; expected each once")
            found[strategy.spec] = ResolvedStrategy(
                strategy.spec, strategy.name, dict(strategy.parameters), strategy.sha256
            )
        if len(found) < 2:
            raise InputError(
                f"expected two strategies or more to compare, came {', '.join(found) or 'none'}"
                "\n     see what there is: rsc strategies"
            )
        if seats < len(found) and comb(len(found), seats) > _MOST_TABLES:
            n = comb(len(found), seats)
            raise InputError(
                f"{len(found)} strategies make {n:,} tables of {seats}; at most {_MOST_TABLES:,} are played"
            )
        strategies = tuple(found.values())
        games = base.games_asked
        base = replace(
            base, name="compare", description="", strategies=strategies[:1], strategy_ids=(0,) * seats, n_blocks=1
        )
        plan = cls(base, strategies, seats, games, 1)
        if seats > ALL_ORDERS_SEATS:
            samples = max(1, min(_SAMPLES, games // (plan.games_a_deal * _DEALS_A_SAMPLE)))
            plan = replace(plan, samples=samples)
        return replace(plan, n_blocks=-(-games // plan.games_a_deal))

    @cached_property
    def tables(self) -> tuple[ComparedTable, ...]:
        """Every table, in order of the strategies; those with samples of orders stand there once for each sample."""
        n = len(self.strategies)
        groups = (
            combinations(range(n), self.seats)
            if n >= self.seats
            else (g for g in combinations_with_replacement(range(n), self.seats) if len(set(g)) == n)
        )
        made = []
        for seated in groups:
            if self.seats <= ALL_ORDERS_SEATS:
                samples = [_all_orders(seated)]
            else:
                orders = _some_orders(seated, self._seed(seated, "orders"), ORDERS_A_BLOCK * _SAMPLES)
                starts = range(0, len(orders), ORDERS_A_BLOCK)
                samples = [orders[i : i + ORDERS_A_BLOCK] for i in starts][: self.samples]
            made += [
                ComparedTable(seated, number, tuple(orders), self._seed(seated, f"deals {number}"))
                for number, orders in enumerate(samples)
            ]
        return tuple(made)

    def _seed(self, seated: tuple[int, ...], purpose: str) -> int:
        who = sorted(self.strategies[i].spec for i in seated)
        text = json.dumps([self.base.seed, purpose, who])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies' specs."""
        return tuple(strategy.spec for strategy in self.strategies)

    @property
    def games_a_deal(self) -> int:
        """Games that one deal of every table makes."""
        return sum(len(table.seatings) for table in self.tables)

    @property
    def n_games(self) -> int:
        """Games that are played."""
        return self.n_blocks * self.games_a_deal

    def experiment(self, table: ComparedTable, order: Sequence[int]) -> ResolvedExperiment:
        """Give the experiment whose blocks are those of a table in one order; `rsc run` plays the same games."""
        present = list(dict.fromkeys(order))
        ids = tuple(present.index(number) for number in order)
        return replace(
            self.base,
            name="compare",
            strategies=tuple(self.strategies[number] for number in present),
            strategy_ids=ids,
            seed=table.seed,
            n_blocks=self.n_blocks,
            games_asked=self.n_blocks * period(ids),
        )

    @property
    def digest(self) -> str:
        """SHA-256 over everything that results depend on."""
        text = json.dumps(self.essence(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def essence(self) -> dict[str, Any]:
        """Give everything that results depend on, as plain data."""
        return {
            "rules": self.base.ruleset,
            "deal_order": None if self.base.deal_order is None else list(self.base.deal_order),
            "strategies": [strategy.essence() for strategy in self.strategies],
            "seats": self.seats,
            "seed": self.base.seed,
            "n_blocks": self.n_blocks,
            "samples": self.samples,
        }

    def differences(self, other: Comparison) -> list[str]:
        """Word each way in which `other` would give other results, e.g. `seed: 1 there, 2 now`."""
        found = self.base.differences(replace(other.base, strategies=self.base.strategies))
        for what, there, here in (
            ("strategies", [s.essence() for s in self.strategies], [s.essence() for s in other.strategies]),
            ("seats", self.seats, other.seats),
            ("deals a table", self.n_blocks, other.n_blocks),
            ("samples of orders a table", self.samples, other.samples),
        ):
            if there != here:
                found.append(f"{what}: {_told(there)} there, {_told(here)} now")
        return found

    def to_dict(self) -> dict[str, Any]:
        """Give the plain data that a record keeps; `from_dict` takes it back."""
        return {"games_asked": self.games_asked, "rules_digest": self.base.ruleset_digest, **self.essence()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Take back what `to_dict` gave. Raises `KeyError` or `TypeError` on anything else."""
        strategies = tuple(ResolvedStrategy(**strategy) for strategy in data["strategies"])
        base = ResolvedExperiment(
            name="compare",
            description="",
            games_asked=data["games_asked"],
            ruleset=data["rules"],
            ruleset_digest=data["rules_digest"],
            deal_order=None if data["deal_order"] is None else tuple(data["deal_order"]),
            strategies=strategies[:1],
            strategy_ids=(0,) * data["seats"],
            seed=data["seed"],
            n_blocks=1,
        )
        return cls(base, strategies, data["seats"], data["games_asked"], data["n_blocks"], data["samples"])


def _told(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    return ", ".join(f"{s['spec']} ({s['sha256'][:12]})" if "sha256" in s else s["spec"] for s in value)


def _all_orders(seated: tuple[int, ...]) -> list[tuple[int, ...]]:
    """List the orders around a table, each by its smallest rotation.

    >>> _all_orders((0, 1, 2))
    [(0, 1, 2), (0, 2, 1)]
    """
    return sorted({_smallest(order) for order in permutations(seated)})


def _some_orders(seated: tuple[int, ...], seed: int, most: int) -> list[tuple[int, ...]]:
    """Draw different orders around a table, at random; all of them where there are few."""
    found: dict[tuple[int, ...], None] = {}
    for draw in range(20 * most):
        keys = [hashlib.sha256(f"{seed} {draw} {seat}".encode()).digest() for seat in range(len(seated))]
        found[_smallest(tuple(number for _, number in sorted(zip(keys, seated, strict=True))))] = None
        if len(found) == most:
            break
    return list(found)


def _smallest(order: tuple[int, ...]) -> tuple[int, ...]:
    return min(order[shift:] + order[:shift] for shift in range(len(order)))
