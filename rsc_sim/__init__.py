"""Monte Carlo balance simulator for the card game Read Sir Chaos.

    >>> import rsc_sim
    >>> run = rsc_sim.simulate("booklet", ["collector", "random"], games=1_000)
    >>> run.games.head(3).collect()  # doctest: +SKIP

The names below are the whole of what a notebook needs; each is imported when it is first used, so that `import rsc_sim`
and the command line start at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rsc_sim.analysis import Estimate
    from rsc_sim.errors import EnvironmentFailure, InputError, Interrupted, RscError, StrategyError
    from rsc_sim.experiment import Experiment
    from rsc_sim.play import simulate
    from rsc_sim.ruleset import Ruleset
    from rsc_sim.run import Run

__version__ = "0.1.0"

__all__ = [
    "EnvironmentFailure",
    "Estimate",
    "Experiment",
    "InputError",
    "Interrupted",
    "RscError",
    "Ruleset",
    "Run",
    "StrategyError",
    "simulate",
]

_HOMES = {
    "EnvironmentFailure": "errors",
    "Estimate": "analysis",
    "Experiment": "experiment",
    "InputError": "errors",
    "Interrupted": "errors",
    "RscError": "errors",
    "Ruleset": "ruleset",
    "Run": "run",
    "StrategyError": "errors",
    "simulate": "play",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rsc_sim' has no attribute {name!r}")
    value = getattr(import_module(f"rsc_sim.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return [*__all__, "__version__"]
