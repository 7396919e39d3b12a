"""How strong `tuned` is: one seat of it against three of each other archetype, rotated; written to reports/strength.

python -m tests.features.strength
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rsc_sim.analysis.intervals import Estimate, share_estimate
from rsc_sim.engine import CompiledRules, play_blocks
from rsc_sim.findings import percent, percent_range
from rsc_sim.plots.page import Page, house_style, save
from rsc_sim.plots.palette import strategy_colours
from rsc_sim.plots.rows import Row, dots, reference_line, rows_height
from rsc_sim.ruleset import Ruleset
from rsc_sim.strategy import resolve

FOLDER = Path(__file__).parents[2] / "reports" / "strength"
FIELDS = ("random", "rusher", "opportunist", "guardian", "collector", "raider", "hoarder")
BLOCKS = 5_000
SEED = 2026
AIM, LEAST = 0.35, 0.30


def won_against(field: str) -> Estimate:
    """Play and estimate the share of games that the one seat wins; unfinished games count as lost."""
    rules = CompiledRules(Ruleset.booklet().to_dict(), seats=4)
    lineup = [resolve("tuned").bind(), *[resolve(field).bind()] * 3]
    rows = play_blocks(rules, lineup, seed=SEED, first_block=0, n_blocks=BLOCKS, strategy_ids=[0, 1, 1, 1])
    won = sum(np.where(rows[f"strategy_{i}"] == 0, rows[f"won_{i}"], 0).astype(np.float64) for i in range(4))
    of_blocks = np.asarray(won).reshape(BLOCKS, 4).mean(axis=1)
    return share_estimate(float(of_blocks.mean()), float(of_blocks.var(ddof=1)), BLOCKS)


def main() -> None:
    shares = {field: won_against(field) for field in FIELDS}
    reached = [f for f, e in shares.items() if e.value > AIM and e.low > LEAST]
    lines = [
        f"| {f} | {percent(e)} | {percent_range(e)} | {'yes' if f in reached else 'no'} |" for f, e in shares.items()
    ]
    text = f"""# How strong `tuned` is
One seat of `tuned` against three of another strategy, 4 seats, booklet rules, {4 * BLOCKS:,} games a field
({BLOCKS:,} deals, each in every rotation), on other deals than it was trained on. An even share is 25 %. Aimed at:
more than 35 %, with the low end above 30 %.

| field | games won | 95 % range | reaches the aim |
|---|---|---|---|
{chr(10).join(lines)}

What to hold against these figures: the weights that training starts from (docs/features.md, "leans") come from some
800 generations of exploratory training with earlier sets of features, and from a few variants tried by hand. The
recorded command adds little to them: on its curve only the share against hoarder rose beyond its range (28.6 to
29.8 %). The deals of the curve also served to choose among variants; those of the table did not. Training was stopped
at generation 117 for want of time.

What the game allows (`ceiling.md`): against raider, guardian and collector a search wins 33.9 to 36.9 % with 200
playouts a move, 35.4 to 37.5 % with 800 and 35.1 to 37.8 % with 3,200, each ± 2.3 points, so that the aim lies at the
height of a search which takes a thousand times as long; one that sees all cards wins 52 to 58 %. What weights allow:
of the weights as they are none, moved alone, brings anything to speak of (`weights.md`), and weights fitted to what
each of 650,000 moves came to, played on, did no better (docs/decisions.md).

Renew with `python -m tests.features.strength`. What training noted down, generation by generation, is `training.json`.

![shares](tuned.png)
"""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "README.md").write_text(text, encoding="utf-8")
    figures = {field: estimate.to_dict() for field, estimate in shares.items()}
    (FOLDER / "tuned.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    with house_style():
        colours = strategy_colours(FIELDS)
        shown = [Row(f"against {field}", shares[field], colours[field]) for field in FIELDS if field != "random"]
        page = Page(None, height=rows_height([("", shown)]))
        page.label_x("share of games that the one seat wins (%)", bins=5)
        dots(page, [("", shown)], reference=0.25)
        reference_line(page.ax, 25, "even share 25 %")
        least = min(shares.values(), key=lambda e: e.value)
        title = f"tuned wins more than an even share against every archetype: {percent(least)} at least"
        title = title if least.low > 0.25 else "tuned is not ahead of every archetype"
        small = (
            f"One seat against three, {4 * BLOCKS:,} games a field; against random it wins {percent(shares['random'])}."
        )
        save(page.finish(title, small), FOLDER, "tuned")


if __name__ == "__main__":
    main()
