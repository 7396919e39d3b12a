"""The compiled core: plays games of a ruleset between native strategies, and knows nothing of experiments, files or
statistics.
"""

from __future__ import annotations

from rsc_sim.errors import EnvironmentFailure

try:
    from rsc_sim.engine import cpu
except ImportError as error:
    raise EnvironmentFailure(
        f"the compiled engine is missing or does not load ({error}); build it with `pip install -e .` in the checkout, "
        "which needs a C compiler"
    ) from error

if not cpu.runs_here():
    raise EnvironmentFailure(
        "this processor lacks AVX2 or BMI2, which the engine was compiled for; "
        "build it for this machine with `RSC_SIM_MARCH=native pip install .`"
    )

from rsc_sim.engine.batch import CHECKED, Cancelled, Tallies, distinct_rotations, group_size, play_blocks
from rsc_sim.engine.columns import ENDS, INTERVENTIONS, STUCK, row_dtype
from rsc_sim.engine.game import Event, Game, Move
from rsc_sim.engine.rules import CompiledRules

__all__ = [
    "CHECKED",
    "ENDS",
    "INTERVENTIONS",
    "STUCK",
    "Cancelled",
    "CompiledRules",
    "Event",
    "Game",
    "Move",
    "Tallies",
    "distinct_rotations",
    "group_size",
    "play_blocks",
    "row_dtype",
]
